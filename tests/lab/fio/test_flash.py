"""Flash fitted to fio's points, step by step by hand: what is compared with what, and which sheets are tried."""

from dataclasses import replace
from math import log
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import simpy

from spindle.lab.fio import flash
from spindle.lab.fio.flash import FAST_FLASH, FLUSHES, REQUESTS, FlashFound, drive_answer, with_little_flash
from spindle.lab.fio.load import NR_REQUESTS, TAGS, FioLoad, HostDelay, HostOrder, LoadAnswer
from spindle.lab.fio.points import FioPoint
from spindle.lab.fit.confidence import ASSUMED, FITTED, SheetNumber
from spindle.lab.flash.fio_answer import FioAnswer
from spindle.lab.flash.fio_job import FioJob
from spindle.lab.flash.fit import DIE_BYTES, FlashFit, knobs_of
from spindle.lab.flash.knobs import FlashKnobs
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.mq_deadline import MqDeadline
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.units import MIB, MS, US

KIND = np.array([1.0, 4.0, 2.0, 8.0])
KNOBS = FlashKnobs(12 * US, 70 * US, 12 * US, 540e6, 1, 4, 2, 8)
NUMBERS = np.log([KNOBS.command, KNOBS.read, KNOBS.unit, KNOBS.rate])
FIT = FlashFit(KNOBS, NUMBERS, KIND, 0.01, 0.0, np.zeros(1))
SHEET = flash._sheet(FIT, "known", 1 << 30, 30 * US, 12 * US, 2 * MS, 16)
Call = tuple[Any, ...]


def point(op: Op, level: int, iops: float, mean: float = 1.0, jobs: int = 1, size: int = 4096, **p: float) -> FioPoint:
    shares = {float(name.replace("p", "0.")): seconds for name, seconds in p.items()}
    return FioPoint(op, level // jobs, jobs, size, 1000, iops, mean, shares)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """What a drive is asked, which answers 200 a second and 2, 4 and 8 ms."""
    calls: list[Call] = []

    def answer(load: FioLoad, sheet: object, *more: object, **others: object) -> LoadAnswer:
        calls.append((load, sheet, *more, *others.values()))
        return LoadAnswer(200.0, 1.0, {0.50: 2 * MS, 0.95: 4 * MS, 0.99: 8 * MS})

    monkeypatch.setattr(flash, "drive_answer", answer)
    return calls


def test_a_fit_takes_reads_and_then_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(FIT, off=0.02, knobs=replace(KNOBS, ways=4))
    made: dict[str, Call] = {}
    tagged = replace(SHEET, front=replace(SHEET.front, tags=99))
    for name, answer in (("_read_levels", (["levels"], ["so"])), ("fit_reads", ["fits"]), ("_refine", [FIT, other]),
                         ("_with_writes", tagged), ("determined_numbers", ["read"]), ("_write_numbers", ["written"])):
        monkeypatch.setattr(flash, name, lambda *call, name=name, answer=answer: made.update({name: call}) or answer)
    reads, writes = [point(READ, 1, 1.0), point(READ, 2, 1.0)], [point(WRITE, 1, 1.0), point(WRITE, 64, 1.0, jobs=4)]
    found = flash.fit_flash("x", 1 << 30, [*reads, *writes])
    fitted = replace(SHEET, front=replace(SHEET.front, tags=TAGS))
    assert found == FlashFound(fitted, ("read", "written"), ("so",))  # type: ignore[arg-type]
    assert made == {"_read_levels": ([*reads, *writes],), "fit_reads": (["levels"],), "_refine": (["fits"], reads),
                    "_with_writes": (FIT, "x", 1 << 30, writes[:1]), "_write_numbers": (fitted, True),
                    "determined_numbers": ([FIT, other], ["levels"])}  # fmt: skip
    few = flash.fit_flash("x", 1 << 30, reads).sheet
    assert few == KNOBS.sheet("x", 1 << 30)
    assert made["_write_numbers"] == (few, False)


def test_little_flash_has_all_dies() -> None:
    """8 MiB of each of 8 dies, and twice the blocks and 8 more."""
    less = with_little_flash(SHEET, 8)
    block = SHEET.block_units * SHEET.unit
    assert (less.capacity, less.nand.blocks) == (64 * MIB, 2 * 64 * MIB // (8 * block) + 8)
    assert replace(less, capacity=SHEET.capacity, nand=SHEET.nand) == SHEET
    small = flash._sheet(FIT, "known", 32 * MIB, 30 * US, 12 * US, 2 * MS, 16)
    assert with_little_flash(small, 8).capacity == 32 * MIB


@pytest.mark.parametrize("order", HostOrder)
def test_a_drive_answers_over_all_of_its_flash(monkeypatch: pytest.MonkeyPatch, order: HostOrder) -> None:
    monkeypatch.setattr(flash, "answer_load", lambda *call: call)
    load = FioLoad(READ, 2, 4096, 0, 3)
    asked, builds, requests, between = drive_answer(load, SHEET, order=order)  # type: ignore[misc]
    assert (asked, requests, between) == (replace(load, span=64 * MIB), REQUESTS, HostDelay(turns=order == "cfq"))
    env = simpy.Environment()
    drive = builds(env)
    assert (drive.env, drive.capacity) == (env, 64 * MIB)
    assert type(drive.scheduler) is (MqDeadline if order == "deadline" else Fcfs)
    assert drive_answer(load, SHEET, 7)[2:] == (7, HostDelay())  # type: ignore[index]


def test_the_order_of_the_host_is_the_nearest_and_of_a_tie_the_simplest(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [point(READ, TAGS, 1.0), point(READ, TAGS + 1, 1.0), point(READ, NR_REQUESTS, 1.0),
              point(READ, NR_REQUESTS + 1, 1.0), point(WRITE, 64, 1.0)]  # fmt: skip
    for offs, nearest in (({"fcfs": 1.0, "deadline": 1.0, "cfq": 2.0}, "fcfs"),
                          ({"fcfs": 2.0, "deadline": 1.5, "cfq": 1.0}, "cfq")):  # fmt: skip
        def off(sheet: object, queued: object, order: HostOrder, offs: dict[str, float] = offs) -> float:
            assert (sheet, queued) == (SHEET, points[1:3])
            return offs[order]

        monkeypatch.setattr(flash, "_order_off", off)
        assert flash.host_order(SHEET, points) == nearest


@pytest.mark.parametrize(("order", "jobs"), [(HostOrder.FCFS, 1), (HostOrder.CFQ, 2)])
def test_an_order_is_off_by_throughput_median_and_p95(answers: list[Call], order: HostOrder, jobs: int) -> None:
    """Twice, twice and four times; then by nothing, for p99 does not count."""
    points = [point(READ, 64, 100.0, jobs=2, p50=1 * MS, p95=1 * MS),
              point(READ, 64, 200.0, jobs=2, p50=2 * MS, p99=9.0),
              point(READ, 66, 400.0, jobs=2, p95=0.0)]  # fmt: skip
    assert flash._order_off(SHEET, points, order) == pytest.approx(5 * log(2))
    assert answers == [(FioLoad(READ, level, 4096, 0, jobs), SHEET, order) for level in (64, 66)]


def test_levels_of_reads_are_what_the_drive_sees() -> None:
    points = [point(READ, 1, 1000.0), point(READ, 1, 500.0), point(READ, 2, 1000.0), point(READ, 64, 32_000.0),
              point(READ, 99, 16_000.0), point(READ, 80, 1.0, jobs=10), point(WRITE, 3, 1.0)]  # fmt: skip
    levels, remarks = flash._read_levels(points)
    assert levels == [FioAnswer(FioJob(READ, 4096, level), 1 << 20, seconds)
                      for level, seconds in ((1, 1.5e-3), (2, 2e-3), (TAGS, 1.5e-3))]  # fmt: skip
    assert remarks == ["all requests are of 4 KiB: the sheet is fitted for these, and no rate of bytes is; spindle "
                       "measure --drive tries four sizes"]  # fmt: skip
    assert len(flash._read_levels(points[:1])[0]) == 1


@pytest.mark.parametrize(("iops", "left"), [(1 / 1.03, [2, 3]), (1 / 1.01, [1, 2, 3])])
def test_a_read_alone_that_takes_longer_is_left_out(iops: float, left: list[int]) -> None:
    levels, remarks = flash._read_levels([point(READ, 2, 2.0), point(READ, 1, iops), point(READ, 3, 1.0)])
    assert sorted(each.job.depth for each in levels) == left
    told = "1 under way took longer than 2: a drive that wakes up, or a host; not fitted"
    assert remarks[1:] == [told] * (3 - len(left))


# Percentiles.

def test_the_kind_with_the_nearest_percentiles_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flash, "KINDS", 3)
    kinds = [replace(FIT, kind=KIND + place, off=off) for place, off in enumerate((0.01, 0.03, 0.05, 0.05, 0.0501))]
    points = [point(READ, TAGS, 1.0, p50=1.0), point(READ, TAGS + 1, 1.0, p50=1.0)]
    asked: list[Call] = []
    distances = {1.0: 3.0, 2.0: 2.0, 3.0: 2.5}

    def distance(numbers: Any, kind: Any, given: Any) -> float:
        assert (numbers is NUMBERS, given) == (True, points[:1])
        return distances[kind[0]]

    def minimize(*call: Any, **more: Any) -> SimpleNamespace:
        asked.append((*call, more))
        return SimpleNamespace(x=NUMBERS + 1.0)

    monkeypatch.setattr(flash, "_read_off", distance)
    monkeypatch.setattr(flash, "minimize", minimize)
    first, *others = flash._refine(kinds, points)
    assert (first.numbers.tolist(), first.kind[0]) == ((NUMBERS + 1.0).tolist(), 2.0)
    assert first.knobs == knobs_of(NUMBERS + 1.0, kinds[1].kind)
    assert list(map(id, others)) == [id(kinds[place]) for place in (0, 2, 3, 4)]
    ((function, start, given),) = asked
    assert (function, start is NUMBERS) == (distance, True)
    simplex = given["options"].pop("initial_simplex")
    assert given == {"args": (kinds[1].kind, points[:1]), "method": "Nelder-Mead", "options": {"maxfev": flash.STEPS}}
    assert simplex.tolist() == flash._simplex(NUMBERS).tolist()
    for none in (points[1:], [point(READ, 1, 1.0)]):
        assert flash._refine(kinds, none) == kinds


def test_the_simplex_has_a_step_of_each_number() -> None:
    assert flash._simplex(np.array([1.0, 2.0])).tolist() == [[1.0, 2.0], [1.1, 2.0], [1.0, 2.1]]


def test_reads_are_off_by_squares_of_throughput_and_percentiles(answers: list[Call]) -> None:
    """1 ms of each response is the host's. The second point of level 4 is off by nothing but its p99."""
    points = [point(READ, 4, 200.0, p99=7 * MS * 2), point(READ, 1, 100.0, 3 * MS, p50=2 * MS),
              point(READ, 4, 200.0, p95=3 * MS, p50=0.0)]  # fmt: skip
    found = flash._read_off(NUMBERS, KIND, points)
    assert found == pytest.approx((2 * log(2) ** 2 + log(1 / 2) ** 2 + 0.0 + 0.3 * log(1 / 2) ** 2 + 0.0 + 0.0) / 6)
    sheet = knobs_of(NUMBERS, KIND).sheet("flash", DIE_BYTES * 8)
    assert answers == [(FioLoad(READ, level, 4096, 0), sheet) for level in (1, 4)]
    host = [point(READ, 1, 200.0, 1.0, p50=0.5)]
    assert flash._read_off(NUMBERS, KIND, host) == pytest.approx(log(1e-9 / 0.5) ** 2 / 2), "none is negative"


# Writes.

WRITES = [point(WRITE, 1, 1000.0, 1 * MS, p50=0.8 * MS), point(WRITE, 1, 1000.0, 2 * MS, p50=1.2 * MS),
          *(point(WRITE, level, iops) for level, iops in ((4, 3000.0), (8, 4000.0), (16, 5000.0), (16, 6000.0)))]


@pytest.mark.parametrize(("handling", "tried"), [(179 * US, True), (181 * US, False), (5 * MS, False)])
def test_the_controller_or_the_flash_limits_writes(
    monkeypatch: pytest.MonkeyPatch, handling: float, tried: bool
) -> None:
    """The median of 8 and more is 5,000 a second; one alone takes 0.8 ms, and 0.2 ms of the host."""
    monkeypatch.setattr(flash, "_handling", lambda points, fastest: handling)
    monkeypatch.setattr(flash, "_sheet", lambda *call: ("controller", *call))
    monkeypatch.setattr(flash, "_slow_down", lambda *call: ("slow", *call))
    seen: list[Call] = []

    def distance(sheet: Call, points: object) -> float:
        assert points is WRITES
        seen.append(sheet)
        return 1.0 if sheet[0] == "controller" else abs(sheet[5] - 64)

    monkeypatch.setattr(flash, "_distance", distance)
    found: Any = flash._with_writes(FIT, "x", 7, WRITES)
    assert seen[0] == ("controller", FIT, "x", 7, pytest.approx(1 * MS), pytest.approx(200 * US), FAST_FLASH)
    slow = [("slow", FIT, "x", 7, (pytest.approx(1 * MS), handling, 5000.0), flush, FioLoad(WRITE, 16, 4096, 0))
            for flush in FLUSHES]  # fmt: skip
    assert seen[1:] == (slow if tried else [])
    assert found == (slow[FLUSHES.index(64)] if tried else seen[0])


def test_writes_at_few_depths_and_a_slow_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 4 at most these decide; what takes longer than one alone is no time of the controller."""
    for name in ("_sheet", "_slow_down"):
        monkeypatch.setattr(flash, name, lambda *call: call)
    monkeypatch.setattr(flash, "_distance", lambda *call: 0.0)
    found: Any = flash._with_writes(FIT, "x", 7, [point(WRITE, 1, 500.0, 1 * MS), point(WRITE, 4, 800.0)])
    assert found[3:] == (1 * MS, 1 * MS, FAST_FLASH)


def test_what_the_mean_has_and_the_median_has_not_may_be_the_host_s() -> None:
    assert flash._submit(point(WRITE, 1, 1.0, 1.0)) == 0.0
    assert [flash._submit(point(WRITE, 1, 1.0, 2.0, p50=median)) for median in (1.25, 1.0, 0.5)] == [0.75, 0.0, 0.0]


def test_handling_is_the_least_median_by_how_many_are_under_way() -> None:
    points = [point(WRITE, level, 1.0, p50=median) for level, median in ((3, 0.1), (4, 8.0), (TAGS, 40.0), (33, 1.0))]
    assert flash._handling(points, 4.0) == pytest.approx(40 / TAGS)
    assert flash._handling(points[:2], 4.0) == 2.0
    assert flash._handling([points[0], point(WRITE, 8, 1.0)], 4.0) == 0.25


def test_a_sheet_of_writes() -> None:
    made = flash._sheet(FIT, "x", 1 << 30, 30 * US, 12 * US, 2 * MS)
    front = made.front
    assert (front.write_command, front.write_handling, front.write_rate) == (30 * US, 12 * US, 10 * KNOBS.rate)
    assert (made.name, made.capacity, made.nand.program, made.buffer, made.flush) == (
        "x", 1 << 30, 2 * MS, 64 * made.unit, 1)  # fmt: skip
    assert flash._sheet(FIT, "x", 1 << 30, 30 * US, 12 * US, 2 * MS, 100).buffer == 200 * made.unit


@pytest.mark.parametrize(("size", "program"), [(4096, 8 * 8 / 100.0), (8192, 8 * 8 / 200.0), (512, 8 * 8 / 100.0)])
def test_flash_is_slowed_down_until_it_lets_so_many_through(answers: list[Call], size: int, program: float) -> None:
    """Of 100 a second, where the drive lets 200 through, twice: four times as long."""
    load = FioLoad(WRITE, 16, size, 0)
    made = flash._slow_down(FIT, "x", 1 << 30, (30 * US, 12 * US, 100.0), 32, load)
    sheets = [flash._sheet(FIT, "x", 1 << 30, 30 * US, 12 * US, factor * program, 32) for factor in (1, 2, 4)]
    assert (made, answers) == (sheets[2], [(load, sheet) for sheet in sheets[:2]])
    near = flash._slow_down(FIT, "x", 1 << 30, (30 * US, 12 * US, 160.0), 32, load)
    assert near.nand.program == pytest.approx(1.25**2 * 100 / 160 * program)
    del answers[2:]
    flash._slow_down(FIT, "x", 1 << 30, (30 * US, 12 * US, 10.0), 32, load)
    assert answers[3][1].nand.program == pytest.approx(2 * answers[2][1].nand.program), "no more than twice at once"


def test_writes_are_off_by_throughput_and_half_of_the_percentiles(answers: list[Call]) -> None:
    """Of what waits in the host percentiles do not count; beyond what the host takes all are one load."""
    points = [point(WRITE, 1, 100.0, p50=1 * MS, p95=0.0), point(WRITE, TAGS, 200.0, p99=2 * MS),
              point(WRITE, TAGS + 1, 800.0, p50=9.0), point(WRITE, 500, 200.0), point(WRITE, 600, 100.0)]  # fmt: skip
    found = flash._distance(SHEET, points)
    assert found == pytest.approx(log(2) * (1 + 0.5 + 0 + 1 + 2 + 0 + 1) / 7)
    assert answers == [(FioLoad(WRITE, level, 4096, 0), SHEET) for level in (1, TAGS, TAGS + 1, NR_REQUESTS)]


@pytest.mark.parametrize(("program", "written", "slow", "source"), [
    (2 * MS, True, FITTED, FITTED), (2 * FAST_FLASH, True, ASSUMED, FITTED), (2 * MS, False, ASSUMED, ASSUMED),
])  # fmt: skip
def test_numbers_of_writes(program: float, written: bool, slow: str, source: str) -> None:
    sheet = flash._sheet(FIT, "x", 1 << 30, 30 * US, 12 * US, program, 16)
    assert list(flash._write_numbers(sheet, written)) == [
        SheetNumber("front.write_command_us", "30", source), SheetNumber("front.write_handling_us", "12", source),
        SheetNumber("flash.program_us", f"{program / US:g}", slow), SheetNumber("flush_units", "16", slow)]  # fmt: skip
    bare = replace(sheet, front=replace(sheet.front, write_handling=None))
    assert list(flash._write_numbers(bare, written))[1].value == "0"
