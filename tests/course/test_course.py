"""The exercises: right, near and wrong answers, hints for slips, and notebooks that run."""

import json
import re
from functools import cache
from math import isclose
from pathlib import Path

import numpy as np
import pytest

from spindle import course
from spindle.course import COURSE, exercise
from spindle.course.__main__ import main as keys
from spindle.course.exercise import Answer, Assignment, Exercise, key_of
from spindle.course.grading import run_notebook
from spindle.sim.error import UserError
from tests.samples import sample

STUDENTS = ("ada", "edsger")
NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks" / "course").glob("*.ipynb"))
by_name = pytest.mark.parametrize("given", COURSE, ids=lambda each: each.name)


@cache
def solved(given: Exercise) -> tuple[Assignment, Answer]:
    """The task of a student, and its answer, for which most are run; the tests of notebooks run another's."""
    task = given.task(STUDENTS[0])
    return task, key_of(task)


@by_name
def test_right_near_and_wrong_answers_are_told_apart(given: Exercise) -> None:
    task, answer = solved(given)
    assert task.check(answer).right
    if isinstance(answer, tuple):
        assert task.check(answer[::-1]).words.startswith("Not yet: the first")
        return
    near, wrong = task.check(answer * (1.01 + given.tolerance)), task.check(answer * 3.1)
    assert (near.right, wrong.right) == (False, False)
    assert near.words.startswith("Near: less than a tenth too high.")
    assert wrong.words.startswith("Not yet: more than twice too high.")
    assert task.check(answer * 1000.0).words.endswith("Is it in the unit that the question asks for?")
    assert task.check(np.float32(answer)).right
    assert task.check(answer * 0.6).words.startswith("Not yet: up to twice too low.")
    assert task.check(-answer).words.startswith("Not yet: zero, or of the wrong sign.")


@by_name
def test_a_slip_gets_its_hint_and_nobody_is_told_the_solution(given: Exercise) -> None:
    task, answer = solved(given)
    for hint, slip in task._slips.items():
        grade = task.check(slip)
        assert grade.right or hint in grade.words or any(other in grade.words for other in task._slips)
        assert not shows(grade.words, answer)
    assert not shows(task._case.question, answer)


def shows(words: str, answer: object) -> bool:
    """Whether one of the numbers in *words* is the answer."""
    numbers = [float(each) for each in re.findall(r"\d+(?:\.\d+)?", words)]
    return isinstance(answer, float) and any(isclose(each, answer, rel_tol=0.005) for each in numbers)


@by_name
def test_students_have_numbers_of_their_own_and_keep_them(given: Exercise) -> None:
    again = [given.task(student) for student in STUDENTS]
    first = [solved(given)[0], given.task(STUDENTS[1])]
    assert repr(first) == repr(again)
    assert len({repr(each._case) for each in first}) == len(STUDENTS)


def test_a_run_wants_a_prediction_which_is_compared_in_the_end() -> None:
    task = exercise("seek", "ada")
    with pytest.raises(UserError, match="predict first"):
        task.run()
    answer = key_of(task)
    assert isinstance(answer, float)
    task.predict(answer * 1.3)
    table, curve = task.run(), task._case.disc.seek
    assert list(table.columns) == ["distance", "overhead", "seek", "rotation", "transfer"]
    assert list(table["seek"]) == pytest.approx([1000.0 * curve(distance) for distance in (0, 1, 10, 100, 550)])
    assert task.check(answer).words == "Right. Your prediction was less than a half too high."


def test_an_order_is_graded_place_by_place() -> None:
    task = exercise("queue", "ada")
    first, second, *others = key_of(task)  # type: ignore[misc]
    assert task.check([first, *others, second]).words.startswith("Not yet: the first 1 of 6 are right.")
    assert task.check([first, first, *others]).words == "Not yet: name each of the 6 once."


@pytest.mark.parametrize("value", ["12", None, True, float("nan"), [1.0]])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(UserError, match="an answer is a finite number"):
        exercise("seek", "ada").check(value)


def test_what_is_no_exercise_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UserError, match="did you mean little"):
        exercise("litle", "ada")
    with pytest.raises(UserError, match="a list of numbers"):
        exercise("queue", "ada").check(3)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda each: each.stem)
def test_each_notebook_runs_and_grades_what_nobody_has_answered_yet(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where some of them write a file
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    names: dict[str, object] = {}
    *before, last = ["".join(cell["source"]) for cell in cells]
    for source in before:
        exec(source, names)
    assert isinstance(names["task"], Assignment)
    assert names["task"].exercise.name == path.stem[3:]
    assert len(names["task"].plot().axes) >= 1
    assert eval(last, names) == 0.0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda each: each.stem)
def test_nbgrader_finds_the_answer_and_the_points_of_a_notebook(path: Path) -> None:
    cells = [cell["metadata"].get("nbgrader") for cell in json.loads(path.read_text("utf-8"))["cells"]]
    answer, grade = [each for each in cells if each is not None]
    assert (answer["solution"], answer["grade"], answer["locked"]) == (True, False, False)
    assert (grade["solution"], grade["grade"], grade["locked"], grade["points"]) == (False, True, True, 1)
    assert {answer["schema_version"], grade["schema_version"]} == {3}
    assert [answer["grade_id"], grade["grade_id"]] == [f"{path.stem[3:]}-answer", f"{path.stem[3:]}-grade"]


def test_the_key_is_for_teachers(capsys: pytest.CaptureFixture[str]) -> None:
    assert not hasattr(exercise("seek", "ada"), "answer")
    keys(["seek", "ada", "grace"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["seek", "ada"], ["seek", "grace"]]
    assert float(lines[0].split()[2]) == pytest.approx(key_of(exercise("seek", "ada")), rel=1e-5)


def test_there_is_a_notebook_for_each() -> None:
    assert [path.stem[3:] for path in NOTEBOOKS] == [each.name for each in COURSE]


SIMULATED = {"read_ahead": 4, "journal": sample(8, 100), "cleaning": sample(15, 100), "other_half": sample(2, 100)}
"""Students that are asked where each case takes a simulation, some of which have few cases."""


@pytest.mark.parametrize("name", ["seek", "read_ahead", "scan", "working_set", "closed_loop", "frames", "small_writes",
                                  "cleaning", "log_segments", "journal", "other_half"])  # fmt: skip
def test_no_slip_is_nearly_right_for_any_of_a_hundred_students(name: str) -> None:
    given = next(each for each in COURSE if each.name == name)
    for number in range(SIMULATED.get(name, 100)):
        task = given.task(f"student {number}")
        key = key_of(task)
        assert isinstance(key, float)
        for hint, slip in task._slips.items():
            assert isinstance(slip, float)
            assert abs(slip - key) > 2.0 * given.tolerance * abs(key), (number, hint)


def test_a_name_is_the_same_whatever_its_capitals_and_spaces() -> None:
    assert repr(exercise("seek", "Ada  Lovelace ")) == repr(exercise("seek", "ada lovelace"))


def test_a_name_keeps_its_numbers_from_version_to_version() -> None:
    """Else what was handed in would be graded by other numbers."""
    question = repr(exercise("seek", "Ada Lovelace"))
    assert "stands on cylinder 213. How many ms does a read of 16 sectors on cylinder 674 take" in question


def test_an_array_may_be_an_order() -> None:
    task = exercise("queue", "ada")
    assert task.check(np.array(key_of(task))).right


def submit(folder: Path, student: str, source: str, name: str = "01_seek") -> None:
    page = json.loads((NOTEBOOKS[0].parent / f"{name}.ipynb").read_text("utf-8"))
    cell = next(cell for cell in page["cells"] if cell["metadata"].get("nbgrader", {}).get("solution"))
    cell["source"] = source
    place = folder / student / "lab1" / f"{name}.ipynb"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(page))


def test_notebooks_are_graded_by_the_name_of_their_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = key_of(exercise("seek", "ada"))
    submit(tmp_path, "ada", f"answer = {key} * 1.0")
    submit(tmp_path, "grace", f"answer = {key}  # ada's")
    submit(tmp_path, "sly", "task._answer = 7.0\nanswer = '7.0'\n1 / 0")
    assert keys(["grade", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines] == [["ada", "seek", "1"], ["grace", "seek", "0"], ["sly", "seek", "0"]]
    assert "an answer is a finite number, not '7.0'" in lines[2]


def test_a_notebook_that_cannot_be_graded_keeps_no_other_from_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = key_of(exercise("seek", "mary"))
    for student in ("hana", "ivan", "kurt", "mary"):
        submit(tmp_path, student, "")
    broken = tmp_path / "ivan" / "lab1" / "01_seek.ipynb"
    broken.write_text("{}")
    other = tmp_path / "kurt" / "lab1" / "01_seek.ipynb"
    other.write_text(other.read_text("utf-8").replace("seek-answer", "mine-answer"))
    given = {"hana": 10**400, "kurt": 1, "mary": key}
    monkeypatch.setattr("spindle.course.grading._answer_in", lambda _, student: (given[student], ""))
    assert keys(["grade", str(tmp_path)]) == 0
    hana, ivan, kurt, mary = capsys.readouterr().out.splitlines()
    assert hana.startswith("hana seek 0 an answer is a finite number, not '1000")
    assert ivan == f"ivan 01_seek 0 {broken}: it is no notebook: 'cells'"
    assert kurt.startswith("kurt 01_seek 0 unknown exercise 'mine': ")
    assert mary == "mary seek 1 Right."


@pytest.mark.parametrize(("words", "says"), [
    ([], "python -m spindle.course grade FOLDER"), (["seek"], "EXERCISE STUDENT"), (["grade"], "grade FOLDER"),
    (["grade", "nowhere"], "nowhere is no folder"), (["seke", "ada"], "did you mean seek")])  # fmt: skip
def test_what_teachers_mistype_is_said(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert keys(words) == 2
    assert says in capsys.readouterr().err


def test_nbgrader_gives_out_an_answer_that_can_be_filled_in(tmp_path: Path) -> None:
    """With the settings that are shipped, and its own stub would take the answer away."""
    preprocessors = pytest.importorskip("nbgrader.preprocessors", reason="nbgrader is not installed")
    import nbformat
    from traitlets.config import Config

    settings: dict[str, object] = {}
    config = Config()
    source = (NOTEBOOKS[0].parent / "nbgrader_config.py").read_text("utf-8")
    exec(source, {"get_config": lambda: config}, settings)
    page = nbformat.read(NOTEBOOKS[0], as_version=4)
    given, _ = preprocessors.ClearSolutions(config=config).preprocess(page, {})
    (cell,) = [cell for cell in given.cells if cell.metadata.get("nbgrader", {}).get("solution")]
    assert cell.source == "answer = 0  # your answer in place of this one\ntask.check(answer)"


def test_a_notebook_is_run_up_to_its_answer_past_what_fails_and_for_the_student(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "exercise", exercise)  # to be put back
    cells = {"": "%matplotlib inline\nnumber = 6\nnone",
             "seek-answer": "from spindle.course import exercise\nanswer = number, repr(exercise('seek', 'grace'))",
             " ": "answer = 1"}  # fmt: skip
    path = tmp_path / "lab.ipynb"
    path.write_text(json.dumps({"cells": [
        {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": name}}, "source": source}
        for name, source in cells.items()]}))
    assert run_notebook(path, "ada") == (6, repr(exercise("seek", "ada")))
    assert capsys.readouterr().err == "NameError: name 'none' is not defined\n"
