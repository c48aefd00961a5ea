"""Tests by hand a drive file with the numbers that makers print: three seeks, two tracks, a rate, and all sources."""

from pathlib import Path

import pytest

from spindle.sim.disc.buffer_sheet import MAX_BLOCKS, HostLink, TrackEnd
from spindle.sim.disc.layout import zoned
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import LinearSeek, PowerSeek
from spindle.sim.disc.sheet_file.sheet import read_sheet, sheets_to_copy
from spindle.sim.error import UserError
from spindle.sim.parameter import ParameterSource
from spindle.sim.units import MS, US
from tests.sim.disc.sheet_file.small import error_of

SHEET = """\
name: Printed
sector_bytes: 512
capacity_sectors: 140
cylinders: 9
heads: 2
layout: {zones: 3, outer_sectors_per_track: 10, inner_sectors_per_track: 6, skew_revolutions: 0.25}
rpm: 6000
head_switch_us: 700
command_overhead_us: 200
seek: {minimum_ms: 1, average_ms: 4, maximum_ms: 9}
overheads_ms: {}
bus: {rate_mb_s: 5}
cache: {enabled: true, segments: 0, segment_sectors: 32, max_write_segments: 1, separate_write_segment: false,
  prefetch_code: 0, read_ahead_on_full_hit: false, prefetch_may_replace_requested_data: true,
  keep_sectors_passing_before_request: false, fast_write_code: 0, read_hits_on_written_data: false,
  zero_latency_read: false, read_high_water_mark: 0, write_starts_after_sectors: 3}
notes: Of paper.
numbers_from:
  rpm: "cited: its manual: p. 3"
  seek: "assumed: as remembered"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "drive.yaml"


def read(path: Path, text: str = SHEET) -> DiscType:
    path.write_text(text)
    disc = read_sheet(path).disc
    assert isinstance(disc, DiscType)
    return disc


def test_a_drive_may_have_a_year(path: Path) -> None:
    assert read(path).year is None
    assert read(path, f"{SHEET}year: 1987\n").year == 1987
    with pytest.raises(UserError, match="year: must be a whole number from 1950 to 2100, not 87"):
        read(path, f"{SHEET}year: 87\n")


def test_what_is_printed_becomes_the_drive(path: Path) -> None:
    disc = read(path)
    assert disc.layout == zoned(140, heads=2, sector_bytes=512, outer=10, inner=6, zones=3, skew=0.25)
    assert (disc.head_switch, disc.overhead) == (700 * US, 200 * US)
    assert disc.seek == PowerSeek.fit(1 * MS, 4 * MS, 9 * MS, cylinders=9)
    assert disc.buffer is not None
    assert (disc.buffer.segments, disc.buffer.blocks, disc.buffer.holds) == (0, 32, 3)
    assert disc.buffer.link == HostLink(512 / 5e6, 512 / 5e6)
    assert disc.notes == "Of paper."
    assert disc.sources == {"rpm": ParameterSource("cited", "its manual: p. 3"),
                            "seek": ParameterSource("assumed", "as remembered")}  # fmt: skip


def test_without_a_mean_the_seek_is_a_line(path: Path) -> None:
    assert read(path, SHEET.replace("average_ms: 4, ", "")).seek == LinearSeek(1 * MS, 9 * MS, cylinders=9)


def test_read_ahead_to_the_end_of_a_track_needs_no_limit(path: Path) -> None:
    disc = read(path, SHEET.replace("segments: 0", "segments: 1").replace("prefetch_code: 0", "prefetch_code: 1"))
    assert disc.buffer is not None
    assert disc.buffer.read_ahead == TrackEnd(MAX_BLOCKS)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("cylinders: 9", "cylinders: 8", ".cylinders: must be the 9 that such zones have, not 8"),
        ("zones: 3", "zones: 1", ".layout.zones: must be a whole number from 2 to 1000, not 1"),
        ("skew_revolutions: 0.25", "skew_revolutions: 2", ".layout.skew_revolutions: must be a number from 0 to 1, no"),
        ("head_switch_us: 700", "head_switch_us: 700\nhead_switch_ms: 0.7",
         ".head_switch_ms: must not stand beside head_switch_us, not 0.7"),
        ("head_switch_us: 700", "other: 700", ": there is no head_switch_ms"),
        ("average_ms: 4", "average_ms: 10", ".seek: seek curve: average 0.01 s must lie between minimum"),
        ("rate_mb_s: 5", "rate_mb_s: 0", ".bus.rate_mb_s: must be a number from 1e-06 to 1e+06, not 0"),
        ("write_starts_after_sectors: 3", "write_starts_after_sectors: 0",
         ".cache.write_starts_after_sectors: must be a whole number from 1"),
        ("assumed: as", "guessed: as", ".numbers_from.seek: must begin with cited:, assumed: or fitted:"),
        ("assumed: as", "assumed as", ".numbers_from.seek: must begin with cited:, assumed: or fitted:"),
        ("prefetch_code: 0", "prefetch_code: 3", ".cache: there is no max_read_ahead_sectors"),
    ],
)
def test_what_is_wrong_is_one_line(path: Path, old: str, new: str, says: str) -> None:
    assert old in SHEET
    assert says in error_of(path, SHEET.replace(old, new, 1))


@pytest.mark.parametrize("name", sheets_to_copy())
def test_what_may_be_copied_is_a_sheet(name: str, path: Path) -> None:
    path.write_text(sheets_to_copy()[name].read_text("utf-8"))
    assert read_sheet(path).disc.name
