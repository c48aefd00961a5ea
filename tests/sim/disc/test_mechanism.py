"""Tests the times of the moving parts, on a disc of ten cylinders where all times are whole milliseconds."""

from dataclasses import replace

import pytest

from spindle.sim.disc.layout import Layout, Zone, uniform
from spindle.sim.disc.mechanism import LATEST_INSTANT, ArmPosition, DiscType, MovingArm
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.request import AccessTiming, Op, Span
from spindle.sim.streams import Exponential, stream
from spindle.sim.units import MS
from tests.drawn_service import DrawnService

# One revolution 10 ms, one sector of 100 bytes 1 ms, d cylinders 1 + d ms.
TEN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10))
SWITCHING = replace(TEN, head_switch=2 * MS)
SETTLING = replace(SWITCHING, write_settle=0.5 * MS)
START = ArmPosition(0, 0)


def address(cylinder: int, head: int, sector: int) -> int:
    return ((cylinder * 2 + head) * 10 + sector) * 100


def serve(disc: DiscType, span: Span, op: Op = Op.READ, now_ms: float = 0.0, arm: ArmPosition = START) -> list[float]:
    """Overhead, seek, rotation and transfer in milliseconds."""
    service, _ = MovingArm(disc).serve(arm, now_ms * MS, op, span)
    return [round(seconds / MS, 9) for seconds in service[1:5]]


@pytest.mark.parametrize(
    ("cylinder", "head", "sector", "op", "now", "seek", "rotation"),
    [
        (0, 0, 0, Op.READ, 0, 0, 0),
        (0, 0, 7, Op.READ, 0, 0, 7),
        (0, 0, 7, Op.READ, 9, 0, 8),
        (3, 0, 5, Op.READ, 0, 4, 1),
        (3, 0, 3, Op.READ, 0, 4, 9),
        (0, 1, 3, Op.READ, 0, 2, 1),
        (1, 1, 3, Op.READ, 0, 2, 1),  # the seek takes as long as the head switch, at the same time
        (2, 1, 3, Op.READ, 0, 3, 0),
        (0, 0, 7, Op.WRITE, 0, 0, 7),  # what did not move has nothing to settle
        (0, 1, 3, Op.WRITE, 0, 2.5, 0.5),
        (3, 0, 5, Op.WRITE, 12, 4.5, 8.5),
    ],
)
def test_one_sector(
    cylinder: int, head: int, sector: int, op: Op, now: float, seek: float, rotation: float
) -> None:
    span = Span(address(cylinder, head, sector), 100)
    assert serve(SETTLING, span, op, now) == [0, seek, rotation, 1]


def test_arm_is_left_where_the_last_sector_is() -> None:
    _, arm = MovingArm(TEN).serve(START, 0.0, Op.READ, Span(address(4, 1, 9), 200))
    assert arm == ArmPosition(5, 0)


def test_overhead_comes_before_the_move_while_the_disc_turns() -> None:
    disc = replace(TEN, overhead=3 * MS)
    assert serve(disc, Span(address(3, 0, 5), 100)) == [3, 4, 8, 1]


def test_bytes_are_rounded_outward_to_sectors_when_read() -> None:
    assert serve(TEN, Span(199, 2)) == [0, 0, 1, 2]
    assert serve(TEN, Span(250, 1)) == [0, 0, 2, 1]


@pytest.mark.parametrize(
    ("first", "length", "rotation", "transfer"),
    [
        (200, 200, 2, 2),
        (250, 150, 2 + 10, 2),  # sector 2 is read as it passes; both are written a revolution later
        (200, 150, 2 + 10, 2),
        (250, 100, 2 + 10, 2),  # both ends are on the same track: one revolution
        (0, 950, 0 + 10, 10),
        (850, 150 + 150, 8 + 10 + 10, 4),  # an end on either track: a revolution on each
        (850, 150 + 100, 8 + 10, 3),
        (800, 200 + 150, 8 + 10, 4),
    ],
)
def test_sector_written_in_part_costs_a_revolution(first: int, length: int, rotation: float, transfer: float) -> None:
    assert serve(TEN, Span(first, length), Op.WRITE) == [0, 0, rotation, transfer]


def test_next_track_costs_a_revolution_without_skew_and_nothing_with_it() -> None:
    across = Span(address(0, 0, 8), 400)
    assert serve(SWITCHING, across) == [0, 2, 8 + 8, 4]
    skewed = replace(SWITCHING, layout=uniform(10, 2, 10, 100, track_skew=2, cylinder_skew=2))
    assert serve(skewed, across) == [0, 2, 8, 4]
    everything = [0, 19 * 2, 0, 200]
    assert serve(skewed, Span(0, 20_000)) == everything


@pytest.mark.parametrize(("op", "settle"), [(Op.READ, 0.0), (Op.WRITE, 0.5)])
def test_the_arm_settles_on_the_next_track_before_it_writes_there(op: Op, settle: float) -> None:
    assert serve(SETTLING, Span(address(0, 0, 8), 400), op) == [0, 2 + settle, 8 + 8 - settle, 4]


def test_cylinder_skew_that_is_one_too_small_costs_a_revolution_less_one_sector() -> None:
    skewed = replace(SWITCHING, layout=uniform(10, 2, 10, 100, track_skew=2, cylinder_skew=1))
    assert serve(skewed, Span(0, 4000)) == [0, 3 * 2, 9, 40]


def test_span_across_zones_turns_at_each_ones_pace() -> None:
    layout = Layout(10, 2, 100, (Zone(0, 10), Zone(5, 5)))
    disc = replace(TEN, layout=layout)
    # The last two sectors of zone 0, 2 ms to the next cylinder, and one of the five sectors of its track.
    service, arm = MovingArm(disc).serve(ArmPosition(4, 1), 8 * MS, Op.READ, Span(9800, 300))
    assert [round(s / MS, 9) for s in service] == [0, 0, 2, 8, 4, 0]
    assert arm == ArmPosition(5, 0)


@pytest.mark.parametrize("start", [0.0, 1000.0, 1e5, 1e6])
@pytest.mark.parametrize("rpm", [2700, 3600, 5400, 7200])
def test_reads_back_to_back_never_lose_a_revolution_to_rounding(start: float, rpm: float) -> None:
    disc = DiscType("ten", uniform(10, 2, 13, 100, 3, 3), rpm, LinearSeek(0, 0, 10), head_switch=3 / 13 * 60 / rpm)
    arm_of, arm, now, rotation = MovingArm(disc), START, start, []
    for _ in range(5):  # once more round the disc; the last track is followed by the first, out of step
        for sector in range(13 * 20):
            service, arm = arm_of.serve(arm, now, Op.READ, Span(sector * 100, 100))
            now += service.total
            rotation.append(service.rotation if sector else 0.0)
    assert sum(rotation) < 1e-4 * disc.revolution


def test_a_long_chain_of_reads_stays_in_step_with_the_disc() -> None:
    disc = replace(TEN, rpm=2700, layout=uniform(1, 1, 92, 256))
    mechanism, arm, now = MovingArm(disc), START, 0.0
    for count in range(100_000):
        service, arm = mechanism.serve(arm, now, Op.READ, Span(count % 92 * 256, 256))
        now += service.total
    assert now == pytest.approx(100_000 / 92 * 60 / 2700, rel=1e-12)


def test_a_long_chain_of_reads_across_tracks_stays_in_step_too() -> None:
    disc = replace(TEN, rpm=2700, layout=uniform(1, 2, 92, 256))
    mechanism, arm, now = MovingArm(disc), START, 0.0
    for _ in range(20_000):
        service, arm = mechanism.serve(arm, now, Op.READ, Span(0, 2 * 92 * 256))
        now += service.total
    assert now == pytest.approx(20_000 * 2 * 60 / 2700, rel=1e-12)


@pytest.mark.parametrize(("span", "transfer"), [(Span(300, 100), 1), (Span(300, 50), 1)])
def test_an_angle_that_has_just_gone_by_to_rounding_is_no_wait(span: Span, transfer: float) -> None:
    """Sector 3 begins at 3 ms. What is too late by no more than rounding is made up for by the transfer."""
    late = 3 * MS + 4e-12
    service, _ = MovingArm(TEN).serve(START, late, Op.READ, span)
    assert service.rotation == 0.0
    assert 3e-12 < transfer * MS - service.transfer < 5e-12


@pytest.mark.parametrize("length", [100, 150, 2100])
def test_a_clock_that_is_too_coarse_for_the_angle_is_refused(length: int) -> None:
    """At 10^12 s it moves in steps of 0.1 ms, an eighth of a transfer; what was left of one was negative."""
    arm = MovingArm(TEN)
    service, _ = arm.serve(START, 0.999 * LATEST_INSTANT, Op.READ, Span(300, length))
    assert min(service) >= 0.0
    says = r"^disc ten: the clock is at 1e\+12 s; after 2e\+09 s, 63 years, it is too coarse to tell"
    with pytest.raises(UserError, match=says):
        arm.serve(START, 1e12, Op.READ, Span(300, length))


def test_positioning_is_what_serving_takes_before_the_transfer() -> None:
    mechanism = MovingArm(replace(SETTLING, overhead=0.3 * MS))
    for sector in range(0, 200, 7):
        for op in Op:
            span = Span(sector * 100, 100)
            service, _ = mechanism.serve(ArmPosition(4, 1), 0.0123, op, span)
            before = service.overhead + service.seek + service.rotation
            foretold = mechanism.positioning(ArmPosition(4, 1), 0.0123, mechanism.locate(span.first), op, span)
            assert foretold == pytest.approx(before, abs=1e-12)


def test_negative_settle_shortens_a_move_but_never_below_nothing() -> None:
    assert serve(replace(TEN, write_settle=-1.5 * MS), Span(address(3, 0, 5), 100), Op.WRITE) == [0, 2.5, 2.5, 1]
    assert serve(replace(TEN, write_settle=-9 * MS), Span(address(3, 0, 5), 100), Op.WRITE) == [0, 0, 5, 1]


def test_virtual_discs_have_no_arm() -> None:
    span = Span(123, 1000)
    fixed = FixedService(per_request=0.5, per_byte=0.001)
    assert fixed.serve(ArmPosition(7, 7), 3.0, Op.WRITE, span, 2.0) == (AccessTiming(2.0, 0.5, 0, 0, 1.0, 0), (0, 0))
    unlike = FixedService(0.5, 0.001, write=(2.0, 0.003))
    assert unlike.serve(START, 0.0, Op.READ, span)[0] == AccessTiming(0, 0.5, 0, 0, 1.0, 0)
    assert unlike.serve(START, 0.0, Op.WRITE, span)[0] == AccessTiming(0, 2.0, 0, 0, 3.0, 0)
    far = ArmPosition(7, 7)
    assert (fixed.travel(far, fixed.locate(5)), fixed.positioning(far, 3.0, fixed.locate(5), Op.READ, span)) == (0, 0)
    assert (fixed.locate(5), fixed.reading(), fixed.lower_bound) == (fixed.locate(999), {}, None)
    drawn = DrawnService(Exponential(2.0), stream(1, "disc"))
    assert (fixed.settled_at(), drawn.settled_at()) == (0.0, 0.0)
    expected = Exponential(2.0).draw(stream(1, "disc"))
    assert drawn.serve(START, 0.0, Op.READ, span)[0] == AccessTiming(0, 0, 0, 0, expected, 0)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: replace(TEN, rpm=0.0), r"disc ten: rpm 0\.0 must be positive"),
        (lambda: replace(TEN, rpm=float("inf")), "disc ten: rpm inf must be positive and finite"),
        (lambda: replace(TEN, head_switch=-1 * MS), "disc ten: head_switch -0.001 s must be finite and not negative"),
        (lambda: replace(TEN, overhead=float("inf")), "disc ten: overhead inf s must be finite"),
        (lambda: replace(TEN, write_settle=float("nan")), "disc ten: write_settle nan s must be finite"),
        (lambda: FixedService(-1.0), "fixed service: per_request -1.0 s must be finite and not negative"),
        (lambda: FixedService(1.0, write=(1.0, -2.0)), "fixed service: per_byte -2.0 s must be finite and not"),
    ],
)
def test_impossible_disc_is_a_mistake(build: object, says: str) -> None:
    with pytest.raises(UserError, match=says):
        build()
