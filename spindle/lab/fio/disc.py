"""A disc with a queue and a write cache, fitted to fio's points of reads and writes of one size.

At depth 1 the distribution of reads determines the speed and the seeks; at larger depths throughput and percentiles
determine the firmware's planning; writes determine the size of the cache.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log
from statistics import fmean

import numpy as np
import simpy
from scipy.optimize import minimize

from spindle.lab.fio.load import NR_REQUESTS, TAGS, FioLoad, HostDelay, LoadAnswer, answer_load
from spindle.lab.fio.points import FioPoint
from spindle.lab.fit.confidence import ASSUMED, FITTED, ToldNumber
from spindle.lab.flash.fit import Numbers
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.scheduling import CLook
from spindle.sim.disc.seek import TableSeek
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.request import READ, WRITE, BlockDevice
from spindle.sim.units import MS

SPEEDS = (5400.0, 5900.0, 7200.0, 10_000.0, 15_000.0)
"""That discs turn at, a minute."""
CYLINDERS, HEADS, SECTOR = 30_000, 8, 512
OVERHEAD = 0.3 * MS
AS_NEAR = 0.02**2
"""Two percent, squared."""
LATENCIES = (0.0, 0.75 * MS, 1.5 * MS, 2.25 * MS, 3 * MS)
SHORTEST = 0.3 * MS
"""Of seeks: no arm settles sooner."""
SPEEDS_TRIED = 2
"""Of each latency."""
KNOTS = 40
DRAWS = 4000
QUANTILES = {0.50: 1.0, 0.95: 1.0, 0.99: 0.5}
"""Weights, beside that of the mean, which is 2."""


@dataclass(frozen=True)
class DiscKnobs:
    """Knobs of a disc: a seek over a share s of the span takes *least* + *slope* sqrt(s) seconds; *ahead* requests are
    planned.

    The next is chosen with *ageing*, or by seeks alone if that is negative; requests without a tag come in C-LOOK order
    if the host *sweeps*. A cache holds *writes*; 0 is none. For *latency* seconds of a request no arm is busy.
    """

    rpm: float
    least: float
    slope: float
    ahead: int = 1
    ageing: float = 0.0
    sweeps: bool = True
    writes: int = 0
    latency: float = 0.0

    def disc(self, name: str, capacity: int, span: int) -> DiscType:
        sectors = max(1, -(-capacity // (CYLINDERS * HEADS * SECTOR)))
        reached = max(2, min(CYLINDERS, round(CYLINDERS * span / capacity)) - 1)
        shares = np.unique(np.round(np.linspace(0.0, 1.0, KNOTS) ** 2 * reached)).astype(int)
        points = [(int(each), self.least + self.slope * float(np.sqrt(each / reached))) for each in shares if each > 0]
        return DiscType(name, uniform(CYLINDERS, HEADS, sectors, SECTOR), self.rpm, TableSeek(((0, 0.0), *points)),
                        overhead=OVERHEAD)  # fmt: skip

    @property
    def queue(self) -> DriveQueue:
        return DriveQueue(TAGS, self.ahead, self.ageing if self.ageing >= 0.0 else None, self.writes)

    def device(self, env: simpy.Environment, disc: DiscType, name: str = "drive") -> Drive | WriteCache:
        drive = Drive(env, disc, self.queue.scheduler(CLook() if self.sweeps else Fcfs()), name)
        return WriteCache(drive, self.writes, OVERHEAD) if self.writes else drive


# Alone: speed and seeks.

def fit_depth_1(points: Sequence[FioPoint]) -> list[DiscKnobs]:
    """Return for each latency the speeds and seeks for which one read at a time is nearest to *points*.

    Depth 1 does not tell them apart; larger depths do.
    """
    point = min((each for each in points if each.op is READ), key=lambda each: each.level)
    kinds = []
    for latency in LATENCIES:
        found = sorted((_seeks(point, rpm, latency) for rpm in SPEEDS), key=lambda each: each[0])
        kinds += [knobs for off, knobs in found[:SPEEDS_TRIED] if off <= max(AS_NEAR, 4.0 * found[0][0])]
    return kinds


def _seeks(point: FioPoint, rpm: float, latency: float) -> tuple[float, DiscKnobs]:
    random = np.random.default_rng(1)
    far, angle = np.abs(random.random(DRAWS) - random.random(DRAWS)), random.random(DRAWS)

    def distance_of(numbers: Numbers) -> float:
        least, slope = np.exp(numbers) + np.array([SHORTEST, 0.0])
        times = latency + OVERHEAD + least + slope * np.sqrt(far) + angle * 60.0 / rpm
        squares = 2.0 * log(float(times.mean()) / (point.level / point.iops)) ** 2
        return squares + sum(weight * log(float(np.quantile(times, share)) / point.quantiles[share]) ** 2
                             for share, weight in QUANTILES.items() if point.quantiles.get(share))  # fmt: skip

    best = minimize(distance_of, np.log([1 * MS, 8 * MS]), method="Nelder-Mead", options={"maxfev": 120})
    least, slope = (float(each) for each in np.exp(best.x) + np.array([SHORTEST, 0.0]))
    return float(best.fun), DiscKnobs(rpm, least, slope, latency=latency)


# With several under way: the plan, the choice, the host's order, and the write cache.

AHEAD = (1, 2, 3, 4, 5, 6, 8)
AGEING = (-1.0, 0.0, 0.006, 0.02, 0.05, 0.15)
WRITES = (0, 8, 16, 32, 64, 128)
REQUESTS = 600
ROUNDS = 2


def taken_at_once(drives: int) -> int:
    """Requests that the block layer or the tags of an array's *drives* take; others wait outside."""
    return max(NR_REQUESTS, TAGS * drives)


Off = Callable[[DiscKnobs, Sequence[FioPoint]], float]
Builds = Callable[[DiscKnobs, simpy.Environment], BlockDevice]


def with_queue(
    kinds: Sequence[DiscKnobs], points: Sequence[FioPoint], builds: Builds, span: int, drives: int = 1
) -> DiscKnobs:
    """The best of *kinds* with the best plan for reads, and the best cache for writes: one choice after another."""
    knobs, off = kinds[0], partial(_distance, builds=builds, span=span, drives=drives)
    reads, writes = ([each for each in points if each.op is op] for op in (READ, WRITE))
    within = [each for each in reads if each.level <= TAGS * min(2, drives)]
    if len(within) > 1:
        for _ in range(ROUNDS):
            before = knobs
            knobs = _best([replace(each, ahead=knobs.ahead, ageing=knobs.ageing) for each in kinds], off, within)
            knobs = _best([replace(knobs, ahead=each) for each in AHEAD], off, within)
            knobs = _best([replace(knobs, ageing=each) for each in AGEING], off, within)
            if knobs == before:
                break
    if len(reads) > len(within):
        knobs = _best([replace(knobs, sweeps=each) for each in (True, False)], off, reads)
    if writes:
        knobs = _best([replace(knobs, writes=each) for each in WRITES], off, writes)
    return knobs


def _best(ways: Sequence[DiscKnobs], off: Off, points: Sequence[FioPoint]) -> DiscKnobs:
    return min(ways, key=lambda each: off(each, points)) if len(ways) > 1 else ways[0]


def _distance(knobs: DiscKnobs, points: Sequence[FioPoint], builds: Builds, span: int, drives: int) -> float:
    """Return the mean absolute logarithm of the ratios of throughput and, weighted, of percentiles."""
    off, known = [], dict[int, LoadAnswer]()
    for point in points:
        inside = min(point.level, taken_at_once(drives))
        if inside not in known:
            load = FioLoad(point.op, inside, point.size, span)
            known[inside] = answer_load(load, partial(builds, knobs), REQUESTS,
                                     HostDelay(taken_at_once(drives), knobs.latency))
        off.append(2.0 * abs(log(known[inside].iops / point.iops)))
        if point.level <= TAGS * drives:
            off += [0.5 * QUANTILES[share] * abs(log(known[inside].quantiles[share] / seconds))
                    for share, seconds in point.quantiles.items() if seconds > 0.0]  # fmt: skip
    return fmean(off)


def told_disc(knobs: DiscKnobs) -> Iterator[ToldNumber]:
    """The numbers of a disc that the points tell."""
    choice = f"sptf, ageing {knobs.ageing:g}" if knobs.ageing >= 0.0 else "sstf"
    yield ToldNumber("rpm", f"{knobs.rpm:g}", FITTED)
    yield ToldNumber("seek.least_ms", f"{knobs.least / MS:.4g}", FITTED)
    yield ToldNumber("seek.over_span_ms", f"{(knobs.least + knobs.slope) / MS:.4g}", FITTED)
    yield ToldNumber("queue.planned_ahead", str(knobs.ahead), FITTED)
    yield ToldNumber("queue.choice", choice, FITTED)
    yield ToldNumber("queue.tags", str(TAGS), ASSUMED)
    yield ToldNumber("host.scheduler", "c-look" if knobs.sweeps else "fcfs", FITTED)
    yield ToldNumber("host.latency_ms", f"{knobs.latency / MS:g}", FITTED)
    yield ToldNumber("queue.writes_cached", str(knobs.writes), FITTED)
    yield ToldNumber("overhead_ms", f"{OVERHEAD / MS:g}", ASSUMED)
    yield ToldNumber("layout", f"{CYLINDERS} x {HEADS}", ASSUMED)
