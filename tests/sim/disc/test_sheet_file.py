"""Drive sheets as files: two small ones read by hand, and everything that can be wrong with one, each in one line."""

import re
from operator import attrgetter
from pathlib import Path
from time import perf_counter

import pytest

from sim.disc.buffer.read_ahead import BlocksAhead, CylinderEnd, Nothing, TrackByTrack, TrackEnd
from sim.disc.buffer.sheet import After, Buffer, HostLink, ImmediateReporting, Overheads, SecondDisconnect
from sim.disc.heads import turning_in_zone
from sim.disc.seek import TableSeek, TwoPartSeek
from sim.disc.sheet_file.plain_yaml import MOST_BYTES
from sim.disc.sheet_file.sheet import DriveSheet, open_sheet, read_sheet
from sim.error import UserError
from sim.units import MS

ZONED = """\
name: Small Drive
sector_bytes: 512
capacity_sectors: 77
cylinders: 6
heads: 2
rpm: 6000
head_switch_ms: 0.5
write_settle_extra_ms: -0.25
seek:
  points_cyl_ms:
  - [1, 1.0]
  - [5, 3.0]
layout:
  disksim_mapping: 1
  disksim_sparing: 9
  zones:
  - first_cyl: 0
    last_cyl: 2
    sectors_per_track: 10
    first_lba: 0
    last_lba: 52
    track_skew_sectors: 3
    cyl_skew_sectors: 4.0
    offset_of_first_block_sectors: 1
    empty_sectors_at_front: 5
    spares: 2
    slips: [7]
    defects: [6, 59, 8, 8]
  - first_cyl: 4
    last_cyl: 5
    sectors_per_track: 6
    first_lba: 53
    last_lba: 76
    track_skew_sectors: 0
    cyl_skew_sectors: 0
    offset_of_first_block_sectors: 0
    empty_sectors_at_front: 0
    spares: 0
    slips: []
    defects: []
bus: {kind: SCSI-2, read_ms_per_sector: 0.1, write_ms_per_sector: 0.2, drive_ms_per_sector: 0.15, hold_bus_read: true}
overheads_ms: {read_hit_after_read: 1, read_hit_after_write: 2, read_miss_after_read: 3, read_miss_after_write: 4,
  write_hit_after_read: 5, write_hit_after_write: 6, write_miss_after_read: 7, write_miss_after_write: 8,
  read_disconnect_after_read: 9, read_disconnect_after_write: 10, data_preparation: 11, first_reselect: 12,
  other_reselect: 13, read_completion: 0.5, write_completion: 14, minimum_seek_delay: 15}
cache: {enabled: true, segments: 3, segment_sectors: 64, max_write_segments: 2, separate_write_segment: true,
  prefetch_code: 3, max_read_ahead_sectors: 20, read_ahead_on_full_hit: true,
  prefetch_may_replace_requested_data: false, keep_sectors_passing_before_request: true, fast_write_code: 2,
  read_hits_on_written_data: true, zero_latency_read: true, read_high_water_mark: 0.25, write_low_water_mark: 0.75}
raw_disksim_spec: {Extra write disconnect: 1, Extradisc command overhead: 1, Extradisc disconnect overhead: 2,
  Extradisc inter-disconnect delay: 3, Extradisc seek delta: 4}
scheduler: {drive_queue_depth: 1, policy: FCFS}
"""

SINGLE = """\
name: Old Drive
sector_bytes: 256
cylinders: 100
heads: 2
sectors_per_track: 20
capacity_sectors: 4000
rpm: 3600
command_overhead_ms: 1.5
head_switch_ms: 1.0
track_skew_sectors: 3
interleave: 1
seek: {one_cyl_ms: 2.0, break_cyl: 50, sqrt_const_ms: 3.0, sqrt_coeff: 1.0, lin_const_ms: 5.0, lin_coeff: 0.1}
bus: {MB_per_s: 1.2}
write_settle_extra_ms: null
cache: {enabled: false}
scheduler: {driver: cscan}
discs: {0: first, 1: second}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "drive.yaml"


def read(path: Path, content: str | bytes) -> DriveSheet:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_sheet(path)


def error_of(path: Path, content: str | bytes) -> str:
    """The one line with which *content* is refused, without the name of its file."""
    began = perf_counter()
    with pytest.raises(UserError) as raised:
        read(path, content)
    print(f"{perf_counter() - began:.2f} s: {raised.value}")
    line = str(raised.value)
    assert "\n" not in line
    assert len(line) < 1000
    assert line.startswith(str(path))
    return line.removeprefix(str(path))


def test_a_sheet_with_zones_becomes_a_disc(path: Path) -> None:
    sheet = read(path, ZONED)
    disc, layout = sheet.disc, sheet.disc.layout
    assert (disc.name, disc.rpm, disc.overhead, sheet.bus) == ("Small Drive", 6000, 0.0, "SCSI-2")
    assert (disc.head_switch, disc.write_settle) == (0.0005, -0.00025)
    assert disc.seek == TableSeek(((0, 0.0), (1, 0.001), (5, 0.003)))
    assert (layout.cylinders, layout.heads, layout.capacity, layout.order) == (6, 2, 77 * 512, turning_in_zone)
    assert [layout.locate(block)[:3] for block in (0, 1, 2, 3, 13, 23, 53)] == [
        (0, 0, 5), (2, 1, 9), (0, 0, 8), (0, 0, 9), (0, 1, 9), (1, 1, 9), (4, 0, 0)]
    assert layout.locate(3).angle == 0.0
    assert layout.locate(4).angle == 0.4
    assert disc.sources["rpm"] == ("cited", f"the drive sheet {path}")


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
        keeps_passing=True, goes_on=True, starts_anywhere=True, reads_written=True, high_water=0.25, holds=8)


@pytest.mark.parametrize(
    ("old", "new", "field", "value"),
    [
        ("prefetch_code: 3", "prefetch_code: 0", "read_ahead", Nothing()),
        ("prefetch_code: 3", "prefetch_code: 1", "read_ahead", TrackEnd()),
        ("prefetch_code: 3", "prefetch_code: 2", "read_ahead", CylinderEnd()),
        ("prefetch_code: 3", "prefetch_code: 4", "read_ahead", TrackByTrack(64)),
        (
            "max_read_ahead_sectors: 20",
            "max_read_ahead_sectors: 0",
            "read_ahead",
            BlocksAhead(64),
        ),  # a segment full of them
        ("fast_write_code: 2", "fast_write_code: 0", "reports", None),
        ("fast_write_code: 2", "fast_write_code: 1", "reports", ImmediateReporting()),
        ("segments: 3", "segments: 1", "own_write_segment", False),  # there is none to set aside
        ("low_water_mark: 0.75", "low_water_mark: 1", "holds", 64),
        ("low_water_mark: 0.75", "low_water_mark: 0", "holds", 8),
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


def test_a_drive_without_cache_still_has_its_electronics(path: Path) -> None:
    cached = read(path, ZONED).disc.buffer
    assert cached is not None
    for old, new in (("enabled: true", "enabled: false"), ("\ncache:", "\nelse:")):
        buffer = read(path, ZONED.replace(old, new)).disc.buffer
        assert buffer is not None
        assert buffer == Buffer(0, buffer.blocks, cached.overheads, cached.link)


def test_sectors_are_collected_by_the_byte(path: Path) -> None:
    for size, holds in ((256, 16), (2048, 2), (8192, 1)):
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


@pytest.mark.parametrize(("changes", "says"), [
    ({"spares: 2": "spares: 4"}, "zones[0].spares: must divide the 6 sectors without a block evenly among ranges"),
    ({"spares: 2": "spares: 3", "last_cyl: 2": "last_cyl: 3", "front: 1": "front: 21", "spares: 0": "spares: 2"},
     "zones: must all have spares for ranges of equally many cylinders, not a list of 2"),
])
def test_ranges_that_cannot_be_are_a_mistake(path: Path, changes: dict[str, str], says: str) -> None:
    """6 sectors are not so many times 4. Two ranges in four cylinders are two each, but then two cylinders have one."""
    text = ZONED.replace("sparing: 9", "sparing: 8").replace("front: 5", "front: 1").replace("slips: [7]", "slips: []")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    assert says in error_of(path, text)


def test_one_cylinder_too_many_is_let_pass(path: Path) -> None:
    assert read(path, ZONED.replace("cylinders: 6", "cylinders: 5")).disc.layout.cylinders == 6


@pytest.mark.parametrize("key", ["name", "sector_bytes", "capacity_sectors", "cylinders", "heads", "rpm", "seek",
                                 "head_switch_ms", "bus", "overheads_ms"])
def test_a_missing_key_is_named(path: Path, key: str) -> None:
    gone = ZONED.replace(f"\n{key}:", "\nelse:") if key != "name" else ZONED.replace("name:", "else:")
    assert f": there is no {key}" in error_of(path, gone)


@pytest.mark.parametrize("key", [
    "enabled", "segments", "segment_sectors", "max_write_segments", "separate_write_segment", "prefetch_code",
    "max_read_ahead_sectors", "read_ahead_on_full_hit", "prefetch_may_replace_requested_data",
    "keep_sectors_passing_before_request", "fast_write_code", "read_hits_on_written_data", "zero_latency_read",
    "read_high_water_mark", "write_low_water_mark"])
def test_a_missing_key_of_the_cache_is_named(path: Path, key: str) -> None:
    assert f".cache: there is no {key}" in error_of(path, re.sub(rf"\b{key}:", "elsewhere:", ZONED, count=1))


@pytest.mark.parametrize("key", ["disksim_mapping", "disksim_sparing", "zones", "first_cyl", "last_cyl", "first_lba",
                                 "last_lba", "sectors_per_track", "track_skew_sectors", "cyl_skew_sectors",
                                 "offset_of_first_block_sectors", "empty_sectors_at_front", "spares", "slips",
                                 "defects"])
def test_a_missing_key_of_the_layout_is_named_with_its_zone(path: Path, key: str) -> None:
    line = error_of(path, ZONED.replace(f" {key}:", " else:", 1))
    assert line.startswith(".layout")
    assert f": there is no {key}" in line


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("heads: 2", "heads: 0", ".heads: must be a whole number from 1 to 1000, not 0"),
        ("heads: 2", "heads: two", ".heads: must be a whole number from 1 to 1000, not 'two'"),
        ("heads: 2", "heads: '2'", ".heads: must be a whole number from 1 to 1000, not '2'"),
        ("heads: 2", "heads: true", ".heads: must be a whole number from 1 to 1000, not True"),
        ("heads: 2", "heads: [2]", ".heads: must be a whole number from 1 to 1000, not a list of 1"),
        ("heads: 2", "heads: 2.5", ".heads: must be a whole number from 1 to 1000, not 2.5"),
        ("heads: 2", "heds: 2", ": unknown key 'heds': did you mean heads?"),
        ("write_settle_extra", "write_setle_extra",
         ": unknown key 'write_setle_extra_ms': did you mean write_settle_extra_ms?"),
        ("    slips: [7]", "    slipps: [7]", ".layout.zones[0]: unknown key 'slipps': did you mean slips?"),
        ("rpm: 6000", "rpm: .nan", ": line 6: .nan is no number that a sheet can have"),
        ("rpm: 6000", "rpm: -.inf", ": line 6: -.inf is no number that a sheet can have"),
        ("rpm: 6000", "rpm: 1e999", ": line 6: 1e999 is no number that a sheet can have"),
        ("rpm: 6000", "rpm: nan", ".rpm: must be a number from 1 to 1e+06, not 'nan'"),
        ("rpm: 6000", "rpm: 0", ".rpm: must be a number from 1 to 1e+06, not 0"),
        ("rpm: 6000", "rpm: -5400", ".rpm: must be a number from 1 to 1e+06, not -5400"),
        ("rpm: 6000", "rpm: 1e308", ".rpm: must be a number from 1 to 1e+06, not 1e+308"),
        ("rpm: 6000", "rpm: 1" + "0" * 5000, ": line 6: a number of 5001 characters is too long"),
        ("spares: 2", "spares: 1" + "0" * 30, ".layout.zones[0].spares: must be a whole number from 0"),
        ("sectors: 77", "sectors: 78", ".capacity_sectors: must be the 77 blocks that the zones hold, not 78"),
        ("name: Small Drive", 'name: "Small\\nDrive"', ".name: must be one line of text, not 'Small\\nDrive'"),
        ("name: Small Drive", "name: 5", ".name: must be one line of text, not 5"),
        ("head_switch_ms: 0.5", "head_switch_ms: -1", ".head_switch_ms: must be a number from 0 to 100000, not -1"),
        ("sparing: 9", "sparing: 11", "9 is sectors at the end of each zone; 10 is sectors at the end of each zone, "
         "slips carried on), not 11"),
        ("mapping: 1", "mapping: 3", ".layout.disksim_mapping: must be one of these numbers (0 is ascending; "
         "1 is turning_in_zone; 2 is turning), not 3"),
        ("first_cyl: 4", "first_cyl: 2", "zones[1].first_cyl: must be beyond cylinder 2 of the zone before, not 2"),
        ("first_cyl: 0", "first_cyl: 1", "zones[0].first_cyl: must be 0 in the first zone, not 1"),
        ("last_cyl: 5", "last_cyl: 3", "zones[1].last_cyl: must be a whole number from 4 to 1000000, not 3"),
        ("last_cyl: 5", "last_cyl: 7", "zones[1].last_cyl: must be one of the 6 cylinders, not 7"),
        ("first_lba: 53", "first_lba: 54", "zones[1].first_lba: must be 53, next to the zone before, not 54"),
        ("first_lba: 53", "first_lba: 50", "zones[1].first_lba: must be 53, next to the zone before, not 50"),
        ("first_lba: 0", "first_lba: 1", "zones[0].first_lba: must be 0 in the first zone, not 1"),
        ("last_lba: 76", "last_lba: 77", "zones[1]: 25 blocks do not fit on the 24 sectors"),
        ("front: 5", "front: 8", "zones[0]: 53 blocks do not fit on the 51 sectors"),
        ("front: 5", "front: -1", "zones[0].empty_sectors_at_front: must be a whole number from 0"),
        ("slips: [7]", "slips: [-7]", "zones[0].slips[0]: must be a whole number from 0"),
        ("slips: [7]", "slips: [60]", "zones[0]: slips: 60 is not in a zone of 60 sectors"),
        ("slips: [7]", "slips: [7, 9, 7]", "zones[0]: slips: 7 must not stand there twice"),
        ("slips: [7]", "slips: 7", "zones[0].slips: must be a list, not 7"),
        ("defects: [6, 59,", "defects: [6, 60,", "zones[0]: defects: 60 is not in a zone of 60 sectors"),
        ("defects: [6, 59,", "defects: [59,", "zones[0].defects: must be pairs of a bad place and the one used"),
        ("defects: [6, 59,", "defects: [6, 20,", "zone at cylinder 0: stretches: "),
        ("track_skew_sectors: 3", "track_skew_sectors: 10", "zones[0]: zone at cylinder 0: track_skew 10 must be"),
        ("track_skew_sectors: 3", "track_skew_sectors: -3", "zones[0].track_skew_sectors: must be a number from 0"),
        ("  zones:\n", "  zones: []\n  else:\n", ".layout.zones: must have at least one, not a list of 0"),
        ("  zones:\n", "  zones: {}\n  else:\n", ".layout.zones: must be a list, not a mapping of 0"),
        ("  zones:\n", "  zones: [5]\n  else:\n", ".layout.zones[0]: must have keys and values of its own, not 5"),
        ("  - [1, 1.0]", "  - [6, 1.0]", ".seek: seek table: points: distance 5 must be more than 6 before it"),
        ("  - [1, 1.0]", "  - [5, 1.0]", ".seek: seek table: points: distance 5 must be more than 5 before it"),
        ("  - [1, 1.0]", "  - [1, 1.0, 1]", ".seek.points_cyl_ms[0]: must be a pair of numbers, not a list of 3"),
        ("  - [1, 1.0]", "  - [1, -1.0]", ".seek.points_cyl_ms[0]: must be a number from 0 to 100000, not -1.0"),
        ("  points_cyl_ms", "  points", ".seek: there is no points_cyl_ms; is 'points' meant for it?"),
        ("cache: {", "cache: 5\nelse: {", ".cache: must have keys and values of its own, not 5"),
        ("cache: {", "cache: [1]\nelse: {", ".cache: must have keys and values of its own, not a list of 1"),
        ("enabled: true", "enabled: 1", ".cache.enabled: must be true or false, not 1"),
        ("enabled: true", "enabled: yes", ".cache.enabled: must be true or false, not 'yes'"),
        ("segments: 3", "segments: 0", ".cache.segments: must be a whole number from 1 to 65536, not 0"),
        ("segments: 3", "segments: 70000", ".cache.segments: must be a whole number from 1 to 65536, not 70000"),
        ("segments: 3", "segments: .nan", ".nan is no number that a sheet can have"),
        ("segment_sectors: 64", "segment_sectors: -64", ".cache.segment_sectors: must be a whole number from 1"),
        ("segment_sectors: 64", "segment_sectors: 1.5", ".cache.segment_sectors: must be a whole number from 1"),
        ("write_segments: 2", "write_segments: 0", ".cache.max_write_segments: must be a whole number from 1"),
        ("write_segment: true", "write_segment: 1", ".cache.separate_write_segment: must be true or false, not 1"),
        ("prefetch_code: 3", "prefetch_code: 9", ".cache.prefetch_code: must be a whole number from 0 to 4, not 9"),
        ("prefetch_code: 3", "prefetch_code: -1", ".cache.prefetch_code: must be a whole number from 0 to 4, not -1"),
        ("prefetch_code: 3", "prefetch: all", ": there is no prefetch_code; is 'prefetch' meant for it?"),
        ("write_code: 2", "write_code: 7", ".cache.fast_write_code: must be a whole number from 0 to 2, not 7"),
        ("ahead_sectors: 20", "ahead_sectors: -1", ".cache.max_read_ahead_sectors: must be a whole number from 0"),
        ("high_water_mark: 0.25", "high_water_mark: 2", ".cache.read_high_water_mark: must be a number from 0 to 1"),
        ("high_water_mark: 0.25", "high_water_mark: -1", ".cache.read_high_water_mark: must be a number from 0 to 1"),
        ("low_water_mark: 0.75", "low_water_mark: 1.1", ".cache.write_low_water_mark: must be a number from 0 to 1"),
        ("low_water_mark: 0.75", "low_water_mark: half", ".cache.write_low_water_mark: must be a number from 0 to 1"),
        ("read_ms_per_sector: 0.1,", "read_ms_per_sector: -1,", ".bus.read_ms_per_sector: must be a number from 0"),
        ("read_ms_per_sector: 0.1,", "read_ms_per_sector: nan,", ".bus.read_ms_per_sector: must be a number from 0"),
        ("read_ms_per_sector: 0.1,", "", ".bus: there is no read_ms_per_sector"),
        ("drive_ms_per_sector: 0.15", "drive_ms_per_sector: -1", ".bus.drive_ms_per_sector: must be a number from 0"),
        ("bus: {", "bus: SCSI\nelse: {", ".bus: must have keys and values of its own, not 'SCSI'"),
        ("kind: SCSI-2", "kind: 2", ".bus.kind: must be one line of text, not 2"),
        ("completion: 0.5", "completion: -0.5", ".overheads_ms.read_completion: must be a number from 0 to 100000"),
        ("completion: 0.5", "completion: fast", ".overheads_ms.read_completion: must be a number from 0 to 100000"),
        ("completion: 0.5", "completion: .inf", ".inf is no number that a sheet can have"),
        ("completion: 0.5", "completion: [0.5]", ".overheads_ms.read_completion: must be a number from 0 to 100000"),
        ("overheads_ms: {", "overheads_ms: 5\nelse: {", ".overheads_ms: must have keys and values of its own, not 5"),
        ("disconnect: 1", "disconnect: 2", ".raw_disksim_spec.Extra write disconnect: must be a whole number from 0"),
        ("seek delta: 4", "seek delta: -4", ".raw_disksim_spec.Extradisc seek delta: must be a number from 0"),
        ("seek delta: 4", "seek: 4", ".raw_disksim_spec: there is no Extradisc seek delta; is 'extradisc seek' meant"),
        ("name: Small Drive", "name: a\nname: b", ": line 2: key 'name' stands there twice"),
        ("name: Small Drive", "name: &a x", ": line 1: anchors and aliases are not allowed"),
        ("name: Small Drive", "name: !!python/object/apply:os.system [ls]", ": line 1: tags are not allowed"),
        ("name: Small Drive", "name: !!str x", ": line 1: tags are not allowed"),
        ("name: Small Drive", "? [a, b]\n: x", ": line 1: a key must be a word, not a list or a mapping"),
        ("name: Small Drive", "<<: *base", ": line 1: anchors and aliases are not allowed"),
        ("name: Small Drive", "name: [x", ": not YAML: "),
        ("name: Small Drive", "name: {\tx: 1", ": not YAML: "),
        ("scheduler:", "---\nscheduler:", ": there must be one document in a file"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(path: Path, old: str, new: str, says: str) -> None:
    assert old in ZONED
    assert says in error_of(path, ZONED.replace(old, new, 1))


@pytest.mark.parametrize(("content", "says"), [
    (ZONED.replace("read_ms_per_sector: 0.1,", ""), ".bus: there is no read_ms_per_sector"),
    (ZONED.replace("segments: 3,", ""), ".cache: there is no segments"),
    (ZONED.replace("capacity_sectors: 77", "cyl_skew_sectors: 7"), ": there is no capacity_sectors"),
    (SINGLE.replace("enabled: false", "enabled: true"), ": there is no overheads_ms"),
])  # fmt: skip
def test_a_key_that_has_a_meaning_is_not_taken_for_another(path: Path, content: str, says: str) -> None:
    assert error_of(path, content) == says


POINTS = "points_cyl_ms:\n  - [1, 1.0]\n  - [5, 3.0]"


@pytest.mark.parametrize(("content", "says"), [
    (ZONED.replace(POINTS, "points_cyl_ms: []"),
     ".seek.points_cyl_ms: must have a pair of cylinders and milliseconds, not a list of 0"),
    (ZONED.replace(POINTS, "points_cyl_ms: [[0, 0]]"),
     ".seek.points_cyl_ms: must have a pair of cylinders and milliseconds, not a list of 1"),
    # A straight line through both, on to 5 cylinders, ends at 9 - 4 * 3 ms.
    (ZONED.replace(POINTS, "points_cyl_ms: [[1, 9.0], [2, 6.0]]"),
     ".seek: over 5 cylinders the arm takes less than nothing, and over one 9 ms"),
    # -2 + 1.41 over 2 cylinders, and 5 - 10 over 50.
    (SINGLE.replace("sqrt_const_ms: 3.0", "sqrt_const_ms: -2.0"),
     ".seek: over 2 cylinders the arm takes less than nothing, and over one 2 ms"),
    (SINGLE.replace("lin_const_ms: 5.0", "lin_const_ms: -10.0"),
     ".seek: over 50 cylinders the arm takes less than nothing, and over one 2 ms"),
])  # fmt: skip
def test_no_move_takes_less_than_nothing(path: Path, content: str, says: str) -> None:
    assert error_of(path, content) == says


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("interleave: 1", "interleave: 2", ".interleave: must be a whole number from 1 to 1, not 2"),
        ("sectors: 4000", "sectors: 3999", ".capacity_sectors: must be the 4000 blocks that the zones hold, not 3999"),
        ("heads: 2", "heads: 0", ".heads: must be a whole number from 1 to 1000, not 0"),
        ("track_skew_sectors: 3", "track_skew_sectors: 20", ": zone at cylinder 0: track_skew 20 must be sectors"),
        ("sqrt_coeff: 1.0", "sqrt_coeff: -1.0", "seek: two-part seek: root (0.003, -0.001) s must be finite, and grow"),
        ("break_cyl: 50", "break_cyl: 0", ".seek.break_cyl: must be a whole number from 1 to 1000000, not 0"),
        ("command_overhead_ms: 1.5", "command_overhead_ms: -1", ".command_overhead_ms: must be a number from 0"),
        ("enabled: false", "enabled: true", ": there is no overheads_ms"),
        ("enabled: false", "segments: 3", ".cache: there is no enabled"),
    ],
)
def test_what_is_wrong_with_a_single_zone_is_told_in_one_line(path: Path, old: str, new: str, says: str) -> None:
    assert old in SINGLE
    assert says in error_of(path, SINGLE.replace(old, new, 1))


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", ": the file is empty"),
        (b"# nothing but this\n", ": the file is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", ": byte 0 is not text in UTF-8"),
        (b"\x00\x01\x02\x03", ": not YAML: "),
        (b"- a\n- b\n", ": the file must hold keys and their values, not a list or a single value"),
        (b"hello\n", ": the file must hold keys and their values, not a list or a single value"),
        (b"null\n", ": the file must hold keys and their values, not a list or a single value"),
        (BOMB, ": line 1: anchors and aliases are not allowed"),
        ("a: " + "[" * 100_000, ": line 1: values lie more than 20 deep in each other"),
        ("a: " + "{b: " * 1000, ": line 1: values lie more than 20 deep in each other"),
        ("".join(" " * depth + "a:\n" for depth in range(200)), "values lie more than 20 deep in each other"),
        ("a: [" + "1," * 300_000 + "]", ": line 1: there are more than 200000 values"),
        ("a: " + "x" * MOST_BYTES, f": a sheet has at most {MOST_BYTES} bytes, and this file has more"),
        ("x" * 1000 + "\n: y", ": "),
        ('"a\\nb": 1', ": there is no name, sector_bytes, capacity_sectors, "),
        (b"{}", ": there is no name, sector_bytes, capacity_sectors, "),
    ],
)
def test_what_is_no_sheet_at_all_is_told_in_one_line(path: Path, content: str | bytes, says: str) -> None:
    assert says in error_of(path, content)


def test_a_value_of_several_lines_is_shown_on_one(path: Path) -> None:
    assert r"heads: must be a whole number from 1 to 1000, not 'a\nb'" in error_of(
        path, ZONED.replace("heads: 2", 'heads: "a\\nb"'))


def test_a_misspelt_overhead_is_named(path: Path) -> None:
    text = ZONED.replace("read_miss_after_read", "read_mis_after_read")
    assert "unknown key 'read_mis_after_read'" in error_of(path, text)


def test_a_file_that_is_not_there_is_a_mistake(path: Path) -> None:
    with pytest.raises(UserError, match=r"drive\.yaml: there is no such file"):
        read_sheet(path)
    with pytest.raises(UserError, match="a folder is no sheet"):
        read_sheet(path.parent)


def test_a_flag_is_true_or_false(path: Path) -> None:
    path.write_text(ZONED)
    cache = open_sheet(path).section("cache")
    assert cache.flag("enabled") is True
    with pytest.raises(UserError, match=r"drive\.yaml\.cache\.segments: must be true or false, not 3"):
        cache.flag("segments")


def test_every_measured_drive_is_read(shared: Path) -> None:
    sheets = [read_sheet(path) for path in sorted((shared / "data/drives").glob("*/drive.yaml"))]
    assert len(sheets) >= 10
    buffers = [sheet.disc.buffer for sheet in sheets if sheet.disc.buffer is not None]
    assert len(buffers) >= 9
    assert all(buffer.segments for buffer in buffers)
