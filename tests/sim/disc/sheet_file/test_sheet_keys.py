"""Tests each key of a drive file: it is known, has its bounds, and does what it says or what is assumed without it."""

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spindle.sim.disc.buffer_sheet import HostLink
from spindle.sim.disc.flash.sheet import CostBenefit, FlashType, Front, Greedy, Nand
from spindle.sim.disc.layout import Layout, Zone, zoned
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.seek import TableSeek
from spindle.sim.disc.sheet_file import section
from spindle.sim.disc.sheet_file.sheet import read_sheet, sheets_to_copy
from spindle.sim.error import UserError
from spindle.sim.parameter import ParameterSource
from spindle.sim.units import US
from tests.sim.disc.sheet_file.small import SINGLE, ZONED, error_of, read
from tests.sim.disc.sheet_file.test_printed_numbers import SHEET as PRINTED

ALL = """\
name: Whole
sector_bytes: 512
capacity_sectors: 4000
cylinders: 100
heads: 2
sectors_per_track: 20
track_skew_sectors: 3
cyl_skew_sectors: 5
interleave: 1
rpm: 3600
head_switch_ms: 1.0
write_settle_extra_ms: 0.5
command_overhead_ms: 1.5
year: 1987
notes: Of paper.
source: a maker
sources: {rpm: 1 to 2}
scheduler: {driver: cscan}
seek: {minimum_ms: 1, average_ms: 4, maximum_ms: 9}
bus: {kind: SCSI-2, read_ms_per_sector: 0.1, write_ms_per_sector: 0.2, drive_ms_per_sector: 0.15}
overheads_ms: {per_request: 0.25, read_hit_after_read: 1, read_hit_after_write: 2, read_miss_after_read: 3,
  read_miss_after_write: 4, write_hit_after_read: 5, write_hit_after_write: 6, write_miss_after_read: 7,
  write_miss_after_write: 8, read_disconnect_after_read: 9, read_disconnect_after_write: 10,
  data_preparation: 11, first_reselect: 12, other_reselect: 13, read_completion: 0.5,
  write_completion: 14, minimum_seek_delay: 15, write_disconnect: 1}
cache: {enabled: true, segments: 3, segment_sectors: 64, max_write_segments: 2, separate_write_segment: true,
  prefetch_code: 3, max_read_ahead_sectors: 20, min_read_ahead_sectors: 7, read_ahead_on_full_hit: true,
  prefetch_may_replace_requested_data: false, keep_sectors_passing_before_request: true, fast_write_code: 2,
  read_hits_on_written_data: true, zero_latency_read: true, read_high_water_mark: 0.25, write_low_water_mark: 0.75,
  write_starts_after_sectors: 6}
queue: {tags: 4, planned_ahead: 2, ageing_ms_per_s: 5, writes_cached: 3}
numbers_from: {rpm: "cited: its manual"}
"""
"""All keys of a disc of one zone with the seeks that makers print."""
LAID_OUT = re.sub(r", hold_bus_read: true|raw_disksim_spec:[^}]*\}\n", "", ZONED)
FORMULA = ("seek: {first_ten_ms: [1.0, 1.5], break_cyl: 4, sqrt_const_ms: 1, sqrt_coeff: 1, lin_const_ms: 2, "
           "lin_coeff: 0.5, points_cyl_ms: []}")  # fmt: skip
BY_FORMULA = re.sub(r"seek: .*", FORMULA, ALL)
ONE_FIRST = re.sub(r"seek: .*", FORMULA.replace("first_ten_ms: [1.0, 1.5]", "one_cyl_ms: 1.25"), ALL)
FLASH = """\
name: Small
sector_bytes: 512
capacity_sectors: 800
flash: {channels: 2, ways: 1, planes: 3, blocks: 12, pages: 4, page_bytes: 4096, read_us: 50, program_us: 600,
  erase_us: 3000, bus_mb_s: 200}
front: {kind: NVMe, rate_mb_s: 500, command_us: 13}
"""
"""All keys that flash needs."""
LEFT_OUT = """\
unit_bytes: 4096
buffer_bytes: 65536
buffer_survives: true
map_pages: 1
cleaning: cost-benefit
cleaning_preempted: false
reserve_blocks: 3
flush_units: 5
filled_share: 0.5
source: a maker
sources: {read_us: 40 to 60}
notes: Of sand.
year: 2016
numbers_from: {read_us: "fitted: to a run"}
"""
"""All that flash may leave out; what its front may is in MORE."""
MORE = "command_us: 13, queues: 2, entries: 16, write_rate_mb_s: 300, write_command_us: 0.5, write_handling_us: 0.25"


@pytest.mark.parametrize("text", [ALL, LAID_OUT, BY_FORMULA, ONE_FIRST, PRINTED,
                                  FLASH.replace("command_us: 13", MORE) + LEFT_OUT])
def test_no_key_that_there_is_is_taken_for_a_strange_one(
    path: Path, text: str, recwarn: pytest.WarningsRecorder
) -> None:
    path.write_text(text)
    read_sheet(path)
    assert [str(each.message) for each in recwarn.list] == []


ANY = "a whole number from 0"
TIME, SIZE, BLOCKS = "a number from 0 to 100000", "a whole number from 1 to 1048576", f"{ANY} to {1 << 31}"
SOME, PLACE, MICRO = BLOCKS.replace("0 ", "1 "), "a whole number from 0 to 1099511627776", "a number from 0 to 1e+06"
FEW, SPEED, LINE, CYLINDER = (f"a whole number from 1 to {1 << 24}", "a number from 0 to 1e+06", "one line of text",
                              "a whole number from 0 to 1000000")  # fmt: skip
SIGNED, SHARE, FLAG = "a number from -100000 to 100000", "a number from 0 to 1", "true or false"
OVERHEADS = re.findall(r"\b(\w+): [\d.]+", ALL[ALL.index("overheads_ms:") : ALL.index("cache:")])


@pytest.mark.parametrize(("text", "place", "key", "rule"), [
    (ALL, "", "name", LINE), (ALL, "", "notes", LINE), (ALL, "", "year", "a whole number from 1950 to 2100"),
    (ALL, "", "sector_bytes", SIZE), (ALL, "", "capacity_sectors", PLACE.replace("0 ", "1 ", 1)),
    (ALL, "", "cylinders", CYLINDER.replace("0 ", "1 ", 1)), (ALL, "", "heads", "a whole number from 1 to 1000"),
    (ALL, "", "sectors_per_track", "a whole number from 1 to 100000"),
    (ALL, "", "interleave", "a whole number from 1 to 1"), (ALL, "", "rpm", "a number from 1 to 1e+06"),
    (ALL, "", "track_skew_sectors", "a number from 0 to 20"), (ALL, "", "cyl_skew_sectors", "a number from 0 to 20"),
    (ALL, "", "head_switch_ms", TIME), (ALL, "", "write_settle_extra_ms", SIGNED),
    (ALL, "", "command_overhead_ms", TIME), (ALL, "seek", "minimum_ms", TIME), (ALL, "seek", "average_ms", TIME),
    (ALL, "seek", "maximum_ms", TIME), (ALL, "bus", "kind", LINE), (ALL, "bus", "read_ms_per_sector", TIME),
    (ALL, "bus", "write_ms_per_sector", TIME), (ALL, "bus", "drive_ms_per_sector", TIME),
    *((ALL, "overheads_ms", key, TIME) for key in OVERHEADS if key != "write_disconnect"),
    (ALL, "cache", "enabled", FLAG), (ALL, "cache", "segments", "a whole number from 0 to 65536"),
    (ALL, "cache", "segment_sectors", SOME), (ALL, "cache", "max_write_segments", "a whole number from 1 to 65536"),
    (ALL, "cache", "separate_write_segment", FLAG), (ALL, "cache", "prefetch_code", "a whole number from 0 to 4"),
    (ALL, "cache", "max_read_ahead_sectors", BLOCKS), (ALL, "cache", "min_read_ahead_sectors", BLOCKS),
    (ALL, "cache", "read_ahead_on_full_hit", FLAG), (ALL, "cache", "prefetch_may_replace_requested_data", FLAG),
    (ALL, "cache", "keep_sectors_passing_before_request", FLAG), (ALL, "cache", "zero_latency_read", FLAG),
    (ALL, "cache", "fast_write_code", "a whole number from 0 to 2"), (ALL, "cache", "read_hits_on_written_data", FLAG),
    (ALL, "cache", "read_high_water_mark", SHARE), (LAID_OUT, "cache", "write_low_water_mark", SHARE),
    (ALL, "cache", "write_starts_after_sectors", SOME), (ALL, "queue", "tags", "a whole number from 1 to 65536"),
    (ALL, "queue", "planned_ahead", "a whole number from 1 to 1024"), (ALL, "queue", "ageing_ms_per_s", TIME),
    (ALL, "queue", "writes_cached", "a whole number from 0 to 1048576"), (ALL, "numbers_from", "rpm", LINE),
    (BY_FORMULA, "seek", "break_cyl", CYLINDER.replace("0 ", "1 ", 1)), (BY_FORMULA, "seek", "sqrt_const_ms", SIGNED),
    (BY_FORMULA, "seek", "sqrt_coeff", SIGNED), (BY_FORMULA, "seek", "lin_const_ms", SIGNED),
    (BY_FORMULA, "seek", "lin_coeff", SIGNED), (ONE_FIRST, "seek", "one_cyl_ms", TIME),
    (PRINTED, "layout", "outer_sectors_per_track", "a whole number from 1 to 100000"),
    (PRINTED, "layout", "inner_sectors_per_track", "a whole number from 1 to 100000"),
    (PRINTED, "layout", "skew_revolutions", SHARE), (PRINTED, "bus", "rate_mb_s", "a number from 1e-06 to 1e+06"),
    (PRINTED, "", "cylinders", CYLINDER.replace("0 ", "1 ", 1)),
    (PRINTED, "", "heads", "a whole number from 1 to 1000"),
    (PRINTED, "", "sector_bytes", SIZE), (PRINTED, "", "capacity_sectors", PLACE.replace("0 ", "1 ", 1)),
    (LAID_OUT, "", "cylinders", CYLINDER.replace("0 ", "1 ", 1)),
    (LAID_OUT, "", "heads", "a whole number from 1 to 1000"), (LAID_OUT, "", "sector_bytes", SIZE),
    (LAID_OUT, "layout", "disksim_mapping", BLOCKS), (LAID_OUT, "layout", "disksim_sparing", BLOCKS),
    (LAID_OUT, "layout.zones[0]", "first_cyl", CYLINDER), (LAID_OUT, "layout.zones[0]", "last_cyl", CYLINDER),
    (LAID_OUT, "layout.zones[0]", "sectors_per_track", "a whole number from 1 to 100000"),
    (LAID_OUT, "layout.zones[0]", "first_lba", PLACE), (LAID_OUT, "layout.zones[0]", "last_lba", PLACE),
    (LAID_OUT, "layout.zones[0]", "track_skew_sectors", "a number from 0 to 10"),
    (LAID_OUT, "layout.zones[0]", "cyl_skew_sectors", "a number from 0 to 10"),
    (LAID_OUT, "layout.zones[0]", "offset_of_first_block_sectors", "a number from 0 to 10"),
    (LAID_OUT, "layout.zones[0]", "empty_sectors_at_front", PLACE), (LAID_OUT, "layout.zones[0]", "spares", PLACE),
    (FLASH, "", "name", LINE), (FLASH, "", "sector_bytes", SIZE),
    (FLASH, "", "capacity_sectors", f"a whole number from 1 to {1 << 36}"),
    *((FLASH, "flash", key, FEW) for key in ("channels", "ways", "planes", "blocks", "pages", "page_bytes")),
    (FLASH, "flash", "read_us", MICRO), (FLASH, "flash", "program_us", MICRO), (FLASH, "flash", "erase_us", MICRO),
    (FLASH, "flash", "bus_mb_s", SPEED), (FLASH, "front", "kind", LINE), (FLASH, "front", "rate_mb_s", SPEED),
    (FLASH, "front", "command_us", MICRO),
    *((FLASH.replace("command_us: 13", MORE), "front", key, MICRO)
      for key in ("write_rate_mb_s", "write_command_us", "write_handling_us")),
    *((FLASH.replace("command_us: 13", MORE), "front", key, "a whole number from 1 to 65536")
      for key in ("queues", "entries")),
    (FLASH + LEFT_OUT, "", "unit_bytes", f"a whole number from 1 to {1 << 30}"),
    (FLASH + LEFT_OUT, "", "buffer_bytes", f"a whole number from 1 to {1 << 40}"),
    (FLASH + LEFT_OUT, "", "buffer_survives", FLAG), (FLASH + LEFT_OUT, "", "cleaning_preempted", FLAG),
    (FLASH + LEFT_OUT, "", "map_pages", f"a whole number from 1 to {1 << 36}"),
    (FLASH + LEFT_OUT, "", "cleaning", LINE), (FLASH + LEFT_OUT, "", "reserve_blocks", FEW),
    (FLASH + LEFT_OUT, "", "flush_units", f"a whole number from 1 to {1 << 40}"),
    (FLASH + LEFT_OUT, "", "filled_share", SHARE), (FLASH + LEFT_OUT, "", "notes", LINE),
    (FLASH + LEFT_OUT, "", "year", "a whole number from 1950 to 2100"),
])  # fmt: skip
def test_each_key_has_its_place_and_its_rule(path: Path, text: str, place: str, key: str, rule: str) -> None:
    at = text.index(f"{place.partition('[')[0].rpartition('.')[2]}:") if place else 0
    wrong = text[:at] + re.sub(rf"\b{key}: (\"[^\"]*\"|[^,}}\n]+)", f"{key}: [0, 0]", text[at:], count=1)
    assert error_of(path, wrong) == f".{place}{'.' if place else ''}{key}: must be {rule}, not a list of 2"


@pytest.mark.parametrize(("text", "old", "new", "says"), [
    (LAID_OUT, "slips: [7]", "slips: [x]", f"layout.zones[0].slips[0]: must be {PLACE}, not 'x'"),
    (LAID_OUT, "defects: [6, 59", "defects: [6, -1", f"layout.zones[0].defects[1]: must be {PLACE}, not -1"),
    (LAID_OUT, "[1, 1.0]", "[-1, 1.0]", f"seek.points_cyl_ms[0]: must be {BLOCKS}, not -1"),
    (LAID_OUT, "[5, 3.0]", "[5, x]", f"seek.points_cyl_ms[1]: must be {TIME}, not 'x'"),
    (BY_FORMULA, "[1.0, 1.5]", "[1.0, x]", f"seek.first_ten_ms[1]: must be {TIME}, not 'x'"),
    (ZONED, "command overhead: 1", "command overhead: x",
     f"raw_disksim_spec.Extradisc command overhead: must be {TIME}"),
    (ZONED, "write disconnect: 1", "write disconnect: x",
     "raw_disksim_spec.Extra write disconnect: must be a whole number from 0 to 1, not 'x'"),
])  # fmt: skip
def test_each_number_of_a_list_has_its_rule(path: Path, text: str, old: str, new: str, says: str) -> None:
    assert error_of(path, text.replace(old, new, 1)).startswith(f".{says}")


NAND = Nand(2, 1, 3, 12, 4, 4096, 50 * US, 600 * US, 3000 * US, 200e6)


def flash_of(path: Path, text: str) -> FlashType:
    disc = read(path, text).disc
    assert isinstance(disc, FlashType)
    return disc


def test_flash_is_what_its_file_says(path: Path) -> None:
    disc = flash_of(path, FLASH.replace("command_us: 13", MORE) + LEFT_OUT)
    front = Front("NVMe", 32, 2, 13 * US, 500e6, 0.5 * US, 300e6, 0.25 * US)
    assert disc == FlashType(
        "Small", NAND, front, 409_600, 4096, 512, 65536, 1, CostBenefit(), reserve=3, preempted=False, flush=5,
        buffer_survives=True, filled=0.5)  # fmt: skip
    assert (disc.notes, disc.year) == ("Of sand.", 2016)
    assert disc.sources == {"read_us": ParameterSource("fitted", "to a run")}
    sata = FLASH.replace("NVMe", "SATA").replace("command_us: 13", MORE).replace("queues: 2, entries: 16, ", "")
    assert flash_of(path, sata).front == replace(front, name="SATA", queues=1)


def test_what_flash_leaves_out_is_what_the_template_says(path: Path) -> None:
    disc = flash_of(path, FLASH)
    assert disc == FlashType(
        "Small", NAND, Front("NVMe", 1024, 8, 13 * US, 500e6, 13 * US, 500e6), 409_600, 4096, 512, 1 << 20, None,
        Greedy(), reserve=2, preempted=True, flush=1, buffer_survives=False, filled=0.0)  # fmt: skip
    assert (disc.notes, disc.year) == ("", None)
    large = FLASH.replace("sector_bytes: 512", "sector_bytes: 1024").replace("sectors: 800", "sectors: 400")
    assert flash_of(path, large) == replace(disc, sector_bytes=1024)
    said = ParameterSource("cited", f"the drive sheet {path}")
    assert disc.sources == dict.fromkeys(
        ("channels", "ways", "planes", "blocks", "pages", "page_bytes", "read_us", "program_us", "erase_us", "bus_mb_s",
         "kind", "rate_mb_s", "command_us", "write_rate_mb_s", "write_command_us", "queues", "entries",
         "write_handling_us"), said)  # fmt: skip


def test_a_disc_is_what_its_file_says(path: Path) -> None:
    sheet = read(path, ALL)
    assert isinstance(disc := sheet.disc, DiscType)
    assert disc.layout == Layout(100, 2, 512, (Zone(0, 20, 3, 5),))
    assert (disc.rpm, disc.head_switch, disc.write_settle, disc.overhead) == (3600, 0.001, 0.0005, 0.00175)
    assert (disc.year, disc.notes, sheet.bus) == (1987, "Of paper.", "SCSI-2")
    assert sheet.queue == DriveQueue(4, 2, 0.005, 3)


def test_what_a_disc_leaves_out_is_nothing(path: Path) -> None:
    bare = re.sub(r"(discs|track_skew|inter|write_s|command_o|bus|cache|scheduler).*\n", "", SINGLE)
    disc = read(path, bare).disc
    assert isinstance(disc, DiscType)
    assert disc.layout == Layout(100, 2, 256, (Zone(0, 20, 0, 0),))
    assert (disc.overhead, disc.write_settle, disc.buffer, disc.notes, disc.year) == (0.0, 0.0, None, "", None)
    assert disc.sources == dict.fromkeys(
        ("sector_bytes", "cylinders", "heads", "sectors_per_track", "track_skew", "cylinder_skew", "rpm", "seek",
         "head_switch", "write_settle", "overhead", "buffer"), ParameterSource("cited", f"the drive sheet {path}"))
    assert read(path, f"{bare}overheads_ms: {{}}\nbus: {{rate_mb_s: 1}}\n").disc.overhead == 0.0
    assert read(path, bare).queue is None
    assert read(path, f"{bare}queue: {{}}\n").queue == DriveQueue(32, 1, None, 0)


@pytest.mark.parametrize("text", [ALL, BY_FORMULA, ONE_FIRST, FLASH.replace("command_us: 13", MORE)])
def test_a_time_in_the_other_unit_is_the_same_time(path: Path, text: str) -> None:
    """Every one but lists and the buffer's, where they have one: what was left out without a word is a wrong answer."""
    wanted = read(path, text)

    def other(found: re.Match[str]) -> str:
        key, unit, rest, number = found.groups()
        factor = {"ms": 1000.0, "us": 0.001}[unit]
        return f"{key}_{'us' if unit == 'ms' else 'ms'}{rest}: {float(number) * factor:.12g}"

    changed = re.sub(r"\b(\w+)_(ms|us)((?:_per_\w+)?): (-?[\d.]+)", other, text)
    assert changed.count("_us") > text.count("_us") or changed.count("_ms") > text.count("_ms")
    found = read(path, changed)
    assert repr(found.queue) == repr(wanted.queue)
    assert rounded(repr(found.disc)) == rounded(repr(wanted.disc))


def rounded(text: str) -> str:
    return re.sub(r"\d+\.[\de+-]+", lambda found: f"{float(found[0]):.9g}", text)


@pytest.mark.parametrize(("points", "read_as"), [
    ("[[0, 0], [2, 1]]", ((0, 0.0), (2, 0.001))), ("[[1, 1], [2, 2]]", ((0, 0.0), (1, 0.001), (2, 0.002))),
    ("[[1, 0]]", ((0, 0.0), (1, 0.0))),
])  # fmt: skip
def test_a_table_of_seeks_begins_with_no_move(path: Path, points: str, read_as: tuple[tuple[int, float], ...]) -> None:
    text = re.sub(r"seek: .*", f"seek: {{points_cyl_ms: {points}}}", ALL).replace("cylinders: 100", "cylinders: 4")
    assert read(path, text.replace("4000", "160")).disc.seek == TableSeek(read_as)


@pytest.mark.parametrize(("text", "says"), [
    (FLASH.replace("kind: NVMe, ", "").replace("rate_mb_s: 500, ", ""),
     ".front: there is no kind, rate_mb_s; spindle drive --template flash explains them"),
    (FLASH.replace("command_us: 13", "").replace("kind: NVMe, ", ""),
     ".front: there is no kind, command_us; spindle drive --template flash explains them"),
    (re.sub(r"\n(sectors_per_track|rpm): .*", "", ALL),
     ": there is no rpm, sectors_per_track; spindle drive --template explains them"),
    (FLASH + "cylinders: 5\n",
     ".cylinders: flash has none; a sheet describes a disc or flash, and this has the section flash"),
])  # fmt: skip
def test_all_that_a_file_lacks_is_named_at_once(path: Path, text: str, says: str) -> None:
    assert error_of(path, text) == says


@pytest.mark.parametrize("key", ["cylinders", "heads", "rpm", "seek", "layout", "head_switch_ms", "sectors_per_track",
                                 "bus"])
def test_flash_has_no_key_of_a_disc(path: Path, key: str) -> None:
    assert error_of(path, f"{FLASH}{key}: 3\n").startswith(f".{key}: flash has none")


def test_a_sector_may_be_a_byte_and_a_disc_have_cylinders_without_blocks(path: Path) -> None:
    small = read(path, re.sub("  write_starts_after_sectors.*", "}", ALL.replace("sector_bytes: 512", "sector_bytes: 1")
                              .replace("low_water_mark: 0.75,", "low_water_mark: 0.75"))).disc  # fmt: skip
    assert isinstance(small, DiscType)
    assert small.buffer is not None
    assert small.buffer.holds == 3072
    text = PRINTED.replace(", skew_revolutions: 0.25", "")
    printed = read(path, text.replace("sector_bytes: 512", "sector_bytes: 1"))
    assert isinstance(printed.disc, DiscType)
    assert printed.disc.buffer is not None
    assert printed.disc.buffer.link == HostLink(1 / 5e6, 1 / 5e6)
    assert printed.disc.layout == zoned(140, heads=2, sector_bytes=1, outer=10, inner=6, zones=3, skew=0.0)
    assert read(path, LAID_OUT.replace("cylinders: 6", "cylinders: 9")).disc.layout.cylinders == 9


def test_an_unknown_key_of_a_zone_is_warned_of(path: Path) -> None:
    path.write_text(LAID_OUT.replace("spares: 2", "spares: 2\n    colour: beige"))
    with pytest.warns(UserWarning, match=r"it has no effect: layout\.zones\[0\]\.colour$"):
        read_sheet(path)


def test_a_disc_of_one_cylinder_has_no_seeks_to_check(path: Path) -> None:
    one = re.sub(r"seek: .*", "seek: {points_cyl_ms: [[1, 2]]}", ALL).replace("cylinders: 100", "cylinders: 1")
    disc = read(path, one.replace("4000", "40")).disc
    assert isinstance(disc, DiscType)
    assert (disc.layout.cylinders, disc.seek(1)) == (1, 0.002)


@pytest.mark.parametrize("key", ["queues", "entries"])
def test_sata_has_one_queue(path: Path, key: str) -> None:
    text = FLASH.replace("kind: NVMe", f"kind: SATA, {key}: 4")
    assert error_of(path, text) == f".front.{key}: is of NVMe; SATA has one queue of 32 tags, not 4"


@pytest.mark.parametrize(("old", "new", "meant"), [
    ("tags: 4", "tag: 4", "queue: unknown key 'tag': did you mean tags?"),
    ("minimum_ms: 1, average_ms: 4, maximum_ms: 9", "mimimum_ms: 1, average_ms: 4, maximun_ms: 9",
     "seek: unknown key 'mimimum_ms': did you mean minimum_ms?"),
    ("planned_ahead: 2", "plannedahead: 2", "queue: unknown key 'plannedahead': did you mean planned_ahead?"),
])  # fmt: skip
def test_a_misspelt_key_is_refused_with_the_nearest_one(path: Path, old: str, new: str, meant: str) -> None:
    assert error_of(path, ALL.replace(old, new)) == f".{meant}"


def test_a_misspelt_key_of_zones_by_rule_is_refused_too(path: Path) -> None:
    text = PRINTED.replace("skew_revolutions", "skew_revolution")
    assert error_of(path, text) == ".layout: unknown key 'skew_revolution': did you mean skew_revolutions?"


def test_what_is_not_yaml_is_told_with_its_line(path: Path) -> None:
    line = error_of(path, "a: 1\nb: }\n")
    assert line.startswith(": line 2: not YAML: did not find expected") or "expected the node content" in line
    assert error_of(path, b"\x00\x01").endswith(": not YAML: characters that no text has")


def test_values_lie_twenty_deep_at_most(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for deep, says in ((19, "there is no name, sector_bytes"), (20, ": line 1: values lie more than 20 deep")):
        assert says in error_of(path, f"a: {'[' * deep}1{']' * deep}")
        assert says in error_of(path, f"a: {'{b: ' * deep}1{'}' * deep}")
    monkeypatch.setattr(section, "MAX_VALUES", 5)
    for text, says in (("a: [1, 2]", "there is no name"), ("a: [1, 2, 3]", ": line 1: there are more than 5 values")):
        assert says in error_of(path, text)  # the whole, its key, and the list are values as well


def test_what_is_long_is_cut(path: Path) -> None:
    assert [len(section.show("x" * count)) for count in (57, 58, 59, 500)] == [59, 60, 60, 60]
    assert section.show("x" * 58) == repr("x" * 58)
    assert section.show("x" * 59) == "'" + "x" * 56 + "..."
    for count, shown in ((59, "x" * 59), (60, "'" + "x" * 56 + "...")):
        text = f"{FLASH}numbers_from: {{{'x' * count}: 3}}\n"
        assert error_of(path, text) == f".numbers_from.{shown}: must be one line of text, not 3"


@pytest.mark.parametrize(("error", "says"), [
    (OSError(13, "Permission denied"), ": Permission denied"), (OSError("of its own kind"), ": of its own kind"),
])  # fmt: skip
def test_a_file_that_cannot_be_read_says_why(
    path: Path, error: OSError, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise error

    path.write_text(ALL)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UserError) as told:
        read_sheet(path)
    assert str(told.value) == f"{path}{says}"


def places_of(values: Mapping[str, Any], place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the place of each section, the whole first."""
    yield place
    for key, value in values.items():
        if isinstance(value, dict) and key not in (*section.FOR_PEOPLE, section.SOURCES):
            yield from places_of(value, (*place, key))


def test_a_key_that_nothing_reads_is_told_in_every_section(path: Path) -> None:
    """In a sheet of each kind of section that any sheet has; those made from DiskSim's have keys for people."""
    tried = set()
    for sheet in sheets_to_copy().values():
        text = sheet.read_text("utf-8")
        whole = {} if section.RAW in text else section.load(sheet)
        for place in places_of(whole):
            changed = deepcopy(whole)
            inner: Any = changed
            for key in place:
                inner = inner[key]
            if (kind := (place, *sorted(inner))) not in tried and whole:
                tried.add(kind)
                inner["zzz"] = 1
                with pytest.warns(UserWarning, match="there is no such key, and it has no effect: .*zzz"):
                    read(path, json.dumps(changed))
    assert len({place for place, *_ in tried}) > 5
