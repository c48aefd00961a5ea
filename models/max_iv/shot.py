"""Runs the shot sequence of NBS, a site with another load for the cache, and measures the time of a shot.

Tasks compute, and read tables of one large disc partition, until a shot is done. Measured are also hits, and the shares
of time in which CPU and disc are busy.
"""

from collections.abc import Mapping
from math import fsum
from random import Random
from typing import NamedTuple

import simpy

from spindle.models.max_iv.machine import SECTORS, MaxIvOptions, Modcomp
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.requests import RequestKind
from spindle.models.max_iv.turns import TASK_LEVEL
from spindle.models.max_iv.volumes import SYSTEM
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.measure import engine
from spindle.sim.measure.load import Programs, Window
from spindle.sim.measure.result import difference
from spindle.sim.parameter import change
from spindle.sim.streams import Exponential, pick, stream


class Partition:
    """A partition of a disc: sectors *first* to *end*, with *tables* of one sector each.

    To Max-IV all of it is one file, so a table may have any position in the file (FPI).
    """

    def __init__(self, first: int, end: int, tables: int, random: Random) -> None:
        self.first = first
        self._end = end
        self._random = random
        self._next = first + (end - first) // 2
        self.tables = [first + pick(random, end - first) for _ in range(tables)]

    def table(self) -> int:
        """Draw a table, the first ones more often than the last: in proportion to 1, 1/2, 1/3 and so on."""
        count = len(self.tables)
        return self.tables[min(count - 1, int((count + 1) ** self._random.random()) - 1)]

    def draw_sector(self) -> int:
        """Draw a sector that is not read again soon."""
        return self.first + pick(self._random, self._end - self.first)

    def result(self) -> int:
        """Return the sector of the next result; results are written in order."""
        self._next = self._next + 1 if self._next + 1 < self._end else self.first
        return self._next


class Shots(NamedTuple):
    """Means over all shots but the first, which finds the cache empty."""

    seconds: float
    cpu_busy: float
    disc_busy: float
    hit_ratio: float

    def summary(self) -> dict[str, float]:
        return self._asdict()


class TimedShot(NamedTuple):
    """One shot: its time, and the growth of the machine's counters meanwhile."""

    seconds: float
    counters: Mapping[str, float]


class Sequence:
    """A sequence of shots: tasks on *modcomp* share the requests of a shot evenly, and compute before each."""

    def __init__(self, modcomp: Modcomp, seed: object) -> None:
        parameters = modcomp.parameters
        volume = modcomp.discs[SYSTEM]
        sectors = modcomp.drives[0].capacity // 256
        first = (volume.region.first + volume.region.management) * volume.track_sectors
        random = stream(seed, "shots")
        end = first + int(parameters.shot_space * (sectors - first))
        self._partition = Partition(first, end, parameters.tables, random)
        self._modcomp, self._random = modcomp, random
        self._env = modcomp.machine.env
        requests = max(1, parameters.shot_requests // parameters.shot_tasks)
        self._bursts = Exponential(parameters.shot_cpu / parameters.shot_tasks / requests)
        self._requests = requests
        self.shots: list[TimedShot] = []

    def run(self, count: int) -> Wait:
        """Run *count* shots, one after the other."""
        machine = self._modcomp.machine
        for _ in range(count):
            before, began = machine.reading(), self._env.now
            tasks = range(self._modcomp.parameters.shot_tasks)
            yield simpy.AllOf(self._env, [self._env.process(self._task()) for _ in tasks])
            self.shots.append(TimedShot(self._env.now - began, difference(machine.reading(), before)))
            yield self._env.timeout(self._modcomp.parameters.shot_pause)

    def _task(self) -> Wait:
        account = Account("shot")
        for _ in range(self._requests):
            yield self._modcomp.cpu.burst(self._bursts.draw(self._random), TASK_LEVEL, Phase.CPU, account)
            kind, sector = self._next()
            position = sector - self._partition.first
            yield from self._modcomp.io.transfer(kind, SYSTEM, sector, account, position=position)

    def _next(self) -> tuple[RequestKind, int]:
        parameters, mark = self._modcomp.parameters, self._random.random()
        if mark < parameters.shot_tables:
            return RequestKind.READ, self._partition.table()
        if mark < parameters.shot_tables + parameters.shot_writes:
            return RequestKind.WRITE, self._partition.result()
        return RequestKind.READ, self._partition.draw_sector()


def shots(
    sectors: int = SECTORS, seed: object = 1, count: int = 4, choices: MaxIvOptions | None = None, **parameters: object
) -> Shots:
    """Run *count* shots with a cache of *sectors*, or none at 0; measure all but the first."""
    modcomp = Modcomp(
        simpy.Environment(), change(MaxIvParameters(), **parameters), choices or MaxIvOptions(), sectors, seed
    )
    sequence = Sequence(modcomp, seed)
    engine.run(modcomp.machine, Programs({"shots": lambda log: sequence.run(max(2, count))}), Window(), seed)
    measured = sequence.shots[1:]
    seconds = fsum(shot.seconds for shot in measured)

    def sum_counter(name: str) -> float:
        return fsum(shot.counters.get(name, 0.0) for shot in measured)

    requests = fsum(sum_counter(f"handler1.{kind.name.lower()}") for kind in RequestKind)
    return Shots(
        seconds / len(measured), sum_counter("cpu.busy") / seconds, sum_counter("drive1.busy") / seconds,
        sum_counter("fhl.hits") / requests,
    )
