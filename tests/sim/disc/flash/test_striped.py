"""Tests merged dies: requests much larger than a page take the time of the drive itself, with far fewer units."""

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType, merge_dies
from spindle.sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from spindle.sim.request import READ, WRITE, Op, access
from spindle.sim.units import MIB


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
