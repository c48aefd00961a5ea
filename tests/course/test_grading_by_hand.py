"""Graded notebooks and the words of a grade, by hand; what a notebook computes is replaced by what it would say."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from spindle.course import exercise, grading
from spindle.course.__main__ import main
from spindle.course.exercise import Exercise, key_of, run_picture
from spindle.course.grading import Graded, _answer_in, code_cells, grade, grade_folder, run_notebook
from spindle.sim.error import UserError
from spindle.studies.plots.style import BLUE, PALETTE
from tests.course.test_exercise_by_hand import Known

SEEK = key_of(exercise("seek", "ada"))


def notebook(path: Path, *cells: tuple[str, str]) -> Path:
    """Write a notebook of *cells* of code, each with nbgrader's name of it and its source, and one of text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    marked = [({"nbgrader": {"grade_id": name}} if name else {}, source) for name, source in cells]
    code = [{"cell_type": "code", "metadata": named, "source": [source, "\n"]} for named, source in marked]
    text = {"cell_type": "markdown", "metadata": {"nbgrader": {"grade_id": "text-answer"}}, "source": ["words"]}
    path.write_text(json.dumps({"cells": [text, *code]}))
    return path


def test_notebooks_of_students_are_found_in_order_and_no_copies_of_an_editor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mary/lab1/b.ipynb", "ada/a.ipynb", "ada/lab2/.ipynb_checkpoints/a.ipynb", "ada/notes.txt", "c.ipynb"):
        notebook(tmp_path / name)
    monkeypatch.setattr(grading, "grade", lambda path, student: (path.name, student))
    assert list(grade_folder(tmp_path)) == [("a.ipynb", "ada"), ("b.ipynb", "mary")]
    with pytest.raises(UserError, match="no notebook of a student"):
        list(grade_folder(tmp_path / "ada" / "lab2"))
    with pytest.raises(UserError, match="is no folder: grade takes one"):
        list(grade_folder(tmp_path / "c.ipynb"))


def test_an_answer_is_graded_by_the_exercise_that_its_cell_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = notebook(tmp_path / "lab.ipynb", ("", "x = 1"), ("seek-answer", "answer = x"), ("queue-answer", ""))
    assert code_cells(path) == [("", "x = 1\n"), ("seek-answer", "answer = x\n"), ("queue-answer", "\n")]

    def graded(answer: object, why: str = "") -> Graded:
        monkeypatch.setattr(grading, "_answer_in", lambda *asked: {(path, "ada"): (answer, why)}[asked])
        return grade(path, "ada")

    assert graded(SEEK) == ("ada", "seek", 1, "Right.")
    assert graded(0.0) == ("ada", "seek", 0, "Not yet: zero, or of the wrong sign.")
    assert graded(SEEK, "it broke down") == ("ada", "seek", 0, "it broke down")
    assert graded("7") == ("ada", "seek", 0, "an answer is a finite number, not '7'")
    assert grade(notebook(tmp_path / "none.ipynb", ("seek", "")), "ada") == ("ada", "none", 0, "no cell is an answer")
    (tmp_path / "broken.ipynb").write_text("[]")
    broken = grade(tmp_path / "broken.ipynb", "ada")
    assert (broken[:3], "broken.ipynb: it is no notebook: " in broken.words) == (("ada", "broken", 0), True)


@pytest.mark.parametrize(("out", "error", "expected"), [
    ('{"answer": 3}\n', "", (3, "")), ('hello\n{"answer": [1, 2]}\n', "NameError: x\n", ([1, 2], "")),
    ("", "Trace\n  line 1\nNameError: name 'x'\n\n", (None, "it broke down: NameError: name 'x'")),
    ("no json", "", (None, "nothing in it is called answer")), ("{}", "", (None, "nothing in it is called answer")),
    ("[]", " \n", (None, "nothing in it is called answer")),
])  # fmt: skip
def test_an_answer_is_the_last_line_of_what_a_process_says(
    out: str, error: str, expected: tuple[object, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def run(command: list[str], **words: object) -> subprocess.CompletedProcess[str]:
        assert command[0] == sys.executable
        assert command[1:] == ["-m", "spindle.course.grading", str(tmp_path / "lab" / "a.ipynb"), "ada"]
        assert words == {"cwd": Path("lab"), "capture_output": True, "text": True, "timeout": 120.0}
        return subprocess.CompletedProcess(command, 1, out, error)

    monkeypatch.setattr(subprocess, "run", run)
    assert _answer_in(Path("lab/a.ipynb"), "ada") == expected


def test_a_notebook_that_never_ends_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **words: object) -> None:
        raise subprocess.TimeoutExpired(command, 120.0)

    monkeypatch.setattr(subprocess, "run", run)
    assert _answer_in(Path("a.ipynb"), "ada") == (None, "it has no answer after 120 s")


def test_a_notebook_is_run_for_its_student_up_to_its_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import spindle.course as course

    monkeypatch.setattr(course, "exercise", exercise)  # to be put back
    path = notebook(tmp_path / "lab.ipynb", ("", "%matplotlib\n  !ls\nimport numpy\nme = __name__\nnumber = 6"),
                    ("", "number = 7\nnone"), ("seek-answer",
                     "from spindle.course import exercise\n"
                     "answer = numpy.array([number]), me, repr(exercise('seek', 'grace', hint=1))"),
                    ("", "answer = 1"))  # fmt: skip
    (number,), name, task = run_notebook(path, "ada")  # type: ignore[misc]
    assert (number, name, task) == (7, "__main__", repr(exercise("seek", "ada")))
    assert capsys.readouterr().err == "NameError: name 'none' is not defined\n"
    array = notebook(tmp_path / "array.ipynb", ("seek-answer", "import numpy\nanswer = numpy.array([1.5, 2.5])"))
    assert run_notebook(array, "ada") == [1.5, 2.5]
    assert run_notebook(notebook(tmp_path / "none.ipynb", ("", "x = 1")), "ada") is None


def test_teachers_see_a_line_for_each_student(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["seek", "ada", "Edsger"]) == 0
    one, other = capsys.readouterr().out.splitlines()
    assert one == f"seek ada {SEEK:.6g}"
    assert other.split()[:2] == ["seek", "Edsger"]
    assert main(["queue", "ada"]) == 0
    order: Any = key_of(exercise("queue", "ada"))
    assert capsys.readouterr().out == f"queue ada {' '.join(map(str, order))}\n"
    monkeypatch.setattr("spindle.course.__main__.grade_folder", lambda path: [Graded("ada", path.name, 1, "Right.")])
    assert main(["grade", "lab"]) == 0
    assert capsys.readouterr().out == "ada lab 1 Right.\n"
    for words in (["grade"], ["grade", "a", "b"], ["seek"], []):
        assert main(words) == 2
        out, error = capsys.readouterr()
        assert (out, error.count("\n")) == ("", 2)


def grades(right: float = 10.0) -> Callable[[object], str]:
    task = Exercise("known", "A title", lambda random: Known(right, 99.0 * right), 0.0).task("anybody")
    return lambda value: repr(task.check(value))


@pytest.mark.parametrize(("ratio", "words"), [
    (1.05, "Near: less than a tenth too high."), (0.92, "Near: less than a tenth too low."),
    (1.11, "Not yet: less than a half too high."), (0.7, "Not yet: less than a half too low."),
    (1.9, "Not yet: up to twice too high."), (0.51, "Not yet: up to twice too low."),
    (2.5, "Not yet: more than twice too high."), (0.4, "Not yet: more than twice too low."),
    (2.0, "Not yet: up to twice too high."), (0.0, "Not yet: zero, or of the wrong sign."),
    (-1.0, "Not yet: zero, or of the wrong sign."),
])  # fmt: skip
def test_how_far_off_an_answer_is_is_told_roughly_whatever_its_sign(ratio: float, words: str) -> None:
    assert (grades()(10.0 * ratio), grades(-10.0)(-10.0 * ratio)) == (words, words)


def test_a_prediction_is_written_down_before_anything_is_run() -> None:
    task = Exercise("known", "A title", lambda random: Known()).task("anybody")
    assert repr(task) == "A title\n\nHow long?"
    assert task.given == {}
    for early in (task.run, task.plot):
        with pytest.raises(UserError, match="predict first"):
            early()
    assert task.check(10).words == "Right."
    assert task.predict(25) == "Written down: 25. Now run it."
    assert task.run() is task.run()
    assert task.check(10).words == "Right. Your prediction was more than twice too high."
    with pytest.raises(UserError, match="finite number, not 'x'"):
        task.predict("x")  # type: ignore[arg-type]


def test_small_answers_are_not_nought() -> None:
    assert grades(0.1)(0.15).startswith("Not yet: less than a half too high.")
    assert grades(0.0)(1.0).startswith("Not yet: zero, or of the wrong sign.")


def test_what_a_student_may_compute_with_is_that_of_the_case() -> None:
    task = exercise("cleaning", "ada")
    assert task.given == {"writes": task._case.writes}  # type: ignore[attr-defined]
    assert repr(exercise("seek", " Ada   LOVELACE")) == repr(exercise("seek", "ada lovelace"))
    assert Random("seek ada lovelace").random() == drawn_by("Ada Lovelace")


def drawn_by(student: str) -> float:
    """The first number that is drawn for *student*."""
    numbers: list[float] = []

    def draw(random: Random) -> Known:
        numbers.append(random.random())
        return Known()

    Exercise("seek", "", draw).task(student)
    return numbers[0]


def test_an_order_may_be_an_array() -> None:
    task = exercise("queue", "ada")
    assert task.check(np.array(key_of(task))).right
    assert task.check([*reversed(list(key_of(task)))]).right is False  # type: ignore[arg-type]
    for value in (3, "1, 2", None):
        with pytest.raises(UserError, match="a list of numbers here, in their order, not "):
            task.check(value)


@pytest.mark.parametrize("value", ["12", None, True, float("nan"), float("inf"), 10**400, [1.0], 1j])
def test_what_is_no_number_is_no_answer(value: object) -> None:
    with pytest.raises(UserError, match="an answer is a finite number, not"):
        grades()(value)


def axes_of(frame: pd.DataFrame) -> list[Any]:
    figure = run_picture(frame, "A title")
    axes: list[Any] = figure.get_axes()
    assert axes[0].get_title(loc="left") == "A title"
    assert all(ax.get_ylim()[0] == 0 for ax in axes)
    assert axes[-1].get_xlabel() == str(frame.columns[0])
    return axes


def test_a_run_is_drawn_in_a_panel_for_each_of_three_columns_by_lines() -> None:
    frame = pd.DataFrame({"size": [16, 1, 4], "a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0], "c": [7.0, 8.0, 9.0]})
    axes = axes_of(frame)
    assert [ax.get_ylabel() for ax in axes] == ["a", "b", "c"]
    (line,) = axes[0].get_lines()
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([1, 4, 16], [2.0, 3.0, 1.0])
    assert line.get_marker() == "o"
    assert {ax.get_lines()[0].get_color() for ax in axes} == {PALETTE[0]}
    assert all(ax.get_lines()[0].get_label().startswith("_") for ax in axes), "a panel needs no legend"
    assert axes[-1].get_xscale() == "log"
    assert [text.get_text() for text in axes[-1].get_xticklabels()] == ["1", "4", "16"]
    assert [len(ax.xaxis.get_minor_ticks()) for ax in axes[-1:]] == [0]


def test_more_columns_share_a_panel_and_have_a_name_at_their_ends() -> None:
    (ax,) = axes_of(pd.DataFrame({"size": [1, 15], **{name: [1.0, 2.0] for name in "abcd"}}))
    assert (ax.get_ylabel(), ax.get_xscale()) == ("", "linear")
    assert [line.get_label() for line in ax.get_lines()][:4] == list("abcd")
    assert [line.get_color() for line in ax.get_lines()[:4]] == list(PALETTE[:4])
    for size, scale in (([0, 100], "linear"), ([10, 160], "log"), ([10, 159], "linear"), ([0.1, 1.5], "linear")):
        (ax,) = axes_of(pd.DataFrame({"size": size, "a": [1.0, 2.0]}))
        assert ax.get_xscale() == scale, size
    figure = run_picture(pd.DataFrame({"size": [1, 2], "a": [1.0, 2.0], "b": [1.0, 2.0]}), "")
    assert [ax.get_xlabel() for ax in figure.get_axes()] == ["", "size"]


def test_a_picture_of_a_run_has_the_title_of_its_exercise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Known, "run", lambda case: pd.DataFrame({"x": [1, 2], "y": [3.0, 4.0]}))
    task = Exercise("known", "A title", lambda random: Known()).task("anybody")
    task.predict(1)
    assert task.plot().get_axes()[0].get_title(loc="left") == "A title"


@pytest.mark.parametrize(("x", "names"), [({"order": ["b", "a"]}, ["a", "b"]), ({"seed": [7, 3]}, ["3", "7"])])
def test_words_and_seeds_are_drawn_as_bars(x: dict[str, list[Any]], names: list[str]) -> None:
    (ax,) = axes_of(pd.DataFrame({**x, "mean": [2.0, 1.0]}))
    assert [bar.get_height() for bar in ax.patches] == [1.0, 2.0]
    assert [bar.get_width() for bar in ax.patches] == [0.6, 0.6]
    assert [text.get_text() for text in ax.get_xticklabels()] == names
    assert {to_hex(bar.get_facecolor()) for bar in ax.patches} == {BLUE.lower()}
    assert ax.get_ylabel() == "mean"
