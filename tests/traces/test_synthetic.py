"""Tests by hand where the requests of a synthetic trace begin, and what is drawn by its weight."""

from dataclasses import replace
from random import Random
from typing import cast

from spindle.sim.request import READ, WRITE
from spindle.traces.characterise import Characterisation, Histogram, TraceLocality, TraceShare
from spindle.traces.synthetic import _draw_weighted, _places, synthetic

PAGE = 4096
HOT = tuple((tenth + 1) / 10 for tenth in range(10))
LIKE = Characterisation(
    10, {READ: TraceShare(Histogram((PAGE,), (10,), 4096.0), Histogram((1,), (10,), 1.0))}, {"a": 10}, Histogram(),
    200 * PAGE, PAGE, TraceLocality(10, 100, 1.0, HOT, Histogram(), 1.0))  # fmt: skip
"""A hundred blocks on a device of two hundred; a tenth of the references goes to each share of the hottest."""


class Drawn:
    """Random numbers that are known."""

    def __init__(self, *numbers: float) -> None:
        self.numbers = [*numbers]

    def random(self) -> float:
        return self.numbers.pop(0)


def drawn(*numbers: float) -> Random:
    return cast(Random, Drawn(*numbers))


def test_a_run_begins_in_the_piece_of_its_rank() -> None:
    """Seven pieces of 16 blocks, 28 apart, each four further than the hotter one before, round and round.

    Of ten shares the hottest, of 0.1 %, is one block; 10 to 20 % are those of the ranks 10 to 19, and so on.
    """
    place = _places(LIKE, drawn(0.05, 0.99, 0.75, 0.5, 0.9, 0.0, 0.95, 0.99))
    assert [place() // PAGE for _ in range(4)] == [0, 15, 4 * 28 + 4, 24 % 7 * 28 + 3]


def test_pieces_lie_apart_however_many_there_are() -> None:
    """Five divide the step, and lie in turn; of runs of a byte a piece is a block."""
    five = replace(LIKE, locality=replace(LIKE.locality, blocks=80))
    assert _places(five, drawn(0.9, 0.0))() // PAGE == 40
    tiny = replace(LIKE, kinds={READ: TraceShare(Histogram((1,), (10,), 1.0), Histogram((1,), (10,), 1.0))})
    step = next(step for step in range(0x9E3779B97F4A7C15 % 100, 200) if step % 2 and step % 5)
    assert _places(tiny, drawn(0.75, 0.5))() // PAGE == 15 * step % 100 * 2


def test_what_is_drawn_is_drawn_by_its_weight() -> None:
    draw, random = _draw_weighted({"a": 1, "b": 3}), drawn(0.0, 0.24, 0.25, 0.5, 0.99)
    assert [draw(random) for _ in range(5)] == ["a", "a", "b", "b", "b"]


def test_a_seed_has_the_requests_that_it_had() -> None:
    """Each distribution is drawn from by its own stream."""
    like = replace(LIKE, devices={"a": 1, "b": 1}, gaps=Histogram((10**9, 3 * 10**9), (1, 1), 2e9), kinds={
        READ: TraceShare(Histogram((PAGE, 2 * PAGE), (5, 5), 1.5 * PAGE), Histogram((1, 2), (5, 5), 1.5)),
        WRITE: TraceShare(Histogram((512,), (10,), 512.0), Histogram((1,), (10,), 1.0))})  # fmt: skip
    made = [*synthetic(like, 1, 5)]
    assert [(each.time, each.device, each.op.value, each.first, each.length) for each in made] == [
        (0.0, "a", "read", 0, 4096), (3.0, "a", "read", 4096, 4096), (6.0, "b", "write", 0, 512),
        (7.0, "a", "write", 24576, 512), (10.0, "a", "read", 0, 4096)]
