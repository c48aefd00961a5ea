"""Tests rules that hold for every buffer, with random buffers and random requests at random times."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.disc.buffer_sheet import After, Buffer, HostLink, Nothing, Overheads
from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.kernel.buffer import follow
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.request import READ, WRITE, Span
from spindle.sim.units import MS
from tests.sim.disc.buffer.any_buffer import EVEN, SIZE, Asked, buffers, discs, gaps, many, overheads, requests
from tests.sim.disc.track_runs import track_runs

reading_alone = buffers.map(lambda each: replace(each, overheads=Overheads(), reports=None))


def span_of(disc: DiscType, first: int, blocks: int) -> Span:
    first %= disc.layout.sectors
    return Span(first * SIZE, min(blocks, disc.layout.sectors - first) * SIZE)


def finished(mechanism: MovingArm | BufferedArm, disc: DiscType, asked: Sequence[Asked]) -> list[float]:
    """When each of *asked* is answered."""
    arm, now, ends = ArmPosition(0, 0), 0.0, []
    for gap, op, first, blocks in asked:
        now += gap
        service, arm = mechanism.serve(arm, now, op, span_of(disc, first, blocks))
        now += service.total
        ends.append(now)
    return ends


@given(discs, buffers, many)
def test_phases_are_times(disc: DiscType, buffer: Buffer, asked: list[Asked]) -> None:
    """None is negative, they hold the link and the command, and all is counted."""
    mechanism, arm, now = BufferedArm(disc, buffer), ArmPosition(0, 0), 1.0
    for number, (gap, op, first, blocks) in enumerate(asked):
        now += gap
        span = span_of(disc, first, blocks)
        settled = mechanism.settled_at()
        service, arm = mechanism.serve(arm, now, op, span, queue=float(number))
        assert service.queue == number
        assert min(service) >= 0.0
        link = buffer.link.reading if op is READ else 0.0 if buffer.reports is None else buffer.link.writing
        assert service.channel >= span.length // SIZE * link * (op is WRITE) - 1e-12
        assert service.total >= disc.overhead + span.length // SIZE * link - 1e-12
        now += service.total
        if op is WRITE:
            assert mechanism.settled_at() >= settled
            assert buffer.reports is not None or mechanism.settled_at() <= now + 1e-12
    read = [op for _, op, _, _ in asked].count(READ)
    assert mechanism.buffer.state.hits + mechanism.buffer.state.late_hits + mechanism.buffer.state.misses == read


def test_no_phase_is_negative_by_a_rounding() -> None:
    """What a hit waits is a difference of instants."""
    mechanism = BufferedArm(EVEN, Buffer(1, 20, link=HostLink(0.1 * MS)))
    mechanism.serve(ArmPosition(0, 0), 0.0, READ, Span(0, 20 * SIZE))
    for number in range(1, 100):
        service, _ = mechanism.serve(ArmPosition(0, 0), number * 0.7, READ, Span(0, 7 * SIZE))
        assert min(service) >= 0.0


@given(discs, many)
def test_a_buffer_of_nothing_is_no_buffer(disc: DiscType, asked: list[Asked]) -> None:
    nothing = BufferedArm(disc, Buffer(segments=0, blocks=1))
    assert finished(nothing, disc, asked) == pytest.approx(finished(MovingArm(disc), disc, asked), rel=1e-12)
    mine, theirs, now = BufferedArm(disc, Buffer(0, 7)), MovingArm(disc), 0.0
    arm = ArmPosition(0, 0)
    for gap, op, first, blocks in asked:
        now += gap
        (service, arm), (other, where) = (each.serve(arm, now, op, span_of(disc, first, blocks))
                                          for each in (mine, theirs))
        assert service == pytest.approx(other, abs=1e-12)
        assert arm == where
        now += service.total


@given(discs, buffers, many, st.floats(0.0, 0.3))
def test_whoever_asks_for_it_twice_is_told_the_same(
    disc: DiscType, buffer: Buffer, asked: list[Asked], later: float
) -> None:
    """What has been read ahead can be looked at at any instant in between."""
    mechanism = BufferedArm(disc, buffer)
    now = finished(mechanism, disc, asked)[-1]
    once, often = deepcopy(mechanism), deepcopy(mechanism)
    for part in range(1, 6):
        follow(often.moving.times, often.buffer, now + later * part / 6)
    span = span_of(disc, asked[0][2], asked[0][3])
    arm = mechanism._left
    mine, theirs = (each.serve(arm, now + later, READ, span)[0] for each in (often, once))
    assert mine == pytest.approx(theirs, abs=1e-9)


@given(discs, reading_alone, many, gaps)
def test_a_hit_is_no_slower_than_the_arm(disc: DiscType, buffer: Buffer, asked: list[Asked], gap: float) -> None:
    """Where the command costs the same either way: what is there need not come, and what is coming need not begin."""
    mechanism = BufferedArm(disc, buffer)
    now = finished(mechanism, disc, asked)[-1] + gap
    for first in range(0, disc.layout.sectors, 3):
        span, buffered = span_of(disc, first, 5), deepcopy(mechanism)
        follow(buffered.moving.times, buffered.buffer, now)
        bare = BufferedArm(disc, Buffer(0, buffer.blocks, link=buffer.link, high_water=0.0))
        at = buffered.buffer.state
        bare.buffer.state.cylinder, bare.buffer.state.head = bare._left = ArmPosition(at.cylinder, at.head)
        misses = buffered.buffer.state.misses
        service, _ = buffered.serve(mechanism._left, now, READ, span)
        if buffered.buffer.state.misses == misses:
            assert service.total <= bare.serve(bare._left, now, READ, span)[0].total + 1e-12


# What follows compares two drives that are asked the same one after the other. A faster one may find less read ahead
# when it is asked for the next, and so be slower in the end; that is no fault. Without read-ahead it never is.
still = reading_alone.map(lambda each: replace(each, read_ahead=Nothing(), keeps_passing=False))


@given(discs, still, many, st.floats(0.0, 1.0))
def test_a_faster_link_slows_nobody(disc: DiscType, buffer: Buffer, asked: list[Asked], share: float) -> None:
    faster = replace(buffer, link=HostLink(buffer.link.reading * share, buffer.link.writing * share))
    slow, fast = (finished(BufferedArm(disc, each), disc, asked) for each in (buffer, faster))
    assert all(one <= other + 1e-9 for one, other in zip(fast, slow, strict=True))


@given(discs, still, overheads, many, st.floats(0.0, 1.0))
def test_faster_electronics_slow_nobody(
    disc: DiscType, buffer: Buffer, slower: Overheads, asked: list[Asked], share: float
) -> None:
    def times(each: After) -> After:
        return After(each.read * share, each.write * share)

    # At rest a drive is slower by a difference, which may grow where both are less; and so it is with a disconnect.
    slower = replace(slower, read_hit=After(slower.read_hit.read, slower.read_hit.read), second_disconnect=None)
    faster = Overheads(*(times(each) if isinstance(each, After) else each * share for each in (
        slower.read_hit, slower.read_miss, slower.write, slower.report, slower.reading_off, slower.preparation,
        slower.reselect, slower.reselect_again, slower.read_done, slower.write_done, slower.to_medium)))
    slow, fast = (finished(BufferedArm(disc, replace(buffer, overheads=each)), disc, asked)
                  for each in (slower, faster))
    assert all(one <= other + 1e-9 for one, other in zip(fast, slow, strict=True))


@given(discs, still, many)
def test_who_may_begin_anywhere_is_never_later(disc: DiscType, buffer: Buffer, asked: list[Asked]) -> None:
    buffer = replace(buffer, link=HostLink())
    orderly, anywhere = (finished(BufferedArm(disc, replace(buffer, starts_anywhere=each)), disc, asked)
                         for each in (False, True))
    assert all(one <= other + 1e-9 for one, other in zip(anywhere, orderly, strict=True))


@given(discs, still, many, st.floats(0.0, 1.0))
def test_the_lower_the_water_mark_the_sooner(
    disc: DiscType, buffer: Buffer, asked: list[Asked], mark: float
) -> None:
    high, low = (finished(BufferedArm(disc, replace(buffer, high_water=each)), disc, asked) for each in (1.0, mark))
    assert all(one <= other + 1e-9 for one, other in zip(low, high, strict=True))


units = st.lists(st.integers(0, 9), min_size=1, max_size=40)


def misses(asked: list[int], segments: int, apart: int) -> int:
    disc = replace(EVEN, layout=uniform(10, 2, 10, SIZE))
    mechanism = BufferedArm(disc, Buffer(segments, 3))
    finished(mechanism, disc, [(0.0, READ, unit * apart, 3) for unit in asked])
    return mechanism.buffer.state.misses


@pytest.mark.parametrize("apart", [3, 5])
@given(asked=units, segments=st.integers(1, 4))
def test_more_segments_find_as_much(apart: int, asked: list[int], segments: int) -> None:
    """Of requests that never overlap, whether they go on where others ended or not."""
    assert misses(asked, segments + 1, apart) <= misses(asked, segments, apart)


def test_what_goes_on_makes_a_segment_young() -> None:
    """Unit 1 goes on in the segment of unit 0, which is the oldest of three; and so unit 3 takes another."""
    assert misses([0, 5, 8, 1, 3, 1], segments=3, apart=3) == 5


@given(discs, still, many, st.integers(1, 25), st.floats(0.0, 50 * MS))
def test_who_asks_later_is_answered_no_sooner(
    disc: DiscType, buffer: Buffer, asked: list[Asked], at: int, longer: float
) -> None:
    gap, *what = asked[at % len(asked)]
    later = [*asked[:at % len(asked)], (gap + longer, *what), *asked[at % len(asked) + 1:]]
    early, late = (finished(BufferedArm(disc, buffer), disc, each) for each in (asked, later))
    assert all(one <= other + 1e-9 for one, other in zip(early, late, strict=True))


@given(discs, buffers, many, requests)
def test_what_a_scheduler_is_told_is_what_happens(
    disc: DiscType, buffer: Buffer, asked: list[Asked], last: Asked
) -> None:
    """Of reads: a hit takes its command, a miss what comes before its first track passes, and what is late no less."""
    mechanism = BufferedArm(disc, buffer)
    now = finished(mechanism, disc, asked)[-1] + last[0]
    span, arm = span_of(disc, *last[2:]), mechanism._left
    told = mechanism.positioning(arm, now, mechanism.locate(span.first), READ, span)
    hits, late = mechanism.buffer.state.hits, mechanism.buffer.state.late_hits
    (_, overhead, seek, rotation, transfer, channel), _ = mechanism.serve(arm, now, READ, span)
    if mechanism.buffer.state.hits > hits:
        assert told == pytest.approx(overhead)
    elif mechanism.buffer.state.late_hits > late:
        assert overhead - 1e-9 <= told <= overhead + transfer + channel + 1e-9
    else:
        assert told <= overhead + seek + rotation + 1e-9
        # A drive that must read ahead first may be on another track by then; it is told from where the arm is now.
        if not buffer.least_ahead and len(list(track_runs(disc.layout, span.first // SIZE, span.length // SIZE))) == 1:
            assert told == pytest.approx(overhead + seek + rotation)
