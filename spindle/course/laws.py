"""Four exercises on queues and runs: Little's law, bounds of a closed loop, confidence of a mean, tuning an HP3000."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import ClassVar

import pandas as pd

from spindle.course.exercise import Answer
from spindle.models.hp3000.studies.trials import SECTOR, orders
from spindle.sim.clock import Phase, Wait
from spindle.sim.computer import Computer
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import FixedService
from spindle.sim.lock import Lock
from spindle.sim.machine import File, Machine, OpenFile
from spindle.sim.measure.result import Result
from spindle.sim.streams import Exponential
from spindle.sim.terminal import Session
from spindle.sim.units import KIB, MIB, MS
from spindle.studies.confidence import confidence
from spindle.workloads.synthetic import RandomReads


def terminals_run(terminals: int, think: float, reads: int, seed: object, minutes: float = 10.0) -> Result:
    """Simulate *terminals* whose users think for *think* seconds on average, and read at random from one HP 7933."""
    mine = Computer(read_call=2 * MS)
    transaction = RandomReads(mine.file(mine.drive(HP7933), 40 * MIB), KIB, reads)
    return mine.run(terminals=terminals, think=Exponential(think), transaction=transaction, minutes=minutes, seed=seed)


def throughput(run: Result) -> float:
    """Return the replies a second."""
    return run.counters["desk.responses"] / run.seconds


@dataclass(frozen=True)
class LittlesLaw:
    """Asks for the think time of users at *terminals*, *think* seconds on average, from a run with *seed*."""

    terminals: int
    think: float
    reads: int
    seed: int

    @classmethod
    def draw(cls, random: Random) -> "LittlesLaw":
        return cls(random.randrange(12, 24), random.uniform(3.0, 9.0), random.randrange(4, 8), random.randrange(10**6))

    @property
    def question(self) -> str:
        return (
            f"{self.terminals} users at terminals ask, wait for the reply, think, and ask again. The run tells how "
            "many replies came a second, and how long a response took. How many seconds does a user think on the mean?"
        )

    def run(self) -> pd.DataFrame:
        """Simulate all terminals, and half of them."""
        half = terminals_run(self.terminals // 2, self.think, self.reads, self.seed)
        return pd.DataFrame([{"terminals": count, "replies a second": throughput(run),
                              "response, s": run.response()["response_mean"]}
                             for count, run in ((self.terminals, self._simulate), (self.terminals // 2, half))])

    def answer(self) -> float:
        return self.terminals / self._throughput - self._response

    def slips(self) -> Mapping[str, Answer]:
        return {
            "A user's cycle is thinking and waiting; take the waiting off.": self.terminals / self._throughput,
            "That is the mean number of users who wait for a reply.": self._throughput * self._response,
            "Take the response off, not on.": self.terminals / self._throughput + self._response,
        }

    @cached_property
    def _simulate(self) -> Result:
        return terminals_run(self.terminals, self.think, self.reads, self.seed)

    @property
    def _throughput(self) -> float:
        return throughput(self._simulate)

    @property
    def _response(self) -> float:
        return self._simulate.response()["response_mean"]


@dataclass(frozen=True)
class Locked:
    """A transaction that computes *before* seconds, then locks a *table* while it computes *held* and reads *file*."""

    table: Lock
    file: File
    before: float
    held: float

    def __call__(self, machine: Machine, session: Session) -> Wait:
        yield machine.cpu.burst(self.before, 0, Phase.CPU, session.account)
        yield from self.table.acquire(session.account)
        yield machine.cpu.burst(self.held, 0, Phase.CPU, session.account)
        yield from machine.read(OpenFile(self.file), 0, KIB, session.account)
        self.table.release()
        yield from session.reply(80)


@dataclass(frozen=True)
class ClosedLoop:
    """Asks from how many terminals on a lock limits a closed loop; all fields are seconds of one user's cycle.

    A user thinks, needs the CPU *before* the lock and while it is *held*, and reads one record.
    """

    think: float
    before: float
    held: float
    read: float

    @classmethod
    def draw(cls, random: Random) -> "ClosedLoop":
        return cls(random.choice([1.5, 2.0, 2.5]), random.randrange(30, 60) * MS, random.randrange(20, 40) * MS,
                   random.randrange(60, 100) * MS)  # fmt: skip

    @property
    def question(self) -> str:
        before, held, read = (f"{each / MS:.0f} ms" for each in (self.before, self.held, self.read))
        return (
            f"Users think for {self.think:g} s on the mean. A transaction computes for {before}, takes the lock of a "
            f"table, computes for {held} more, reads a record from disc in {read}, and lets the lock go. There is one "
            "CPU and one disc. From how many terminals on must users wait for each other, that is: where do the two "
            "bounds of the response time cross?"
        )

    def run(self) -> pd.DataFrame:
        rows = []
        for terminals in (10, 30, 60, 120, 240):
            result = self._run(terminals)
            rows.append({"terminals": terminals, "response, s": result.response()["response_mean"],
                         "replies a second": result.counters["desk.responses"] / result.seconds})  # fmt: skip
        return pd.DataFrame(rows)

    def answer(self) -> float:
        return (self.think + self.before + self.held + self.read) / (self.held + self.read)

    def slips(self) -> Mapping[str, Answer]:
        work = self.before + self.held + self.read
        return {
            "CPU and disc are not all that is held by one at a time.": (self.think + work) / self.read,
            "The CPU is not the bottleneck.": (self.think + work) / (self.before + self.held),
            "Nobody asks while thinking: the cycle has think time in it.": work / (self.held + self.read),
            "Only what is done under the lock is done one by one.": (self.think + work) / work,
            "The work itself belongs to the cycle, too.": self.think / (self.held + self.read),
        }

    def _run(self, terminals: int) -> Result:
        mine = Computer()
        file = mine.file(mine.drive(FixedService(self.read, capacity=MIB)), MIB)
        transaction = Locked(mine.lock("table"), file, self.before, self.held)
        return mine.run(terminals=terminals, think=Exponential(self.think), transaction=transaction, minutes=5)


@dataclass(frozen=True)
class MeanInterval:
    """Asks for half of the 95 % interval of a mean response, from replications with *seeds*."""

    terminals: int
    seeds: tuple[int, ...]

    @classmethod
    def draw(cls, random: Random) -> "MeanInterval":
        return cls(random.randrange(14, 22), tuple(random.sample(range(10**6), random.choice([4, 5, 6]))))

    @property
    def question(self) -> str:
        return (
            f"{len(self.seeds)} replications of one machine, each with a seed of its own, give {len(self.seeds)} mean "
            "responses. How far does the 95 % confidence interval of their mean reach to either side, in ms?"
        )

    def run(self) -> pd.DataFrame:
        return pd.DataFrame({"seed": self.seeds, "mean response, ms": self.means})

    def answer(self) -> float:
        interval = confidence(self.means)
        return (interval.high - interval.low) / 2.0

    def slips(self) -> Mapping[str, Answer]:
        count, half = len(self.means), self.answer()
        spread = stdev(self.means)
        return {
            "So few replications need Student's t, not 1.96.": 1.96 * spread / sqrt(count),
            "That is how far single runs scatter: a mean of several scatters less.": half * sqrt(count),
            "That is the standard deviation.": spread,
            "That is the standard error: how many of them are 95 %?": spread / sqrt(count),
            "That is the whole width.": 2.0 * half,
            "Divide by one less than the number of runs: the mean was estimated, too.": half * sqrt(1.0 - 1.0 / count),
            "That is the mean itself.": fmean(self.means),
        }

    @cached_property
    def means(self) -> list[float]:
        results = [terminals_run(self.terminals, 5.0, 5, seed, minutes=2.0) for seed in self.seeds]
        return [each.response()["response_mean"] / MS for each in results]


# The last exercise: tune an HP3000.

FETCH_SECTORS = (4, 8, 16, 32, 64, 96)
"""Sizes of a fetch at random, in sectors: four are a block of the data base."""
MEMORY_SIZES = (3, 4, 6)
"""Sizes of the machine's memory in MiB, of which one is drawn."""


@dataclass(frozen=True)
class Tuning:
    """Asks for the shortest mean response of clerks at *terminals* of an HP3000 with *memory* MiB, by size of fetch."""

    GIVEN_TO_STUDENTS: ClassVar = ("response",)

    terminals: int
    memory: int
    seed: int

    @classmethod
    def draw(cls, random: Random) -> "Tuning":
        return cls(random.randrange(40, 64), random.choice(MEMORY_SIZES), random.randrange(10**6))

    @property
    def question(self) -> str:
        return (
            f"{self.terminals} clerks work on an HP3000 with {self.memory} MiB and disc caching. "
            "task.given['response'](16) is the mean response in ms with a random fetch of 16 sectors. What is the "
            f"shortest that any fetch of {', '.join(map(str, FETCH_SECTORS[:-1]))} or {FETCH_SECTORS[-1]} sectors "
            "reaches, in ms?"
        )

    def run(self) -> pd.DataFrame:
        """Simulate the smallest and the largest fetch."""
        return pd.DataFrame([{"sectors": each, "response, ms": self.response(each)} for each in (4, 96)])

    def answer(self) -> float:
        return min(self._responses.values())

    def slips(self) -> Mapping[str, Answer]:
        worst = max(self._responses.values())
        return {
            "That is the longest.": worst,
            "That is MPE's own setting; try the others.": self._responses[16],
            "That is the smallest fetch: it misses what lies next to it.": self._responses[4],
            "That is the largest fetch: it holds the disc and fills memory.": self._responses[96],
        }

    def response(self, sectors: int) -> float:
        """Return the mean response in ms with a random fetch of *sectors* sectors."""
        row = orders(self.terminals, caching=True, memory=self.memory * MIB, fetch_random=sectors * SECTOR,
                     minutes=1.0, warm_up=0.5, seed=self.seed)  # fmt: skip
        return row["response_mean"] / MS

    @cached_property
    def _responses(self) -> dict[int, float]:
        return {each: self.response(each) for each in FETCH_SECTORS}
