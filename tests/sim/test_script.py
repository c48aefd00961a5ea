"""Tests that scripts are data, and that a choice is drawn by its weights."""

from math import inf, nan
from random import Random

import pytest

from spindle.sim.script import Choose, Think, Type
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


def test_as_often_as_its_weight() -> None:
    choose, random = Choose((1.0, 3.0), (A, B)), stream(1, "choose")
    assert sum(choose.draw(random) is B for _ in range(4000)) == pytest.approx(3000, rel=0.05)


@pytest.mark.parametrize("weights", [(1.0,), (1.0, 0.0), (1.0, -1.0), (1.0, nan), (inf, 1.0), ()])
def test_weights_must_fit(weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="weights"):
        Choose(weights, (A, B))
