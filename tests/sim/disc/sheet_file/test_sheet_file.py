"""Tests drive files: two small ones by hand, and that every measured drive's file is read."""

from operator import attrgetter
from pathlib import Path

import pytest

from spindle.sim.disc.buffer_sheet import (
    After,
    BlocksAhead,
    Buffer,
    CylinderEnd,
    HostLink,
    ImmediateReporting,
    Nothing,
    Overheads,
    SecondDisconnect,
    TrackByTrack,
    TrackEnd,
)
from spindle.sim.disc.layout import HeadOrder
from spindle.sim.disc.seek import TableSeek, TwoPartSeek
from spindle.sim.disc.sheet_file.section import SheetSection, load
from spindle.sim.disc.sheet_file.sheet import read_sheet
from spindle.sim.error import UserError
from spindle.sim.units import MS
from tests.sim.disc.sheet_file.small import SINGLE, ZONED, read


def test_a_sheet_with_zones_becomes_a_disc(path: Path) -> None:
    sheet = read(path, ZONED)
    disc, layout = sheet.disc, sheet.disc.layout
    assert (disc.name, disc.rpm, disc.overhead, sheet.bus) == ("Small Drive", 6000, 0.0, "SCSI-2")
    assert (disc.head_switch, disc.write_settle) == (0.0005, -0.00025)
    assert disc.seek == TableSeek(((0, 0.0), (1, 0.001), (5, 0.003)))
    assert (layout.cylinders, layout.heads, layout.capacity) == (6, 2, 77 * 512)
    assert layout.order is HeadOrder.TURNING_IN_ZONE
    assert [layout.locate(block)[:3] for block in (0, 1, 2, 3, 13, 23, 53)] == [
        (0, 0, 5), (2, 1, 9), (0, 0, 8), (0, 0, 9), (0, 1, 9), (1, 1, 9), (4, 0, 0)]
    assert layout.locate(3).angle == 0.0
    assert layout.locate(4).angle == 0.4
    assert disc.sources["rpm"] == ("cited", f"the drive sheet {path}")
    heads = read(path, ZONED.replace("heads: 2", "heads: 2.0")).disc.layout.heads
    assert (heads, type(heads)) == (2, int)


def test_a_sheet_without_zones_becomes_a_disc_of_one(path: Path) -> None:
    sheet = read(path, SINGLE)
    disc, layout = sheet.disc, sheet.disc.layout
    assert len(layout.track(25)) == 20
    assert (layout.sectors, layout.sector_bytes) == (4000, 256)
    assert [layout.locate(block).angle for block in (0, 20, 40)] == [0.0, 0.15, 0.3]
    assert (disc.overhead, disc.write_settle) == (0.0015, 0.0)
    assert isinstance(disc.seek, TwoPartSeek)
    assert [disc.seek(d) for d in (1, 4, 49, 50)] == pytest.approx([0.002, 0.005, 0.010, 0.010])
    assert (sheet.bus, disc.buffer) == (None, None)


def ms(*seconds: float) -> After:
    return After(*(each * MS for each in seconds))


def test_a_sheet_says_what_the_buffer_does(path: Path) -> None:
    overheads = Overheads(
        read_hit=ms(1, 2), read_miss=ms(3, 4), report=ms(5, 6), write=ms(7, 8), reading_off=ms(9, 10),
        preparation=11 * MS, reselect=12 * MS, reselect_again=13 * MS, read_done=0.5 * MS, write_done=14 * MS,
        to_medium=15 * MS, second_disconnect=SecondDisconnect(1 * MS, 2 * MS, 3 * MS, 4 * MS))
    assert read(path, ZONED).disc.buffer == Buffer(
        segments=3, blocks=64, overheads=overheads, link=HostLink(0.15 * MS, 0.2 * MS), read_ahead=BlocksAhead(20),
        reports=ImmediateReporting(intermixed=True), write_segments=2, own_write_segment=True, keeps_requested=True,
        keeps_passing=True, goes_on=True, starts_anywhere=True, reads_written=True, high_water=0.25, holds=6)


@pytest.mark.parametrize(
    ("old", "new", "field", "value"),
    [
        ("prefetch_code: 3", "prefetch_code: 0", "read_ahead", Nothing()),
        ("prefetch_code: 3", "prefetch_code: 1", "read_ahead", TrackEnd(20)),
        ("prefetch_code: 3", "prefetch_code: 2", "read_ahead", CylinderEnd(20)),
        ("prefetch_code: 3", "prefetch_code: 4", "read_ahead", TrackByTrack()),
        (
            "max_read_ahead_sectors: 20",
            "max_read_ahead_sectors: 0",
            "read_ahead",
            BlocksAhead(64),
        ),  # a segment full of them
        ("max_read_ahead_sectors: 20", "max_read_ahead_sectors: 20, min_read_ahead_sectors: 7", "least_ahead", 7),
        ("max_read_ahead_sectors: 20", "max_read_ahead_sectors: 20, min_read_ahead_sectors: 30", "read_ahead",
         BlocksAhead(30)),  # as DiskSim has it
        ("fast_write_code: 2", "fast_write_code: 0", "reports", None),
        ("fast_write_code: 2", "fast_write_code: 1", "reports", ImmediateReporting()),
        ("segments: 3", "segments: 2", "own_write_segment", True),
        ("segments: 3", "segments: 1", "own_write_segment", False),  # there is none to set aside
        ("low_water_mark: 0.75", "low_water_mark: 1", "holds", 64),
        ("low_water_mark: 0.75", "low_water_mark: 0", "holds", 6),
        ("requested_data: false", "requested_data: true", "keeps_requested", False),
        ("Extra write disconnect: 1", "Extra write disconnect: 0", "overheads.second_disconnect", None),
        ("raw_disksim_spec:", "else:", "overheads.second_disconnect", None),
        ("drive_ms_per_sector: 0.15", "drive_ms_per_sector: 0", "link", HostLink(0.1 * MS, 0.2 * MS)),
        ("drive_ms_per_sector: 0.15", "drive_ms_per_sector: 9", "link", HostLink(9 * MS, 9 * MS)),
        ("drive_ms_per_sector: 0.15, ", "", "link", HostLink(0.1 * MS, 0.2 * MS)),
        ("minimum_seek_delay: 15", "minimum_seek_delay: null", "overheads.to_medium", 0.0),
    ],
)
def test_each_word_of_the_sheet_is_a_field_of_the_buffer(
    path: Path, old: str, new: str, field: str, value: object
) -> None:
    assert old in ZONED
    buffer = read(path, ZONED.replace(old, new, 1)).disc.buffer
    assert attrgetter(field)(buffer) == value


@pytest.mark.parametrize(("old", "new", "note"), [
    ("segments: 3", "segments: 3", ""),
    ("segments: 3", "segments: 3, zero_latency_write: false, write_hit_stops_prefetch: true", ""),
    ("segments: 3", "segments: 3, zero_latency_write: true", "Not modelled: zero_latency_write: true."),
    ("segments: 3", "segments: 3, watermarks_relative_to: segment", "Not modelled: watermarks_relative_to: segment."),
    ("write disconnect: 1", "write disconnect: 1, Read-ahead over requested: -1, Preseeking level: 2",
     "Not modelled: Read-ahead over requested: -1, Preseeking level: 2."),
    ("write disconnect: 1", "write disconnect: 1, Read-ahead over requested: 0, Time scale for overheads: 1.0", ""),
])  # fmt: skip
def test_what_is_not_modelled_is_named(path: Path, old: str, new: str, note: str) -> None:
    text = ZONED.replace(old, new, 1)
    assert read(path, text).disc.notes == note
    assert read(path, f"{text}notes: Of paper.\n").disc.notes == f"Of paper. {note}".strip()


def test_a_drive_without_cache_still_has_its_electronics(path: Path) -> None:
    cached = read(path, ZONED).disc.buffer
    assert cached is not None
    for old, new in (("enabled: true", "enabled: false"), ("\ncache:", "\nelse:")):
        buffer = read(path, ZONED.replace(old, new)).disc.buffer
        assert buffer is not None
        assert buffer == Buffer(0, buffer.blocks, cached.overheads, cached.link)


def test_sectors_are_collected_by_the_byte(path: Path) -> None:
    for size, holds in ((256, 12), (2048, 1), (8192, 1)):
        buffer = read(path, ZONED.replace("sector_bytes: 512", f"sector_bytes: {size}")).disc.buffer
        assert buffer is not None
        assert buffer.holds == holds


def test_a_formula_is_exact_where_points_are_given_as_well(path: Path) -> None:
    formula = ("  first_ten_ms: [1.0, 1.5]\n  break_cyl: 4\n  sqrt_const_ms: 1\n  sqrt_coeff: 1\n"
               "  lin_const_ms: 2\n  lin_coeff: 0.5\n")
    seek = read(path, ZONED.replace("seek:\n", "seek:\n" + formula)).disc.seek
    assert [seek(d) for d in (1, 2, 3, 4)] == pytest.approx([0.001, 0.0015, 0.001 + 0.003**0.5 * 1e-3**0.5, 0.004])


@pytest.mark.parametrize(("spares", "blocks", "second_cylinder"), [(2, 58, 20), (1, 57, 19)])
def test_ranges_are_as_many_as_the_blocks_leave_room_for(
    path: Path, spares: int, blocks: int, second_cylinder: int
) -> None:
    """Three cylinders of 20 sectors: 2 spares are those of one range of all three, 3 are one for each cylinder."""
    text = ZONED.replace("front: 5", "front: 0").replace("slips: [7]", "slips: []").replace("[6, 59, 8, 8]", "[]")
    for old, new in (("sparing: 9", "sparing: 8"), ("spares: 2", f"spares: {spares}"),
                     ("last_lba: 52", f"last_lba: {blocks - 1}"), ("first_lba: 53", f"first_lba: {blocks}"),
                     ("last_lba: 76", f"last_lba: {blocks + 23}"), ("sectors: 77", f"sectors: {blocks + 24}")):
        assert old in text
        text = text.replace(old, new, 1)
    assert len(read(path, text).disc.layout.cylinder(25)) == second_cylinder


def test_each_bad_sector_has_its_own_replacement(path: Path) -> None:
    """Sectors 6 and 9 of the first zone lie on the last two, which have no block; 8 stays in its place."""
    text = ZONED.replace("slips: [7]", "slips: []").replace("[6, 59, 8, 8]", "[6, 59, 8, 8, 9, 58]")
    layout = read(path, text).disc.layout
    assert [layout.locate(block)[:3] for block in range(6)] == [
        (0, 0, 5), (2, 1, 9), (0, 0, 7), (0, 0, 8), (2, 1, 8), (0, 1, 0)]  # fmt: skip


def test_one_cylinder_too_many_is_let_pass(path: Path) -> None:
    assert read(path, ZONED.replace("cylinders: 6", "cylinders: 5")).disc.layout.cylinders == 6


def test_a_flag_is_true_or_false(path: Path) -> None:
    path.write_text(ZONED)
    cache = SheetSection(str(path), load(path)).section("cache")
    assert cache.flag("enabled") is True
    with pytest.raises(UserError, match=r"drive\.yaml\.cache\.segments: must be true or false, not 3"):
        cache.flag("segments")


def test_every_measured_drive_is_read(shared: Path) -> None:
    sheets = [read_sheet(path) for path in sorted((shared / "data/drives").glob("*/drive.yaml"))]
    assert len(sheets) >= 10
    buffers = [sheet.disc.buffer for sheet in sheets if sheet.disc.buffer is not None]
    assert len(buffers) >= 9
    assert all(buffer.segments for buffer in buffers)
