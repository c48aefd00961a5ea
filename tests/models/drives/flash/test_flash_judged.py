"""The fit of flash gives back a sheet that is known, and predicts what was held out, also of one of another shape."""

from functools import cache
from pathlib import Path

import pytest

from models.drives.fit.confidence import ASSUMED, FITTED
from models.drives.flash.answer import measured
from models.drives.flash.jobs import GRID, IN_SEQUENCE, WRITES
from models.drives.flash.judged import HELD, JudgedFlash, judged, page
from models.drives.flash.knobs import UNIT
from models.drives.flash.written import sheet_text
from sim.disc.flash.sheet import FlashType
from sim.disc.sheet_file.sheet import read_sheet
from sim.units import US
from tests.models.drives.flash.known import KNOWN, OTHER, fio

TOLD = {"Known": ("front.rate_mb_s", "front.write_command_us"),
        "Other": ("flash.read_us", "flash.bus_mb_s", "front.rate_mb_s", "flash.channels", "flash.ways")}


@cache
def fit(sheet: FlashType) -> JudgedFlash:
    jobs = [*GRID, *IN_SEQUENCE, *(WRITES if sheet is KNOWN else ())]
    return judged(measured(sheet.name, sheet.capacity, fio(sheet, jobs)))


def truth(sheet: FlashType) -> dict[str, float]:
    nand, front = sheet.nand, sheet.front
    return {"front.command_us": front.command / US, "flash.read_us": nand.read / US, "flash.bus_mb_s": nand.bus / 1e6,
            "front.rate_mb_s": front.rate / 1e6, "front.queues": front.queues, "flash.channels": nand.channels,
            "flash.ways": nand.ways, "flash.planes x page_bytes": sheet.stripe * UNIT,
            "front.write_command_us": front.write_command / US, "front.write_rate_mb_s": front.write_rate / 1e6,
            "flash.program_us": nand.program / US}  # fmt: skip


@pytest.mark.parametrize("sheet", [KNOWN, OTHER], ids=["known", "other"])
def test_what_was_held_out_is_predicted_within_ten_percent(sheet: FlashType) -> None:
    found = fit(sheet)
    assert abs(found.worst(HELD).error) < 0.1
    assert sum(each.kind == HELD for each in found.jobs) == 12 + 2 * (sheet is KNOWN)
    assert not any("more than 10%" in line for line in page(found))


@pytest.mark.parametrize("sheet", [KNOWN, OTHER], ids=["known", "other"])
def test_what_is_said_to_be_told_is_true(sheet: FlashType) -> None:
    known, numbers = truth(sheet), {each.name: each for each in fit(sheet).numbers}
    assert set(numbers) == set(known)
    told = [each for each in numbers.values() if each.source == FITTED]
    assert set(TOLD[sheet.name]) <= {each.name for each in told}
    for each in told:
        low, high = (each.low, each.high) if each.low <= each.high else (float(each.value),) * 2
        assert 0.97 * low <= known[each.name] <= 1.03 * high, each.name


def test_the_sheet_is_read_again_as_it_was_written(tmp_path: Path) -> None:
    found = fit(KNOWN)
    path = tmp_path / "known.yaml"
    path.write_text(sheet_text(found, list(page(found))))
    read = read_sheet(path).disc
    assert isinstance(read, FlashType)
    assert (read.name, read.capacity) == ("Known as measured", KNOWN.capacity)
    assert read.nand.read == pytest.approx(found.sheet.nand.read)
    assert read.nand.program == pytest.approx(found.sheet.nand.program)
    assert (read.stripe, read.nand.dies, read.front.name) == (
        found.sheet.stripe, found.sheet.nand.dies, found.sheet.front.name)  # fmt: skip
    assert read.front.write_command == pytest.approx(found.sheet.front.write_command)


def test_writes_that_were_not_measured_tell_nothing() -> None:
    assert {each.source for each in fit(OTHER).numbers[-3:]} == {ASSUMED}
    assert fit(OTHER).sheet.front.write_command == fit(OTHER).sheet.front.command


def test_writes_are_predicted_where_they_were_measured() -> None:
    writes = [each for each in fit(KNOWN).jobs if each.answer.job in WRITES]
    assert len(writes) == len(WRITES)
    assert max(abs(each.error) for each in writes) < 0.1
    rate = next(each for each in fit(KNOWN).numbers if each.name == "front.write_rate_mb_s")
    assert rate.low < KNOWN.front.write_rate / 1e6 < rate.high  # its flash is slower, and hides the link
    assert fit(KNOWN).sheet.front.write_command == pytest.approx(KNOWN.front.write_command, rel=0.1)
