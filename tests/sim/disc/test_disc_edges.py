"""Tests discs at their limits, by hand: seeks, settling, the last instant, stretches, slips, spare sectors."""

from dataclasses import replace
from math import inf
from types import SimpleNamespace

import pytest
import simpy

from spindle.contracts.scheduling import TEN_CYLINDERS, request_at
from spindle.sim.clock import Account
from spindle.sim.disc import sparing
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.kernel.arm import LATEST_INSTANT
from spindle.sim.disc.layout import Layout, Stretch, Zone, uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.disc.scheduling import Sptf, TaggedQueue
from spindle.sim.disc.seek import LinearSeek, PowerSeek, TwoPartSeek
from spindle.sim.disc.sparing import SPARINGS, Surface, keep_first_left, keep_last_left
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op, Request, Span, access
from spindle.sim.streams import Constant, stream
from spindle.sim.units import MS
from tests.drawn_service import DrawnService

START = ArmPosition(0, 0)
SETTLING = MovingArm(replace(TEN_CYLINDERS, write_settle=6 * MS))
"""d cylinders take 1 + d ms and a sector 1 ms, as in TEN_CYLINDERS; a write waits for 6 ms more after a move."""


@pytest.mark.parametrize(("op", "approach"), [(READ, 3.0), (WRITE, 13.0)])
def test_only_a_write_settles(op: Op, approach: float) -> None:
    """One cylinder is 2 ms; sector 3 comes by at 3 and at 13 ms."""
    place = SETTLING.locate(2300)
    assert SETTLING.travel(START, place) == pytest.approx(2 * MS)
    assert [SETTLING.travel(START, SETTLING.locate(first)) for first in (900, 1000)] == [0.0, 2 * MS]
    assert SETTLING.positioning(START, 0.0, place, op, Span(2300, 100)) == pytest.approx(approach * MS)


def test_sptf_asks_for_a_read_as_for_a_read() -> None:
    """Sector 3 of the next cylinder is there at 3 ms, before sector 9 of this one: a write would be there at 13."""
    scheduler = Sptf()
    scheduler.attach(SETTLING)
    near, here = request_at(1, 3), request_at(0, 9)
    scheduler.add(here)
    scheduler.add(near)
    assert scheduler.take(START, 0.0) is near


def test_of_two_at_one_place_sptf_takes_the_first_however_late_it_is() -> None:
    scheduler = Sptf()
    scheduler.attach(MovingArm(TEN_CYLINDERS))
    requests = [request_at(4, 3), request_at(4, 3)]
    for request in requests:
        scheduler.add(request)
    assert [scheduler.take(START, 1e8), scheduler.take(START, 1e8)] == requests


@pytest.mark.parametrize("bound", [True, False])
@pytest.mark.parametrize("cylinders", [(7, 3), (3, 7)])
def test_of_two_that_the_arm_reaches_just_in_time_sptf_takes_the_first(cylinders: tuple[int, int], bound: bool) -> None:
    """Sector 3 of cylinders 3 and 7 comes by at 3 ms, when the arm comes from 5; also where no seek bounds the time."""
    scheduler, arm = Sptf(), MovingArm(TEN_CYLINDERS)
    scheduler.attach(arm if bound else SimpleNamespace(locate=arm.locate, positioning=arm.positioning))  # type: ignore[arg-type]
    for request in (requests := [request_at(cylinder, 3) for cylinder in cylinders]):
        scheduler.add(request)
    assert [scheduler.take(ArmPosition(5, 0), 0.0), scheduler.take(ArmPosition(5, 0), 0.0)] == requests


def test_a_tagged_queue_goes_on_from_the_head_of_the_last_byte_that_was_handed_over() -> None:
    """Byte 1000 is the first under head 1. From there sector 1 of head 1 is nearer, at 1 ms, than 3 of head 0."""
    scheduler = TaggedQueue(Sptf(), Fcfs(), 1)
    scheduler.attach(MovingArm(TEN_CYLINDERS))
    first = Request(simpy.Environment(), access(READ, 1000, 1, Account("test")))
    other, same = request_at(0, 3), request_at(0, 11)
    scheduler.add(first)
    assert scheduler.take(START, 0.0) is first
    scheduler.add(other)
    scheduler.add(same)
    assert [scheduler.take(START, 0.0), scheduler.take(START, 0.0)] == [same, other]


def test_the_last_instant_is_served() -> None:
    arm = MovingArm(TEN_CYLINDERS)
    for span in (Span(0, 100), Span(0, 50)):
        assert arm.serve(START, LATEST_INSTANT, READ, span)[0].transfer > 0.0
    with pytest.raises(UserError, match="too coarse to tell the angle"):
        arm.serve(START, LATEST_INSTANT * 1.001, READ, Span(0, 100))


@pytest.mark.parametrize(("first", "length", "turns"), [(0, 100, 0), (1, 99, 1), (0, 1, 1), (100, 101, 1)])
def test_a_write_of_a_part_of_a_sector_takes_another_revolution(first: int, length: int, turns: int) -> None:
    """However little it is: a byte of it is missing, or is all there is."""
    arm = MovingArm(TEN_CYLINDERS)
    whole = arm.serve(START, 0.0, READ, Span(first, length))[0].total
    assert arm.serve(START, 0.0, WRITE, Span(first, length))[0].total == pytest.approx(whole + turns * 10 * MS)


def test_a_track_with_a_gap_is_one_track() -> None:
    """Blocks 0 to 2 lie on sectors 0 to 2, and 3 to 5 on 5 to 7 of a track of ten; no skew is told."""
    layout = Layout(1, 1, 100, (Zone(0, 10, stretches=(Stretch(0, 3), Stretch(5, 3))),))
    assert [layout.track(block) for block in (0, 5)] == [range(6), range(6)]
    layout = replace(layout, zones=(Zone(0, 10, stretches=(Stretch(0, 1), Stretch(5, 3))),))
    assert [layout.track(block) for block in (0, 3)] == [range(4), range(4)]
    assert uniform(2, 2, 10, 100) == Layout(2, 2, 100, (Zone(0, 10, 0, 0),))


def test_the_least_disc() -> None:
    disc = DiscType("least", uniform(1, 1, 1, 1), 0.5, LinearSeek(0.0, 0.0, 1))
    assert (disc.revolution, disc.layout.capacity) == (120.0, 1)
    for settle in (-inf, inf):
        with pytest.raises(UserError, match=r"write_settle -?inf s must be finite"):
            replace(disc, write_settle=settle)


def test_seeks_at_their_limits() -> None:
    assert PowerSeek(1.0, 3.0, 1.0, 3)(2) == 3.0  # over the whole stroke
    assert PowerSeek(1.0, 3.0, 1.0, 2)(1) == 1.0
    assert LinearSeek(2.0, 2.0, 10)(9) == 2.0
    assert TwoPartSeek((0.0, 0.5), 4, (0.0, 0.0), (0.0, 0.0))(2) == 0.5
    with pytest.raises(UserError, match=r"average 3\.0 s must lie between"):
        PowerSeek.fit(1.0, 3.0, 3.0, 10)
    with pytest.raises(UserError, match="both be finite"):
        LinearSeek(1.0, inf, 10)
    for line in ((-inf, 0.0), (inf, 0.0), (0.0, inf)):
        with pytest.raises(UserError, match=r"two-part seek: line .* must be finite"):
            TwoPartSeek((), 4, (0.0, 0.0), line)


def test_discs_without_an_arm_at_their_limits() -> None:
    with pytest.raises(UserError, match="per_byte inf s must be finite"):
        FixedService(0.0, inf)
    assert DrawnService(Constant(1.0), stream(1, "test"), 500).capacity == 500


def test_a_slip_before_the_spare_sectors_uses_one_up() -> None:
    """One on the first spare sector does not."""
    assert [keep_last_left(0, 10, 2, [slip]) for slip in (7, 8)] == [(9, 10), (8, 10)]
    assert keep_last_left(0, 10, 2, [4, 8]) == (10, 10)  # what was used up by one makes the next lie before the rest
    assert [keep_first_left(0, 10, 2, slips) for slips in ([1], [2], [1, 5])] == [(0, 2), (0, 1), (0, 0)]


def test_slips_make_the_tracks_behind_their_own_late() -> None:
    """Three tracks of ten: sector 12, and sector 18, are stepped over; the third track begins a sector later."""
    surface = Surface(cylinders=1, heads=3, sectors_per_track=10)
    for slip, stretches in ((12, [(0, 12, 0), (13, 7, 0), (20, 9, 1)]), (18, [(0, 18, 0), (19, 1, 0), (20, 9, 1)])):
        assert SPARINGS[3].stretches(replace(surface, slips=(slip,)), 0, 28) == tuple(stretches)


def test_sectors_left_empty_may_be_those_of_several_stretches() -> None:
    """Of the pieces 0 to 2, 5 to 7 and from 9 on the first eight sectors stay empty."""
    surface = Surface(cylinders=1, heads=1, sectors_per_track=20, slips=(3, 4, 8))
    assert SPARINGS[0].stretches(surface, 8, 5) == ((11, 5, 0),)


def test_no_sector_is_found_beyond_the_last_group() -> None:
    """Two tracks with a spare sector each have eighteen for blocks."""
    surface = Surface(cylinders=1, heads=2, sectors_per_track=10, spares=1)
    assert SPARINGS[3].stretches(surface, 0, 18) == ((0, 9, 0), (10, 9, 0))
    with pytest.raises(UserError, match="19 blocks do not fit on the 18 sectors"):
        SPARINGS[3].stretches(surface, 0, 19)


def test_as_many_groups_as_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven cylinders are three groups of two, and one cylinder more."""
    monkeypatch.setattr(sparing, "MAX_GROUPS", 3)
    surface = Surface(cylinders=7, heads=1, sectors_per_track=10, spares=1, range_cylinders=2)
    assert len(SPARINGS[8].stretches(surface, 0, 60)) == 4
    with pytest.raises(UserError, match="4 groups with spares of their own are too many"):
        SPARINGS[8].stretches(replace(surface, cylinders=8), 0, 60)
