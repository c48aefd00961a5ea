"""Tests merged dies: requests much larger than a page take the time of the drive itself, with far fewer units."""

from dataclasses import replace

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType, Nand, merge_dies, sata
from spindle.sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from spindle.sim.request import READ, WRITE, Op, access
from spindle.sim.units import KIB, MIB


def seconds(sheet: FlashType, op: Op, length: int, count: int) -> float:
    """What *count* requests, one behind another on the drive and all asked for at once, take."""
    env = simpy.Environment()
    drive = FlashDrive(env, sheet)
    for number in range(count):
        drive.start(access(op, number * length, length, Account("test")))
    env.run()
    return float(env.now)


@pytest.mark.parametrize("sheet", [INTEL_S3700, SAMSUNG_960_PRO])
@pytest.mark.parametrize("op", [READ, WRITE])
@pytest.mark.parametrize("granule", [MIB // 4, MIB, 8 * MIB])
def test_large_requests_take_the_same(sheet: FlashType, op: Op, granule: int) -> None:
    """But for what the buffer takes more."""
    length, merged = 16 * MIB, merge_dies(sheet, granule)
    more = (merged.buffer - sheet.buffer) / sheet.front.write_rate if op is WRITE else 0.0
    whole = seconds(sheet, op, length, 8)
    assert seconds(merged, op, length, 8) == pytest.approx(whole, abs=0.03 * whole + more)


def test_dies_are_merged_by_ways_then_by_channels_then_by_rows_of_pages() -> None:
    """A row of pages has two planes of 8 KiB. Of sixteen in 256 KiB two are ways, two channels, and four rows."""
    nand = Nand(2, 2, 2, 40, 8, 8 * KIB, 50e-6, 600e-6, 3e-3, 200e6)
    sheet = FlashType("drive", nand, sata(500e6, 2e-6), 12 * MIB + 4096, map_pages=3)
    merged = Nand(1, 1, 1, 40, 2, 256 * KIB, 200e-6, 2400e-6, 3e-3, 400e6)
    assert merge_dies(sheet, 256 * KIB + 5) == replace(sheet, nand=merged, unit=256 * KIB, capacity=12 * MIB,
                                                       map_pages=None)  # fmt: skip
    small = merge_dies(replace(sheet, buffer=4096), 128 * KIB)
    assert (small.nand.pages, small.nand.page_bytes, small.buffer) == (4, 128 * KIB, 256 * KIB)
    assert merge_dies(sheet, 32 * KIB).nand == replace(nand, ways=1, planes=1, page_bytes=32 * KIB)
    assert merge_dies(sheet, 1).nand == replace(nand, planes=1, page_bytes=16 * KIB)


def flash(sheet: FlashType) -> int:
    """Bytes of all blocks, the spare ones among them."""
    return sheet.nand.dies * sheet.nand.blocks * sheet.block_units * sheet.unit


@pytest.mark.parametrize("granule", [1, 4096, MIB, 1 << 40])
def test_flash_is_neither_lost_nor_made(granule: int) -> None:
    for sheet in (INTEL_S3700, SAMSUNG_960_PRO):
        merged = merge_dies(sheet, granule)
        assert flash(merged) / merged.capacity == pytest.approx(flash(sheet) / sheet.capacity, abs=0.001)
        assert sheet.capacity - merged.unit < merged.capacity <= sheet.capacity
        assert merged.unit == merged.nand.page_bytes
