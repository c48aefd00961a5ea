"""Tests the arm's read-ahead by hand: one block a millisecond, ten a track, no skew, whenever it is looked at."""

from math import inf

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spindle.sim.disc.buffer_sheet import Buffer
from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.kernel.buffer import (
    NOWHERE,
    extend,
    follow,
    leaves_track,
    read_ahead,
    read_until,
)
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.units import MS

TEN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10), head_switch=2 * MS)


class Prefetch:
    """Reads from the instant *begin* on into a segment of *room*, until it has come to *limit*."""

    def __init__(self, first: int, stop: int, room: int, begin: float, limit: int) -> None:
        mechanism = BufferedArm(TEN, Buffer(1, room))
        self._times, self._buffer = mechanism.moving.times, mechanism.buffer
        self.state, self.segment = self._buffer.state, self._buffer.segments[0]
        self.segment.first = first
        extend(self.segment, room, stop)
        read_ahead(self.state, 0, begin, limit, 0)

    @property
    def arm(self) -> ArmPosition:
        return ArmPosition(self.state.cylinder, self.state.head)

    def follow(self, now: float) -> bool:
        follow(self._times, self._buffer, now)
        return self.state.ahead != NOWHERE

    def leaves_track(self, now: float) -> float:
        return leaves_track(self._times, self._buffer, now)

    def until(self, first: int, stop: int) -> float:
        """When the host has these blocks, in no time from the buffer."""
        return read_until(self._times, self._buffer, first, stop)


def reading(first: int = 3, stop: int = 5, limit: int = 10, begin_ms: float = 5.0, room: int = 30) -> Prefetch:
    """Blocks *first* up to *stop* are there; the arm is on the first track."""
    return Prefetch(first, stop, room, begin_ms * MS, limit)


@pytest.mark.parametrize(("now", "goes_on", "stop"), [
    (4.0, True, 5), (5.0, True, 5), (5.9, True, 5), (6.0, True, 6), (7.5, True, 7), (10.0, False, 10),
    (99.0, False, 10),
])
def test_blocks_come_in_as_they_pass(now: float, goes_on: bool, stop: int) -> None:
    ahead = reading()
    assert ahead.follow(now * MS) is goes_on
    assert (ahead.segment.first, ahead.segment.stop) == (3, stop)
    assert ahead.arm == ArmPosition(0, 0)


def test_who_begins_late_waits_for_the_block_to_come_round() -> None:
    ahead = reading(begin_ms=5.5)
    assert ahead.follow(15.9 * MS)
    assert ahead.segment.stop == 5
    assert ahead.follow(16.0 * MS)
    assert ahead.segment.stop == 6


@pytest.mark.parametrize(("now", "stop", "head"), [(9.9, 9, 0), (10.0, 10, 1), (20.9, 10, 1), (21.0, 11, 1)])
def test_it_goes_on_with_the_next_track(now: float, stop: int, head: int) -> None:
    """Two for the head, and eight more for the first sector."""
    ahead = reading(limit=12)
    assert ahead.follow(now * MS)
    assert (ahead.segment.stop, ahead.arm) == (stop, ArmPosition(0, head))


@pytest.mark.parametrize(("now", "first", "stop"), [(6.0, 3, 6), (7.0, 3, 7), (8.0, 4, 8), (10.0, 6, 10)])
def test_what_comes_in_pushes_out_the_first(now: float, first: int, stop: int) -> None:
    ahead = reading(room=4)
    ahead.follow(now * MS)
    assert (ahead.segment.first, ahead.segment.stop) == (first, stop)


@pytest.mark.parametrize(("least", "now", "leaves"), [
    (0, 5.5, 5.5), (5, 5.5, 5.5), (8, 5.0, 8.0), (8, 6.5, 8.0), (8, 9.0, 9.0), (12, 9.0, 22.0), (12, 20.5, 22.0),
])  # fmt: skip
def test_the_arm_leaves_when_the_least_has_come_in(least: int, now: float, leaves: float) -> None:
    """Block 7 by 8 ms; the other head has blocks 10 and 11 from 20 to 22. To ask moves nothing."""
    ahead = reading(limit=15)
    ahead.state.least = least
    ahead.follow(now * MS)
    before = ahead.segment.stop, ahead.arm
    assert ahead.leaves_track(now * MS) == pytest.approx(leaves * MS)
    assert (ahead.segment.stop, ahead.arm) == before


def end_ms(ahead: Prefetch, stop: int) -> float:
    return round(ahead.until(ahead.segment.stop, stop) / MS, 6)


def test_who_waits_is_told_when_the_rest_comes() -> None:
    ahead = reading()
    ahead.follow(6.0 * MS)
    assert end_ms(ahead, 8) == 8.0
    assert ahead.segment.stop == 8


def test_who_waits_beyond_the_limit_is_told_of_the_last_track() -> None:
    ahead = reading()
    assert end_ms(ahead, 13) == 23.0
    assert ahead.segment.stop == 13
    assert ahead.arm == ArmPosition(0, 1)
    assert not ahead.follow(99 * MS)
    assert ahead.segment.stop == 13


def test_after_somebody_has_waited_it_reads_on() -> None:
    ahead = reading()
    assert end_ms(ahead, 8) == 8.0
    ahead.follow(7.0 * MS)  # what he waits for counts as there
    assert ahead.segment.stop == 8
    ahead.follow(9.0 * MS)
    assert ahead.segment.stop == 9
    assert end_ms(ahead, 10) == 10.0


def test_a_limit_can_be_put_farther_off_while_it_reads() -> None:
    ahead = reading(limit=7)
    ahead.follow(6.0 * MS)
    ahead.state.limit = 9
    assert ahead.follow(8.5 * MS)
    assert ahead.segment.stop == 8
    assert not ahead.follow(9.0 * MS)
    assert ahead.segment.stop == 9


State = tuple[int, int, ArmPosition, bool]
instants = st.lists(st.floats(0.0, 0.2), max_size=8)
shapes = st.fixed_dictionaries({
    "first": st.just(3), "stop": st.integers(4, 12), "limit": st.integers(4, 60), "begin_ms": st.floats(0.0, 40.0),
    "room": st.integers(1, 40),
})


def followed(ahead: Prefetch, now: float) -> State:
    goes_on = ahead.follow(now)
    return ahead.segment.first, ahead.segment.stop, ahead.arm, goes_on


@given(shapes, instants, st.floats(0.0, 0.2))
def test_however_often_it_is_followed_it_has_come_as_far(
    shape: dict[str, int], before: list[float], now: float
) -> None:
    often, once = reading(**shape), reading(**shape)
    stops = [followed(often, each)[1] for each in sorted(before) if each <= now]
    assert stops == sorted(stops)
    assert followed(often, now) == followed(once, now) == followed(once, now)


@given(shapes, instants, st.integers(1, 60))
def test_however_often_it_was_followed_the_rest_comes_at_the_same_instant(
    shape: dict[str, int], before: list[float], stop: int
) -> None:
    often, once = reading(**shape), reading(**shape)
    for each in sorted(before):
        followed(often, each)
    missing = often.segment.stop < stop
    mine, theirs = (each.until(each.segment.stop, stop) for each in (often, once))
    if missing:
        assert often.segment.stop == once.segment.stop == stop
        assert mine == pytest.approx(theirs, rel=1e-12)
    else:
        assert mine == -inf


@given(shapes, st.integers(1, 60), st.floats(0.0, 0.2))
def test_who_waited_does_not_change_what_is_read_ahead(shape: dict[str, int], stop: int, later: float) -> None:
    """Once what he waited for has passed, within the limit, all is as if he had not asked."""
    waited, alone = reading(**shape), reading(**shape)
    now = later + max(0.0, waited.until(waited.segment.stop, min(stop, shape["limit"])))
    assume(1e-6 < now / MS % 1.0 < 1 - 1e-6)  # not at the very instant at which a block has gone by
    assert followed(waited, now) == followed(alone, now)
