"""Writes of flash, step by step by hand: which sheets are tried, and how far off they are."""

from dataclasses import replace
from math import log
from typing import Any

import pytest

from spindle.lab.fio import flash_writes
from spindle.lab.fio.flash_writes import FAST_FLASH, FLUSH_UNITS, sheet_of_writes
from spindle.lab.fio.load import NR_REQUESTS, TAGS, FioLoad, LoadAnswer
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.sim.request import WRITE
from spindle.sim.units import MS, US
from tests.lab.fio.flash_case import FIT, KNOBS, SHEET, Call, point

WRITES = [point(WRITE, 1, 1000.0, 1 * MS, p50=0.8 * MS), point(WRITE, 1, 1000.0, 2 * MS, p50=1.2 * MS),
          *(point(WRITE, level, iops) for level, iops in ((4, 3000.0), (8, 4000.0), (16, 5000.0), (16, 6000.0)))]


@pytest.mark.parametrize(("handling", "tried"), [
    (179 * US, True), (0.9 / 5000.0, False), (181 * US, False), (5 * MS, False),
])  # fmt: skip
def test_the_controller_or_the_flash_limits_writes(
    monkeypatch: pytest.MonkeyPatch, handling: float, tried: bool
) -> None:
    """The median of 8 and more is 5,000 a second; one alone takes 0.8 ms, and 0.2 ms of the host."""
    monkeypatch.setattr(flash_writes, "_handling", lambda points, fastest: handling)
    monkeypatch.setattr(flash_writes, "sheet_of_writes", lambda *call: ("controller", *call))
    monkeypatch.setattr(flash_writes, "_slow_down", lambda *call: ("slow", *call))
    seen: list[Call] = []

    def distance(sheet: Call, points: object) -> float:
        assert points is WRITES
        seen.append(sheet)
        return 1.0 if sheet[0] == "controller" else abs(sheet[5] - 64)

    monkeypatch.setattr(flash_writes, "_distance", distance)
    found: Any = flash_writes.with_writes(FIT, "x", 7, WRITES)
    assert seen[0] == ("controller", FIT, "x", 7, pytest.approx(1 * MS), pytest.approx(200 * US), FAST_FLASH)
    slow = [("slow", FIT, "x", 7, (pytest.approx(1 * MS), handling, 5000.0), flush, FioLoad(WRITE, 16, 4096, 0))
            for flush in FLUSH_UNITS]  # fmt: skip
    assert seen[1:] == (slow if tried else [])
    assert found == (slow[FLUSH_UNITS.index(64)] if tried else seen[0])


def test_writes_at_few_depths_and_a_slow_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 4 at most these decide; what takes longer than one alone is no time of the controller."""
    for name in ("sheet_of_writes", "_slow_down"):
        monkeypatch.setattr(flash_writes, name, lambda *call: call)
    monkeypatch.setattr(flash_writes, "_distance", lambda *call: 0.0)
    found: Any = flash_writes.with_writes(FIT, "x", 7, [point(WRITE, 1, 500.0, 1 * MS), point(WRITE, 4, 800.0)])
    assert found[3:] == (1 * MS, 1 * MS, FAST_FLASH)


def test_what_the_mean_has_and_the_median_has_not_may_be_the_host_s() -> None:
    assert flash_writes._submit(point(WRITE, 1, 1.0, 1.0)) == 0.0
    seen = [flash_writes._submit(point(WRITE, 1, 1.0, 2.0, p50=median)) for median in (1.25, 1.0, 0.5)]
    assert seen == [0.75, 0.0, 0.0]


def test_handling_is_the_least_median_by_how_many_are_under_way() -> None:
    points = [point(WRITE, level, 1.0, p50=median) for level, median in ((3, 0.1), (4, 8.0), (TAGS, 40.0), (33, 1.0))]
    assert flash_writes._handling(points, 4.0) == pytest.approx(40 / TAGS)
    assert flash_writes._handling(points[:2], 4.0) == 2.0
    assert flash_writes._handling([points[0], point(WRITE, 8, 1.0)], 4.0) == 0.25


def test_a_sheet_of_writes() -> None:
    made = sheet_of_writes(FIT, "x", 1 << 30, 30 * US, 12 * US, 2 * MS)
    front = made.front
    assert (front.write_command, front.write_handling, front.write_rate) == (30 * US, 12 * US, 10 * KNOBS.rate)
    assert (made.name, made.capacity, made.nand.program, made.buffer, made.flush) == (
        "x", 1 << 30, 2 * MS, 64 * made.unit, 1)  # fmt: skip
    assert sheet_of_writes(FIT, "x", 1 << 30, 30 * US, 12 * US, 2 * MS, 100).buffer == 200 * made.unit


@pytest.mark.parametrize(("size", "program"), [(4096, 8 * 8 / 100.0), (8192, 8 * 8 / 200.0), (512, 8 * 8 / 100.0)])
def test_flash_is_slowed_down_until_it_lets_so_many_through(answers: list[Call], size: int, program: float) -> None:
    """Of 100 a second, where the drive lets 200 through, twice: four times as long."""
    load = FioLoad(WRITE, 16, size, 0)
    made = flash_writes._slow_down(FIT, "x", 1 << 30, (30 * US, 12 * US, 100.0), 32, load)
    sheets = [sheet_of_writes(FIT, "x", 1 << 30, 30 * US, 12 * US, factor * program, 32) for factor in (1, 2, 4)]
    assert (made, answers) == (sheets[2], [(load, sheet) for sheet in sheets[:2]])
    near = flash_writes._slow_down(FIT, "x", 1 << 30, (30 * US, 12 * US, 160.0), 32, load)
    assert near.nand.program == pytest.approx(1.25**2 * 100 / 160 * program)
    del answers[2:]
    flash_writes._slow_down(FIT, "x", 1 << 30, (30 * US, 12 * US, 10.0), 32, load)
    assert answers[3][1].nand.program == pytest.approx(2 * answers[2][1].nand.program), "no more than twice at once"


def test_writes_are_off_by_throughput_and_half_of_the_percentiles(answers: list[Call]) -> None:
    """Of what waits in the host percentiles do not count; beyond what the host takes all are one load."""
    points = [point(WRITE, 1, 100.0, p50=1 * MS, p95=0.0), point(WRITE, TAGS, 200.0, p99=2 * MS),
              point(WRITE, TAGS + 1, 800.0, p50=9.0), point(WRITE, 500, 200.0), point(WRITE, 600, 100.0)]  # fmt: skip
    found = flash_writes._distance(SHEET, points)
    assert found == pytest.approx(log(2) * (1 + 0.5 + 0 + 1 + 2 + 0 + 1) / 7)
    assert answers == [(FioLoad(WRITE, level, 4096, 0), SHEET) for level in (1, TAGS, TAGS + 1, NR_REQUESTS)]


def test_each_point_is_compared_with_the_answer_to_as_many_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A drive that does 100 a second for each under way is off at neither point."""
    monkeypatch.setattr(flash_writes, "drive_answer", lambda load, _: LoadAnswer(100.0 * load.level, 1.0, {}))
    assert flash_writes._distance(SHEET, [point(WRITE, 1, 100.0), point(WRITE, 4, 400.0)]) == 0.0


@pytest.mark.parametrize(("program", "written", "slow", "source"), [
    (2 * MS, True, FITTED, FITTED), (2.5 * FAST_FLASH, True, FITTED, FITTED),
    (2 * FAST_FLASH, True, ASSUMED, FITTED), (2 * MS, False, ASSUMED, ASSUMED),
])  # fmt: skip
def test_numbers_of_writes(program: float, written: bool, slow: str, source: str) -> None:
    sheet = sheet_of_writes(FIT, "x", 1 << 30, 30 * US, 12 * US, program, 16)
    assert list(flash_writes.write_numbers(sheet, written)) == [
        SheetNumber("front.write_command_us", "30", source), SheetNumber("front.write_handling_us", "12", source),
        SheetNumber("flash.program_us", f"{program / US:g}", slow), SheetNumber("flush_units", "16", slow)]  # fmt: skip
    bare = replace(sheet, front=replace(sheet.front, write_handling=None))
    assert list(flash_writes.write_numbers(bare, written))[1].value == "0"
