"""Tests the map from addresses to places by hand, on discs of a few tracks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.disc.layout import HeadOrder, Layout, SectorPlace, Stretch, Zone, uniform, zoned
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.disc.sparing import SPARINGS, Surface
from spindle.sim.error import UserError
from spindle.sim.request import Op, Span
from tests.sim.disc.track_runs import track_runs

TEN = uniform(cylinders=10, heads=2, sectors_per_track=10, sector_bytes=100)
SKEWED = uniform(cylinders=3, heads=2, sectors_per_track=8, sector_bytes=100, track_skew=1, cylinder_skew=3)
HOLES = Layout(4, 2, 100, (  # blocks 0-27 on two cylinders, an unused cylinder, and blocks 28-37 on one
    Zone(0, 10, 1, 2, 0, (Stretch(3, 2), Stretch(6, 14), Stretch(20, 9), Stretch(35, 1), Stretch(31, 2))),
    Zone(3, 6, 2, 0, 1, (Stretch(0, 10, 1),)),
))
ZONED = Layout(5, 2, 100, (Zone(0, 10), Zone(2, 8, track_skew=2, offset=4), Zone(4, 4)))


@pytest.mark.parametrize(
    ("layout", "address", "place"),
    [
        (TEN, 0, SectorPlace(0, 0, 0, 0.0, 10)),
        (TEN, 999, SectorPlace(0, 0, 9, 0.9, 10)),
        (TEN, 1000, SectorPlace(0, 1, 0, 0.0, 10)),
        (TEN, 19_999, SectorPlace(9, 1, 9, 0.9, 10)),
        (SKEWED, 800, SectorPlace(0, 1, 0, 0.125, 8)),
        (SKEWED, 1600, SectorPlace(1, 0, 0, 0.5, 8)),
        (SKEWED, 2400, SectorPlace(1, 1, 0, 0.625, 8)),
        (SKEWED, 3200, SectorPlace(2, 0, 0, 0.0, 8)),
        (SKEWED, 1600 + 500, SectorPlace(1, 0, 5, 0.125, 8)),
        (ZONED, 3999, SectorPlace(1, 1, 9, 0.9, 10)),
        (ZONED, 4000, SectorPlace(2, 0, 0, 0.5, 8)),
        (ZONED, 4800, SectorPlace(2, 1, 0, 0.75, 8)),
        (ZONED, 7200, SectorPlace(4, 0, 0, 0.0, 4)),
    ],
)
def test_byte_lies_where_counting_by_hand_puts_it(layout: Layout, address: int, place: SectorPlace) -> None:
    assert layout.place(address) == place


def test_capacity_adds_up_the_zones() -> None:
    assert TEN.capacity == 20_000
    assert ZONED.capacity == (2 * 2 * 10 + 2 * 2 * 8 + 1 * 2 * 4) * 100 == 8000


@pytest.mark.parametrize("address", [-1, 8000])
def test_byte_beyond_the_disc_is_refused(address: int) -> None:
    with pytest.raises(ValueError, match=f"byte {address} is not on a disc of 8000 bytes"):
        ZONED.place(address)


def test_span_is_cut_at_tracks_cylinders_and_zones() -> None:
    pieces = [(*ZONED.locate(run.first)[:3], run.stop - run.first, run.passed) for run in track_runs(ZONED, 28, 22)]
    assert pieces == [(1, 0, 8, 2, 2), (1, 1, 0, 10, 10), (2, 0, 0, 8, 8), (2, 1, 0, 2, 2)]


@pytest.mark.parametrize(
    ("block", "place"),
    [
        (0, SectorPlace(0, 0, 3, 0.3, 10)),
        (2, SectorPlace(0, 0, 6, 0.6, 10)),
        (6, SectorPlace(0, 1, 0, 0.1, 10)),
        (16, SectorPlace(1, 0, 0, 0.3, 10)),
        (25, SectorPlace(1, 1, 5, 0.9, 10)),
        (26, SectorPlace(1, 1, 1, 0.5, 10)),
        (28, SectorPlace(3, 0, 0, 2 / 6, 6)),
        (34, SectorPlace(3, 1, 0, 4 / 6, 6)),
    ],
)
def test_block_beyond_holes_lies_where_counting_by_hand_puts_it(block: int, place: SectorPlace) -> None:
    assert HOLES.locate(block) == place


def test_only_sectors_that_hold_blocks_count() -> None:
    assert HOLES.sectors == 2 + 14 + 9 + 1 + 2 + 10
    assert HOLES.capacity == 3800


@pytest.mark.parametrize(
    ("block", "track", "cylinder"),
    [
        (0, range(6), range(16)),
        (2, range(6), range(16)),
        (5, range(6), range(16)),
        (6, range(6, 16), range(16)),
        (16, range(16, 25), range(16, 26)),
        (25, range(25, 26), range(16, 26)),
        (26, range(26, 28), range(26, 28)),
        (28, range(28, 34), range(28, 38)),
        (37, range(34, 38), range(28, 38)),
    ],
)
def test_track_and_cylinder_are_the_blocks_that_pass_without_leaving_them(
    block: int, track: range, cylinder: range
) -> None:
    assert HOLES.track(block) == track
    assert HOLES.cylinder(block) == cylinder


def test_track_and_cylinder_without_holes() -> None:
    assert [TEN.track(block) for block in (0, 9, 10, 199)] == [range(10), range(10), range(10, 20), range(190, 200)]
    assert [TEN.cylinder(block) for block in (19, 20, 199)] == [range(20), range(20, 40), range(180, 200)]
    assert ZONED.track(71) == range(64, 72)
    assert ZONED.cylinder(72) == range(72, 80)


def test_a_track_ends_with_its_zone() -> None:
    layout = Layout(2, 1, 100, (Zone(0, 10, stretches=(Stretch(0, 4),)), Zone(1, 10, stretches=(Stretch(5, 5),))))
    assert [layout.track(block) for block in (0, 3, 4, 8)] == [range(4), range(4), range(4, 9), range(4, 9)]


def test_sectors_without_a_block_pass_under_the_head_too() -> None:
    runs = [(*HOLES.locate(run.first)[:3], run.stop - run.first, run.passed) for run in track_runs(HOLES, 1, 35)]
    assert runs == [(0, 0, 4, 5, 6), (0, 1, 0, 10, 10), (1, 0, 0, 9, 9), (1, 1, 5, 1, 1), (1, 1, 1, 2, 2),
                    (3, 0, 0, 6, 6), (3, 1, 0, 2, 2)]


def test_runs_within_a_stretch_pass_nothing_more() -> None:
    assert [(run.first, run.stop, run.passed) for run in track_runs(HOLES, 2, 4)] == [(2, 6, 4)]
    assert [(run.first, run.stop, run.passed) for run in track_runs(HOLES, 0, 2)] == [(0, 2, 2)]


def test_a_sector_passed_over_costs_its_time() -> None:
    """Ten sectors turn by in 10 ms; blocks 0 and 1 lie on sectors 3 and 4, blocks 2 to 5 on 6 to 9."""
    arm = MovingArm(DiscType("holes", HOLES, rpm=6000, seek=LinearSeek(0.001, 0.002, 4)))
    took = [arm.serve(ArmPosition(0, 0), 0.0, Op.READ, Span(first * 100, blocks * 100))[0]
            for first, blocks in ((0, 2), (0, 3), (2, 4), (0, 6))]
    assert [service.rotation for service in took] == pytest.approx([0.003, 0.003, 0.006, 0.003])
    assert [service.transfer for service in took] == pytest.approx([0.002, 0.004, 0.004, 0.007])


def test_serpentine_keeps_the_head_from_cylinder_to_cylinder() -> None:
    zones = (Zone(0, 10, 1, 2), Zone(3, 5))
    everywhere, zonewise = (Layout(5, 3, 100, zones, each) for each in (HeadOrder.TURNING, HeadOrder.TURNING_IN_ZONE))
    firsts = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100, 105, 110, 115]
    assert [everywhere.locate(block).head for block in firsts] == [0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2]
    assert [zonewise.locate(block).head for block in firsts] == [0, 1, 2, 2, 1, 0, 0, 1, 2, 0, 1, 2, 2, 1, 0]
    straight = Layout(5, 3, 100, zones)
    assert [everywhere.locate(block).angle for block in firsts] == [straight.locate(block).angle for block in firsts]


@given(
    code=st.sampled_from(sorted(SPARINGS)),
    slips=st.sets(st.integers(0, 3), max_size=2),
    moved=st.booleans(),
    block=st.integers(0, 17),
    blocks=st.integers(1, 18),
)
def test_runs_hold_every_block_in_its_place_and_pass_in_one_sweep(
    code: int, slips: set[int], moved: bool, block: int, blocks: int
) -> None:
    surface = Surface(2, 2, 10, 2, tuple(slips), ((1 if code == 1 else 7, 3 if code == 1 else 39),) if moved else ())
    layout = Layout(2, 2, 100, (Zone(0, 10, 1, 2, 0, SPARINGS[code].stretches(surface, 0, 18)),))
    blocks = min(blocks, 18 - block)
    at = block
    for cylinder, head, angle, per_track, first, stop, passed in track_runs(layout, block, blocks):
        places = [layout.locate(number) for number in range(at, stop)]
        assert (first, places[0]) == (at, (cylinder, head, places[0].sector, angle, per_track))
        assert {found[:2] for found in places} == {(cylinder, head)}
        assert [found.sector for found in places] == sorted(found.sector for found in places)
        assert passed == places[-1].sector - places[0].sector + 1 <= 10
        assert at in layout.track(at)
        assert stop - 1 in layout.track(at)
        at = stop
    assert at == block + blocks


def test_zones_by_rule_fall_in_a_straight_line_and_begin_each_track_a_quarter_later() -> None:
    """10, 8 and 6 sectors on each of two heads: three cylinders have 48 of 144, of which the last four are spare.

    Half a sector is rounded to an even number.
    """
    layout = zoned(140, heads=2, sector_bytes=512, outer=10, inner=6, zones=3, skew=0.25)
    assert [layout.locate(block).cylinder for block in (0, 59, 60, 107, 108, 139)] == [0, 2, 3, 5, 6, 8]
    assert layout == Layout(9, 2, 512, (
        Zone(0, 10, 2.5, 2.5), Zone(3, 8, 2.0, 2.0), Zone(6, 6, 1.5, 1.5, stretches=(Stretch(0, 32),))))  # fmt: skip
    assert [zone.sectors_per_track for zone in zoned(150, 2, 512, 10, 5, 3, 0.0).zones] == [10, 8, 5]
    assert zoned(144, 2, 512, 10, 6, 3, 0.0).cylinders == 9
    assert zoned(145, 2, 512, 10, 6, 3, 0.0).cylinders == 12


def test_places_and_addresses_are_one_to_one() -> None:
    places = [ZONED.locate(sector) for sector in range(ZONED.sectors)]
    assert len({place[:3] for place in places}) == 80
    assert places == sorted(places, key=lambda place: place[:3])


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: uniform(10, 0, 10, 100), "layout: heads 0 must be at least 1"),
        (lambda: uniform(0, 2, 10, 100), "layout: cylinders 0 must be at least 1"),
        (lambda: uniform(10, 2, 10, 0), "layout: sector_bytes 0 must be at least 1"),
        (lambda: uniform(10, 2, 0, 100), "zone at cylinder 0: sectors_per_track 0 must be at least 1"),
        (lambda: uniform(10, 2, 10, 100, track_skew=10), "track_skew 10 must be sectors of one track, from 0 up to 10"),
        (lambda: uniform(10, 2, 10, 100, cylinder_skew=-1), "cylinder_skew -1 must be sectors of one track"),
        (lambda: Zone(-1, 10), "zone: first_cylinder -1 must not be negative"),
        (lambda: Layout(10, 2, 100, ()), "zones must begin at cylinder 0, not at nothing"),
        (lambda: Layout(10, 2, 100, (Zone(1, 10),)), r"zones must begin at cylinder 0, not at \[1\]"),
        (lambda: Layout(10, 2, 100, (Zone(0, 10), Zone(5, 9), Zone(5, 8))),
         "zones overlap: first_cylinder 5 must be beyond 5"),
        (lambda: Layout(1, 2, 100, (Zone(0, 10, stretches=(Stretch(0, 21),)),)),
         "stretches: they end at sector 21 of a zone of 20"),
        (lambda: Layout(1, 2, 100, (Zone(0, 10, stretches=(Stretch(5, 5), Stretch(0, 6))),)),
         "stretches: 5 sectors from 5 must begin at 6 or later"),
        (lambda: Layout(1, 2, 100, (Zone(0, 10, stretches=(Stretch(-1, 5),)),)), "-1 must begin at 0 or later"),
        (lambda: Layout(1, 2, 100, (Zone(0, 10, stretches=(Stretch(0, 0),)),)), "stretches: 0 sectors from 0"),
        (lambda: zoned(108, 2, 512, 10, 6, 3, 0.0), "layout: zones: 108 sectors leave nothing for the last of 3"),
        (lambda: Layout(10, 2, 100, (Zone(0, 10), Zone(10, 9))), "first_cylinder 10 must be one of the 10 cylinders"),
    ],
)
def test_impossible_layout_is_a_mistake_that_names_the_field(build: object, says: str) -> None:
    with pytest.raises(UserError, match=says):
        build()
