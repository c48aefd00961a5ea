"""Tests the errors of wrong drive files, each a message of one line."""

import re
from pathlib import Path

import pytest

from spindle.sim.disc.sheet_file.section import MAX_SHEET_BYTES
from spindle.sim.disc.sheet_file.sheet import read_sheet
from spindle.sim.error import UserError
from tests.sim.disc.sheet_file.small import SINGLE, ZONED, error_of, read


@pytest.mark.parametrize(("changes", "says"), [
    ({"spares: 2": "spares: 4"}, "zones[0].spares: must divide the 6 sectors without a block evenly among ranges"),
    ({"spares: 2": "spares: 3", "last_cyl: 2": "last_cyl: 3", "front: 1": "front: 21", "spares: 0": "spares: 2"},
     "zones: must all have spares for ranges of equally many cylinders, not a list of 2"),
])
def test_ranges_that_cannot_be_are_a_mistake(path: Path, changes: dict[str, str], says: str) -> None:
    """6 sectors are no multiple of 4. Two ranges in four cylinders are two each, but then two cylinders have one."""
    text = ZONED.replace("sparing: 9", "sparing: 8").replace("front: 5", "front: 1").replace("slips: [7]", "slips: []")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    assert says in error_of(path, text)


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
        ("rpm: 6000", "rpm: 1" + "0" * 39, ".rpm: must be a number from 1 to 1e+06, not 1000"),
        ("rpm: 6000", "rpm: 1" + "0" * 40, ": line 6: a number of 41 characters is too long"),
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
        ("segments: 3", "segments: 0", ": buffer: without segments there is nothing that BlocksAhead(blocks=20)"),
        ("segments: 3", "segments: 70000", ".cache.segments: must be a whole number from 0 to 65536, not 70000"),
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


def test_a_bend_that_no_move_reaches_is_not_looked_at(path: Path) -> None:
    """The line would take nothing over 100 cylinders, and the longest move is over 99."""
    seek = read(path, SINGLE.replace("lin_const_ms: 5.0", "lin_const_ms: -10.0").replace("break_cyl: 50",
                                                                                        "break_cyl: 100")).disc.seek
    assert (seek(99), seek(100)) == (pytest.approx(0.003 + 99**0.5 * 0.001), 0.0)


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
        ("a: " + "[" * 100, ": line 1: values lie more than 20 deep in each other"),
        ("a: " + "[" * 100_000, ": line 1: "),  # PyYAML has a limit, too, from 6.0.4 on
        ("a: " + "{b: " * 1000, ": line 1: values lie more than 20 deep in each other"),
        ("".join(" " * depth + "a:\n" for depth in range(200)), "values lie more than 20 deep in each other"),
        ("a: [" + "1," * 300_000 + "]", ": line 1: there are more than 200000 values"),
        ("a: " + "x" * (MAX_SHEET_BYTES - 3), ": there is no name, "),
        ("a: " + "x" * (MAX_SHEET_BYTES - 2), f": a sheet has at most {MAX_SHEET_BYTES} bytes, and this file has more"),
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
    with pytest.raises(UserError, match="it is a folder"):
        read_sheet(path.parent)


def test_keys_that_resemble_none_are_warned_of_when_all_is_read(path: Path) -> None:
    path.write_text(f"{SINGLE}\ncolour: beige\nhead_switches_ms: 1\n".replace("seek: {", "seek: {curve: steep, "))
    says = f"^{path}: there is no such key, and it has no effect: discs, colour, head_switches_ms, seek.curve$"
    with pytest.warns(UserWarning, match=says):
        read_sheet(path)


@pytest.mark.parametrize(("points", "told"), [
    ("[[1, 4.0]]", "1 of 99 cylinders, and the line goes on to 396 ms"),
    ("[[1, 4.0], [2, 5.0]]", "2 of 99 cylinders, and the line goes on to 102 ms"),
    ("[[1, 4.0], [32, 35.0]]", "32 of 99 cylinders, and the line goes on to 102 ms"), ("[[1, 4.0], [33, 36.0]]", ""),
    ("[[1, 5.0], [2, 5.0]]", ""),
])  # fmt: skip
def test_a_table_that_ends_before_the_mean_seek_of_33_cylinders_is_warned_of_where_its_line_rises(
    path: Path, points: str, told: str, recwarn: pytest.WarningsRecorder
) -> None:
    path.write_text(re.sub(r"seek: .*", f"seek: {{points_cyl_ms: {points}}}", SINGLE))
    read_sheet(path)
    said = [str(each.message) for each in recwarn.list if "goes on" in str(each.message)]
    assert said == ([f"{path}.seek: the points end at {told}"] if told else [])


def test_a_table_that_ends_a_cylinder_before_the_mean_seek_is_warned_of_and_no_formula_is(
    path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    """101 cylinders, of which the longest move is over 100; and two, of which it is over one."""
    points = re.sub(r"seek: .*", "seek: {points_cyl_ms: [[1, 4.0], [33, 36.0]]}", SINGLE)
    for text, cylinders in ((points, 101), (SINGLE, 2)):
        path.write_text(text.replace("cylinders: 100", f"cylinders: {cylinders}").replace("4000", f"{40 * cylinders}"))
        read_sheet(path)
    said = [str(each.message) for each in recwarn.list if "goes on" in str(each.message)]
    assert said == [f"{path}.seek: the points end at 33 of 100 cylinders, and the line goes on to 103 ms"]


def test_a_sheet_that_was_disksims_may_have_more_keys(path: Path, recwarn: pytest.WarningsRecorder) -> None:
    path.write_text(f"{SINGLE}\ncolour: beige\nraw_disksim_spec: {{Read directly to buffer: 1}}\n")
    read_sheet(path, rules=())
    assert not recwarn.list
