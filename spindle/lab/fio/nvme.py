"""Fits an NVMe drive to fio's results for one kind of requests: CPU time, command time, dies, and requests inside."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapreplace
from math import ceil, fsum, log

from spindle.lab.fio.load import FioLoad, LoadAnswer
from spindle.lab.fio.own_cpus import answer_on_cpus
from spindle.lab.fio.points import FioPoint
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.lab.flash.knobs import SPARE_BLOCKS, SPARE_FACTOR
from spindle.sim.disc.flash.sheet import FlashType, Front, Nand
from spindle.sim.request import READ
from spindle.sim.units import US

COMMANDS_TOGETHER = 32
"""Commands that the controller handles together; the number of tags is a multiple of it."""
NO_LIMIT = 1e12
"""Bytes a second of buses and of the link, too fast to matter: with one size their time cannot be told from flash's."""
BUFFER_UNITS = 64
"""Room for writes in the simulated buffer, in units; that of a drive is full soon after a run begins."""
DIE_UNITS, PAGES, ERASE = 2048, 64, 3e-3
"""Units and pages of a simulated die, which is never full, and seconds of an erase. The size does not affect times."""
REQUESTS, JUDGED_REQUESTS = 2000, 12_000
"""Requests of a simulation during the fit, and of one that is judged."""


@dataclass(frozen=True)
class NvmeKnobs:
    """Numbers of an NVMe drive and its host to be fitted: seconds of a request are those of CPU, command and die.

    *cpu* are the seconds of its process, *command* those of the drive, and one of *dies* serves it. The drive has
    *inside* commands at a time, and *rate* is what all its dies do in a second. A write is done when it is in the
    buffer, which soon is full.
    """

    cpu: float
    command: float
    rate: float
    inside: int
    dies: int

    def sheet(self, name: str, size: int, capacity: int = 0) -> FlashType:
        """Return the sheet whose unit is a request of *size* bytes."""
        work = self.dies / self.rate
        capacity = max(capacity // (size * self.dies), DIE_UNITS) * size * self.dies
        blocks = ceil(SPARE_FACTOR * capacity / (self.dies * PAGES * size)) + SPARE_BLOCKS
        nand = Nand(1, self.dies, 1, blocks, PAGES, size, work, work, ERASE, NO_LIMIT)
        front = Front("NVMe", self.inside, COMMANDS_TOGETHER, self.command, NO_LIMIT, self.command, NO_LIMIT)
        return FlashType(name, nand, front, capacity, size, buffer=BUFFER_UNITS * size)


def nvme_answer(knobs: NvmeKnobs, point: FioPoint, requests: int) -> LoadAnswer:
    """Return the simulated answer at *point*."""
    sheet = knobs.sheet("nvme", point.size)
    load = FioLoad(point.op, point.level, point.size, sheet.capacity, point.jobs, sequential=not point.random)
    return answer_on_cpus(load, sheet, requests, knobs.cpu)


def nvme_sheet(
    name: str, size: int, capacity: int, reads: NvmeKnobs | None, writes: NvmeKnobs | None
) -> FlashType:
    """Return the sheet of a drive with the numbers of *reads* and *writes* of *size* bytes; either may be unknown."""
    sheets = [each.sheet(name, size, capacity) for each in (reads, writes) if each is not None]
    first, last = sheets[0], sheets[-1]
    dies = first.nand.dies / last.nand.dies
    return replace(first, nand=replace(first.nand, program=last.nand.program * dies),
                   front=replace(first.front, write_command=last.front.command,
                                 tags=max(each.front.tags for each in sheets)))  # fmt: skip


def nvme_numbers(pattern: str, knobs: NvmeKnobs) -> Iterator[SheetNumber]:
    """Yield the numbers of requests of a *pattern*."""
    kind = pattern.replace(" KiB", "k").replace(" ", "_")
    yield SheetNumber(f"{kind}.host_cpu_us", f"{knobs.cpu / US:.4g}", FITTED)
    yield SheetNumber(f"{kind}.command_us", f"{knobs.command / US:.4g}", FITTED)
    yield SheetNumber(f"{kind}.a_second", f"{knobs.rate:.6g}", FITTED)
    yield SheetNumber(f"{kind}.inside", str(knobs.inside), FITTED)
    yield SheetNumber(f"{kind}.dies", str(knobs.dies), FITTED if "read" in pattern else ASSUMED)


# The fit: one number after another, twice, each by the value that is nearest to a few of the points.

QUANTILE_WEIGHTS: Mapping[float, float] = {0.50: 1.0, 0.95: 1.0, 0.99: 0.5, 0.999: 0.3}
"""Weights of percentiles in the distance of a fit; the weight of the throughput is 3."""
TRIED_FACTORS: Mapping[str, Sequence[float]] = {
    "rate": (0.97, 1.0, 1.03, 1.1, 1.5), "cpu": (0.6, 0.9, 1.0), "command": (0.3, 0.6, 0.8, 1.0, 1.3),
}  # fmt: skip
TRIED_INSIDE, TRIED_DIES = (32, 64, 128, 256, 512, 1024), (1, 8, 16, 32, 64)
FIT_ROUNDS = 2
READ_COMMAND, WRITE_COMMAND = 60 * US, 10 * US
"""Seconds of a command with which a fit begins: about those to read flash, and to put a write into the buffer."""


def fit_nvme(points: Sequence[FioPoint]) -> NvmeKnobs:
    """Find the knobs that are nearest to *points*, all of one kind."""
    distances = _Distances(some_points(points))
    knobs = _first(points)
    for _ in range(FIT_ROUNDS):
        for candidates in (_counts, *(_times(name) for name in TRIED_FACTORS)):
            knobs = distances.nearest(candidates(knobs, points[0]))
    return knobs


class _Distances:
    """Distances of knobs from *points*, each computed once, and only if it is needed."""

    def __init__(self, points: Sequence[FioPoint]) -> None:
        self._points = points
        self._known: dict[tuple[NvmeKnobs, int], float] = {}

    def nearest(self, candidates: Sequence[NvmeKnobs]) -> NvmeKnobs:
        """Return the nearest of *candidates*, in a tie the first; only the nearest so far is simulated further."""
        offs: list[list[float]] = [[] for _ in candidates]
        ranked = [(0.0, index) for index in range(len(candidates))]
        while len(found := offs[index := ranked[0][1]]) < len(self._points):
            found.append(self._off(candidates[index], len(found)))
            heapreplace(ranked, (fsum(found), index))
        return candidates[index]

    def _off(self, knobs: NvmeKnobs, number: int) -> float:
        """Return the distance from a point; room for more commands than the point has does not matter."""
        point = self._points[number]
        asked = replace(knobs, inside=min(knobs.inside, point.level)), number
        if asked not in self._known:
            self._known[asked] = _off(asked[0], point)
        return self._known[asked]


def some_points(points: Sequence[FioPoint]) -> list[FioPoint]:
    """Return the first, the second and the last of *points* by level; those between add little."""
    ordered = sorted(points, key=lambda each: each.level)
    return list({id(each): each for each in (*ordered[:2], ordered[-1])}.values())


def _first(points: Sequence[FioPoint]) -> NvmeKnobs:
    cpu = min(each.jobs / each.iops for each in points)
    least = min(points, key=lambda each: each.level)
    usual = READ_COMMAND if least.op is READ else WRITE_COMMAND
    rate = max(each.iops for each in points)
    alone = 0.8 * least.quantiles.get(0.50, least.mean) if least.level == 1 else usual
    return NvmeKnobs(cpu, alone, rate, 256, 32)


Candidates = Callable[[NvmeKnobs, FioPoint], list[NvmeKnobs]]


def _counts(knobs: NvmeKnobs, kind: FioPoint) -> list[NvmeKnobs]:
    dies = TRIED_DIES if kind.op is READ else (knobs.dies,)
    return [replace(knobs, inside=inside, dies=each) for inside in TRIED_INSIDE for each in dies]


def _times(name: str) -> Candidates:
    def candidates(knobs: NvmeKnobs, kind: FioPoint) -> list[NvmeKnobs]:
        return [replace(knobs, **{name: factor * getattr(knobs, name)}) for factor in TRIED_FACTORS[name]]

    return candidates


def _off(knobs: NvmeKnobs, point: FioPoint) -> float:
    """Return the distance of *knobs* from *point*."""
    answer = nvme_answer(knobs, point, REQUESTS)
    shares = {share: weight for share, weight in QUANTILE_WEIGHTS.items() if point.quantiles.get(share)}
    return fsum([3.0 * abs(log(answer.iops / point.iops)),
                 *(weight * abs(log(answer.quantiles[share] / point.quantiles[share]))
                   for share, weight in shares.items())])  # fmt: skip
