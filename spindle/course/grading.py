"""Grades notebooks that students hand in: the folder names the student, the variable ``answer`` is the answer.

The code of a notebook is run up to its answer in a process of its own, with the exercise of that student, whatever name
stands in it: so another student's numbers are of no use.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spindle.sim.error import UserError

MAX_RUN_SECONDS = 120.0
"""Seconds that a notebook may run before it has an answer."""
ANSWER_SUFFIX = "-answer"
"""The end of nbgrader's name of a cell with an answer."""


class Graded(NamedTuple):
    """The grade of one notebook: the *points* of a *student* for an *exercise*, and *words* about the answer."""

    student: str
    exercise: str
    points: int
    words: str


def grade_folder(folder: Path) -> Iterator[Graded]:
    """Grade each notebook below FOLDER/STUDENT, such as nbgrader's ``submitted``."""
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder: grade takes one with a folder for each student")
    found = sorted(path for path in folder.glob("*/**/*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    if not found:
        raise UserError(f"{folder} has no notebook of a student: each lies in a folder with the student's name")
    for path in found:
        yield grade(path, path.relative_to(folder).parts[0])


def grade(notebook: Path, student: str) -> Graded:
    """Grade the answer in *notebook* by the exercise of *student*; no points, and the reason, if that is impossible."""
    try:
        return _grade(notebook, student)
    except UserError as error:
        return Graded(student, notebook.stem, 0, str(error))


def _grade(notebook: Path, student: str) -> Graded:
    from spindle.course import exercise

    cells = code_cells(notebook)
    name = next((cell_id.removesuffix(ANSWER_SUFFIX) for cell_id, _ in cells if cell_id.endswith(ANSWER_SUFFIX)), None)
    if name is None:
        return Graded(student, notebook.stem, 0, "no cell is an answer")
    given, why = _answer_in(notebook, student)
    if why:
        return Graded(student, name, 0, why)
    task = exercise(name, student)
    try:
        result = task.check(given)
    except UserError as error:
        return Graded(student, name, 0, str(error))
    return Graded(student, name, int(result.right), result.words)


def code_cells(notebook: Path) -> list[tuple[str, str]]:
    """Return nbgrader's name and the source of each cell of code; '' for those without a name."""
    try:
        cells: list[dict[str, Any]] = json.loads(notebook.read_text("utf-8"))["cells"]
        return [(cell["metadata"].get("nbgrader", {}).get("grade_id", ""), "".join(cell["source"]))
                for cell in cells if cell["cell_type"] == "code"]  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{notebook}: it is no notebook: {error}") from error


def _answer_in(notebook: Path, student: str) -> tuple[object, str]:
    """Run *notebook* for *student*; return its answer, or why there is none."""
    command = [sys.executable, "-m", "spindle.course.grading", str(notebook.absolute()), student]
    try:
        ended = subprocess.run(command, cwd=notebook.parent, capture_output=True, text=True, timeout=MAX_RUN_SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"it has no answer after {MAX_RUN_SECONDS:g} s"
    try:
        answer: object = json.loads(ended.stdout.splitlines()[-1])["answer"]
    except (ValueError, IndexError, KeyError, TypeError):
        said = ended.stderr.strip().splitlines()
        return None, f"it broke down: {said[-1]}" if said else "nothing in it is called answer"
    return answer, ""


def run_notebook(notebook: Path, student: str) -> object:
    """Run the cells of *notebook* up to the answer as *student*, whatever errors they raise; return ``answer``."""
    import spindle.course as course

    real = course.exercise
    course.exercise = lambda name, *_, **__: real(name, student)
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell_id, source in code_cells(notebook):
        lines = [line for line in source.splitlines() if not line.lstrip().startswith(("%", "!"))]
        try:
            exec(compile("\n".join(lines), str(notebook), "exec"), names)
        except Exception as error:  # the code is anybody's
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
        if cell_id.endswith(ANSWER_SUFFIX):
            break
    answer: Any = names.get("answer")
    return answer.tolist() if hasattr(answer, "tolist") else answer


if __name__ == "__main__":
    print(json.dumps({"answer": run_notebook(Path(sys.argv[1]), sys.argv[2])}))
