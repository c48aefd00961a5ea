"""The sheet that a fit's numbers make: what reads are told by is in it, and a drive of any size can be one."""

import pytest

from spindle.lab.flash.fit import FlashKnobs
from spindle.sim.disc.flash.sheet import MAX_UNITS_OF_BLOCK
from spindle.sim.units import GIB, MIB


@pytest.mark.parametrize("stripe", [1, 4, 16])
@pytest.mark.parametrize("dies", [(1, 1), (8, 4), (32, 32)])
@pytest.mark.parametrize("capacity", [64 * MIB, 3 * GIB + 5000, 30_000 * GIB])
def test_a_drive_of_any_size_has_a_sheet(capacity: int, dies: tuple[int, int], stripe: int) -> None:
    sheet = FlashKnobs(1e-5, 5e-5, 1e-5, 5e8, 1, *dies, stripe).sheet("any", capacity)
    assert (sheet.stripe, sheet.nand.dies) == (stripe, dies[0] * dies[1])
    assert 0 <= capacity - sheet.capacity < 4096
    assert sheet.block_units <= MAX_UNITS_OF_BLOCK
    assert sheet.nand.blocks * sheet.nand.dies < 1 << 21


def test_numbers_are_where_the_drive_asks_for_them() -> None:
    sheet = FlashKnobs(1e-5, 5e-5, 1e-5, 5e8, 4, 8, 2, 8).sheet("known", GIB)
    assert (sheet.front.name, sheet.front.queues, sheet.front.command, sheet.front.rate) == ("NVMe", 4, 1e-5, 5e8)
    assert (sheet.nand.read, sheet.nand.bus) == (5e-5, pytest.approx(4096 / 1e-5))
    assert (sheet.nand.planes, sheet.nand.page_bytes) == (2, 16384)
    assert (sheet.front.write_command, sheet.front.write_rate) == (1e-5, 5e8)
