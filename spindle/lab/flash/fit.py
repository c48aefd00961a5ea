"""Fit of a flash drive to fio's times: its numbers for reads, then for writes, each with its confidence interval.

A kind is the counts of a drive: queues, channels, ways, stripe; these are chosen and have no interval. For reads a
formula ranks the kinds, simulation corrects each in turn, and the best is kept.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, exp, inf, log

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from spindle.lab.fit.confidence import ASSUMED, FITTED, SheetNumber
from spindle.lab.flash.bench import FITTED_WRITES, WRITES, FioAnswer, FioJob, seconds_of
from spindle.sim.disc.flash.sheet import MAX_UNITS_OF_BLOCK, FlashType, Front, Nand, nvme, sata
from spindle.sim.units import KIB, MIB, MS, US

# Parameters of a flash fit: the numbers of a sheet on which the times of reads depend, and the sheet made of them.

UNIT = 4 * KIB
PAGES_OF_BLOCK = 256
LARGEST_PAGE = 16 * KIB
SPARE_FACTOR = 1.07
"""Bytes of flash for each byte of capacity, as is usual."""
SPARE_BLOCKS = 6
MAX_BLOCKS = 1 << 20
QUEUE_ENTRIES = 128


@dataclass(frozen=True)
class FlashKnobs:
    """The controller takes *command* seconds, for *queues* commands at a time; a page is sensed in *read* seconds.

    *unit* is the seconds of a unit on one of the *channels*, each with *ways* dies; *stripe* units of the host lie
    together on one die; *rate* is bytes a second of the link.
    """

    command: float
    read: float
    unit: float
    rate: float
    queues: int
    channels: int
    ways: int
    stripe: int

    @property
    def dies(self) -> int:
        return self.channels * self.ways

    def sheet(self, name: str, capacity: int, writes: "WriteKnobs | None" = None) -> FlashType:
        """Build the sheet; what reads do not determine is as usual: the planes and pages of a stripe, and the spare."""
        page = min(self.stripe * UNIT, LARGEST_PAGE)
        planes = self.stripe * UNIT // page
        writes = writes or WriteKnobs(self.command, self.rate)
        pages = _pages(capacity, self.stripe)
        block = planes * pages * page
        row = self.dies * block
        blocks = max(ceil(capacity * SPARE_FACTOR / row), ceil(capacity / row) + SPARE_BLOCKS)
        nand = Nand(self.channels, self.ways, planes, blocks, pages, page, self.read, writes.program, 3 * MS,
                    UNIT / self.unit)  # fmt: skip
        return FlashType(name, nand, self._front(writes), capacity // UNIT * UNIT)

    def _front(self, writes: "WriteKnobs") -> Front:
        write = writes.rate, writes.command
        if self.queues == 1:
            return sata(self.rate, self.command, write)
        return nvme(self.rate, self.command, self.queues, QUEUE_ENTRIES, write)


def _pages(capacity: int, stripe: int) -> int:
    """Return the pages of a block; more than usual if there would be more blocks than a simulation should have."""
    pages = PAGES_OF_BLOCK
    while capacity > MAX_BLOCKS * pages * stripe * UNIT and 2 * pages * stripe <= MAX_UNITS_OF_BLOCK:
        pages *= 2
    return pages


@dataclass(frozen=True)
class WriteKnobs:
    """The controller takes *command* seconds for a write, the link *rate* bytes a second, and a stripe *program*."""

    command: float
    rate: float
    program: float = 700 * US


# A formula for the time of requests, with which a fit begins; the simulation corrects it.
#
# With one request under way, and where one part is busy all the time, the formula is what the model gives; in between
# it is an approximate mean value analysis (Schweitzer's), which is mostly within a few percent of it.

Numbers = NDArray[np.float64]
ESTIMATE_TURNS = 14
IN_STEP_SHARE = 0.1
"""The share of the wait for a part that all requests pass in turn: they come to it in step."""
MAX_BUSY = 0.999


def estimate(knobs: Numbers, sizes: Numbers, depths: Numbers) -> Numbers:
    """Estimate seconds, a column for each job of *sizes* and *depths*; *knobs* are rows of FlashKnobs' fields in order.
    """
    command, read, unit, rate, queues, channels, ways, stripe = (each[:, None] for each in np.atleast_2d(knobs).T)
    units = sizes / UNIT
    stripes, together = np.maximum(1.0, units / stripe), np.minimum(units, stripe)
    dies = channels * ways
    on_die = read + together * unit
    link, bus, die = sizes / rate, units * unit / channels, stripes * on_die / dies
    alone = command + np.maximum(np.maximum(1.0, stripes / dies) * on_die, bus) + link
    parts = [(command / queues, command / queues, IN_STEP_SHARE), (link, link, IN_STEP_SHARE),
             (bus, np.maximum(together * unit, bus), 1.0), (die, np.maximum(on_die, die), 1.0)]  # fmt: skip
    least = np.maximum(alone, depths * np.maximum.reduce([np.broadcast_to(each[0], die.shape) for each in parts]))
    others = 1.0 - 1.0 / depths
    waits = [(demand * (depths - 1.0), share * service) for demand, service, share in parts]
    seconds = alone
    for _ in range(ESTIMATE_TURNS):
        waited = np.zeros_like(die)
        for demand, wait in waits:
            busy = np.minimum(demand / seconds, MAX_BUSY)
            waited += wait * busy / 2.0 / (1.0 - busy * others)
        seconds = 0.5 * (seconds + np.maximum(alone + waited, least))
    result: Numbers = seconds
    return result


# Confidence intervals of the numbers found, from the dependence of the times on them.

MIN_OFF = 0.005
"""The least error of a fit to measured times."""
STANDARD_ERRORS = 2.0
MAX_LOG_ERROR = log(1e3)
NO_SLOPE = 1e-9
"""Keeps a number on which no time depends from having an infinite error."""


def standard_errors(slope: Numbers, off: float) -> Numbers:
    """Return two standard errors of each logarithm; *slope* has a row for each job, and times are *off* by a share.

    The counts of the kind were chosen as well, as many as the numbers: fewer degrees of freedom.
    """
    jobs, numbers = slope.shape
    widening = np.sqrt(jobs / max(1, jobs - 2 * numbers))
    spread = np.linalg.pinv(slope.T @ slope + NO_SLOPE * np.eye(numbers))
    wide: Numbers = STANDARD_ERRORS * widening * max(off, MIN_OFF) * np.sqrt(np.maximum(np.diag(spread), 0.0))
    return np.minimum(wide, MAX_LOG_ERROR)


# The kinds of flash that the formula finds likely: every kind is tried, with the numbers that suit it best.

LOW = np.log([0.3 * US, 1 * US, UNIT / 10e9, 0.5e6])
HIGH = np.log([20e3 * US, 50e3 * US, UNIT / 0.5e6, 30e9])
"""Bounds of the logarithms of command, read, unit and rate."""
FIRST_SHARES = np.array([0.15, 0.6, 0.15, 1.0])
"""Numbers to begin with: shares of the shortest time for command, read and unit, and of the largest rate seen."""
KINDS = np.array(list(product((1, 2, 4, 8, 16), (1, 2, 4, 8, 16, 32), (1, 2, 4, 8, 16, 32), (1, 2, 4, 8, 16))), float)
"""Kinds tried: queues, channels, ways and stripe."""
USUAL_KIND = np.array([1.0, 8.0, 4.0, 4.0])
USUAL_PULL = 0.5
"""Pull of undetermined numbers towards the usual: a factor of e costs as much as a time off by 0.7 of its error."""
STARTS = np.array([(0.15, 0.8, 0.1, 1.0), (0.5, 0.4, 0.1, 1.0), (0.15, 0.6, 0.2, 4.0)])
"""Shares, as FIRST_SHARES, of the numbers to begin at."""
ROUNDS = ((5, 600), (6, 200), (14, 120))
"""Steps, each with the number of kinds that are kept after it."""
LOG_STEP, FIRST_DAMPING = 1e-4, 1e-2


class ReadTimes:
    """Measured times of random reads, with a relative *error* each, and the formula's distance from them."""

    def __init__(self, answers: Sequence[FioAnswer], error: float) -> None:
        self.pull = USUAL_PULL * error * error
        self.jobs = [each.job for each in answers]
        self.measured: Numbers = np.log([each.seconds for each in answers])
        self.largest_rate = max(each.rate for each in answers)
        shortest = min(each.seconds for each in answers)
        self._scale = np.array([shortest, shortest, shortest, self.largest_rate])
        self.usual = self.numbers(FIRST_SHARES)
        self._sizes = np.array([float(each.size) for each in self.jobs])
        self._depths = np.array([float(each.depth) for each in self.jobs])

    def log_ratios(self, numbers: Numbers, kinds: Numbers) -> Numbers:
        """Return logarithms of the formula's times over the measured ones, a row for each row of *numbers* and *kinds*.
        """
        rows = np.hstack([np.exp(np.atleast_2d(numbers)), np.atleast_2d(kinds)])
        apart: Numbers = np.log(estimate(rows, self._sizes, self._depths)) - self.measured
        return apart

    def numbers(self, shares: Numbers) -> Numbers:
        """Return the logarithms of the numbers that are *shares* of the shortest time, and of the largest rate."""
        logs: Numbers = np.log(shares * self._scale)
        return logs

    def unusual_cost(self, numbers: Numbers, kinds: Numbers) -> Numbers:
        """Return the cost of numbers and kinds that are unusual."""
        apart: Numbers = ((numbers - self.usual) ** 2).sum(axis=-1) + (np.log(kinds / USUAL_KIND) ** 2).sum(axis=-1)
        return self.pull * apart


def rank_kinds(times: ReadTimes) -> list[tuple[Numbers, Numbers]]:
    """Return the likeliest numbers and kinds, each kind once, the likeliest first."""
    kinds = np.repeat(KINDS, len(STARTS), axis=0)
    numbers = np.clip(np.tile(times.numbers(STARTS), (len(KINDS), 1)), LOW, HIGH)
    damped = np.full(len(kinds), FIRST_DAMPING)
    for steps, left in ROUNDS:
        for _ in range(steps):
            numbers, damped = _step(times, numbers, kinds, damped)
        best = np.argsort(_cost(times, numbers, kinds), kind="stable")[:left]
        numbers, kinds, damped = numbers[best], kinds[best], damped[best]
    _, first = np.unique(kinds, axis=0, return_index=True)
    return [(numbers[each], kinds[each]) for each in sorted(first)]


def _cost(times: ReadTimes, numbers: Numbers, kinds: Numbers) -> Numbers:
    cost: Numbers = (times.log_ratios(numbers, kinds) ** 2).sum(axis=1) + times.unusual_cost(numbers, kinds)
    return cost


def _step(times: ReadTimes, numbers: Numbers, kinds: Numbers, damped: Numbers) -> tuple[Numbers, Numbers]:
    """Make one step of Levenberg and Marquardt for each row, where it lowers the cost."""
    here = times.log_ratios(numbers, kinds)
    slope = np.stack([(times.log_ratios(numbers + LOG_STEP * one, kinds) - here) / LOG_STEP
                      for one in np.eye(len(LOW))], axis=2)  # fmt: skip
    hessian = np.einsum("pji,pjk->pik", slope, slope) + (times.pull + damped)[:, None, None] * np.eye(len(LOW))
    gradient = np.einsum("pji,pj->pi", slope, here) + times.pull * (numbers - times.usual)
    candidate = np.clip(numbers - np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0], LOW, HIGH)
    before = (here**2).sum(axis=1) + times.unusual_cost(numbers, kinds)
    better = _cost(times, candidate, kinds) < before
    return np.where(better[:, None], candidate, numbers), np.where(better, damped / 4.0, damped * 6.0)


TRIED = ((1, 16, 0.15), (3, 3, 0.5))
"""Turns, the number of best kinds in each, and the share of the usual number of requests."""
FIO_ERROR, NOISY_ERRORS = 0.01, 2.0
"""Relative error of a time that fio reports for an idle drive; if a fit is off by NOISY_ERRORS of it, that is used."""
DIE_BYTES = 8 * MIB
"""Flash of a die during the fit: the place of requests does not depend on it."""
SETTLED_CORRECTION = 0.002


@dataclass(frozen=True)
class FlashFit:
    """The *knobs*, the root mean square of the logarithms by which their simulation is *off*, and what that costs.

    The formula, times a *correction* of each job, is the simulation there.
    """

    knobs: FlashKnobs
    numbers: Numbers
    kind: Numbers
    off: float
    cost: float
    correction: Numbers


def fit_reads(answers: Sequence[FioAnswer]) -> list[FlashFit]:
    """Fit the knobs whose simulation is nearest to *answers*, of random reads; behind them those of other kinds."""
    fits = _fits(ReadTimes(answers, FIO_ERROR))
    return fits if fits[0].off <= NOISY_ERRORS * FIO_ERROR else _fits(ReadTimes(answers, fits[0].off))


def _fits(times: ReadTimes) -> list[FlashFit]:
    none = np.zeros(len(times.jobs))
    fits = [FlashFit(knobs_of(*each), *each, inf, inf, none) for each in rank_kinds(times)]
    for turns, tried, share in TRIED:
        better = sorted((_fit_kind(times, fit, turns, share) for fit in fits[:tried]), key=lambda each: each.cost)
        fits = [*better, *fits[tried:]]
    simulated = [fit for fit in fits if fit.off < inf]
    others = [_estimate_kind(times, fit, simulated[0].correction) for fit in fits if fit.off == inf]
    return simulated + others


def _estimate_kind(times: ReadTimes, fit: FlashFit, correction: Numbers) -> FlashFit:
    """Estimate a kind that was not simulated by the formula, with the error of the best kind."""
    numbers = _minimise(times, fit.numbers, fit.kind, correction)
    apart = times.log_ratios(numbers, fit.kind)[0] + correction
    return replace(fit, knobs=knobs_of(numbers, fit.kind), numbers=numbers, off=float(np.sqrt(np.mean(apart**2))))


def _fit_kind(times: ReadTimes, start: FlashFit, turns: int, share: float) -> FlashFit:
    """Fit one kind from *start*: minimise the formula, corrected by the simulation in each turn."""
    numbers, kind, correction = start.numbers, start.kind, start.correction
    best = replace(start, cost=inf)
    for _ in range(turns):
        numbers = _minimise(times, numbers, kind, correction)
        knobs = knobs_of(numbers, kind)
        apart = _simulate(times, knobs, share) - times.measured
        before, correction = correction, apart - times.log_ratios(numbers, kind)[0]
        cost = float((apart**2).sum() + times.unusual_cost(numbers, kind))
        if cost < best.cost:
            best = FlashFit(knobs, numbers, kind, float(np.sqrt(np.mean(apart**2))), cost, correction)
        if np.abs(correction - before).max() < SETTLED_CORRECTION:
            break
    return best


def _minimise(times: ReadTimes, start: Numbers, kind: Numbers, correction: Numbers) -> Numbers:
    """Fit the numbers of *kind* to the corrected formula; unusual ones cost where times say nothing."""

    def residuals(numbers: Numbers) -> Numbers:
        unusual_cost: Numbers = np.sqrt(times.pull) * (numbers - times.usual)
        return np.concatenate([times.log_ratios(numbers, kind)[0] + correction, unusual_cost])

    best: Numbers = least_squares(residuals, np.clip(start, LOW, HIGH), bounds=(LOW, HIGH), x_scale=0.1).x
    return best


def _simulate(times: ReadTimes, knobs: FlashKnobs, share: float) -> Numbers:
    sheet = knobs.sheet("flash", DIE_BYTES * knobs.dies)
    seconds: Numbers = np.log([seconds_of(job, sheet, share) for job in times.jobs])
    return seconds


def knobs_of(numbers: Numbers, kind: Numbers) -> FlashKnobs:
    """Build the knobs from logarithms of numbers, and a kind."""
    command, read, unit, rate = (float(each) for each in np.exp(numbers))
    queues, channels, ways, stripe = (int(each) for each in kind)
    return FlashKnobs(command, read, unit, rate, queues, channels, ways, stripe)


# The numbers of a sheet for writes, fitted to three jobs after reads have determined all others.

USUAL_PROGRAM = WriteKnobs(0.0, 1.0).program
WRITE_LOW = np.log([0.3 * US, 1e6, 1 * US])
WRITE_HIGH = np.log([5e3 * US, 30e9, 100e3 * US])
"""Bounds of the logarithms of command, rate and program."""
WRITE_PULL = 0.01
"""Pull of an undetermined number towards the first estimate."""
WRITE_REQUEST_SHARE = 0.5
WRITE_STEP = 0.02
EVALUATIONS = 12


@dataclass(frozen=True)
class WriteFit:
    """The *knobs*, and how *wide* the logarithm of each is: two standard errors to each side."""

    knobs: WriteKnobs
    wide: tuple[float, ...]


def fit_writes(knobs: FlashKnobs, answers: Mapping[FioJob, FioAnswer]) -> WriteFit | None:
    """Fit the numbers of writes; None where *answers* lack one of the three jobs that it takes."""
    jobs = WRITES[:FITTED_WRITES]
    if any(job not in answers for job in jobs):
        return None
    measured = np.log([answers[job].seconds for job in jobs])
    first = np.log(_start(knobs, answers))

    def residuals(numbers: Numbers) -> Numbers:
        sheet = knobs.sheet("flash", DIE_BYTES * knobs.dies, WriteKnobs(*np.exp(numbers).tolist()))
        simulated = np.log([seconds_of(job, sheet, WRITE_REQUEST_SHARE) for job in jobs])
        apart: Numbers = np.concatenate([simulated - measured, WRITE_PULL * (numbers - first)])
        return apart

    best = least_squares(residuals, np.clip(first, WRITE_LOW, WRITE_HIGH), bounds=(WRITE_LOW, WRITE_HIGH),
                         diff_step=WRITE_STEP,
                          max_nfev=EVALUATIONS)  # fmt: skip
    wide = standard_errors(best.jac[: len(jobs)], float(np.sqrt(np.mean(best.fun[: len(jobs)] ** 2))))
    return WriteFit(WriteKnobs(*np.exp(best.x).tolist()), tuple(wide.tolist()))


def _start(knobs: FlashKnobs, answers: Mapping[FioJob, FioAnswer]) -> tuple[float, float, float]:
    """Estimate command, rate and program: one write takes command and link; many wait for controller, link or flash."""
    sequence, alone, many = (answers[job] for job in WRITES[:FITTED_WRITES])
    rate = sequence.rate
    command = max(0.3 * US, alone.seconds - UNIT / rate)
    each = many.seconds / many.job.depth
    units = knobs.dies * knobs.stripe
    held_up = each > 1.1 * max(command / knobs.queues, UNIT / rate)
    program = each * units if held_up else min(USUAL_PROGRAM, 0.5 * units * UNIT / rate)
    return command, rate, program


# The numbers of a sheet that the times of reads determine, and those that they leave open.

AS_GOOD_OFF = 0.005
"""A kind is as good as the best if it is off by no more than this share of a time beyond it."""
MAX_FACTOR = 2.0
"""A number whose error reaches this factor is not determined."""
NUMBER_NAMES = ("front.command_us", "flash.read_us", "flash.bus_mb_s", "front.rate_mb_s")
A_BYTE = "_mb_s"
"""End of the names of rates, which are what a byte takes."""
COUNT_NAMES = ("front.queues", "flash.channels", "flash.ways", "flash.planes x page_bytes")


def determined_numbers(fits: Sequence[FlashFit], answers: Sequence[FioAnswer]) -> Iterator[SheetNumber]:
    """Yield the numbers of the first of *fits*, with the values of other fits that are as good.

    Requests of one size do not tell what takes a byte from what takes a request: rates are then assumed, and bounded by
    the largest that was seen.
    """
    times, best = ReadTimes(answers, fits[0].off), fits[0]
    one_size = len({answer.job.size for answer in answers}) == 1
    good = [fit for fit in fits if fit.off <= best.off + AS_GOOD_OFF]
    ranges = np.array([[fit.numbers - wide, fit.numbers + wide] for fit in good for wide in [_wide(times, fit)]])
    lows, highs = np.clip(ranges[:, 0].min(axis=0), LOW, HIGH), np.clip(ranges[:, 1].max(axis=0), LOW, HIGH)
    seen = log(times.largest_rate) - STANDARD_ERRORS * max(best.off, MIN_OFF)
    lows[-1] = max(lows[-1], min(seen, best.numbers[-1]))  # the link has been as fast as that
    for at, name in enumerate(NUMBER_NAMES):
        low, high = sorted(in_sheet_unit(name, float(np.exp(end))) for end in (lows[at], highs[at]))
        most = max(in_sheet_unit(name, float(np.exp(end))) for end in (LOW[at], HIGH[at]))
        source = FITTED if highs[at] - lows[at] <= 2.0 * log(MAX_FACTOR) else ASSUMED
        if name.endswith(A_BYTE) and one_size:
            least = in_sheet_unit(name, float(np.exp(min(seen, best.numbers[-1]))))
            source, (low, high) = ASSUMED, (least, inf) if name == NUMBER_NAMES[-1] else (inf, -inf)
        value = f"{in_sheet_unit(name, float(np.exp(best.numbers[at]))):.5g}"
        yield SheetNumber(name, value, source, low, high if high < most else inf)
    for at, name in enumerate(COUNT_NAMES):
        values = sorted({_count(name, fit.knobs, at) for fit in good} - {_count(name, best.knobs, at)})
        source = FITTED if not values else ASSUMED
        yield SheetNumber(name, str(_count(name, best.knobs, at)), source, others=tuple(map(str, values)))


def in_sheet_unit(name: str, number: float) -> float:
    """Return *number* of the fit in the unit of the sheet's *name*."""
    if name.endswith("_us"):
        return number / US
    return (UNIT / number if name == "flash.bus_mb_s" else number) / 1e6


def _count(name: str, knobs: FlashKnobs, at: int) -> int:
    counts = knobs.queues, knobs.channels, knobs.ways, knobs.stripe * UNIT
    return counts[at]


def _wide(times: ReadTimes, fit: FlashFit) -> Numbers:
    here = times.log_ratios(fit.numbers, fit.kind)[0]
    slopes = [(times.log_ratios(fit.numbers + LOG_STEP * one, fit.kind)[0] - here) / LOG_STEP
              for one in np.eye(len(NUMBER_NAMES))]  # fmt: skip
    return standard_errors(np.stack(slopes, axis=1), fit.off)


def write_numbers(sheet: FlashType, fit: WriteFit | None) -> Iterator[SheetNumber]:
    """Yield the numbers of *sheet* that only writes determine, which may not have been measured.

    Writes show only the slower of the link and the flash: the rate measured is a lower bound of both.
    """
    front, nand = sheet.front, sheet.nand
    command, _, program = fit.wide if fit else (inf, inf, inf)
    yield _number_text("front.write_command_us", front.write_command / US, command)
    rate, least = front.write_rate / 1e6, front.write_rate / 1e6 if fit else inf
    yield SheetNumber("front.write_rate_mb_s", f"{rate:.5g}", ASSUMED, least, inf if fit else -inf)
    yield _number_text("flash.program_us", nand.program / US, program)


def _number_text(name: str, number: float, wide: float) -> SheetNumber:
    if wide <= log(MAX_FACTOR):
        return SheetNumber(name, f"{number:.5g}", FITTED, number / exp(wide), number * exp(wide))
    return SheetNumber(name, f"{number:.5g}", ASSUMED)
