"""An exercise of the course: a question about numbers of the student's own, a run to learn from, an answer graded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from random import Random
from typing import Protocol

import pandas as pd

from spindle.sim.error import UserError

Answer = float | tuple[float, ...]
"""A number, or an order of numbers."""
NEAR_SHARE = 0.1
STEPS = ((1.1, "less than a tenth"), (1.5, "less than a half"), (2.0, "up to twice"))


class Case(Protocol):
    """One student's numbers."""

    @property
    def question(self) -> str:
        """The question, with the unit of the answer."""

    def run(self) -> pd.DataFrame:
        """A simulated run from which the answer can be learnt; it does not contain it."""

    def answer(self) -> Answer: ...

    def slips(self) -> Mapping[str, Answer]:
        """Return the results of well-known mistakes, by the hint that helps with each."""


@dataclass(frozen=True)
class Exercise:
    """*draw* makes the case of a student; an answer is right within the share *tolerance*."""

    name: str
    title: str
    draw: Callable[[Random], Case]
    tolerance: float = 0.02

    def task(self, student: object) -> "Assignment":
        """The exercise with the numbers of a *student*: a name, or any other seed."""
        return Assignment(self, self.draw(Random(f"{self.name} {student}")))


@dataclass(frozen=True, repr=False)
class Grade:
    """A grade: *right* or not, with the *words* for the student."""

    right: bool
    words: str

    def __repr__(self) -> str:
        return self.words


class Assignment:
    """An exercise before one student, who predicts, looks at the run, and answers."""

    def __init__(self, exercise: Exercise, case: Case) -> None:
        self.exercise = exercise
        self.case = case
        self._prediction: float | None = None

    def __repr__(self) -> str:
        return f"{self.exercise.title}\n\n{self.case.question}"

    def predict(self, value: float) -> str:
        """Write a prediction down, before anything is run."""
        self._prediction = _number(value)
        return f"Written down: {value:g}. Now run it."

    def run(self) -> pd.DataFrame:
        """The run to learn from; UserError before there is a prediction."""
        if self._prediction is None:
            raise UserError("predict first, however wrong it may be: task.predict(...)")
        return self.case.run()

    def check(self, value: object) -> Grade:
        """Grade an answer: how far off it is, by the rule of thumb, and a hint; never the solution."""
        wanted = self._answer
        if isinstance(wanted, tuple):
            return self._check_order(_order(value), wanted)
        given = _number(value)
        if _near(given, wanted, self.exercise.tolerance):
            return Grade(True, f"Right.{self._compared(wanted)}")
        near = "Near" if _near(given, wanted, NEAR_SHARE) else "Not yet"
        return Grade(False, f"{near}: {_distance(given, wanted)}. {self._hint(given)}".strip())

    @cached_property
    def _answer(self) -> Answer:
        return self.case.answer()

    @cached_property
    def _slips(self) -> Mapping[str, Answer]:
        return self.case.slips()

    def _check_order(self, given: tuple[float, ...], wanted: tuple[float, ...]) -> Grade:
        if given == wanted:
            return Grade(True, "Right.")
        if sorted(given) != sorted(wanted):
            return Grade(False, f"Not yet: name each of the {len(wanted)} once.")
        same = next(place for place, (one, other) in enumerate(zip(given, wanted, strict=True)) if one != other)
        return Grade(False, f"Not yet: the first {same} of {len(wanted)} are right. {self._hint(given)}".strip())

    def _hint(self, given: Answer) -> str:
        return next((hint for hint, slip in self._slips.items() if self._is(given, slip)), "")

    def _is(self, given: Answer, slip: Answer) -> bool:
        if isinstance(given, tuple) or isinstance(slip, tuple):
            return given == slip
        return _near(given, slip, self.exercise.tolerance)

    def _compared(self, wanted: float) -> str:
        return "" if self._prediction is None else f" Your prediction was {_distance(self._prediction, wanted)}."


def _near(given: float, wanted: float, tolerance: float) -> bool:
    return abs(given - wanted) <= tolerance * abs(wanted)


def _distance(given: float, wanted: float) -> str:
    """The distance of *given* from *wanted*, in steps too coarse to compute it from."""
    if given * wanted <= 0.0:
        return "zero, or of the wrong sign"
    side, ratio = ("high", given / wanted) if abs(given) > abs(wanted) else ("low", wanted / given)
    return f"{next((words for most, words in STEPS if ratio <= most), 'more than twice')} too {side}"


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise UserError(f"an answer is a finite number, not {value!r}")
    return float(value)


def _order(value: object) -> tuple[float, ...]:
    if not isinstance(value, list | tuple):
        raise UserError(f"an answer is a list of numbers here, in their order, not {value!r}")
    return tuple(_number(each) for each in value)
