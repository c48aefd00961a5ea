"""The sheet that a fit's numbers make: what reads are told by is in it, and a drive of any size can be one."""

from math import inf

import numpy as np
import pytest

from spindle.lab.fit.sheet_number import ASSUMED
from spindle.lab.flash.determined import determined_numbers
from spindle.lab.flash.fio_answer import FioAnswer
from spindle.lab.flash.fio_job import FioJob
from spindle.lab.flash.fit import FlashFit
from spindle.lab.flash.intervals import standard_errors
from spindle.lab.flash.knobs import FlashKnobs, WriteKnobs
from spindle.sim.disc.flash.sheet import MAX_UNITS_OF_BLOCK
from spindle.sim.request import READ
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


def test_the_largest_drives_have_the_largest_blocks() -> None:
    """Three units a stripe, and 16,384 stripes: one doubling more would be too many for a block."""
    sheet = FlashKnobs(1e-5, 5e-5, 1e-5, 5e8, 1, 32, 32, 3).sheet("huge", 1 << 48)
    assert sheet.block_units == 3 << 14


@pytest.mark.parametrize(("queues", "front"), [(1, "SATA"), (2, "NVMe")])
def test_several_commands_at_a_time_are_nvme(queues: int, front: str) -> None:
    sheet = FlashKnobs(1e-5, 5e-5, 1e-5, 5e8, queues, 8, 2, 8).sheet("known", GIB)
    assert (sheet.front.name, sheet.front.queues) == (front, queues)
    assert (sheet.front.command, sheet.front.rate) == (sheet.front.write_command, sheet.front.write_rate) == (1e-5, 5e8)
    written = FlashKnobs(1e-5, 5e-5, 1e-5, 5e8, queues, 8, 2, 8).sheet("known", GIB, WriteKnobs(2e-5, 4e8, 6e-4))
    assert (written.front.write_command, written.front.write_rate, written.nand.program) == (2e-5, 4e8, 6e-4)
    assert (written.front.command, written.front.rate) == (1e-5, 5e8)


@pytest.mark.parametrize(("stripe", "capacity", "pages"), [
    (4, 1 << 42, 256), (4, (1 << 42) + MIB, 512), (4, 1 << 43, 512), (1, 1 << 40, 256), (1, (1 << 40) + MIB, 512),
])  # fmt: skip
def test_a_block_has_twice_the_pages_where_there_would_be_too_many(stripe: int, capacity: int, pages: int) -> None:
    """A million blocks of 256 pages of a stripe of 4 KiB units are 1 TiB for each unit of it."""
    assert FlashKnobs(1e-5, 5e-5, 1e-5, 5e8, 1, 8, 2, stripe).sheet("large", capacity).nand.pages == pages


def test_errors_are_wider_where_few_jobs_determine_many_numbers() -> None:
    """Each of two numbers by four jobs: half of twice what times are off; of eight jobs four degrees are left."""
    slope = np.repeat(np.eye(2), 4, axis=0)
    assert standard_errors(slope, 0.1) == pytest.approx([0.1 * 2**0.5] * 2)
    assert standard_errors(slope[::2], 0.1) == pytest.approx([0.1 * 2**0.5 * 2] * 2), "one degree at least"


def test_numbers_are_where_the_drive_asks_for_them() -> None:
    sheet = FlashKnobs(1e-5, 5e-5, 1e-5, 5e8, 4, 8, 2, 8).sheet("known", GIB)
    assert (sheet.front.name, sheet.front.queues, sheet.front.command, sheet.front.rate) == ("NVMe", 4, 1e-5, 5e8)
    assert (sheet.nand.read, sheet.nand.bus) == (5e-5, pytest.approx(4096 / 1e-5))
    assert (sheet.nand.planes, sheet.nand.page_bytes) == (2, 16384)
    assert (sheet.front.write_command, sheet.front.write_rate) == (1e-5, 5e8)


@pytest.mark.parametrize("sizes", [(4096, 4096), (4096, 65536)])
def test_requests_of_one_size_determine_no_rate_of_bytes(sizes: tuple[int, int]) -> None:
    """4 KiB in 100 us and eight at a time in 128 us: 256 MB/s was seen, and the link is at least as fast."""
    seconds = [100e-6, 128e-6]
    answers = [FioAnswer(FioJob(READ, size, depth), 1000, each)
               for size, depth, each in zip(sizes, (1, 8), seconds, strict=True)]  # fmt: skip
    knobs = FlashKnobs(1e-5, 5e-5, 1e-5, 5e8, 1, 8, 4, 4)
    numbers, kind = np.log([1e-5, 5e-5, 1e-5, 5e8]), np.array([1.0, 8.0, 4.0, 4.0])
    found = {each.name: each for each in determined_numbers(
        [FlashFit(knobs, numbers, kind, 1e-4, 0.0, np.zeros(2))], answers)}  # fmt: skip
    if sizes[0] == sizes[1]:
        assert (found["front.rate_mb_s"].source, found["front.rate_mb_s"].high) == (ASSUMED, inf)
        assert 0.9 * 256 < found["front.rate_mb_s"].low < 256
        assert (found["flash.bus_mb_s"].source, found["flash.bus_mb_s"].bears) == (ASSUMED, "")
    else:
        assert found["front.rate_mb_s"].low > 0.9 * 500
