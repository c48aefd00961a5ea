"""What a fit sees of requests, by hand: where they lie, which no buffer had, lines of hits, points of a seek curve."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spindle.lab.drives.timed_requests import TimedRequests
from spindle.lab.fit.easy_requests import FEWEST_REQUESTS, _line
from spindle.lab.fit.geometry import (
    RECENT_REQUESTS,
    SECTORS_BEFORE,
    SKEW_KEYS,
    TRACKS_AHEAD,
    TrackTurn,
    observe,
    read_geometry,
    with_skews,
)
from spindle.lab.fit.page import sheet_text
from spindle.lab.fit.seek_curve import MAX_POINTS, MIN_PER_POINT, _fit_curve, _groups
from spindle.sim.disc.layout import HeadOrder, Layout, Zone, uniform
from spindle.sim.disc.seek import TableSeek
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Span
from spindle.sim.units import MS
from tests.conftest import ROOT
from tests.lab.fit.known import BARE, KNOWN

SIZE = 512


# The geometry of a sheet.

@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "drive.yaml"
    path.write_text(sheet_text(KNOWN, BARE, [], ["a drive"]))
    return path


def test_nothing_but_the_geometry_is_read(sheet: Path) -> None:
    found = read_geometry(sheet)
    assert found.values == {**BARE.values, "rpm": KNOWN.rpm}
    assert (found.disc.layout, found.disc.rpm) == (BARE.disc.layout, KNOWN.rpm)
    assert (found.disc.head_switch, found.disc.buffer) == (0.0, None)


def test_zones_are_read_without_their_skews() -> None:
    found = read_geometry(ROOT / "sim" / "disc" / "sheets" / "hpc2200a.yaml")
    values: Any = found.values["layout"]
    assert len(values["zones"]) == len(found.disc.layout.zones)
    assert {zone[name] for zone in values["zones"] for name in SKEW_KEYS} == {0}
    assert {(zone.track_skew, zone.cylinder_skew, zone.offset) for zone in found.disc.layout.zones} == {(0, 0, 0)}


@pytest.mark.parametrize(("line", "instead", "says"), [
    ("rpm: ", "no_rpm: ", "there is no rpm; a fit needs the geometry"),
    ("sectors_per_track: ", "per_track: ", "there is no layout or sectors_per_track"),
    ("name: ", "flash: {}\nname: ", "it describes flash, which has no geometry"),
])  # fmt: skip
def test_what_is_no_geometry(sheet: Path, line: str, instead: str, says: str) -> None:
    text = sheet.read_text()
    assert f"\n{line}" in f"\n{text}"
    sheet.write_text(f"\n{text}".replace(f"\n{line}", f"\n{instead}", 1))
    with pytest.raises(UserError, match=says):
        read_geometry(sheet)


@pytest.mark.parametrize(("per_track", "is_refused"), [(4000, False), (4001, True)])
def test_tracks_may_have_so_many_sectors(sheet: Path, per_track: int, is_refused: bool) -> None:
    text = sheet.read_text().replace("sectors_per_track: 40", f"sectors_per_track: {per_track}")
    sheet.write_text(text.replace("capacity_sectors: 48000", f"capacity_sectors: {1200 * per_track}"))
    if is_refused:
        with pytest.raises(UserError, match="4,001 sectors in a track are more than a fit can"):
            read_geometry(sheet)
    else:
        assert read_geometry(sheet).disc.layout.zones[0].sectors_per_track == per_track


@pytest.mark.parametrize("turn", [(0.25, 1.5, -0.25), (1.25, -0.5, 1.75)])
def test_skews_are_parts_of_a_turn(turn: tuple[float, float, float]) -> None:
    (zone,) = with_skews(uniform(10, 2, 40, SIZE), [TrackTurn(*turn)]).zones
    assert (zone.track_skew, zone.cylinder_skew, zone.offset) == (10.0, 20.0, 30.0)


def test_a_zone_that_is_none_is_refused_by_the_name_of_the_file(sheet: Path) -> None:
    text = "\n".join(line for line in sheet.read_text().splitlines() if not line.startswith("sectors_per_track"))
    sheet.write_text(f"{text}\nlayout: {{zones: [5]}}\n")
    with pytest.raises(UserError, match=sheet.name):
        read_geometry(sheet)


# Requests on it.

def seen_of(*spans: tuple[int, int], ops: str = "") -> Any:
    """Ten cylinders of two tracks of ten sectors; *spans* are first sectors and how many. Each takes 2 after 1 s."""
    kinds = [READ if op == "R" else WRITE for op in ops or "R" * len(spans)]
    asked = [Span(first * SIZE, count * SIZE) for first, count in spans]
    times = np.ones(len(spans))
    return observe(uniform(10, 2, 10, SIZE), TimedRequests(kinds, asked, times, 2 * times))


def test_requests_lie_on_tracks() -> None:
    """From cylinder 0 to 2, head 1; then within it to head 0; then back to 1, over two tracks to its head 1."""
    seen = seen_of((55, 1), (43, 2), (28, 4), (30, 1), ops="RWRR")
    assert seen.reads.tolist() == [True, False, True, True]
    assert seen.after_read.tolist() == [True, True, False, True]
    assert seen.cylinder.tolist() == seen.cylinders.tolist() == [2, 2, 1, 1]
    assert seen.ordinal.tolist() == [1, 0, 0, 1]
    assert seen.tracks.tolist() == [3, 2, 1, 2]
    assert seen.moved.tolist() == [2, 0, 1, 0]
    assert seen.on_one_track.tolist() == [True, True, False, True]
    assert seen.first.tolist() == [55, 43, 28, 30]
    assert seen.sectors.tolist() == [1, 2, 4, 1]
    assert seen.angle.tolist() == pytest.approx([0.5, 0.3, 0.8, 0.0])
    assert seen.done.tolist() == [3.0, 6.0, 9.0, 12.0]
    assert (seen.zone.tolist(), seen.per_track.tolist(), seen.heads) == ([0] * 4, [10] * 4, 2)


def test_a_part_of_a_sector_is_all_of_it() -> None:
    one = np.ones(1)
    seen = observe(uniform(10, 2, 10, SIZE), TimedRequests([READ], [Span(8 * SIZE + 1, SIZE)], one, one))
    assert (seen.first.tolist(), seen.sectors.tolist(), seen.on_one_track.tolist()) == ([8], [2], [True])


@pytest.mark.parametrize("order", HeadOrder)
def test_tracks_are_counted_in_the_order_of_their_blocks(order: HeadOrder) -> None:
    """Whatever head has them: here in a zone that begins at an odd cylinder."""
    layout = Layout(4, 3, SIZE, (Zone(0, 10), Zone(1, 10)), order)
    spans = [Span(10 * track * SIZE, SIZE) for track in range(12)]
    seen = observe(layout, TimedRequests([READ] * 12, spans, np.ones(12), np.ones(12)))
    assert seen.ordinal.tolist() == [0, 1, 2] * 4
    assert seen.cylinders.tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert seen.tracks.tolist() == [0, 1, 2, 0, 1, 2, 2, 3, 4, 4, 5, 6]


def test_what_lies_far_from_all_before_no_buffer_has() -> None:
    """A buffer may have had what begins up to 64 sectors before a request, or within three tracks behind its end."""
    assert (TRACKS_AHEAD, SECTORS_BEFORE, RECENT_REQUESTS) == (3, 64, 24)
    for first, is_far in ((35, True), (36, False), (100, False), (131, False), (132, True)):
        assert seen_of((100, 2), (first, 1)).unbuffered.tolist() == [True, is_far]
    assert seen_of((0, 1), (100, 1), (100, 1)).unbuffered.tolist() == [True, True, False], "near to any of them"
    between = [(0, 1)] * (RECENT_REQUESTS - 1)
    assert seen_of((100, 1), *between, (100, 1)).unbuffered[-1] is np.False_
    assert seen_of((100, 1), *between, (0, 1), (100, 1)).unbuffered[-1] is np.True_


# Lines and curves.

def line_of(count: int, per_sector: float, noise: float = 0.0) -> Any:
    sectors = np.arange(count) % 4 + 1
    seconds = 1 * MS + per_sector * sectors + noise * (np.arange(count) * 7 % count) / count
    seen: Any = SimpleNamespace(sectors=sectors, seconds=seconds)
    return _line(seen, np.ones(count, bool), 10 * MS)


def test_a_line_needs_requests_of_several_sizes_that_lie_on_it() -> None:
    found = line_of(FEWEST_REQUESTS, 0.25 * MS)
    assert (found.command, found.sector) == pytest.approx((1 * MS, 0.25 * MS))
    assert line_of(FEWEST_REQUESTS - 1, 0.25 * MS) is None
    assert line_of(FEWEST_REQUESTS, 0.0) is None, "a sector takes time"
    assert line_of(60, 0.25 * MS, 10 * MS) is None, "they are spread over a revolution"
    same: Any = SimpleNamespace(sectors=np.full(50, 2), seconds=np.full(50, 1 * MS))
    assert _line(same, np.ones(50, bool), 10 * MS) is None
    few: Any = SimpleNamespace(sectors=np.array([1, 2]), seconds=np.array([1 * MS, 2 * MS]))
    assert _line(few, np.ones(2, bool), 10 * MS) is None


def test_points_of_a_curve_have_as_many_requests_each() -> None:
    distance = np.repeat([1, 5, 9], MIN_PER_POINT)
    groups = list(_groups(distance))
    assert [(place, len(group)) for place, group in groups] == [(1, 40), (5, 40), (9, 40)]
    assert [distance[group].tolist() for _, group in groups] == [[1] * 40, [5] * 40, [9] * 40]
    far = np.repeat([3, 7], MIN_PER_POINT)
    assert [(place, far[group][0]) for place, group in _groups(far)] == [(1, 3), (3, 3), (7, 7)]
    assert [place for place, _ in _groups(np.array([4, 4]))] == [1, 4]
    many = np.arange(2, 2 + 20 * MIN_PER_POINT)
    assert len(list(_groups(many))) == MAX_POINTS + 1
    assert len(list(_groups(many[: 2 * MIN_PER_POINT - 1]))) == 2


def test_a_curve_that_leaves_nothing_outside_stays_and_one_beside_moves() -> None:
    """Seeks of 1 ms to cylinder 1 and 3 ms to 11, and as steep beyond; waits lie within a turn of 10 ms from there."""
    places, start = np.array([1, 11]), np.array([1 * MS, 3 * MS])
    distance = np.repeat([1, 6, 11, 21], 50)
    edge = np.repeat([1 * MS, 2 * MS, 3 * MS, 5 * MS], 50)
    waited = edge + 10 * MS * np.tile(np.linspace(0.0, 1.0, 50), 4)
    found = _fit_curve(distance, waited, 10 * MS, places, start)
    assert [place for place, _ in found.points] == [0, 1, 11]
    assert [seconds for _, seconds in found.points] == pytest.approx([0.0, 1 * MS, 3 * MS], abs=0.02 * MS)
    moved = _fit_curve(distance, waited, 10 * MS, places, start + 0.3 * MS)
    assert [seconds for _, seconds in moved.points[1:]] == pytest.approx([1 * MS, 3 * MS], abs=0.25 * MS)
    alone = _fit_curve(distance[:50], waited[:50], 10 * MS, places[:1], start[:1])
    assert isinstance(alone, TableSeek)
    assert alone.points == ((0, 0.0), (1, pytest.approx(1 * MS, abs=0.02 * MS)))
    assert replace(KNOWN, seek=found).seek(11) == pytest.approx(3 * MS, abs=0.02 * MS)
