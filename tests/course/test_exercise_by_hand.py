"""One exercise with numbers that are known: right, near, a slip, another unit, and cases whose slips lie apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

import pandas as pd
import pytest

from spindle.course.discs import QueueOrder
from spindle.course.exercise import MAX_DRAWS, Exercise, key_of


@dataclass(frozen=True)
class Known:
    """A case whose answer and slip are as they are said."""

    result: float | tuple[float, ...] = 10.0
    slip: float | tuple[float, ...] = 20.0
    question: str = "How long?"

    def run(self) -> pd.DataFrame:
        return pd.DataFrame({"x": [1]})

    def answer(self) -> float | tuple[float, ...]:
        return self.result

    def slips(self) -> Mapping[str, float | tuple[float, ...]]:
        return {"Twice as long?": self.slip}


def said(value: object, case: Known = Known(), tolerance: float = 0.02) -> tuple[bool, str]:
    grade = Exercise("known", "Known", lambda random: case, tolerance).task("anybody").check(value)
    return grade.right, grade.words


@pytest.mark.parametrize(("value", "right"), [(10.0, True), (10.19, True), (9.81, True), (10.21, False), (9.79, False)])
def test_an_answer_is_right_within_its_tolerance(value: float, right: bool) -> None:
    assert said(value)[0] is right


def test_a_slip_has_its_hint_and_another_unit_too() -> None:
    assert said(20.0)[1].endswith("Twice as long?")
    unit = "Is it in the unit that the question asks for?"
    for value in (10_000.0, 1000.0, 600.0, 0.01, 0.1, 10.0 / 60.0):
        assert said(value)[1].endswith(unit), value
    for value in (500.0, 0.5, 10_500.0, 5.0):
        assert unit not in said(value)[1], value
    assert said(15.0)[1].startswith("Not yet")


def test_an_order_says_how_many_are_right() -> None:
    case = Known((3.0, 1.0, 2.0), (1.0, 2.0, 3.0))
    assert said([3, 1, 2], case) == (True, "Right.")
    assert said([3, 2, 1], case) == (False, "Not yet: the first 1 of 3 are right.")
    assert said([1, 2, 3], case) == (False, "Not yet: the first 0 of 3 are right. Twice as long?")
    assert said([3, 1, 1], case) == (False, "Not yet: name each of the 3 once.")


def test_each_slip_in_a_queue_is_the_order_that_it_names() -> None:
    """Reads on 90, 130, 200, 60, 95 and 20 while the arm is on 100; LOOK goes up first."""
    case = QueueOrder(100, (90, 130, 200, 60, 95, 20))
    assert case.answer() == (95, 90, 60, 20, 130, 200)
    assert [*case.slips().values()] == [(90, 130, 200, 60, 95, 20), (130, 200, 95, 90, 60, 20),
                                        (95, 90, 130, 60, 20, 200), (20, 60, 90, 95, 130, 200)]  # fmt: skip
    assert dict(case.run().values) == {"Fcfs": 370, "Look": 280, "Sstf": 260}
    assert list(case.run().columns) == ["order", "cylinders"]


def drawn(slips: list[float], apart: bool = True) -> tuple[Known, int]:
    """The case of a student, of those whose slips are drawn in turn, and how many were drawn."""
    left = iter(slips)
    seen: list[Known] = []

    def draw(random: Random) -> Known:
        seen.append(Known(slip=next(left)))
        return seen[-1]

    task = Exercise("known", "Known", draw, 0.02, apart).task("anybody")
    assert key_of(task) == 10.0
    case = task._case
    assert isinstance(case, Known)
    return case, len(seen)


def test_cases_are_drawn_until_a_slip_is_off_by_two_tolerances() -> None:
    """Of 10 within 2 %: 10.39 is off by less than 4 %, 10.41 by more."""
    assert drawn([10.0, 10.39, 9.61, 10.41, 20.0]) == (Known(slip=10.41), 4)
    assert drawn([10.0, 20.0], apart=False) == (Known(slip=10.0), 1)
    assert drawn([10.0] * (MAX_DRAWS + 1))[1] == MAX_DRAWS
    assert drawn([20.0]) == (Known(slip=20.0), 1)
