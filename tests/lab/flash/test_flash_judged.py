"""The fit of flash gives back a sheet that is known, and predicts what was held out, also of one of another shape.

A fit takes seconds, so that there are two, and all is asked of these.
"""

from pathlib import Path

import pytest

from spindle.lab.fit.sheet_number import ASSUMED, FITTED
from spindle.lab.flash.fio_answer import read_outputs
from spindle.lab.flash.fio_job import GRID, IN_SEQUENCE, WRITE_JOBS, FioJob
from spindle.lab.flash.knobs import UNIT
from spindle.lab.flash.page import HELD, JudgedFlash, judge, page, sheet_text
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.sheet_file.sheet import read_sheet
from spindle.sim.units import US
from tests.lab.flash.known import KNOWN, OTHER, fio


def fit(sheet: FlashType, jobs: list[FioJob]) -> JudgedFlash:
    return judge(read_outputs(sheet.name, sheet.capacity, fio(sheet, jobs)))


def truth(sheet: FlashType) -> dict[str, float]:
    nand, front = sheet.nand, sheet.front
    return {"front.command_us": front.command / US, "flash.read_us": nand.read / US, "flash.bus_mb_s": nand.bus / 1e6,
            "front.rate_mb_s": front.rate / 1e6, "front.queues": front.queues, "flash.channels": nand.channels,
            "flash.ways": nand.ways, "flash.planes x page_bytes": sheet.stripe * UNIT,
            "front.write_command_us": front.write_command / US, "front.write_rate_mb_s": front.write_rate / 1e6,
            "flash.program_us": nand.program / US}  # fmt: skip


def check_predicted(found: JudgedFlash, held: int) -> None:
    """What was held out, within ten percent."""
    assert sum(each.kind == HELD for each in found.jobs) == held
    assert abs(found.worst(HELD).error) < 0.1
    assert not any("more than 10%" in line for line in page(found))


def check_told(found: JudgedFlash, sheet: FlashType, told: set[str]) -> None:
    """At least *told* are said to be; and what is said to be lies where it is said to."""
    known, numbers = truth(sheet), {each.name: each for each in found.numbers}
    assert set(numbers) == set(known)
    assert told <= {each.name for each in numbers.values() if each.source == FITTED}
    for each in numbers.values():
        low, high = (each.low, each.high) if each.low <= each.high else (float(each.value),) * 2
        assert each.source == ASSUMED or 0.97 * low <= known[each.name] <= 1.03 * high, each.name


def test_a_known_sheet_is_found_with_its_writes(tmp_path: Path) -> None:
    found = fit(KNOWN, [*GRID, *IN_SEQUENCE, *WRITE_JOBS])
    check_predicted(found, 14)
    check_told(found, KNOWN, {"front.rate_mb_s", "front.write_command_us"})
    assert max(abs(each.error) for each in found.jobs if each.answer.job in WRITE_JOBS) < 0.1
    rate = next(each for each in found.numbers if each.name == "front.write_rate_mb_s")
    assert rate.low < KNOWN.front.write_rate / 1e6 < rate.high  # its flash is slower, and hides the link
    check_written(found, tmp_path / "known.yaml")


def check_written(found: JudgedFlash, path: Path) -> None:
    """The file is read again as the same sheet."""
    path.write_text(sheet_text(found, list(page(found))))
    read, sheet = read_sheet(path).disc, found.sheet
    assert isinstance(read, FlashType)
    assert (read.name, read.capacity) == ("Known as measured", KNOWN.capacity)
    assert (read.stripe, read.nand.dies, read.front.name) == (sheet.stripe, sheet.nand.dies, sheet.front.name)
    assert (read.nand.read, read.nand.program) == (pytest.approx(sheet.nand.read), pytest.approx(sheet.nand.program))
    assert read.front.write_command == pytest.approx(sheet.front.write_command)


def test_one_of_another_shape_is_found_without_its_writes() -> None:
    found = fit(OTHER, [*GRID, *IN_SEQUENCE])
    check_predicted(found, 12)
    check_told(found, OTHER, {"flash.read_us", "flash.bus_mb_s", "front.rate_mb_s", "flash.channels", "flash.ways"})
    assert {each.source for each in found.numbers[-3:]} == {ASSUMED}
    assert found.sheet.front.write_command == found.sheet.front.command
