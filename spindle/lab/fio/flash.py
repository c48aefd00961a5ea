"""A sheet of flash fitted to fio's points of one size: reads, then writes; and the order of requests in the host."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from statistics import fmean, median

import numpy as np
from scipy.optimize import minimize

from spindle.lab.fio.load import (
    NR_REQUESTS,
    TAGS,
    FioLoad,
    HostDelay,
    HostOrder,
    LoadAnswer,
    answer_load,
    drive_points,
    host_share,
)
from spindle.lab.fio.points import FioPoint
from spindle.lab.fit.confidence import ASSUMED, FITTED, SheetNumber
from spindle.lab.flash.determined import determined_numbers
from spindle.lab.flash.fio_answer import FioAnswer
from spindle.lab.flash.fio_job import FioJob
from spindle.lab.flash.fit import DIE_BYTES, FlashFit, fit_reads, knobs_of
from spindle.lab.flash.formula import Numbers
from spindle.lab.flash.knobs import UNIT, WriteKnobs
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mq_deadline import MqDeadline
from spindle.sim.request import READ, WRITE
from spindle.sim.units import KIB, US

REQUESTS = 3000
"""Requests of a load during the fit."""
FLUSHES = (1, 16, 32, 64, 128, 256)
"""Units that a full buffer may give back together."""
CORRECTIONS = 2
"""Corrections of the program time by simulated throughput."""
FAST_FLASH = 20 * US
"""Program time of a stripe that delays no write, where the controller is the limit."""
FILLING = 8
"""Writes under way that keep a drive busy."""
MIN_BUFFER = 64
"""Units."""
WAKING = 1.02
"""A request alone that takes longer by this factor than at larger depths is slowed by something else."""


@dataclass(frozen=True)
class FlashFound:
    """The *sheet* that is nearest to the points, the source of each of its *numbers*, and *remarks* about them."""

    sheet: FlashType
    numbers: tuple[SheetNumber, ...]
    remarks: tuple[str, ...]


def fit_flash(name: str, capacity: int, points: Sequence[FioPoint]) -> FlashFound:
    """Find the sheet of flash that is nearest to *points*."""
    levels, remarks = _read_levels(points)
    fits = _refine(fit_reads(levels), [each for each in points if each.op is READ])
    writes = drive_points([each for each in points if each.op is WRITE])
    sheet = fits[0].knobs.sheet(name, capacity)
    if writes:
        sheet = _with_writes(fits[0], name, capacity, writes)
    sheet = replace(sheet, front=replace(sheet.front, tags=min(sheet.front.tags, TAGS)))
    return FlashFound(sheet, (*determined_numbers(fits, levels), *_write_numbers(sheet, bool(writes))), tuple(remarks))


def with_little_flash(sheet: FlashType, dies: int) -> FlashType:
    """Return the sheet with little flash, for simulations: the place of requests does not depend on the amount."""
    capacity = min(sheet.capacity, DIE_BYTES * dies)
    block = sheet.block_units * sheet.unit
    return replace(sheet, capacity=capacity, nand=replace(sheet.nand, blocks=2 * capacity // (dies * block) + 8))


def drive_answer(
    load: FioLoad, sheet: FlashType, requests: int = REQUESTS, order: HostOrder = HostOrder.FCFS
) -> LoadAnswer:
    """Return the answer of a drive whose host sends requests that have no tag in *order*."""
    less = with_little_flash(sheet, sheet.nand.dies)
    scheduler = MqDeadline if order is HostOrder.DEADLINE else Fcfs
    return answer_load(replace(load, span=less.capacity), lambda env: FlashDrive(env, less, scheduler()), requests,
                       HostDelay(turns=order is HostOrder.CFQ))  # fmt: skip


def host_order(sheet: FlashType, points: Sequence[FioPoint]) -> HostOrder:
    """The order whose throughput, median and p95 of reads that queue in the host are nearest; of a tie the simplest."""
    queued = [each for each in points if each.op is READ and TAGS < each.level <= NR_REQUESTS]
    return min(HostOrder, key=lambda order: _order_off(sheet, queued, order))


def _order_off(sheet: FlashType, queued: Sequence[FioPoint], order: HostOrder) -> float:
    off, known = 0.0, dict[FioLoad, LoadAnswer]()
    for each in queued:
        load = FioLoad(READ, each.level, each.size, 0, each.jobs if order is HostOrder.CFQ else 1)
        if load not in known:
            known[load] = drive_answer(load, sheet, order=order)
        off += abs(log(known[load].iops / each.iops))
        off += sum(abs(log(known[load].quantiles[share] / each.quantiles[share]))
                   for share in (0.50, 0.95) if each.quantiles.get(share))  # fmt: skip
    return off


ONE_SIZE = "all requests are of {:g} KiB: the sheet is fitted for these, and no rate of bytes is; spindle measure " \
           "--drive tries four sizes"  # fmt: skip


def _read_levels(points: Sequence[FioPoint]) -> tuple[list[FioAnswer], list[str]]:
    """Return the mean time at each depth that the drive sees, which is at most its tags; and remarks."""
    means: dict[int, list[float]] = {}
    size = points[0].size
    for each in drive_points([each for each in points if each.op is READ]):
        means.setdefault(min(each.level, TAGS), []).append(min(each.level, TAGS) / each.iops)
    alone, *others = sorted(means)
    remarks = [ONE_SIZE.format(size / KIB)]
    if others and fmean(means[alone]) > WAKING * fmean(means[others[0]]):
        remarks.append(f"{alone} under way took longer than {others[0]}: a drive that wakes up, or a host; not fitted")
        del means[alone]
    return [FioAnswer(FioJob(READ, size, level), 1 << 20, median(each)) for level, each in means.items()], remarks


# Percentiles tell apart kinds of flash with the same means: dies collide at random, a controller does not.

KINDS = 24
"""Kinds of flash that are simulated."""
NEAR_MEAN = 0.04
"""Kinds whose means are farther off than the best by more are not simulated."""
STEPS = 60
WEIGHTS = {0.50: 1.0, 0.95: 1.0, 0.99: 0.3}
"""Weights of percentiles; that of the throughput is 2."""


def _refine(fits: Sequence[FlashFit], points: Sequence[FioPoint]) -> list[FlashFit]:
    """Move the kind with the nearest percentiles to the front, with its numbers refined."""
    points = [each for each in points if each.level <= TAGS]
    if not any(each.quantiles for each in points):
        return list(fits)
    near = [fit for fit in fits if fit.off <= fits[0].off + NEAR_MEAN][:KINDS]
    best = min(near, key=lambda fit: _read_off(fit.numbers, fit.kind, points))
    turned = minimize(_read_off, best.numbers, args=(best.kind, points), method="Nelder-Mead",
                      options={"maxfev": STEPS, "initial_simplex": _simplex(best.numbers)}).x  # fmt: skip
    first = replace(best, numbers=turned, knobs=knobs_of(turned, best.kind))
    return [first, *(fit for fit in fits if fit is not best)]


def _simplex(numbers: Numbers) -> Numbers:
    corners: Numbers = np.vstack([numbers, numbers + 0.1 * np.eye(len(numbers))])
    return corners


def _read_off(numbers: Numbers, kind: Numbers, points: Sequence[FioPoint]) -> float:
    """The mean square of the logarithms by which throughput and percentiles of reads are off."""
    sheet = knobs_of(numbers, kind).sheet("flash", DIE_BYTES * int(kind[1] * kind[2]))
    submit = host_share(points).submit
    off = []
    for level in sorted({each.level for each in points}):
        answer = drive_answer(FioLoad(READ, level, points[0].size, 0), sheet)
        for point in points:
            if point.level == level:
                off.append(2.0 * log(answer.iops / point.iops) ** 2)
                off += [WEIGHTS[share] * log(max(1e-9, answer.quantiles[share] - submit) / seconds) ** 2
                        for share, seconds in point.quantiles.items() if seconds > 0.0]  # fmt: skip
    return fmean(off)


# Writes: the controller and the buffer hold them up, or the flash does.

def _with_writes(fit: FlashFit, name: str, capacity: int, points: Sequence[FioPoint]) -> FlashType:
    """The best of sheets where the controller, or the flash with a buffer of some kind, limits writes."""
    least, most = (pick(each.level for each in points) for pick in (min, max))
    fastest = median([each.iops for each in points if each.level >= min(FILLING, most)])
    alone = [each for each in points if each.level == least]
    command = min(each.quantiles.get(0.50, each.mean) + max(0.0, _submit(each)) for each in alone)
    handling = min(_handling(points, fastest), command)
    controller = _sheet(fit, name, capacity, command, min(1.0 / fastest, command), FAST_FLASH)
    tried = [controller]
    if handling < 0.9 / fastest:
        load = FioLoad(WRITE, TAGS // 2, points[0].size, 0)
        tried += [_slow_down(fit, name, capacity, (command, handling, fastest), flush, load) for flush in FLUSHES]
    return min(tried, key=lambda sheet: _distance(sheet, points))


def _submit(point: FioPoint) -> float:
    """Seconds that the mean has and the median has not, if they are the host's; a stall of the drive is longer."""
    apart = point.mean - point.quantiles.get(0.50, point.mean)
    return apart if apart < 0.5 * point.mean else 0.0


def _handling(points: Sequence[FioPoint], fastest: float) -> float:
    """Seconds of the controller for each write while the buffer has room: the median by how many are under way."""
    each = [point.quantiles[0.50] / point.level for point in points
            if 4 <= point.level <= TAGS and 0.50 in point.quantiles]  # fmt: skip
    return min(each, default=1.0 / fastest)


def _sheet(
    fit: FlashFit, name: str, capacity: int, command: float, handling: float, program: float, flush: int = 1
) -> FlashType:
    made = fit.knobs.sheet(name, capacity, WriteKnobs(command, fit.knobs.rate, program))
    front = replace(made.front, write_handling=handling, write_rate=10 * fit.knobs.rate)
    return replace(made, front=front, buffer=max(MIN_BUFFER, 2 * flush) * made.unit, flush=flush)


def _slow_down(
    fit: FlashFit, name: str, capacity: int, speeds: tuple[float, float, float], flush: int, load: FioLoad
) -> FlashType:
    """Build a sheet that lets *fastest* writes of *load* a second through."""
    command, handling, fastest = speeds
    program = fit.knobs.dies * fit.knobs.stripe / fastest / max(1.0, load.size / UNIT)
    for _ in range(CORRECTIONS):
        sheet = _sheet(fit, name, capacity, command, handling, program, flush)
        program *= min(2.0, drive_answer(load, sheet).iops / fastest)
    return _sheet(fit, name, capacity, command, handling, program, flush)


def _distance(sheet: FlashType, points: Sequence[FioPoint]) -> float:
    """Return the mean absolute logarithm of the ratios of throughput and percentiles, as seen by the drive."""
    off = []
    for level in sorted({min(each.level, NR_REQUESTS) for each in points}):
        answer = drive_answer(FioLoad(WRITE, level, points[0].size, 0), sheet)
        for point in points:
            if min(point.level, NR_REQUESTS) == level:
                off.append(abs(log(answer.iops / point.iops)))
                off += [0.5 * abs(log(answer.quantiles[share] / seconds)) for share, seconds in point.quantiles.items()
                        if seconds > 0.0 and point.level <= TAGS]  # fmt: skip
    return fmean(off)


def _write_numbers(sheet: FlashType, written: bool) -> Iterator[SheetNumber]:
    front, source = sheet.front, FITTED if written else ASSUMED
    yield SheetNumber("front.write_command_us", f"{front.write_command / US:.5g}", source)
    yield SheetNumber("front.write_handling_us", f"{(front.write_handling or 0.0) / US:.5g}", source)
    slow = sheet.nand.program > 2 * FAST_FLASH
    yield SheetNumber("flash.program_us", f"{sheet.nand.program / US:.5g}", source if slow else ASSUMED)
    yield SheetNumber("flush_units", str(sheet.flush), source if slow else ASSUMED)
