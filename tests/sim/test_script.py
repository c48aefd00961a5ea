"""Tests that scripts are data, and that a choice is drawn by its weights."""

from math import inf, nan
from random import Random

import pytest

from spindle.sim.script import Call, Choose, Count, Counted, Deal, If, Loop, Said, Think, Type, calls
from spindle.sim.streams import Constant, stream

A, B, C = (Type(1),), (Type(2),), (Think(Constant(1.0)), Type(3))


class Given(Random):
    def __init__(self, number: float) -> None:
        super().__init__(0)
        self.number = number

    def random(self) -> float:
        return self.number


@pytest.mark.parametrize(
    ("number", "branch"), [(0.0, A), (0.249, A), (0.25, B), (0.49, B), (0.5, C), (0.999999, C), (1.0, C)]
)
def test_a_choice_by_hand(number: float, branch: object) -> None:
    assert Choose((1.0, 1.0, 2.0), (A, B, C)).draw(Given(number)) is branch


def test_all_calls_of_a_script_are_found_wherever_they_stand() -> None:
    """In loops, in each branch of a choice, in records that are dealt, on both sides of a test."""
    a, b, c, d, e, f, g = (Call(name, name) for name in "abcdefg")
    steps = (Type(1), a, Loop((b, Count("N")), 2), Choose((1.0, 2.0), ((c,), (Think(Constant(1.0)), Loop((d,))))),
             If(Said("X"), (e,), (f,)), Deal("pack", ((), (g,))))  # fmt: skip
    assert list(calls(steps)) == [a, b, c, d, e, f, g]


def test_a_counter_that_nobody_moved_is_at_0() -> None:
    assert [Counted("N", least).holds([], {"M": 5}) for least in (0, 1)] == [True, False]


def test_as_often_as_its_weight() -> None:
    choose, random = Choose((1.0, 3.0), (A, B)), stream(1, "choose")
    assert sum(choose.draw(random) is B for _ in range(4000)) == pytest.approx(3000, rel=0.05)


@pytest.mark.parametrize("weights", [(1.0,), (1.0, 0.0), (1.0, -1.0), (1.0, nan), (inf, 1.0), ()])
def test_weights_must_fit(weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="weights"):
        Choose(weights, (A, B))
