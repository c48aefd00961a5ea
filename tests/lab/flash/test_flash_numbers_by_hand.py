"""Tests by hand what a fit of flash tells of its numbers, its page and its file, and where the fit itself ends."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import exp, inf, isinf, log
from typing import Any

import numpy as np
import pytest

from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.lab.flash import fit, kinds
from spindle.lab.flash import page as judging
from spindle.lab.flash.determined import determined_numbers, in_sheet_unit, write_numbers
from spindle.lab.flash.fio_answer import FioAnswer, MeasuredFlash
from spindle.lab.flash.fio_job import GRID, IN_SEQUENCE, WRITE_JOBS, FioJob, is_fitted
from spindle.lab.flash.fit import FlashFit, fit_reads
from spindle.lab.flash.formula import Numbers
from spindle.lab.flash.intervals import standard_errors
from spindle.lab.flash.kinds import HIGH_LOGS, LOW_LOGS, ReadTimes
from spindle.lab.flash.knobs import FlashKnobs, WriteKnobs
from spindle.lab.flash.page import HELD, JudgedFlash, JudgedJob, page, sheet_sections
from spindle.lab.flash.writes import WriteFit
from spindle.sim.request import READ
from spindle.sim.units import KIB, MIB, US
from tests.lab.flash.test_flash_times_by_hand import answered

TRUTH = (10 * US, 50 * US, 8 * US, 400e6, 1, 2, 2, 4)
JOBS = [FioJob(READ, size, depth) for size, depth in product((4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB), (1, 2, 8, 32))]


def fit_of(knobs: Sequence[Any], off: float) -> FlashFit:
    return FlashFit(FlashKnobs(*knobs), np.log(knobs[:4]), np.array(knobs[4:], float), off, 0.0, np.zeros(2))


def told(fits: Sequence[FlashFit], jobs: Sequence[FioJob] = JOBS) -> dict[str, SheetNumber]:
    return {each.name: each for each in determined_numbers(fits, answered(TRUTH, jobs))}


def factors(off: float, jobs: Sequence[FioJob] = JOBS) -> list[float]:
    """Twice the standard error of the logarithm of each number, by the slopes of the formula: as factors."""
    times, numbers, kind = ReadTimes(answered(TRUTH, jobs), off), np.log(TRUTH[:4]), np.array(TRUTH[4:])
    more, less = ([times.log_ratios(numbers + step * one, kind)[0] for one in np.eye(4)] for step in (1e-3, -1e-3))
    slope = (np.stack(more, axis=1) - np.stack(less, axis=1)) / 2e-3
    wide = 2.0 * off * np.sqrt(len(jobs) / (len(jobs) - 8)) * np.sqrt(np.diag(np.linalg.inv(slope.T @ slope)))
    return [exp(each) for each in wide]


NAMES = ("front.command_us", "flash.read_us", "flash.bus_mb_s", "front.rate_mb_s")


@pytest.mark.parametrize(("name", "number", "shown"), [
    ("flash.read_us", 50 * US, 50.0), ("front.rate_mb_s", 400e6, 400.0), ("flash.bus_mb_s", 8 * US, 512.0),
])  # fmt: skip
def test_numbers_have_the_units_of_the_sheet(name: str, number: float, shown: float) -> None:
    """A unit of 4 KiB in 8 us is 512 MB/s."""
    assert in_sheet_unit(name, number) == pytest.approx(shown, rel=1e-12)


def test_each_number_has_twice_its_standard_error_on_either_side() -> None:
    found = told([fit_of(TRUTH, 0.01)])
    for name, value, factor in zip(NAMES, (10, 50, 512, 400), factors(0.01), strict=True):
        assert (found[name].value, found[name].source) == (str(value), FITTED)
        assert (found[name].low, found[name].high) == pytest.approx((value / factor, value * factor), rel=0.01)
    counts = [("front.queues", "1"), ("flash.channels", "2"), ("flash.ways", "2"),
              ("flash.planes x page_bytes", "16384")]  # fmt: skip
    assert [(each.name, each.value) for each in [*found.values()][4:]] == counts
    assert {(each.source, each.others, each.low, each.high) for each in [*found.values()][4:]} == {
        (FITTED, (), inf, -inf)}  # fmt: skip


def test_a_number_that_may_be_twice_as_much_is_assumed_and_none_leaves_its_bounds() -> None:
    found = told([fit_of(TRUTH, 0.2)])
    command, read, _, rate = factors(0.2)
    assert [found[name].source for name in NAMES] == [ASSUMED, ASSUMED, ASSUMED, FITTED]
    assert (command, read, rate) == pytest.approx((42, 2.28, 1.21), rel=0.02)
    assert found["front.command_us"].low == pytest.approx(0.3), "and not a 42th of 10"
    just = told([fit_of(TRUTH, 0.2 * log(1.99) / log(read))])
    assert just["flash.read_us"].source == FITTED
    assert told([fit_of(TRUTH, 0.2 * log(2.02) / log(read))])["flash.read_us"].source == ASSUMED


def test_kinds_that_are_as_good_widen_what_is_told() -> None:
    """The second is off by half a percent more, and so as good; the third by a little more than that."""
    other, far = (11 * US, 60 * US, 9 * US, 440e6, 1, 4, 2, 2), (20 * US, 100 * US, 20 * US, 800e6, 2, 8, 8, 8)
    alone, found = told([fit_of(TRUTH, 0.01)]), told([fit_of(TRUTH, 0.01), fit_of(other, 0.015), fit_of(far, 0.0151)])
    assert found["flash.read_us"].low == pytest.approx(alone["flash.read_us"].low)
    assert 60 < found["flash.read_us"].high < 70
    assert found["front.rate_mb_s"].high > 440
    assert {name: each.others for name, each in found.items() if each.others} == {
        "flash.channels": ("4",), "flash.planes x page_bytes": ("8192",)}  # fmt: skip
    counts = ("front.queues", "flash.channels", "flash.ways")
    assert [found[name].source for name in counts] == [FITTED, ASSUMED, FITTED]


def test_a_link_is_as_fast_as_it_has_been_and_may_have_no_end() -> None:
    """Two sizes, one under way: a byte's time on the link and on the bus are as one."""
    jobs = [FioJob(READ, 4 * KIB, 1), FioJob(READ, 16 * KIB, 1)]
    seen = max(each.rate for each in answered(TRUTH, jobs))
    rate = told([fit_of(TRUTH, 0.1)], jobs)["front.rate_mb_s"]
    assert (rate.low, rate.high, rate.source) == (pytest.approx(seen * exp(-0.2) / 1e6), inf, ASSUMED)
    rate = told([fit_of(TRUTH, 1e-9)], jobs)["front.rate_mb_s"]
    assert rate.low == pytest.approx(seen * exp(-2 * 0.005) / 1e6), "half a percent is the least error"


def test_of_one_size_only_the_time_of_a_byte_is_not_told() -> None:
    jobs = [FioJob(READ, 4 * KIB, depth) for depth in (1, 2, 3, 4, 8, 16, 32, 64)]
    found = told([fit_of(TRUTH, 1e-6)], jobs)
    seen = max(each.rate for each in answered(TRUTH, jobs)) / 1e6
    assert [found[name].source for name in NAMES] == [ASSUMED, FITTED, ASSUMED, ASSUMED]
    assert (found["front.rate_mb_s"].low, found["front.rate_mb_s"].high) == (pytest.approx(seen * exp(-0.01)), inf)
    assert (found["flash.bus_mb_s"].low, found["flash.bus_mb_s"].high) == (inf, -inf)


def test_errors_have_their_least_and_most() -> None:
    slope = np.eye(4)[:, :2]
    assert standard_errors(slope, 1e-9) == pytest.approx([2 * 2 * 0.005] * 2)
    assert standard_errors(np.zeros((9, 2)), 0.1) == pytest.approx([log(1000.0)] * 2)


def test_what_only_writes_determine() -> None:
    sheet = FlashKnobs(*TRUTH).sheet("any", 64 * MIB, WriteKnobs(20 * US, 300e6, 600 * US))
    command, rate, program = write_numbers(sheet, WriteFit(WriteKnobs(1.0, 1.0), (log(1.5), 9.0, log(2.0) + 1e-9)))
    assert (command.name, command.value, command.source) == ("front.write_command_us", "20", FITTED)
    assert (command.low, command.high) == pytest.approx((20 / 1.5, 20 * 1.5))
    assert rate == SheetNumber("front.write_rate_mb_s", "300", ASSUMED, 300.0, inf)
    assert program == SheetNumber("flash.program_us", "600", ASSUMED)
    (_, _, program) = write_numbers(sheet, WriteFit(WriteKnobs(1.0, 1.0), (0.1, 9.0, log(2.0))))
    assert (program.source, program.low, program.high) == (FITTED, pytest.approx(300), pytest.approx(1200))
    assert [(each.source, each.low, each.high) for each in write_numbers(sheet, None)] == [(ASSUMED, inf, -inf)] * 3


@pytest.mark.parametrize("off", [9.0, -9.0])
def test_numbers_are_sought_within_their_bounds_from_wherever_it_begins(off: float) -> None:
    """Where all times are thousands of times as long, or as short, as the formula has them."""
    times, kind = ReadTimes(answered(TRUTH, JOBS), 0.01), np.array(TRUTH[4:], float)
    found = fit._minimise(times, HIGH_LOGS + 1.0, kind, np.full(len(JOBS), off))
    assert np.all((found >= LOW_LOGS) & (found <= HIGH_LOGS))


def test_a_fit_simulates_each_job_on_the_drive_of_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, knobs = [FioJob(READ, 4 * KIB, 1), FioJob(READ, 64 * KIB, 4)], FlashKnobs(*TRUTH)
    asked: list[Any] = []
    monkeypatch.setattr(fit, "seconds_of", lambda *given: float(asked.append(given) or len(asked)))
    found = fit._simulate(ReadTimes(answered(TRUTH, jobs), 0.01), knobs, 0.1)
    assert found == pytest.approx([0.0, log(2.0)])
    assert asked == [(job, knobs.sheet("flash", fit.DIE_BYTES * knobs.dies), 0.1) for job in jobs]


# The fit, with a simulation that is the formula and a tenth more: every number of seconds is a tenth less by the fit.

@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The shares that simulations were asked for: of three kinds of four, and again of the best two."""
    shares: list[float] = []

    def simulate(times: ReadTimes, knobs: FlashKnobs, share: float) -> Numbers:
        shares.append(share)
        numbers = np.log([knobs.command, knobs.read, knobs.unit, knobs.rate])
        kind = np.array([knobs.queues, knobs.channels, knobs.ways, knobs.stripe], float)
        seconds: Numbers = times.log_ratios(numbers, kind)[0] + times.measured + log(1.1)
        return seconds

    monkeypatch.setattr(kinds, "EVERY_KIND", np.array([*product((1, 4), (8,), (2,), (1, 8))], float))
    monkeypatch.setattr(fit, "SIMULATED_KINDS", ((1, 3, 0.15), (3, 2, 0.5)))
    monkeypatch.setattr(fit, "_simulate", simulate)
    return shares


def test_a_fit_is_corrected_by_what_is_simulated(simulated: list[float]) -> None:
    truth = (12 * US, 70 * US, 6 * US, 500e6, 1, 8, 2, 8)
    fits = fit_reads(answered(truth))
    best = fits[0]
    assert simulated[:3] == [0.15] * 3
    assert set(simulated[3:]) == {0.5}
    assert 2 <= len(simulated[3:]) <= 6
    assert len(fits) == 4
    assert (best.knobs.queues, best.knobs.channels, best.knobs.ways, best.knobs.stripe) == truth[4:]
    assert best.knobs.rate == pytest.approx(550e6, rel=0.01)
    assert best.off < 0.001
    assert np.exp(best.correction) == pytest.approx([1.1] * 6)
    assert best.kind.tolist() == [1, 8, 2, 8]
    knobs = best.knobs
    assert np.exp(best.numbers) == pytest.approx([knobs.command, knobs.read, knobs.unit, knobs.rate])
    costs = [each.cost for each in fits[:2]]
    assert costs == sorted(costs)
    assert [isinf(each.cost) for each in fits] == [False] * 3 + [True]
    assert all(0.0 < each.off < inf for each in fits), "those that were not simulated are estimated"
    for each in fits[3:]:
        times = ReadTimes(answered(truth), 0.01)
        apart = times.log_ratios(each.numbers, each.kind)[0] + best.correction
        assert each.off == pytest.approx(float(np.sqrt(np.mean(apart**2))))
        assert (each.knobs.channels, each.knobs.read) == (each.kind[1], pytest.approx(float(np.exp(each.numbers[1]))))


def test_a_fit_to_noise_is_made_twice(simulated: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Times that no kind explains, by more than two percent: the whole is fitted again, with their own error."""
    monkeypatch.setattr(kinds, "EVERY_KIND", np.array([(1.0, 8.0, 2.0, 8.0)]))
    answers = [FioAnswer(each.job, each.requests, each.seconds * (1.3 if number % 2 else 1 / 1.3))
               for number, each in enumerate(answered((12 * US, 70 * US, 6 * US, 500e6, 1, 8, 2, 8)))]  # fmt: skip
    noisy = fit_reads(answers)
    assert simulated.count(0.15) == 2
    assert 0.1 < noisy[0].off < 0.4


def stages(monkeypatch: pytest.MonkeyPatch, apart: Sequence[float]) -> list[float]:
    """Let simulations differ from what was measured by *apart*, turn by turn; what was asked for is noted."""
    turns, asked = iter(apart), list[float]()

    def simulate(times: ReadTimes, knobs: FlashKnobs, share: float) -> Numbers:
        asked.append(share)
        found: Numbers = times.measured + next(turns)
        return found

    monkeypatch.setattr(fit, "_simulate", simulate)
    monkeypatch.setattr(fit, "_minimise", lambda times, numbers, kind, correction: numbers)
    return asked


@pytest.mark.parametrize(("apart", "off", "correction", "turns"), [
    ((0.3, 0.1, 0.2), 0.1, 0.1, 3),  # the best of all turns is kept
    ((0.1, 0.1019, 0.2), 0.1, 0.1, 2),  # a correction that hardly changes is the last
    ((0.3, 0.2, 0.1), 0.1, 0.1, 3),
])  # fmt: skip
def test_the_nearest_turn_of_a_kind_is_kept(
    apart: Sequence[float], off: float, correction: float, turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, times = stages(monkeypatch, apart), ReadTimes(answered(TRUTH, JOBS), 0.01)
    found = fit._fit_kind(times, replace(fit_of(TRUTH, inf), correction=np.zeros(len(JOBS))), 3, 0.25)
    plain = times.log_ratios(found.numbers, found.kind)[0]
    assert (found.off, asked) == (pytest.approx(off), [0.25] * turns)
    assert found.correction == pytest.approx(correction - plain)
    unusual = float(times.unusual_cost(found.numbers, found.kind))
    assert found.cost == pytest.approx(len(JOBS) * off**2 + unusual)


def test_kinds_come_in_the_order_of_their_costs_and_the_best_corrects_those_that_were_not_simulated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of three kinds the second costs least, though the first is nearer; the third is never simulated."""
    ranked = [(np.log(TRUTH[:4]), np.array([1.0, 2.0, 2.0, stripe])) for stripe in (1.0, 2.0, 4.0)]
    costs, offs, tried = {1: 3.0, 2: 1.0}, {1: 0.1, 2: 0.2}, list[tuple[float, int]]()

    def fitted(times: ReadTimes, start: FlashFit, turns: int, share: float) -> FlashFit:
        stripe = start.knobs.stripe
        tried.append((share, stripe))
        return replace(start, cost=costs[stripe], off=offs[stripe], correction=np.array([float(stripe)]))

    monkeypatch.setattr(fit, "SIMULATED_KINDS", ((1, 2, 0.15), (3, 1, 0.5)))
    monkeypatch.setattr(fit, "rank_kinds", lambda times: ranked)
    monkeypatch.setattr(fit, "_fit_kind", fitted)
    monkeypatch.setattr(fit, "_estimate_kind", lambda times, fit, correction: replace(fit, correction=correction))
    found = fit._fits(ReadTimes(answered(TRUTH, JOBS), 0.01))
    assert tried == [(0.15, 1), (0.15, 2), (0.5, 2)]
    assert [(each.knobs.stripe, each.correction.tolist()) for each in found] == [(2, [2.0]), (1, [1.0]), (4, [2.0])]


# The page and the file.

def judged(apart: float = 0.05, slower: float = 1.0) -> JudgedFlash:
    """Each job off by *apart*, in sequence by twice as much; two under way are *slower* than one."""
    sheet = FlashKnobs(10 * US, 50 * US, 8 * US, 400e6, 4, 2, 2, 8).sheet("mine", 64 * MIB)
    seconds = {1: 100 * US, 2: 100 * US / slower}
    jobs = [JudgedJob(FioAnswer(job, 99, seconds.get(job.depth, 100 * US * job.depth)), 0.0, "") for job in GRID]
    kind = [("fitted", "held out")[number % 2] for number in range(len(jobs))]
    made = [JudgedJob(each.answer, each.answer.seconds * (1 - apart if number else 1 + apart / 5), name)
            for number, (each, name) in enumerate(zip(jobs, kind, strict=True))]  # fmt: skip
    numbers = (SheetNumber("flash.read_us", "50.000123456789", FITTED, 48.0, 52.0),
               SheetNumber("flash.ways", "2", ASSUMED))  # fmt: skip
    return JudgedFlash(sheet, numbers, tuple(made))


def test_a_page_of_a_fit() -> None:
    lines = [*page(judged())]
    assert lines[:4] == ["mine: 67,108,864 bytes", "",
                         "job                              measured, us predicted, us  error, %",
                         "randread 4 KiB, 1 under way             100.0         101.0       1.0  fitted"]  # fmt: skip
    assert lines[4] == "randread 4 KiB, 2 under way             100.0          95.0      -5.0  held out"
    assert lines[27:] == [
        "", "fitted: 12 jobs, off by 4.7% on average, at most 5.0%",
        "held out: 12 jobs, off by 5.0% on average, at most 5.0%",
        "", "number                           value  source   the times also allow",
        "flash.read_us               50.0001234  fitted   48 to 52", "flash.ways                           2  assumed"]


FAR = "That is more than 10%: the fit does not describe this drive well."
SHARED = "Some requests were up to 4% faster with more under way: did others use the drive?"


@pytest.mark.parametrize(("apart", "slower", "warned"), [
    (0.099, 1.0, []), (0.101, 1.0, [FAR]), (0.0, 1.029, []), (0.0, 1.04, [SHARED]),
])  # fmt: skip
def test_what_is_strange_about_a_fit_is_said(apart: float, slower: float, warned: list[str]) -> None:
    found = judged(apart, slower)
    assert [line for line in page(found) if line.endswith(("well.", "drive?"))] == warned
    assert found.contradiction() == pytest.approx(slower - 1.0)
    assert abs(found.worst(HELD).error) == pytest.approx(apart)
    assert found.mean(HELD) == pytest.approx(apart)


def test_a_drive_file_of_flash_has_its_numbers_in_their_units() -> None:
    found = judged()
    said = sheet_sections(found.sheet, found.numbers)
    assert list(said) == ["name", "sector_bytes", "capacity_sectors", "flash", "front", "sources"]
    assert (said["name"], said["sector_bytes"], said["capacity_sectors"]) == ("mine", 512, 131_072)
    nand = found.sheet.nand
    assert said["flash"] == {"channels": 2, "ways": 2, "planes": 2, "blocks": nand.blocks, "pages": 256,
                             "page_bytes": 16384, "read_us": 50, "program_us": 700, "erase_us": 3000, "bus_mb_s": 512}
    assert said["front"] == {"kind": "NVMe", "rate_mb_s": 400, "command_us": 10, "write_rate_mb_s": 400,
                             "write_command_us": 10, "queues": 4, "entries": 128}  # fmt: skip
    assert list(said["sources"]) == ["flash.read_us", "flash.ways"]


@pytest.mark.parametrize("wrote", [True, False])
def test_a_drive_is_fitted_to_some_jobs_and_judged_by_all(wrote: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request takes 0.1 ms, and as many times that as are under way by the fit."""
    answers = [FioAnswer(job, 100, 1e-4) for job in (*GRID, *IN_SEQUENCE, *WRITE_JOBS)]
    best, seen, writes = fit_of(TRUTH, 0.01), list[Any](), WriteFit(WriteKnobs(2e-5, 3e8, 6e-4), (0.1, 0.1, 0.1))
    monkeypatch.setattr(judging, "fit_reads", lambda fitted: seen.append(fitted) or [best])
    monkeypatch.setattr(judging, "fit_writes", lambda *given: seen.append(given) or (writes if wrote else None))
    monkeypatch.setattr(judging, "seconds_of", lambda job, sheet: seen.append(sheet) or 1e-4 * job.depth)
    found = judging.judge(MeasuredFlash("mine", 64 * MIB, [], answers))
    fitted, asked, *sheets = seen
    assert [each.job for each in fitted] == [job for job in GRID if is_fitted(job)]
    assert asked == (best.knobs, {each.job: each for each in answers})
    assert found.sheet == best.knobs.sheet("mine as measured", 64 * MIB, writes.knobs if wrote else None)
    assert {sheet == found.sheet for sheet in sheets} == {True}
    assert [(each.answer, each.predicted) for each in found.jobs] == [(one, 1e-4 * one.job.depth) for one in answers]
    kinds = {each.answer.job: each.kind for each in found.jobs}
    assert [kinds[job] for job in (GRID[0], GRID[1], IN_SEQUENCE[0], WRITE_JOBS[0], WRITE_JOBS[3])] == [
        "fitted", "held out", "in sequence", "fitted", "held out"]  # fmt: skip
    assert [each.name for each in found.numbers] == [*NAMES, "front.queues", "flash.channels", "flash.ways",
        "flash.planes x page_bytes", "front.write_command_us", "front.write_rate_mb_s", "flash.program_us"]  # fmt: skip
    assert found.numbers[-1].source == (FITTED if wrote else ASSUMED)
    assert (found.worst("in sequence").error, found.mean("in sequence")) == pytest.approx((7.0, 3.5))


def test_numbers_in_a_file_have_six_digits_behind_the_point() -> None:
    sheet = FlashKnobs(10.12345678 * US, 50.12345678 * US, 8 * US, 400.12345678e6, 1, 2, 2, 4).sheet("mine", 64 * MIB)
    said = sheet_sections(sheet, ())
    assert (said["flash"]["read_us"], said["front"]["command_us"], said["front"]["rate_mb_s"]) == (
        50.123457, 10.123457, 400.123457)  # fmt: skip
    assert (said["front"]["write_command_us"], said["front"]["write_rate_mb_s"]) == (10.123457, 400.123457)
