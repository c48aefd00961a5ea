"""Tests a pass of five blocks by hand: the arm moves for 2 s, waits for 3 s, and from 10 s a block a second passes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.disc.kernel.arm import Pass, begin_anywhere, cut, instant, next_to_pass

FIVE = Pass(0, 0, 10, first=20, stop=25, move=2.0, wait=3.0, transfer=5.0, end=15.0)


@pytest.mark.parametrize(("now", "block"), [
    (0.0, 20), (10.0, 20), (10.9, 20), (11.0, 21), (11.5, 21), (13.999, 23), (14.0, 24), (15.0, 25),
])
def test_what_has_gone_by(now: float, block: int) -> None:
    assert next_to_pass(FIVE, now) == block


@pytest.mark.parametrize(("blocks", "when"), [(0, 10.0), (1, 11.0), (5, 15.0)])
def test_when_so_many_have_gone_by(blocks: int, when: float) -> None:
    assert instant(FIVE, blocks) == pytest.approx(when)


def test_the_beginning_of_a_pass() -> None:
    part = cut(FIVE, 22)
    assert part[3:7] == (20, 22, 2.0, 3.0)
    assert part[7:] == pytest.approx((2.0, 12.0))
    assert cut(FIVE, 25) == FIVE


def test_a_pass_begun_anywhere_is_over_a_revolution_after_the_arm_came_in() -> None:
    late = begin_anywhere(FIVE, 6.0)  # the arm came in at 7
    assert (late.move, late.wait, late.transfer, late.end) == (2.0, 3.0, 3.0, 13.0)


def test_blocks_between_which_sectors_hold_none_go_by_evenly() -> None:
    assert next_to_pass(Pass(0, 0, 10, 0, 4, 0.0, 0.0, 5.0, 5.0), 2.5) == 2


@given(st.integers(1, 500), st.floats(1e-6, 1.0), st.floats(0.0, 1e6), st.data())
def test_a_block_has_gone_by_when_it_has(blocks: int, transfer: float, begin: float, data: st.DataObject) -> None:
    """The clock may be so far on that it rounds: a block has then not gone by earlier than it would."""
    each = Pass(0, 0, 10, 7, 7 + blocks, 0.0, 0.0, transfer, begin + transfer)
    some = data.draw(st.integers(0, blocks))
    at = instant(each, some)
    exact = next_to_pass(each, at) == 7 + some
    assert exact or begin / transfer * blocks > 1e6  # one part in 1e16 of the clock, and 1e-9 of a block
    assert all(7 <= next_to_pass(each, now) <= 7 + blocks for now in (begin - 1.0, begin, at, each.end))
