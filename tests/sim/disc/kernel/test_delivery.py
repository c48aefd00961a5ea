"""Tests delivery of blocks to the host by hand: 20 to 24 pass one a second until 15 s, 25 to 27 from 18 to 21 s."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.disc.kernel.arm import Pass, delivery, instant

FIVE = Pass(0, 0, 10, 20, 25, 0.0, 0.0, 5.0, 15.0)
THREE = Pass(0, 0, 10, 25, 28, 0.0, 0.0, 3.0, 21.0)


def delivered(begin: float, first: int, stop: int, link: float, passes: list[Pass]) -> float:
    """When the host has these blocks, which come with *passes*, and not before *begin*."""
    return max(begin + (stop - first) * link, *[delivery(each, first, stop, link) for each in passes], 0.0)


@pytest.mark.parametrize(("begin", "link", "end"), [
    (0.0, 0.0, 15.0),  # with the last of the medium
    (0.0, 0.5, 15.5),  # a faster link waits for the last
    (0.0, 1.0, 16.0),
    (0.0, 2.0, 21.0),  # a slower one begins when the first is there, and goes on for all five
    (20.0, 2.0, 30.0),  # not before the bus is free
    (14.0, 0.5, 16.5),
])
def test_one_pass(begin: float, link: float, end: float) -> None:
    assert delivered(begin, 20, 25, link, [FIVE]) == pytest.approx(end)


@pytest.mark.parametrize(("link", "end"), [(0.0, 21.0), (0.5, 21.5), (1.0, 22.0), (1.5, 23.5), (2.0, 27.0)])
def test_two_passes_with_a_pause_between_them(link: float, end: float) -> None:
    """1.5 s a block: the first five until 18.5, the next from 19 on; 2 s a block: from 11 on without a pause."""
    assert delivered(0.0, 20, 28, link, [FIVE, THREE]) == pytest.approx(end)


@pytest.mark.parametrize(("begin", "link", "end"), [(12.0, 0.5, 15.5), (12.0, 2.0, 18.0), (12.0, 0.0, 15.0)])
def test_what_the_buffer_has_already_is_not_waited_for(begin: float, link: float, end: float) -> None:
    """Blocks 22 to 24, of a pass that brought in others before them."""
    assert delivered(begin, 22, 25, link, [FIVE]) == pytest.approx(end)


def test_what_is_all_there_takes_the_link_alone() -> None:
    assert delivered(3.0, 20, 25, 2.0, []) == 13.0


passes = st.lists(st.tuples(st.integers(1, 9), st.floats(0.0, 10.0), st.floats(0.01, 10.0)), min_size=1, max_size=4)


@given(passes, st.floats(0.0, 30.0), st.floats(0.0, 5.0))
def test_block_by_block_it_is_the_same(shapes: list[tuple[int, float, float]], begin: float, link: float) -> None:
    """The link takes each when it has gone by and the one before has left."""
    made, now, block = [], 0.0, 0
    for blocks, wait, transfer in shapes:
        now += wait + transfer
        made.append(Pass(0, 0, 10, block, block + blocks, 0.0, wait, transfer, now))
        block += blocks
    free = begin
    for each in made:
        for number in range(1, each.stop - each.first + 1):
            free = max(free, instant(each, number)) + link
    assert delivered(begin, 0, block, link, made) == pytest.approx(free, rel=1e-12, abs=1e-12)
