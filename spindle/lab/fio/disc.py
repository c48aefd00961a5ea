"""Fits a disc with a queue and a write cache to fio's results for reads and writes of one size.

At depth 1 the distribution of reads determines the speed and the seeks; at larger depths throughput and percentiles
determine how the firmware orders its queue; writes determine the size of the cache.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
import simpy
from scipy.optimize import minimize
from scipy.stats import t

from spindle.lab.fio.basis import resting_on
from spindle.lab.fio.load import NR_REQUESTS, TAGS, FioLoad, HostDelay, LoadAnswer, answer_load
from spindle.lab.fio.points import FioPoint
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.lab.flash.formula import Numbers
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.mq_deadline import MqDeadline
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.seek import TableSeek
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.request import READ, WRITE, BlockDevice
from spindle.sim.units import MS

SPEEDS = (7200.0, 5400.0, 5900.0, 10_000.0, 15_000.0)
"""Revolutions a minute to try; the first is the usual one, and assumed where the points do not determine it."""
CYLINDERS, HEADS, SECTOR_BYTES = 30_000, 8, 512
"""The layout that is assumed of every disc: cylinders, heads, and bytes of a sector."""
OVERHEAD = 0.3 * MS
"""Seconds of a command, assumed of every disc."""
NEAR_SQUARE = 0.02**2
"""Mean square error up to which a speed is near enough: two percent, squared."""
LATENCIES = (0.0, 0.75 * MS, 1.5 * MS, 2.25 * MS, 3 * MS)
"""Seconds of a request in which no arm is busy, to try."""
CHANCE_ERRORS = partial(t.ppf, 0.95)
"""Standard errors by which a mean exceeds 0 by chance once in twenty times, from its degrees of freedom."""
SHORTEST_SEEK = 0.3 * MS
"""The shortest seek in seconds: no arm settles sooner."""
SEEK_POINTS = 40
DRAWN_READS = 4000
QUANTILE_WEIGHTS = {0.50: 1.0, 0.95: 1.0, 0.99: 0.5}
"""Weights of percentiles in the distance of a fit; the weight of the mean is 2."""


class KnownBitmap(NamedTuple):
    """The write-intent bitmap of an array, which marks regions of *region* bytes being written; 0 bytes for none.

    After *settling* writes all bits of a load are set. fio's runs of writes follow each other, so that each begins with
    the bits of the one before.
    """

    region: int
    settling: int


@dataclass(frozen=True)
class DiscKnobs:
    """Numbers of a disc to be fitted: a seek over a share s of the span takes *least* + *slope* sqrt(s) seconds.

    The drive plans *ahead* requests; it chooses the next with *ageing*, or by seeks alone if that is negative. If the
    host *sorts*, requests that have no tag yet are sent by address. The cache has room for *writes*, 0 without one.
    For *latency* seconds of a request no arm is busy. If not *told*, other speeds fit as well. *bitmap* is that of an
    array; None without redundancy.
    """

    rpm: float
    least: float
    slope: float
    ahead: int = 1
    ageing: float = 0.0
    sorts: bool = True
    writes: int = 0
    latency: float = 0.0
    told: bool = False
    bitmap: KnownBitmap | None = None

    def disc(self, name: str, capacity: int, span: int) -> DiscType:
        sectors = max(1, -(-capacity // (CYLINDERS * HEADS * SECTOR_BYTES)))
        reached = max(2, min(CYLINDERS, round(CYLINDERS * span / capacity)) - 1)
        shares = np.unique(np.round(np.linspace(0.0, 1.0, SEEK_POINTS) ** 2 * reached))
        points = [(int(each), self.least + self.slope * float(np.sqrt(each / reached))) for each in shares if each > 0]
        return DiscType(name, uniform(CYLINDERS, HEADS, sectors, SECTOR_BYTES), self.rpm,
                        TableSeek(((0, 0.0), *points)), overhead=OVERHEAD)  # fmt: skip

    @property
    def queue(self) -> DriveQueue:
        return DriveQueue(TAGS, self.ahead, self.ageing if self.ageing >= 0.0 else None, self.writes)

    def settle(self, load: FioLoad) -> FioLoad:
        """Return *load* so that its requests count only after the bits of the bitmap are set."""
        late = 0 if self.bitmap is None else self.bitmap.settling
        return replace(load, settling=0 if load.op is READ else late)

    def device(self, env: simpy.Environment, disc: DiscType, name: str = "drive") -> Drive | WriteCache:
        queue, host = self.queue, MqDeadline if self.sorts else Fcfs
        drive = Drive(env, disc, queue.scheduler(host()), name)
        if not self.writes:
            return drive
        return WriteCache(drive, self.writes, OVERHEAD, queue.waiting(host()))


# The fit to one request under way: speed and seeks.

def fit_depth_1(points: Sequence[FioPoint]) -> list[DiscKnobs]:
    """Return for each latency the speeds and seeks for which one read at a time is near to *points*.

    At depth 1 these cannot be told apart, for a slow arm with a fast spindle takes as long; larger depths may differ.
    """
    point = min((each for each in points if each.op is READ), key=lambda each: each.level)
    kinds = []
    for latency in LATENCIES:
        found = [_seeks(point, rpm, latency) for rpm in SPEEDS]
        near = max(NEAR_SQUARE, 4.0 * min(off for off, _ in found))
        kinds += [knobs for off, knobs in found if off <= near]
    return kinds


def _seeks(point: FioPoint, rpm: float, latency: float) -> tuple[float, DiscKnobs]:
    random = np.random.default_rng(1)
    far, angle = np.abs(random.random(DRAWN_READS) - random.random(DRAWN_READS)), random.random(DRAWN_READS)
    alone = point.quantiles if point.level == 1 else {}  # of several the percentiles are of waits as well

    def distance_of(numbers: Numbers) -> float:
        least, slope = np.exp(numbers) + np.array([SHORTEST_SEEK, 0.0])
        times = latency + OVERHEAD + least + slope * np.sqrt(far) + angle * 60.0 / rpm
        squares = 2.0 * log(float(times.mean()) / (point.level / point.iops)) ** 2
        return squares + sum(weight * log(float(np.quantile(times, share)) / alone[share]) ** 2
                             for share, weight in QUANTILE_WEIGHTS.items() if alone.get(share))  # fmt: skip

    best = minimize(distance_of, np.log([1 * MS, 8 * MS]), method="Nelder-Mead", options={"maxfev": 120})
    least, slope = (float(each) for each in np.exp(best.x) + np.array([SHORTEST_SEEK, 0.0]))
    return float(best.fun), DiscKnobs(rpm, least, slope, latency=latency)


# The fit to several requests under way: how many are planned, which is next, the host's order, the write cache.

PLANNED_AHEAD = (1, 2, 3, 4, 5, 6, 8)
AGEINGS = (-1.0, 0.0, 0.006, 0.02, 0.05, 0.15)
TRIED_WRITE_DEPTHS = (0, 8, 16, 32, 64, 128)
REQUESTS, BITMAP_REQUESTS = 600, 3000
"""Requests of a simulation; more with a bitmap, whose daemon runs once in 5 s and clears a bit at its second run."""
ROUNDS = 2


def max_taken(drives: int) -> int:
    """Return how many requests the block layer or the tags of an array's *drives* take; further ones wait in fio."""
    return max(NR_REQUESTS, TAGS * drives)


Builds = Callable[[DiscKnobs, simpy.Environment], BlockDevice]


@dataclass(frozen=True)
class DiscPoints:
    """The *points* to which a disc or an array of *drives* is fitted; *builds* makes it from knobs.

    Requests are spread over *span* bytes. An array has one of *bitmaps*. A simulation takes *requests* requests.
    """

    points: Sequence[FioPoint]
    builds: Builds
    span: int
    drives: int = 1
    bitmaps: Sequence[KnownBitmap | None] = (None,)
    requests: int = REQUESTS

    def off(self, knobs: DiscKnobs) -> float:
        """Return the mean distance of *knobs* from all points, each weighing the same."""
        levels = self.offs(knobs)
        return fmean(levels[each.level] for each in self.points)

    def offs(self, knobs: DiscKnobs) -> dict[int, float]:
        """Return for each level the mean absolute logarithm of the ratios of throughput and, weighted, percentiles."""
        return {level: self._off(knobs, [each for each in self.points if each.level == level])
                for level in {each.level for each in self.points}}  # fmt: skip

    def _off(self, knobs: DiscKnobs, points: Sequence[FioPoint]) -> float:
        answer = self._answer(knobs, points[0])
        off = [2.0 * abs(log(answer.iops / each.iops)) for each in points]
        if points[0].level <= max_taken(self.drives):
            off += [0.5 * QUANTILE_WEIGHTS[share] * abs(log(answer.quantiles[share] / seconds))
                    for each in points for share, seconds in each.quantiles.items() if seconds > 0.0]  # fmt: skip
        return fmean(off)

    def order_off(self, knobs: DiscKnobs) -> float:
        """Return the distance of percentiles divided by means where the host queues; it is independent of the speed."""
        off = 0.0
        for level in {each.level for each in self.points if each.level > TAGS * self.drives}:
            points = [each for each in self.points if each.level == level]
            answer = self._answer(knobs, points[0])
            off += sum(abs(log(answer.quantiles[share] / answer.mean * each.level / each.iops / seconds))
                       for each in points for share, seconds in each.quantiles.items() if seconds > 0.0)  # fmt: skip
        return off

    def _answer(self, knobs: DiscKnobs, point: FioPoint) -> LoadAnswer:
        inside = max_taken(self.drives)
        load = knobs.settle(FioLoad(point.op, min(point.level, inside), point.size, self.span))
        return answer_load(load, partial(self.builds, knobs), self.requests, HostDelay(inside, knobs.latency))


def with_queue(kinds: Sequence[DiscKnobs], points: DiscPoints) -> DiscKnobs:
    """Return the best of *kinds* with the best queue for reads and the best cache for writes: one choice after another.

    Points of more requests than the host takes at once are left out: they do not depend on how the disc reads.
    """
    knobs = kinds[0]
    reads, writes = (replace(points, points=[each for each in points.points if each.op is op]) for op in (READ, WRITE))
    least, inside = min(each.level for each in reads.points), max_taken(points.drives)
    reads = replace(reads, points=[each for each in reads.points if each.level <= max(least, inside)])
    for _ in range(ROUNDS):
        before = knobs
        knobs = _best([_plan(each, knobs) for each in kinds if each.rpm == knobs.rpm], reads)
        knobs = min((replace(knobs, sorts=each) for each in (True, False)), key=reads.order_off)
        knobs = _best([replace(knobs, ahead=each) for each in PLANNED_AHEAD], reads)
        knobs = _best([replace(knobs, ageing=each) for each in AGEINGS], reads)
        knobs = speed_of([_plan(each, knobs) for each in kinds if each.latency == knobs.latency], reads)
        if knobs == before:
            break
    if writes.points:
        knobs = _best([replace(knobs, writes=each) for each in TRIED_WRITE_DEPTHS], writes)
        known = replace(writes, requests=BITMAP_REQUESTS, points=[each for each in writes.points
                                                                  if each.level <= max(least, inside)])  # fmt: skip
        knobs = unless_nearer([replace(knobs, bitmap=each) for each in points.bitmaps], known)
    return knobs


def _plan(kind: DiscKnobs, knobs: DiscKnobs) -> DiscKnobs:
    return replace(kind, ahead=knobs.ahead, ageing=knobs.ageing, sorts=knobs.sorts)


def _best(ways: Sequence[DiscKnobs], points: DiscPoints) -> DiscKnobs:
    return min(ways, key=points.off) if len(ways) > 1 else ways[0]


def speed_of(ways: Sequence[DiscKnobs], points: DiscPoints) -> DiscKnobs:
    """Return the first of *ways*, of different speeds, unless another is nearer by more than chance."""
    best = unless_nearer(ways, points)
    return replace(best, told=best is not ways[0] or len(ways) == 1)


def unless_nearer(ways: Sequence[DiscKnobs], points: DiscPoints) -> DiscKnobs:
    """Return the first of *ways*, unless another is nearer over the depths by more than chance in 19 of 20 cases."""
    usual, *others = ways
    if not others:
        return usual
    first = points.offs(usual)
    nearer = {way: [first[level] - off for level, off in points.offs(way).items()] for way in others}
    told = [way for way, gains in nearer.items() if len(gains) > 1 and fmean(gains) > CHANCE_ERRORS(len(gains) - 1)
            * stdev(gains) / sqrt(len(gains))]  # fmt: skip
    return max(told, key=lambda way: fmean(nearer[way]), default=usual)


NUMBERS_OF_WRITES = ("queue.writes_cached", "array.bitmap_bytes")
"""Numbers of a disc that writes determine, and reads do not."""


def disc_numbers_of(
    knobs: DiscKnobs, reads: Sequence[FioPoint], writes: Sequence[FioPoint]
) -> Iterator[SheetNumber]:
    """Yield the numbers of a disc with what they rest on, *reads* or *writes*; without writes theirs are assumed."""
    for number in disc_numbers(knobs):
        of_writes = number.name in NUMBERS_OF_WRITES
        if of_writes and not writes:
            yield replace(number, source=ASSUMED)
        else:
            yield from resting_on(*(("writes", writes) if of_writes else ("reads", reads)), [number])


def disc_numbers(knobs: DiscKnobs) -> Iterator[SheetNumber]:
    """Yield the numbers of a disc, each fitted or assumed."""
    choice = f"sptf, ageing {knobs.ageing:g}" if knobs.ageing >= 0.0 else "sstf"
    yield SheetNumber("rpm", f"{knobs.rpm:g}", FITTED if knobs.told else ASSUMED)
    yield SheetNumber("seek.least_ms", f"{knobs.least / MS:.4g}", FITTED)
    yield SheetNumber("seek.over_span_ms", f"{(knobs.least + knobs.slope) / MS:.4g}", FITTED)
    yield SheetNumber("queue.planned_ahead", str(knobs.ahead), FITTED)
    yield SheetNumber("queue.choice", choice, FITTED)
    yield SheetNumber("queue.tags", str(TAGS), ASSUMED)
    yield SheetNumber("host.scheduler", "deadline" if knobs.sorts else "fcfs", FITTED)
    yield SheetNumber("host.latency_ms", f"{knobs.latency / MS:g}", FITTED)
    yield SheetNumber("queue.writes_cached", str(knobs.writes), FITTED)
    if knobs.bitmap is not None:
        region = knobs.bitmap.region
        yield SheetNumber("array.bitmap_bytes", str(region), FITTED if region else ASSUMED)
    yield SheetNumber("overhead_ms", f"{OVERHEAD / MS:g}", ASSUMED)
    yield SheetNumber("layout", f"{CYLINDERS} x {HEADS}", ASSUMED)
