"""Tests the drive files that come with Spindle: their published figures are met, and every number has a source."""

import subprocess
import sys
from dataclasses import fields
from itertools import pairwise

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc import sheets
from spindle.sim.disc.buffer_sheet import Buffer
from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash import sheets as flash_sheets
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.disc.registry import STORES
from spindle.sim.disc.seek import LinearSeek, PowerSeek
from spindle.sim.disc.sheets import (
    HITACHI_7K320,
    HITACHI_7K1000C,
    HP7906,
    HP7911,
    HP7912,
    HP7914,
    HP7920,
    HP7925,
    HP7933,
    HP7935,
    HP7945,
    HP7958B,
    HP_C2200A,
    IBM_2314,
    MODCOMP_4134,
    MODCOMP_4138,
    SHEETS,
    TOSHIBA_MK2124FC,
)
from spindle.sim.named_table import NamedTable
from spindle.sim.request import READ, WRITE, Op, Span, access

NUMBERS = {"cylinders", "heads", "sectors_per_track", "sector_bytes", "track_skew", "cylinder_skew", "rpm", "seek",
           "head_switch", "write_settle", "overhead"}
OF_BUFFER = {
    "segments": {"segments", "write_segments", "own_write_segment"},
    "blocks": {"blocks"},
    "link": {"link", "high_water", "holds"},
    "read_ahead": {"read_ahead", "keeps_requested", "keeps_passing", "goes_on", "least_ahead",
                   "starts_anywhere"},
    "reports": {"reports", "reads_written"},
    "overheads": {"overheads"},
}
"""What the source of each key is about: all that a Buffer says."""

BY_NAME = pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)


def mean_seek(sheet: DiscType) -> float:
    """Seconds between two random cylinders."""
    n = sheet.layout.cylinders  # with few of them, the formulas for a continuous stroke are out by less than a percent
    return sum(2 * (n - d) * sheet.seek(d) for d in range(1, n)) / (n * (n - 1))


def sustained(sheet: DiscType, first: int, length: int) -> float:
    """Bytes a second of one read of *length* bytes, with the arm on their cylinder when it begins."""
    arm = MovingArm(sheet)
    place = arm.locate(first)
    service, _ = arm.serve(ArmPosition(place.cylinder, place.head), 0.0, READ, Span(first, length))
    return length / (service.seek + service.rotation + service.transfer)


@BY_NAME
def test_every_number_has_a_source(sheet: DiscType) -> None:
    assert set(sheet.sources) == NUMBERS | (set(OF_BUFFER) if sheet.buffer is not None else set())
    for number, source in sheet.sources.items():
        assert source.kind in ("cited", "assumed", "fitted"), number
        assert len(source.note) >= 8, number


def test_the_sources_of_a_buffer_are_about_all_that_it_says() -> None:
    assert sorted(name for names in OF_BUFFER.values() for name in names) == sorted(f.name for f in fields(Buffer))


@BY_NAME
def test_what_is_remembered_is_not_called_cited(sheet: DiscType) -> None:
    assert all(s.kind == "assumed" for s in sheet.sources.values() if "remembered" in s.note)


def test_a_file_a_constant_and_a_name_are_called_alike() -> None:
    assert [sheet.name.lower().replace(" ", "") for sheet in STORES.values()] == [*STORES]
    constants = {**vars(sheets)["__annotations__"], **vars(flash_sheets)["__annotations__"]}
    tables = ("SHEETS", "FLASH_SHEETS", "DRIVES", "FLASH")
    assert {name.replace(".", "") for name in STORES} == {
        name.lower().replace("_", "") for name in constants if name not in tables}  # fmt: skip


def test_names_are_known_without_reading_a_sheet() -> None:
    program = ("import sys\nfrom spindle.sim.disc.registry import STORES\n"
               "assert 'hp7933' in STORES and len([*STORES]) > 19 and 'yaml' not in sys.modules")  # fmt: skip
    subprocess.run([sys.executable, "-c", program], check=True)


def test_drives_beside_the_shipped_ones_are_read_no_sooner() -> None:
    read: list[str] = []
    table = NamedTable({"one": lambda: read.append("one") or HP7933, "two": lambda: read.append("two") or HP7920})
    more = {"zero": HP7906} | table | {"three": HP7925}
    assert [*more] == ["zero", "one", "two", "three"]
    assert read == []
    assert more["two"] is HP7920
    assert (more["zero"], more["three"], read) == (HP7906, HP7925, ["two"])


def test_a_constant_is_the_drive_of_its_name_without_points_and_underscores() -> None:
    assert sheets.HITACHI_7K1000C is sheets.DRIVES["hitachi7k1000.c"]
    assert sheets.HP_C2200A is sheets.DRIVES["hpc2200a"]
    assert sheets.SHEETS is sheets.DRIVES.all()


def test_another_constant_is_none() -> None:
    with pytest.raises(AttributeError, match="HP7999"):
        sheets.HP7999  # noqa: B018


@pytest.mark.parametrize(
    ("sheet", "capacity"),
    [(HP7906, 20_201_472), (HP7920, 50_565_120), (HP7925, 121_356_288), (HP7911, 28_114_944), (HP7912, 65_601_536),
     (HP7914, 132_120_576), (HP7933, 404_458_496), (HP7935, 404_458_496), (HP7945, 55_508_992),
     (HP7958B, 152_119_296), (HP_C2200A, 335_333_376),
     (HITACHI_7K1000C, 1_000_204_886_016), (HITACHI_7K320, 320_072_933_376)],
    ids=lambda value: getattr(value, "name", None),
)
def test_capacities_are_exactly_the_published_ones(sheet: DiscType, capacity: int) -> None:
    assert sheet.layout.capacity == capacity


@pytest.mark.parametrize(
    ("sheet", "published", "within"),
    [(MODCOMP_4138, 80e6, 0.01), (MODCOMP_4134, 40e6, 0.01), (IBM_2314, 29.18e6, 0.02),
     (TOSHIBA_MK2124FC, 130e6, 0.004)],
    ids=lambda value: getattr(value, "name", None),
)
def test_capacities_round_to_the_published_ones(sheet: DiscType, published: float, within: float) -> None:
    assert sheet.layout.capacity == pytest.approx(published, rel=within)


@pytest.mark.parametrize(
    ("sheet", "track_ms", "average_ms", "full_ms", "wait_ms"),
    [(HP7906, 5, 25, 45, 8.33), (HP7920, 5, 25, 45, 8.33), (HP7925, 5, 25, 45, 11.1), (HP7911, 5, 27.1, 50, 8.33),
     (HP7912, 5, 27.1, 50, 8.33), (HP7914, 5, 28.1, 50, 8.33), (HP7933, 5, 24, 35, 11.1), (HP7935, 5, 24, 35, 11.1),
     (HP7945, 5, 30, 55, 8.33), (HP7958B, 3, 17, 32, 8.96), (MODCOMP_4138, 14, 28, 56, 8.33),
     (MODCOMP_4134, 19, 32, 58, 16), (IBM_2314, 25, 60, 130, 12.5), (TOSHIBA_MK2124FC, 5, 17, 30, 9.375),
     (HITACHI_7K1000C, 1, 8.5, 18, 4.17), (HITACHI_7K320, 1, 12, 20, 4.17)],
    ids=lambda value: getattr(value, "name", None),
)
def test_seeks_and_rotational_wait(
    sheet: DiscType, track_ms: float, average_ms: float, full_ms: float, wait_ms: float
) -> None:
    assert isinstance(sheet.seek, PowerSeek | LinearSeek)
    assert sheet.seek.minimum * 1000 == pytest.approx(track_ms)
    # The curve begins with it at no distance, and steeply, so that the very first cylinder already costs more.
    if isinstance(sheet.seek, PowerSeek):
        assert sheet.seek(1) * 1000 == pytest.approx(track_ms)
    assert mean_seek(sheet) * 1000 == pytest.approx(average_ms, rel=0.01)
    assert sheet.seek(sheet.layout.cylinders - 1) * 1000 == pytest.approx(full_ms)
    assert sheet.revolution * 500 == pytest.approx(wait_ms, rel=0.003)


@pytest.mark.parametrize("sheet", [HP7906, HP7920, HP7925], ids=lambda sheet: sheet.name)
def test_a_sector_of_the_mac_drives_passes_in_the_published_time(sheet: DiscType) -> None:
    (zone,) = sheet.layout.zones
    assert sheet.revolution / zone.sectors_per_track == pytest.approx(347.2e-6, abs=0.05e-6)


@pytest.mark.parametrize("sheet", [HP7911, HP7912, HP7914, HP7958B], ids=lambda sheet: sheet.name)
def test_a_track_of_the_smaller_cs80_drives_passes_no_faster_than_hp_ib(sheet: DiscType) -> None:
    (zone,) = sheet.layout.zones
    assert 0.85e6 < zone.sectors_per_track * sheet.layout.sector_bytes / sheet.revolution < 1e6


def test_the_7958b_reads_a_volume_at_the_rate_that_it_reports() -> None:
    assert sustained(HP7958B, 0, HP7958B.layout.capacity) == pytest.approx(768e3, rel=0.005)


def test_the_7945_loses_a_revolution_at_each_head_switch_and_the_7958b_does_not() -> None:
    turns = {}
    for sheet in (HP7945, HP7958B):
        (zone,) = sheet.layout.zones
        two_tracks = 2 * zone.sectors_per_track * sheet.layout.sector_bytes
        turns[sheet.name] = two_tracks / sustained(sheet, two_tracks, two_tracks) / sheet.revolution
    assert 3.0 <= turns["HP 7945"] < 4.0
    assert 2.0 < turns["HP 7958B"] < 3.0 + 11 / 63


def test_the_c2200a_seeks_as_published_and_settles() -> None:
    settle = 2.9
    published = {1: 2.5, 2: 3.45 + 0.597 * 2**0.5, 615: 3.45 + 0.597 * 615**0.5, 616: 10.84 + 0.012 * 616}
    for distance, ms in published.items():
        assert HP_C2200A.seek(distance) * 1000 == pytest.approx(ms + settle)
    assert HP_C2200A.head_switch * 1000 == pytest.approx(1.0 + settle)


def test_a_track_of_the_c2200a_ends_with_a_spare_sector() -> None:
    layout = HP_C2200A.layout
    assert [layout.locate(block)[:3] for block in (112, 113, 8 * 113)] == [(0, 0, 112), (0, 1, 0), (1, 0, 0)]
    ends, begins = layout.locate(112).angle, layout.locate(113).angle
    assert (begins - ends) % 1.0 == pytest.approx(((1 + 1 + 34) / 114) % 1.0)  # the last, the spare and the skew
    begins = layout.locate(8 * 113).angle
    assert begins == pytest.approx((7 * 34 + 46) % 114 / 114)


def test_the_7k1000c_reads_itself_in_the_time_that_it_reports() -> None:
    """By hand: every track a revolution and the skew. It says 10,047 s of its off-line scan."""
    layout = HITACHI_7K1000C.layout
    tracks = layout.cylinders * layout.heads
    assert tracks * (HITACHI_7K1000C.revolution + 1.2e-3) == pytest.approx(10_047, rel=0.002)
    length = 40 * layout.heads * layout.zones[0].sectors_per_track * 512
    outside, inside = (sustained(HITACHI_7K1000C, first, length) for first in (0, layout.capacity - length))
    assert outside / inside == pytest.approx(2.0, rel=0.01)
    assert 1 / ((1 / outside + 1 / inside) / 2) < layout.capacity / 10_047 < outside


def test_skews_hide_the_moves_of_the_drives_that_have_them() -> None:
    for sheet in (HP7958B, TOSHIBA_MK2124FC, HITACHI_7K1000C, HITACHI_7K320):
        for zone in (sheet.layout.zones[0], sheet.layout.zones[-1]):
            sector = sheet.revolution / zone.sectors_per_track
            assert sheet.head_switch + sheet.write_settle <= zone.track_skew * sector < sheet.revolution / 4
            assert sheet.seek(1) + sheet.write_settle <= zone.cylinder_skew * sector < sheet.revolution / 3


@pytest.mark.parametrize("sheet", [HITACHI_7K1000C, HITACHI_7K320], ids=lambda sheet: sheet.name)
def test_zones_fall_evenly_from_outside_to_inside(sheet: DiscType) -> None:
    steps = [a.sectors_per_track - b.sectors_per_track for a, b in pairwise(sheet.layout.zones)]
    assert min(steps) > 0
    assert max(steps) - min(steps) <= 1


@BY_NAME
def test_every_sheet_can_be_built(sheet: DiscType) -> None:
    assert MovingArm(sheet).capacity == sheet.layout.capacity


def test_buffers_have_the_published_sizes() -> None:
    sizes = {sheet.name: max(1, sheet.buffer.segments) * sheet.buffer.blocks * sheet.layout.sector_bytes
             for sheet in SHEETS if sheet.buffer is not None}
    assert sizes == {"HP 7958B": 8192, "Modcomp 4138": 42 * 256, "Toshiba MK2124FC": 32 * 1024,
                     "Barracuda 4LP": 512 * 2**10, "Hitachi 7K1000.C": 32 * 2**20, "Hitachi 7K320": 16 * 2**20}


@pytest.mark.parametrize(("sheet", "rate"), [(HP7958B, 1e6), (MODCOMP_4138, 2.56e6), (TOSHIBA_MK2124FC, 5e6),
                                             (HITACHI_7K1000C, 300e6), (HITACHI_7K320, 300e6)],
                         ids=lambda value: getattr(value, "name", None))
def test_links_have_the_published_rates(sheet: DiscType, rate: float) -> None:
    assert sheet.buffer is not None
    for seconds in (sheet.buffer.link.reading, sheet.buffer.link.writing):
        assert sheet.layout.sector_bytes / seconds == pytest.approx(rate)


def in_turn(sheet: DiscType, accesses: list[tuple[Op, int]], size: int, pause: float) -> list[float]:
    """Seconds of each of *accesses*, (op, first byte); the host needs *pause* seconds before each."""
    env, account = simpy.Environment(), Account("reader")
    drive = Drive(env, sheet)
    requests = []

    def one_by_one() -> simpy.events.ProcessGenerator:
        for op, first in accesses:
            yield env.timeout(pause)
            requests.append(drive.start(access(op, first, size, account)))
            yield requests[-1]

    env.run(env.process(one_by_one()))
    return [float(request.value.total) for request in requests]


@pytest.mark.parametrize("sheet", [HITACHI_7K1000C, HITACHI_7K320], ids=lambda sheet: sheet.name)
def test_a_sata_drive_reads_small_pieces_in_a_row_at_the_sustained_rate(sheet: DiscType) -> None:
    size, number, pause = 65536, 2000, 20e-6
    spent = sum(in_turn(sheet, [(READ, first * size) for first in range(number)], size, pause)) + number * pause
    assert size * number / spent == pytest.approx(sustained(sheet, 0, size * number), rel=0.02)


@pytest.mark.parametrize("sheet", [HITACHI_7K1000C, HITACHI_7K320], ids=lambda sheet: sheet.name)
def test_a_sata_drive_reports_a_write_when_it_has_the_data(sheet: DiscType) -> None:
    far = sheet.layout.capacity // 2
    first, back = in_turn(sheet, [(WRITE, far), (READ, far)], 4096, 0.0)
    assert first == pytest.approx(sheet.overhead + 4096 / 300e6)
    assert back == pytest.approx(sheet.overhead + 4096 / 300e6)


def test_the_laptops_drive_reads_in_a_row_without_losing_a_revolution_but_does_not_write_so() -> None:
    """What Table 6.1 of the Windows NT paper asks of its disc: 6.58 ms for 4 KB read, more than a turn if written."""
    sheet, pause = TOSHIBA_MK2124FC, 1.32e-3  # of the CPU, to copy 4 KB
    reads = in_turn(sheet, [(READ, first * 4096) for first in range(200)], 4096, pause)
    writes = in_turn(sheet, [(WRITE, first * 4096) for first in range(200)], 4096, pause)
    assert sum(reads[1:]) / 199 + pause < 6.58e-3
    assert sum(writes[1:]) / 199 + pause > sheet.revolution


@pytest.mark.parametrize("sheet", [sheet for sheet in SHEETS if sheet.buffer], ids=lambda sheet: sheet.name)
def test_a_buffer_changes_nothing_for_the_first_read_but_its_electronics(sheet: DiscType) -> None:
    assert sheet.buffer is not None
    span = Span(sheet.layout.capacity // 2 // 4096 * 4096, 4096)
    bare, _ = MovingArm(sheet).serve(ArmPosition(0, 0), 0.0, READ, span)
    buffered, _ = BufferedArm(sheet, sheet.buffer).serve(ArmPosition(0, 0), 0.0, READ, span)
    overheads = sheet.buffer.overheads.read_miss.read
    sector = sheet.buffer.link.reading
    blocks = 4096 // sheet.layout.sector_bytes
    assert buffered.seek == bare.seek
    turn = sheet.revolution
    late = (buffered.total - sector - bare.total) % turn  # a revolution is lost where the electronics miss the sector
    assert min(late, turn - late) <= max(overheads, blocks * sector) + 1e-9
