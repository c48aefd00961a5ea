"""Four exercises on caches: read-ahead, a loop larger than the cache, working sets, and writes saved by write-back."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from math import exp
from random import Random
from typing import ClassVar

import pandas as pd

from spindle.course.exercise import Answer
from spindle.sim.cache.block_cache import FetchSize
from spindle.sim.cache.write_policy import CacheWriteBack
from spindle.sim.clock import Wait
from spindle.sim.computer import Computer
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.lru import Lru
from spindle.sim.machine import File, Machine, OpenFile
from spindle.sim.measure.result import Result
from spindle.sim.streams import Constant, Exponential
from spindle.sim.terminal import Session
from spindle.sim.units import KIB, MIB, MS
from spindle.traces.curve.lru import LruCurve, lru_curve
from spindle.traces.curve.replay import belady_hits, replay
from spindle.workloads.synthetic import SequentialReads

BLOCK = 4 * KIB
"""Bytes of a block."""


@dataclass(frozen=True)
class WaitingReads:
    """Asks which share of reads wait, of a file read in order by *record* bytes, where a miss fetches *fetch* bytes."""

    record: int
    fetch: int

    @classmethod
    def draw(cls, random: Random) -> "WaitingReads":
        return cls(random.choice([256, 512, 1024]), random.choice([12, 20, 24, 40]) * KIB)

    @property
    def question(self) -> str:
        return (
            f"A program reads a long file in order, by records of {self.record} bytes. A miss fetches "
            f"{self.fetch // KIB} KiB from there on. What share of its reads must wait for the disc, from 0 to 1?"
        )

    def run(self) -> pd.DataFrame:
        """Simulate other sizes of fetch; return misses, disc reads and response."""
        rows = []
        for fetch in (4 * KIB, 8 * KIB, 32 * KIB, 64 * KIB):
            result = self._run(fetch)
            rows.append({"fetch, KiB": fetch // KIB, "misses": 1.0 - result.extras["hit_ratio"],
                         "disc reads a second": result.rate("drive1.completed"),
                         "response, ms": result.response()["response_mean"] / MS})  # fmt: skip
        return pd.DataFrame(rows)

    def answer(self) -> float:
        return 1.0 - self._run(self.fetch).extras["hit_ratio"]

    def slips(self) -> Mapping[str, Answer]:
        return {
            "That share hits.": 1.0 - self.record / self.fetch,
            "That many records come with a fetch; which of them is waited for?": self.fetch / self.record,
            "What is fetched counts, not the block of the cache.": self.record / BLOCK,
        }

    def _run(self, fetch: int) -> Result:
        mine = Computer(read_call=MS)
        drive = mine.drive(HP7933)
        (cache,) = mine.cache(drive, size=MIB, block=BLOCK, read_ahead=partial(FetchSize, fetch, fetch))
        reader = SequentialReads(mine.file(cache, 100 * MIB), self.record, times=64)
        return mine.run(terminals=1, think=Constant(0.01), transaction=reader, minutes=0.7, warm_up=0.1)


@dataclass(frozen=True)
class LoopAndScan:
    """Asks which share of a loop over *blocks* blocks hits at best in a cache of *cache* blocks."""

    blocks: int
    cache: int

    @classmethod
    def draw(cls, random: Random) -> "LoopAndScan":
        blocks = random.randrange(12, 30)
        return cls(blocks, random.randrange(blocks // 3, 2 * blocks // 3))

    @property
    def question(self) -> str:
        return (
            f"A program reads the same {self.blocks} blocks in the same order over and over; {self.cache} fit into the "
            "cache. LRU always evicts the block that is wanted soonest, and hits nothing. What hit ratio does the best "
            "policy of all, Belady's, come to, from 0 to 1? (A block must be in the cache to be read.)"
        )

    def run(self) -> pd.DataFrame:
        """Replay loops of other lengths in a cache of the same size."""
        rows = []
        for blocks in (self.cache, self.cache + 1, 2 * self.cache, 4 * self.cache):
            references = self._loop(blocks)
            hits = {kind.__name__: replay(kind, references, self.cache) for kind in (Lru, Clock, Arc)}
            hits["Belady"] = belady_hits(references, [self.cache], bypass=False)[self.cache]
            rows.append({"blocks": blocks, **{name: count / len(references) for name, count in hits.items()}})
        return pd.DataFrame(rows)

    def answer(self) -> float:
        hits = belady_hits(self._loop(self.blocks), [self.cache], bypass=False)[self.cache]
        return hits / len(self._loop(self.blocks))

    def slips(self) -> Mapping[str, Answer]:
        return {
            "One place of the cache is always taken by the block that is passing through.": self.cache / self.blocks,
            "The block that was just read is not wanted for a whole loop: of how many is it one?":
                (self.cache - 1) / self.blocks,
            "That share misses.": 1.0 - (self.cache - 1) / (self.blocks - 1),
        }  # fmt: skip

    def _loop(self, blocks: int) -> list[int]:
        return list(range(blocks)) * 400


@dataclass(frozen=True)
class SmallestCache:
    """Asks which is the smallest LRU cache with a given hit ratio, for *references* to blocks by a program that goes
    from one working set to the next.
    """

    GIVEN_TO_STUDENTS: ClassVar = ("references",)

    references: tuple[int, ...]

    @classmethod
    def draw(cls, random: Random) -> "SmallestCache":
        def phase() -> list[int]:
            blocks = random.sample(range(2000), random.randrange(20, 60))
            return [blocks[int(len(blocks) * random.random() ** 2)] for _ in range(1000)]

        return cls(tuple(chain.from_iterable(phase() for _ in range(8))))

    @property
    def question(self) -> str:
        return (
            f"task.given['references'] are {len(self.references)} block numbers. How many blocks has the smallest LRU "
            "cache that has 90 % of the hits of a cache that holds everything?"
        )

    def run(self) -> pd.DataFrame:
        sizes = (2, 4, 8, 16, 64, 256)
        return pd.DataFrame({"blocks": sizes, "hit ratio": [self._curve.ratio_at(size) for size in sizes]})

    def answer(self) -> float:
        return float(self._curve.size_for(0.9))

    def slips(self) -> Mapping[str, Answer]:
        hits = self._curve.hits
        enough = next((size for size, count in enumerate(hits) if count >= 0.9 * len(self.references)), len(hits))
        return {
            "Not of all references: some miss in any cache.": float(enough),
            "That many blocks are used at all; are all of them wanted at a time?": float(len(set(self.references))),
            "That is a share of the blocks, not of the hits.": 0.9 * len(set(self.references)),
        }

    @cached_property
    def _curve(self) -> LruCurve:
        return lru_curve(self.references)


@dataclass(frozen=True)
class Updates:
    """A transaction that writes one of *blocks* blocks of a *file*, drawn at random."""

    file: File
    blocks: int

    def __call__(self, machine: Machine, session: Session) -> Wait:
        block = session.random.randrange(self.blocks)
        yield from machine.write(OpenFile(self.file), block * BLOCK, BLOCK, session.account)
        yield from session.reply(1)


@dataclass(frozen=True)
class SavedWrites:
    """Asks which share of writes a cache saves that keeps written blocks for *expiry* seconds.

    There are *rate* writes a second to *blocks* blocks, drawn at random.
    """

    rate: float
    blocks: int
    expiry: float

    @classmethod
    def draw(cls, random: Random) -> "SavedWrites":
        return cls(random.choice([5.0, 8.0, 10.0]), random.choice([40, 60, 80]), random.choice([5.0, 10.0, 20.0]))

    @property
    def question(self) -> str:
        return (
            f"{self.rate:g} times a second one of {self.blocks} blocks, drawn at random, is written into a cache. A "
            f"block goes to the disc {self.expiry:g} s after it became dirty, with all that was written to it until "
            "then. What share of the writes does the disc never see, from 0 to 1?"
        )

    def run(self) -> pd.DataFrame:
        """Simulate other delays; return the share of writes saved, and the mean bytes that a power failure loses."""
        rows = []
        for expiry in (0.5, 2.0, 40.0):
            saved = self._simulate(expiry)
            dirty = self.rate * (1.0 - saved) * expiry
            rows.append({"delay, s": expiry, "writes saved": saved, "at risk, KiB": dirty * BLOCK / KIB})
        return pd.DataFrame(rows)

    def answer(self) -> float:
        return self._simulate(self.expiry)

    def slips(self) -> Mapping[str, Answer]:
        more = self.rate * self.expiry / self.blocks
        return {
            "That share the disc does see.": 1.0 / (1.0 + more),
            "That is how often a block is written while it is dirty: one write more made it dirty.": more,
            "That is how likely a block is written in such a time. When does the time begin?": 1.0 - exp(-more),
        }

    def _simulate(self, expiry: float) -> float:
        """Return the mean share of writes saved, simulated with discs and calls that take almost no time."""
        mine = Computer()
        writing = partial(CacheWriteBack, 0.05, expiry, MIB, MIB)
        (cache,) = mine.cache(mine.drive(FixedService(1e-6, capacity=MIB)), size=MIB, block=BLOCK, writing=writing)
        update = Updates(mine.file(cache, MIB), self.blocks)
        result = mine.run(terminals=1, think=Exponential(1.0 / self.rate), transaction=update, minutes=12, warm_up=1)
        return 1.0 - result.counters["drive1.completed"] / result.counters["desk.responses"]


