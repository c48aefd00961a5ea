"""Gives an exercise to a student (Assignment): a question with drawn numbers, a run to learn from, graded answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, nan
from numbers import Real
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd

from spindle.sim.error import UserError, quote

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Answer = float | tuple[float, ...]
"""A number, or a list of numbers in order."""
NEAR_PREDICTION = 0.1
"""An answer whose relative error is at most this is called near."""
TOLERANCES_APART = 2.0
"""Least distance of a slip's result from the answer, as a multiple of the tolerance."""
MAX_DRAWS = 100
"""Most cases that are drawn for a student until one is clear."""
UNIT_FACTORS = (1000.0, 100.0, 60.0)
"""Factors between an answer in another unit and the right one: ms, percent, minutes."""
DISTANCE_WORDS = ((1.1, "less than a tenth"), (1.5, "less than a half"), (2.0, "up to twice"))
"""Words for how far off an answer is, by the largest ratio to the right one."""


class Case(Protocol):
    """An exercise with the numbers of one student: its question, its run, its answer and usual mistakes."""

    @property
    def question(self) -> str:
        """The question in words, with the unit of the answer."""

    def run(self) -> pd.DataFrame:
        """Return the table of a simulated run from which the answer can be learnt, though it does not contain it."""

    def answer(self) -> Answer: ...

    def slips(self) -> Mapping[str, Answer]:
        """Return the results of usual mistakes, each by the hint that a student then gets."""


@dataclass(frozen=True)
class Exercise:
    """An exercise of the course: *draw* makes the case of a student; an answer is right within the share *tolerance*.

    If slips are to be *apart*, cases are drawn until the result of each slip is far from the answer.
    """

    name: str
    title: str
    draw: Callable[[Random], Case]
    tolerance: float = 0.02
    apart: bool = True

    def task(self, student: object) -> "Assignment":
        """Return the exercise for a *student*: a name, whatever its capitals and spaces, or any other seed."""
        random = Random(f"{self.name} {' '.join(str(student).split()).casefold()}")
        for _ in range(MAX_DRAWS):
            task = Assignment(self, self.draw(random))
            if not self.apart or task.is_clear():
                break
        return task


@dataclass(frozen=True, repr=False)
class Grade:
    """The grade of an answer: *right* or not, with *words* for the student."""

    right: bool
    words: str

    def __repr__(self) -> str:
        return self.words


class Assignment:
    """An exercise as one student does it: predicts a number, looks at the run, and answers.

    *given* is what a student may compute with, by name.
    """

    def __init__(self, exercise: Exercise, case: Case) -> None:
        self.exercise = exercise
        self._case = case
        self.given: Mapping[str, Any] = {name: getattr(case, name) for name in getattr(case, "GIVEN_TO_STUDENTS", ())}
        self._prediction: float | None = None

    def __repr__(self) -> str:
        return f"{self.exercise.title}\n\n{self._case.question}"

    def is_clear(self) -> bool:
        """Tell if no usual mistake gives a result that is nearly right."""
        apart = TOLERANCES_APART * self.exercise.tolerance
        return not any(isinstance(slip, float) and isinstance(self._answer, float)
                       and _is_near(slip, self._answer, apart) for slip in self._slips.values())  # fmt: skip

    def predict(self, value: float) -> str:
        """Note the student's prediction, before anything is run."""
        self._prediction = _number(value)
        return f"Written down: {value:g}. Now run it."

    def run(self) -> pd.DataFrame:
        """Return the table of the run to learn from; UserError before there is a prediction."""
        if self._prediction is None:
            raise UserError("predict first, however wrong it may be: task.predict(...)")
        return self._table

    def plot(self) -> "Figure":
        """Draw the run to learn from."""
        return run_picture(self.run(), self.exercise.title)

    @cached_property
    def _table(self) -> pd.DataFrame:
        return self._case.run()

    def check(self, value: object) -> Grade:
        """Grade an answer: right, or roughly how far off, with a hint if it is a usual mistake; never the solution."""
        wanted = self._answer
        if isinstance(wanted, tuple):
            return self._check_order(_order(value), wanted)
        given = _number(value)
        if _is_near(given, wanted, self.exercise.tolerance):
            return Grade(True, f"Right.{self._compare_prediction(wanted)}")
        near = "Near" if _is_near(given, wanted, NEAR_PREDICTION) else "Not yet"
        return Grade(False, f"{near}: {_distance(given, wanted)}. {self._hint(given)}".strip())

    @cached_property
    def _answer(self) -> Answer:
        return self._case.answer()

    @cached_property
    def _slips(self) -> Mapping[str, Answer]:
        return self._case.slips()

    def _check_order(self, given: tuple[float, ...], wanted: tuple[float, ...]) -> Grade:
        if given == wanted:
            return Grade(True, "Right.")
        if sorted(given) != sorted(wanted):
            return Grade(False, f"Not yet: name each of the {len(wanted)} once.")
        same = next(place for place, (one, other) in enumerate(zip(given, wanted, strict=True)) if one != other)
        return Grade(False, f"Not yet: the first {same} of {len(wanted)} are right. {self._hint(given)}".strip())

    def _hint(self, given: Answer) -> str:
        hint = next((hint for hint, slip in self._slips.items() if self._is(given, slip)), "")
        return hint or ("Is it in the unit that the question asks for?" if self._is_of_another_unit(given) else "")

    def _is_of_another_unit(self, given: Answer) -> bool:
        wanted, most = self._answer, self.exercise.tolerance
        return isinstance(given, float) and isinstance(wanted, float) and any(
            _is_near(given, wanted * factor, most) or _is_near(given * factor, wanted, most) for factor in UNIT_FACTORS)

    def _is(self, given: Answer, slip: Answer) -> bool:
        if isinstance(given, tuple) or isinstance(slip, tuple):
            return given == slip
        return _is_near(given, slip, self.exercise.tolerance)

    def _compare_prediction(self, wanted: float) -> str:
        return "" if self._prediction is None else f" Your prediction was {_distance(self._prediction, wanted)}."


def key_of(task: Assignment) -> Answer:
    """Return the solution of *task*, for teachers; methods for students do not give it."""
    return task._answer


MAX_PANELS = 3
"""Most columns of a run that are drawn in a panel each; more are drawn as lines in one panel."""
LOG_AXIS_RATIO = 16
"""Least ratio of its ends for which an axis is logarithmic."""


def run_picture(frame: pd.DataFrame, title: str) -> "Figure":
    """Draw the numbers of *frame* against its first column: bars where that is words or seeds, else lines."""
    # Imported here, because matplotlib is not in every installation.
    from spindle.studies.plots.axes import new_panels
    from spindle.studies.plots.legends import label_ends
    from spindle.studies.plots.style import BLUE, PALETTE, styled

    x, *names = map(str, frame.columns)
    table = frame.sort_values(x)
    words = x == "seed" or not pd.api.types.is_numeric_dtype(table[x])
    panels = new_panels(len(names) if len(names) <= MAX_PANELS else 1, 2.4)
    with styled():
        for place, name in enumerate(names):
            ax = panels[place % len(panels)]
            if words:
                ax.bar(table[x].astype(str), table[name], 0.6, color=BLUE)
            else:
                shared = len(panels) < len(names)
                ax.plot(table[x], table[name], marker="o", color=PALETTE[place if shared else 0],
                        label=name if shared else "_nameless")  # fmt: skip
            ax.set_ylabel(name if len(panels) == len(names) else "")
        for ax in panels:
            ax.set_ylim(bottom=0)
        if not words and table[x].min() > 0 and table[x].max() >= LOG_AXIS_RATIO * table[x].min():
            panels[-1].set_xscale("log")
            panels[-1].set_xticks(table[x], [f"{each:g}" for each in table[x]])
            panels[-1].minorticks_off()
        panels[-1].set_xlabel(x)
        panels[0].set_title(title)
        label_ends(panels[0])
    figure = panels[0].get_figure()
    assert figure is not None
    return figure.get_figure(root=True)


def _is_near(given: float, wanted: float, tolerance: float) -> bool:
    return abs(given - wanted) <= tolerance * abs(wanted)


def _distance(given: float, wanted: float) -> str:
    """Return how far *given* is from *wanted* in words, too roughly for computing *wanted* from them."""
    if given * wanted <= 0.0:
        return "zero, or of the wrong sign"
    side, ratio = ("high", given / wanted) if abs(given) > abs(wanted) else ("low", wanted / given)
    return f"{next((words for most, words in DISTANCE_WORDS if ratio <= most), 'more than twice')} too {side}"


def _number(value: object) -> float:
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else nan
    except OverflowError:  # a whole number beyond all fractions
        number = inf
    if not isfinite(number):
        raise UserError(f"an answer is a finite number, not {quote(value)}")
    return number


def _order(value: object) -> tuple[float, ...]:
    value = value.tolist() if hasattr(value, "tolist") else value  # of numpy
    if not isinstance(value, list | tuple):
        raise UserError(f"an answer is a list of numbers here, in their order, not {value!r}")
    return tuple(_number(each) for each in value)
