"""Tests by hand the state of a drive's buffer: which segment has a block, which goes, and how far is read ahead."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from spindle.sim.disc.buffer_sheet import Buffer
from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.kernel import buffer as kernel
from spindle.sim.disc.kernel.arm import BlockMap, LayoutPiece, Pass, run_at
from spindle.sim.disc.kernel.arrays import _search
from spindle.sim.disc.kernel.buffer import (
    BLOCKS,
    BY_TRACK,
    CYLINDER,
    NO_AHEAD,
    NOWHERE,
    TRACK,
    BufferSegment,
    BufferState,
    DriveBuffer,
    ahead_limit,
    choose_segment,
    ending_at,
    extend,
    fill,
    follow,
    forget,
    holding,
    leave,
    leaves_track,
    next_block_passes,
    present_pass,
    read_on,
    read_until,
    use,
)
from spindle.sim.disc.kernel.buffered import (
    acceptance,
    add_report,
    answering,
    kept_from,
    look,
    read_medium,
    ready_from,
    report,
    serve_miss,
    serve_read,
    serve_write,
)
from spindle.sim.units import MS
from tests.sim.disc.conftest import TEN

ARM = BufferedArm(TEN, Buffer(3, 10)).moving.times
"""A revolution of 10 ms, ten sectors of a track; d cylinders in 1 + d ms, another head in 2 ms; two heads."""
SHEET = BufferedArm(TEN, Buffer(3, 10)).buffer.sheet
Held = tuple[int, int, bool, int]
"""The first block of a segment, the one after its last, whether it was written, and its use."""


def buffer_of(*held: Held, **changes: Any) -> DriveBuffer:
    segments = [BufferSegment(*each) for each in held]
    state = BufferState(uses=max(each.used for each in segments))
    changes = {"segments": len(held), "own": False, **changes}
    return DriveBuffer(replace(SHEET, **changes), state, segments, [0.0] * 4)


FOUR = [(0, 10, False, 3), (0, 6, False, 1), (4, 12, True, 2), (20, 30, False, 0)]


@pytest.mark.parametrize(("first", "stop", "segment"), [
    (0, 6, 1), (0, 8, 0), (0, 11, 0), (4, 12, 2), (4, 13, 0), (5, 6, 1), (9, 10, 2), (10, 12, 2), (10, 15, 2),
    (12, 13, NOWHERE), (20, 21, NOWHERE), (15, 16, NOWHERE),
])  # fmt: skip
def test_who_holds_blocks(first: int, stop: int, segment: int) -> None:
    """The one used longest ago of those that have all, or the one used last of those that have the first."""
    assert holding(buffer_of(*FOUR), first, stop) == segment


def test_a_segment_of_writes_alone_answers_where_it_has_more() -> None:
    own = buffer_of((0, 10, False, 2), (5, 15, True, 1), segments=1, own=True)
    assert [holding(own, first, stop) for first, stop in ((5, 10), (5, 15), (5, 16), (12, 20), (15, 16), (4, 11))] == [
        0, 1, 0, 1, NOWHERE, 0]  # fmt: skip
    assert holding(buffer_of((0, 10, False, 2), (5, 15, True, 0), segments=1, own=True), 12, 13) == NOWHERE
    assert holding(buffer_of((0, 10, False, 2), (5, 15, True, 1), segments=1), 12, 13) == NOWHERE


def test_which_segment_ends_before_a_block() -> None:
    three = buffer_of((0, 10, False, 3), (4, 10, False, 2), (20, 30, False, 0))
    assert [ending_at(three, block) for block in (10, 30, 9)] == [1, NOWHERE, NOWHERE]


@pytest.mark.parametrize(("held", "writes", "read", "written"), [
    ([(0, 1, False, 2), (0, 1, False, 0), (0, 1, False, 0)], 2, 2, 2),  # empty ones, the last of them
    ([(0, 1, False, 2), (0, 1, False, 1), (0, 1, False, 3)], 2, 1, 1),
    ([(0, 1, True, 2), (0, 1, False, 1), (0, 1, True, 3)], 2, 1, 0),  # two are written already: the older of them goes
    ([(0, 1, True, 2), (0, 1, False, 1), (0, 1, True, 3)], 3, 1, 1),
    ([(0, 1, True, 5), (0, 1, True, 4), (0, 1, False, 3)], 1, 2, 1),
    ([(0, 1, True, 4), (0, 1, False, 0), (0, 1, False, 3)], 1, 1, 0),
    ([(0, 1, False, 4), (0, 1, False, 6), (0, 1, True, 7)], 1, 0, 2),
])  # fmt: skip
def test_which_segment_goes(held: list[Held], writes: int, read: int, written: int) -> None:
    kept = buffer_of(*held, write_segments=writes)
    assert (choose_segment(kept, False), choose_segment(kept, True)) == (read, written)


def test_a_segment_is_filled_and_drops_its_first_blocks() -> None:
    kept = buffer_of((0, 5, False, 2), (7, 9, False, 1), blocks=4)
    assert fill(kept, 20, 30, True) == 1
    assert kept.segments[1] == BufferSegment(26, 30, True, 3)
    assert fill(kept, 40, 44, False) == 0
    assert kept.segments[0] == BufferSegment(40, 44, False, 4)
    use(kept, 1)
    assert (kept.segments[1].used, kept.state.uses) == (5, 5)
    extend(kept.segments[1], 4, 29)
    assert kept.segments[1] == BufferSegment(26, 29, True, 5)
    own = buffer_of((0, 5, False, 2), (7, 9, False, 1), segments=1, own=True)
    assert [fill(own, 0, 2, written) for written in (True, False)] == [1, 0]
    none = buffer_of((0, 5, False, 0), segments=0)
    assert (fill(none, 3, 4, False), none.segments[0].used) == (0, 0), "it keeps nothing"


def test_what_is_written_over_is_forgotten() -> None:
    for first, stop, used in ((9, 20, [0, 2, 1]), (10, 20, [3, 2, 1]), (5, 9, [0, 2, 1]), (25, 31, [3, 2, 1]),
                              (0, 26, [0, 2, 1]), (19, 21, [3, 0, 1])):  # fmt: skip
        kept = buffer_of((4, 10, False, 3), (20, 25, False, 2), (20, 40, True, 1), segments=2)
        forget(kept, first, stop)
        assert [each.used for each in kept.segments] == [used[0], used[1] if stop <= 20 or first >= 25 else 0, used[2]]


MAP = BlockMap((0, 40), (LayoutPiece(0, 0, 10, 0.0, 0.0, 0.0),), 0, 2)
"""Two cylinders of two tracks of ten blocks."""


@pytest.mark.parametrize(("kind", "most", "first", "stop", "limit"), [
    (NO_AHEAD, 5, 0, 3, 3), (BLOCKS, 5, 0, 3, 8), (TRACK, 50, 0, 3, 10), (TRACK, 5, 0, 3, 8), (TRACK, 50, 0, 10, 10),
    (CYLINDER, 50, 0, 3, 20), (CYLINDER, 5, 0, 3, 8), (CYLINDER, 50, 0, 20, 20), (BY_TRACK, 0, 0, 3, 10),
    (BY_TRACK, 0, 3, 10, 30), (BY_TRACK, 0, 10, 12, 20), (BY_TRACK, 0, 5, 12, 30), (BY_TRACK, 0, 25, 32, 40),
    (BY_TRACK, 0, 30, 40, 40), (BY_TRACK, 0, 5, 39, 40),
])  # fmt: skip
def test_how_far_is_read_ahead(kind: int, most: int, first: int, stop: int, limit: int) -> None:
    """Track by track: to the end of the track, or of the next where the segment begins on one before."""
    assert ahead_limit(MAP, kind, most, first, stop) == limit


# Reading ahead from block 3 of track 0 on: it passes from 3 ms on, a block a millisecond.

def reading(limit: int = 10, least: int = 0, **changes: Any) -> DriveBuffer:
    """One that has blocks 0 to 2, and has begun at 1.5 ms to read on into segment 0."""
    ahead = buffer_of((0, 3, False, 1), **changes)
    kernel.read_ahead(ahead.state, 0, 1.5 * MS, limit, least)
    return ahead


@pytest.mark.parametrize(("now", "stop", "goes_on"), [
    (1.0, 3, True), (2.9, 3, True), (4.0, 4, True), (5.5, 5, True), (9.9, 9, True), (10.0, 10, False),
    (40.0, 10, False),
])  # fmt: skip
def test_what_has_been_read_by_an_instant(now: float, stop: int, goes_on: bool) -> None:
    ahead = reading()
    follow(ARM, ahead, now * MS)
    assert (ahead.segments[0].stop, ahead.state.ahead != NOWHERE) == (stop, goes_on)
    follow(ARM, ahead, now * MS)
    assert ahead.segments[0].stop == stop


def test_reading_ahead_settles_as_a_read_begins_when_it_may_and_loses_nothing() -> None:
    """A write would settle for 9 ms behind the switch, and miss block 10 at 20 ms."""
    slow = BufferedArm(replace(TEN, write_settle=9 * MS), Buffer(3, 10)).moving.times
    ahead = reading(15)
    follow(slow, ahead, 1.0 * MS)
    assert not ahead.state.passing
    follow(slow, ahead, 4.0 * MS)
    ahead.segments[0].stop = 6  # somebody waits for them
    follow(slow, ahead, 4.5 * MS)
    assert ahead.segments[0].stop == 6
    follow(slow, ahead, 21.5 * MS)
    assert ahead.segments[0].stop == 11


def test_an_arm_that_is_not_free_yet_is_not_so_sooner_for_leaving() -> None:
    ahead = reading(15, least_ahead=1)
    ahead.state.free = 4.0 * MS
    leave(ARM, ahead, 2.0 * MS)
    assert ahead.state.free == 4.0 * MS


def test_reading_ahead_keeps_as_much_as_a_segment_has_room_for() -> None:
    ahead = reading(15, blocks=6)
    follow(ARM, ahead, 8.2 * MS)
    assert (ahead.segments[0].first, ahead.segments[0].stop) == (2, 8)
    follow(ARM, ahead, 21.5 * MS)  # the other head is there at 12, and block 10 goes by from 20 on
    assert (ahead.segments[0].first, ahead.segments[0].stop, ahead.state.head) == (5, 11, 1)


@pytest.mark.parametrize(("least", "now", "leaves"), [
    (0, 2.0, 2.0), (3, 2.0, 2.0), (5, 2.0, 5.0), (5, 4.2, 5.0), (5, 6.0, 6.0), (12, 2.0, 22.0), (12, 21.5, 22.0),
])  # fmt: skip
def test_the_least_is_read_before_another_has_the_arm(least: int, now: float, leaves: float) -> None:
    ahead = reading(15, least, least_ahead=1)
    follow(ARM, ahead, now * MS)
    assert leaves_track(ARM, ahead, now * MS) / MS == pytest.approx(leaves)
    leave(ARM, ahead, now * MS)
    assert ahead.state.ahead == NOWHERE
    assert ahead.state.free / MS == pytest.approx(leaves)
    assert ahead.segments[0].stop >= min(least, 15)


def test_without_a_least_the_arm_is_free_at_once() -> None:
    ahead = reading(15, 9)
    follow(ARM, ahead, 4.0 * MS)
    leave(ARM, ahead, 4.0 * MS)
    assert (ahead.state.ahead, ahead.state.free, ahead.segments[0].stop) == (NOWHERE, 0.0, 4)


def test_when_the_next_block_passes() -> None:
    ahead = reading()
    assert next_block_passes(ARM, ahead, 1.0 * MS) / MS == pytest.approx(3.0)
    follow(ARM, ahead, 2.0 * MS)
    assert ahead.state.passing
    assert next_block_passes(ARM, ahead, 2.0 * MS) / MS == pytest.approx(3.0)
    assert next_block_passes(ARM, ahead, 4.5 * MS) / MS == pytest.approx(4.5)
    far = reading()
    far.segments[0].stop = 25  # on the next cylinder: there at 3.5, and block 25 goes by at 5
    assert next_block_passes(ARM, far, 1.0 * MS) / MS == pytest.approx(5.0)


@pytest.mark.parametrize(("first", "stop", "link", "when", "has"), [
    (0, 5, 0.0, 5.0, 5), (0, 5, 2.0, 8.0, 5), (0, 10, 0.5, 10.5, 10), (0, 12, 0.5, 22.5, 12),
])  # fmt: skip
def test_a_read_that_waits_for_what_is_read_ahead(first: int, stop: int, link: float, when: float, has: int) -> None:
    ahead = reading(15, link_reading=link * MS, blocks=20)
    assert read_until(ARM, ahead, first, stop) / MS == pytest.approx(when)
    assert ahead.segments[0].stop == has


@pytest.mark.parametrize(("changes", "limit", "least"), [
    ({"ahead": BLOCKS, "most_ahead": 6}, 9, 3), ({"ahead": BLOCKS, "most_ahead": 6, "least_ahead": 2}, 9, 5),
    ({"ahead": BLOCKS, "most_ahead": 6, "least_ahead": 20}, 9, 9),
    ({"ahead": BLOCKS, "most_ahead": 6, "keeps_requested": True, "blocks": 7}, 8, 3),
    ({"ahead": BLOCKS, "most_ahead": 6, "keeps_requested": True, "blocks": 2}, 0, 0), ({"ahead": NO_AHEAD}, 0, 0),
    ({"ahead": BLOCKS, "most_ahead": 500}, 200, 3),
])  # fmt: skip
def test_where_reading_on_ends(changes: dict[str, Any], limit: int, least: int) -> None:
    """After blocks 1 and 2, of a disc of 200; what was asked for is kept where the drive says so."""
    ahead = buffer_of((0, 3, False, 1), **{"keeps_requested": False, **changes})
    ahead.state.free = 4.0
    read_on(ARM, ahead, 0, 1, 3, 2.0)
    assert (ahead.state.limit, ahead.state.least) == (limit, least)
    assert (ahead.state.ahead, ahead.state.ahead_free) == ((0, 4.0) if limit else (NOWHERE, 0.0))


def test_reading_on_begins_when_it_may_and_the_arm_is_free() -> None:
    for begin, free, ahead_free in ((2.0, 4.0, 4.0), (5.0, 4.0, 5.0)):
        ahead = buffer_of((0, 3, False, 1), ahead=BLOCKS, most_ahead=6, keeps_requested=False)
        ahead.state.free = free
        read_on(ARM, ahead, 0, 1, 3, begin)
        assert (ahead.state.ahead, ahead.state.ahead_free) == (0, ahead_free)


def test_the_pass_of_the_read_ahead() -> None:
    ahead = reading(15)
    follow(ARM, ahead, 21.5 * MS)  # on head 1, from block 10 at 20 ms to block 15
    found = present_pass(ahead.state)
    assert (found.cylinder, found.head, found.first, found.stop) == (0, 1, 10, 15)
    assert (found.transfer, found.end) == pytest.approx((5 * MS, 25 * MS))
    assert (found.move, found.wait) == (0.0, 0.0)


@pytest.mark.parametrize(("least", "free", "reads", "writes"), [
    (0, 0.0, 2.0 + 0.25, 2.0 + 0.75), (12, 0.0, 22.0, 22.0), (12, 30.0, 30.0, 30.0), (0, 9.0, 9.0, 9.0),
])  # fmt: skip
def test_when_another_request_may_have_the_arm(least: int, free: float, reads: float, writes: float) -> None:
    ahead = reading(15, least, least_ahead=1, miss=(0.25 * MS, 9.0), commanded=(0.75 * MS, 9.0))
    ahead.state.free = free * MS
    look(ARM, ahead, 2.0 * MS)
    assert (ahead.state.reads_from / MS, ahead.state.writes_from / MS) == pytest.approx((reads, writes))


def test_reading_on_that_goes_on_gets_a_later_limit_and_no_earlier_one() -> None:
    ahead = reading(8, 5, ahead=BLOCKS, most_ahead=2, keeps_requested=False)
    read_on(ARM, ahead, 0, 1, 3, 9.0)
    assert (ahead.state.limit, ahead.state.least, ahead.state.ahead_free) == (8, 3, 1.5 * MS)
    ahead.sheet = replace(ahead.sheet, most_ahead=9)
    read_on(ARM, ahead, 0, 1, 3, 9.0)
    assert ahead.state.limit == 12


# Reads and writes.

def test_what_answers_a_read() -> None:
    ahead = reading(5)
    assert [answering(ahead, first, first + 1) for first in (2, 3, 4)] == [0, 0, NOWHERE]
    ahead.state.limit = 3
    assert answering(ahead, 3, 4) == NOWHERE
    ahead.state.limit, ahead.state.ahead = 5, NOWHERE
    assert answering(ahead, 3, 4) == NOWHERE


ANSWER = {"read_hit": (0.25 * MS, 0.5 * MS), "preparation": 0.125 * MS, "link_reading": 0.5 * MS,
          "read_done": 0.0625 * MS, "ahead": BLOCKS, "most_ahead": 4, "keeps_requested": False}  # fmt: skip


@pytest.mark.parametrize(("wrote", "overhead"), [(0, 0.375), (1, 0.625)])
def test_a_hit_takes_its_electronics_and_the_link(wrote: int, overhead: float) -> None:
    """Two blocks of half a millisecond; what goes on after a hit reads ahead, and counts a use."""
    for goes_on in (False, True):
        kept = buffer_of((0, 8, False, 1), (20, 30, False, 2), **ANSWER, goes_on=goes_on)
        kept.state.wrote = wrote
        assert serve_read(ARM, kept, 1.0, 2, 4) == pytest.approx((overhead * MS, 0.0, 0.0, 0.0, 1.0625 * MS))
        assert (kept.state.hits, kept.state.late_hits, kept.state.misses) == (1, 0, 0)
        assert (kept.segments[0].used, kept.state.ahead) == (3, NOWHERE), "four ahead of block 4 are there"
        assert serve_read(ARM, kept, 1.0, 6, 8)[3] == 0.0
        assert (kept.state.ahead, kept.state.limit) == ((0, 12) if goes_on else (NOWHERE, 0))


@pytest.mark.parametrize(("keeps", "first"), [(False, 4), (True, 2)])
def test_a_miss_is_kept_with_what_went_by_before(keeps: bool, first: int) -> None:
    """From 1.9 ms on block 4 comes at 4: blocks 2 and 3 go by. It is sent from 4.5 ms on, when it is half a ms old."""
    kept = buffer_of((0, 0, False, 0), **{**ANSWER, "ahead": 0}, keeps_passing=keeps, miss=(0.4 * MS, 9.0),
                     reading_off=(0.25 * MS, 9.0), reselect=0.03125 * MS, high_water=0.0)  # fmt: skip
    found = serve_miss(ARM, kept, 1.5 * MS, 4, 6)
    assert found[:4] == pytest.approx((0.4 * MS, 0.0, 2.1 * MS, 2.0 * MS))
    assert found[4] / MS == pytest.approx(max(5.0 + 0.03125 + 0.125 + 2 * 0.5, 6.5) + 0.0625 - 6.0)
    assert kept.segments[0] == BufferSegment(first, 6, False, 1)
    assert (kept.state.misses, kept.state.free / MS) == (1, pytest.approx(6.0))
    again = serve_miss(ARM, kept, 8.0 * MS, 6, 7)
    assert again[1] == 0.0
    assert kept.segments[0] == BufferSegment(first, 7, False, 2), "it goes on where the segment ends"


def test_a_hit_of_what_was_written_is_no_use() -> None:
    kept = buffer_of((0, 8, True, 1), (20, 30, False, 2), **ANSWER)
    serve_read(ARM, kept, 1.0, 2, 4)
    assert kept.segments[0].used == 1


@pytest.mark.parametrize(("link", "channel", "waited"), [(0.5, 2.5, 2.625), (2.0, 10.0, 0.0)])
def test_a_late_hit_waits_for_the_rest(link: float, channel: float, waited: float) -> None:
    """Blocks 0 to 2 are there, and 3 and 4 have passed at 5 ms, so that the link is done at 5.5, or at 10.375."""
    kept = buffer_of((0, 3, False, 1), **{**ANSWER, "link_reading": link * MS, "miss": (0.25 * MS, 9.0), "ahead": 0})
    found = serve_read(ARM, kept, 0.0, 0, 5)
    assert found == pytest.approx((0.375 * MS, 0.0, 0.0, waited * MS, (channel + 0.0625) * MS))
    assert (kept.state.hits, kept.state.late_hits, kept.segments[0].stop) == (0, 1, 5)


def test_a_late_hit_waits_for_an_arm_that_is_not_free() -> None:
    """It is at 3.5 ms, when block 3 has gone by: blocks 3 and 4 have passed at 15, and the link is done at 15.5."""
    kept = buffer_of((0, 3, False, 1), **{**ANSWER, "miss": (0.25 * MS, 9.0), "ahead": 0})
    kept.state.free = 3.5 * MS
    assert serve_read(ARM, kept, 0.0, 0, 5)[3] / MS == pytest.approx(15.5 - 0.375 - 2.5)


@pytest.mark.parametrize(("first", "length", "rotation", "blocks"), [
    (300, 200, 2.0, (3, 5)), (350, 150, 12.0, (3, 5)), (300, 150, 12.0, (3, 5)), (350, 50, 12.0, (3, 4)),
])  # fmt: skip
def test_a_write_through_a_buffer_goes_to_the_medium(
    first: int, length: int, rotation: float, blocks: tuple[int, int]
) -> None:
    """Asked at 0.5 ms, on its way at 1: block 3 comes at 3; of a part of a sector the rest is read a turn before."""
    through = buffer_of((0, 8, False, 4), (30, 40, False, 2), reports=0, reads_written=True, twice=False, reselect=0.0,
                        commanded=(0.5 * MS, 9.0), preparation=0.0, write_done=0.25 * MS, link_writing=0.0, holds=1,
                        write_segments=1)  # fmt: skip
    seen: list[tuple[int, float, float]] = []
    through.watch = lambda cylinder, start, each: seen.append((cylinder, start, each.end))
    found = serve_write(ARM, through, 0.5 * MS, first, length)
    count = blocks[1] - blocks[0]
    assert seen == [pytest.approx((0, 1.0 * MS, through.state.free))]
    assert found == pytest.approx((0.5 * MS, 0.0, rotation * MS, count * MS, 0.25 * MS))
    assert through.state.settled / MS == through.state.free / MS == pytest.approx(1.0 + rotation + count)
    assert through.segments[0] == BufferSegment(*blocks, True, 5), "what it had is forgotten, and what was written kept"


@pytest.mark.parametrize(("wrote", "stop", "overhead", "done"), [
    (1, 2, 0.75, 0.125), (1, 3, 0.5, 0.0625), (0, 2, 0.5, 0.0625),
])  # fmt: skip
def test_a_write_after_another_that_it_does_not_go_on_from_disconnects_twice(
    wrote: int, stop: int, overhead: float, done: float
) -> None:
    """Its command is 0.25 ms, and the seek 0.5 later; the data come after the disconnect and the interval."""
    twice = buffer_of((0, 0, False, 0), reports=0, twice=True, commanded=(0.5 * MS, 0.5 * MS), reselect=0.0625 * MS,
                      reselect_again=0.125 * MS, command=0.25 * MS, seek_delay=0.5 * MS, disconnect=1.0 * MS,
                      interval=2.0 * MS, preparation=0.5 * MS, write_done=0.0, link_writing=0.0, holds=1)  # fmt: skip
    twice.state.wrote, twice.state.stop = wrote, stop
    found = serve_write(ARM, twice, 0.0, 300, 100)
    late = 10.0 if done == 0.125 else 0.0  # the data are there at 3.8125 ms, when block 3 has begun to go by
    assert found == pytest.approx((overhead * MS, 0.0, (3.0 - overhead + late) * MS, 1.0 * MS, done * MS))


def test_a_write_waits_for_the_least_that_is_read_ahead() -> None:
    ahead = reading(15, 8, least_ahead=1, reports=0, reads_written=False, commanded=(0.0, 0.0), preparation=0.0)
    follow(ARM, ahead, 4.0 * MS)
    found = serve_write(ARM, ahead, 4.0 * MS, 900, 100)  # until block 7 has gone by at 8; block 9 comes at 9
    assert found[:4] == pytest.approx((4.0 * MS, 0.0, 1.0 * MS, 1.0 * MS))
    assert (ahead.state.ahead, ahead.state.settled / MS) == (NOWHERE, pytest.approx(10.0))


def test_a_reported_write_takes_its_command_and_the_link() -> None:
    """Three blocks: 0.25 ms until the command is taken, 0.125 to prepare; the arm writes after that."""
    told = buffer_of((0, 0, False, 0), reports=2, commanded=(0.25 * MS, 9.0), preparation=0.125 * MS,
                     write_done=0.5 * MS, link_writing=0.0625 * MS, holds=1, blocks=10)  # fmt: skip
    assert report(ARM, told, 0.0, 300, 300) == pytest.approx((0.375 * MS, 0.0, 0.0, 0.0, (3 * 0.0625 + 0.5) * MS))
    assert told.state.free / MS == pytest.approx(6.0)
    assert (told.state.waiting, told.ends[0], told.state.report_first, told.state.report_stop) == (
        1, told.state.free, 3, 6)  # fmt: skip


@pytest.mark.parametrize(("first", "stop", "mark", "gathered", "delivered"), [
    (3, 7, 0.0, 4.0, 7.0), (3, 7, 0.5, 5.0, 7.0), (3, 7, 1.0, 7.0, 7.0), (3, 7, 0.3, 4.0, 7.0),
    (7, 13, 1.0, 23.0, 23.0), (7, 13, 0.5, 10.0, 23.0),
])  # fmt: skip
def test_when_enough_is_gathered(first: int, stop: int, mark: float, gathered: float, delivered: float) -> None:
    """A share of the blocks, one at least; the track after is reached a turn later."""
    empty = buffer_of((0, 0, False, 0), high_water=mark, link_reading=0.0)
    opening, seek, rotation, transfer, enough, last = read_medium(ARM, empty, 0.0, first, stop)
    assert (enough / MS, last / MS) == pytest.approx((gathered, delivered))
    assert (opening.first, opening.stop) == (first, min(stop, 10))
    assert seek + rotation + transfer == pytest.approx(delivered * MS)
    assert empty.state.free == pytest.approx(delivered * MS)


def test_what_may_start_anywhere_takes_a_turn() -> None:
    """From 5 ms on blocks 2 to 9 and then 0 and 1 would take until 20 ms; all of the track has gone by at 15."""
    seen: list[tuple[int, float, float]] = []
    for anywhere, end in ((False, 20.0), (True, 15.0)):
        empty = buffer_of((0, 0, False, 0), starts_anywhere=anywhere)
        empty.watch = lambda cylinder, start, each: seen.append((cylinder, start, each.end))
        read_medium(ARM, empty, 5.0 * MS, 0, 10)
        assert empty.state.free / MS == pytest.approx(end)
    assert seen == [pytest.approx((0, 5.0 * MS, 20.0 * MS)), pytest.approx((0, 5.0 * MS, 15.0 * MS))]
    short = buffer_of((0, 0, False, 0), starts_anywhere=True)
    read_medium(ARM, short, 5.0 * MS, 6, 8)
    assert short.state.free / MS == pytest.approx(8.0), "no turn is needed"


@pytest.mark.parametrize(("keeps", "wait", "first", "kept"), [
    (False, 9.0, 5, 5), (True, 0.0, 5, 5), (True, 3.0, 5, 2), (True, 9.0, 5, 0), (True, 9.0, 15, 10), (True, 2.9, 5, 3),
])  # fmt: skip
def test_blocks_that_go_by_before_are_kept(keeps: bool, wait: float, first: int, kept: int) -> None:
    opening = Pass(0, 0, 10, first, first + 1, 0.0, wait * MS, 1 * MS, 0.0)
    assert kept_from(ARM, replace(SHEET, keeps_passing=keeps), opening, first) == kept


@pytest.mark.parametrize(("link", "holds", "data", "start", "stop", "ready"), [
    (0.0, 1, 5.0, 0, 8, 5.25), (0.5, 1, 5.0, 0, 8, 5.75), (0.5, 4, 5.0, 0, 8, 7.25), (0.5, 20, 5.0, 0, 8, 9.25),
    (2.0, 1, 5.0, 0, 8, 14.25), (0.5, 2, 5.0, 0, 3, 6.25),
])  # fmt: skip
def test_when_the_head_may_begin_to_write(
    link: float, holds: int, data: float, start: int, stop: int, ready: float
) -> None:
    """When so many blocks are there, or as late as that the last comes in time for a block a millisecond."""
    sheet = replace(SHEET, link_writing=link * MS, holds=holds, to_medium=0.25 * MS)
    assert ready_from(ARM, sheet, run_at(ARM.blocks, 0, stop), data * MS, start, stop) / MS == pytest.approx(ready)


def test_later_runs_of_a_write_wait_for_all_that_comes_before() -> None:
    """Until the third of them is there, 7 blocks from the first on, rather than until the eighth comes in time."""
    sheet = replace(SHEET, link_writing=1.5 * MS, holds=3, to_medium=0.0)
    found = ready_from(ARM, sheet, run_at(ARM.blocks, 10, 14), 0.0, 6, 14) / MS
    assert found == pytest.approx(7 * 1.5)


def reported(*ends: float, first: int = 0, stop: int = 5, reports: int = 2) -> DriveBuffer:
    told = buffer_of((0, 0, False, 0), reports=reports, blocks=10)
    for end in ends:
        add_report(told, 50, 51, 0.0)
        told.state.report_stop = NOWHERE
        told.ends[told.state.waiting - 1] = end
    told.state.report_first, told.state.report_stop = first, stop
    return told


@pytest.mark.parametrize(("ends", "now", "first", "stop", "when", "waiting"), [
    ((), 1.0, 9, 12, 1.0, 0), ((4.0,), 1.0, 9, 12, 1.0, 1), ((4.0, 6.0), 1.0, 9, 12, 4.0, 2),
    ((4.0, 6.0), 4.0, 9, 12, 4.0, 1), ((4.0, 6.0), 7.0, 9, 12, 7.0, 0), ((4.0, 6.0), 1.0, 5, 10, 1.0, 2),
    ((4.0, 6.0), 1.0, 5, 11, 4.0, 2), ((4.0, 6.0, 8.0), 5.0, 9, 12, 6.0, 2), ((4.0, 6.0, 8.0), 1.0, 9, 12, 6.0, 3),
])  # fmt: skip
def test_when_a_write_is_taken(
    ends: tuple[float, ...], now: float, first: int, stop: int, when: float, waiting: int
) -> None:
    """Two may be on their way; one that goes on where the last ended shares its segment of ten blocks."""
    told = reported(*ends)
    assert acceptance(told, now, first, stop) == when
    assert told.state.waiting == waiting
    left = [end for end in ends if end > now]
    assert told.ends[:waiting] == left


def test_a_write_that_goes_on_is_one_with_that_before() -> None:
    told = reported(4.0)
    add_report(told, 5, 8, 9.0)
    state = told.state
    assert (state.waiting, told.ends[0], state.report_first, state.report_stop) == (1, 9.0, 0, 8)
    add_report(told, 20, 22, 11.0)
    assert (state.waiting, told.ends[:2], state.report_first, state.report_stop) == (2, [9.0, 11.0], 20, 22)


def test_places_are_searched_by_halves() -> None:
    values = np.array([0, 25, 39, 57])
    assert [_search(values, value) for value in (-1, 0, 24, 25, 26, 38, 39, 56, 57, 99)] == [
        0, 1, 1, 2, 2, 2, 3, 3, 4, 4]  # fmt: skip
    assert _search(values[:0], 3) == 0
