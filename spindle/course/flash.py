"""Two exercises on solid-state drives: pages that cleaning programs, and reads a second at a depth not measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from random import Random
from typing import ClassVar

import pandas as pd
import simpy

from spindle.course.exercise import Answer
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.flash.mechanism import Die
from spindle.sim.disc.flash.sheet import Chooser, FlashType, Nand, fewest_valid, nvme
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.request import READ
from spindle.sim.units import KIB, MB, MIB, US
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed
from spindle.traces.replay.replay import replay_trace
from spindle.traces.replay.storage import Storage
from spindle.workloads.traces.record import Record

DIE_BLOCKS, BLOCK_PAGES, MIN_FREE, WRITE_COUNT = 12, 8, 2, 600
"""Blocks of the die; pages of a block; empty blocks below which it cleans; writes of a run."""


def filled_first(full: Sequence[int], valid: Sequence[int], written: Sequence[int], now: int) -> int:
    """Choose the block that was filled first, whatever is valid in it."""
    return min(full, key=written.__getitem__)


def die_after(writes: Sequence[int], choose: Chooser = fewest_valid) -> Die:
    """Return an empty die of flash after *writes* to pages of these numbers; *choose* picks blocks to clean."""
    die = Die(DIE_BLOCKS, BLOCK_PAGES, MIN_FREE, choose)
    for page in writes:
        die.write(page)
    return die


@dataclass(frozen=True)
class FlashCleaning:
    """Asks how many pages a die of flash programs, empty at first, for *writes* to pages of these numbers, some of them
    written more often than others.
    """

    GIVEN_TO_STUDENTS: ClassVar = ("writes",)

    writes: tuple[int, ...]

    @classmethod
    def draw(cls, random: Random) -> "FlashCleaning":
        pages, hot, share = random.randrange(48, 61), random.randrange(4, 20), random.choice([0.3, 0.5, 0.7])
        return cls(tuple(int(random.random() * (hot if random.random() < share else pages))
                         for _ in range(WRITE_COUNT)))  # fmt: skip

    @property
    def question(self) -> str:
        return (
            f"A die of flash has {DIE_BLOCKS} blocks of {BLOCK_PAGES} pages, all empty. task.given['writes'] are the "
            f"numbers of the pages that a host writes, {len(self.writes)} in all. Each goes to the next page of a "
            "block that is open for the host, and what lay elsewhere under its number is no longer valid. When that "
            f"block is full, an empty one is opened; while fewer than {MIN_FREE} are then empty, the full block with "
            "the fewest valid pages is cleaned (of several the one filled first): its valid pages are copied to the "
            "next pages of another open block, which is for copies alone, and it is erased. Both open blocks are taken "
            "from the empty ones. How many pages does the die program in all?"
        )

    def run(self) -> pd.DataFrame:
        """Simulate writes to random pages of other numbers of pages; return the pages programmed for each write."""
        rows = []
        for pages in (16, 32, 40, 56, 64):
            random = Random(f"pages {pages}")
            die = die_after([int(random.random() * pages) for _ in range(4 * WRITE_COUNT)])
            rows.append({"pages of the host": pages, "programs a write": 1.0 + die.copied / die.written})
        return pd.DataFrame(rows)

    def answer(self) -> float:
        die = die_after(self.writes)
        return float(die.written + die.copied)

    def slips(self) -> Mapping[str, Answer]:
        die, oldest = die_after(self.writes), die_after(self.writes, filled_first)
        return {
            "What cleaning copies is programmed, too.": float(die.written),
            "That is what cleaning copies; the host writes as well.": float(die.copied),
            "So many pages were erased. Those that are full now were programmed, too.": float(die.erased * BLOCK_PAGES),
            "The block with the fewest valid pages is cleaned, not the oldest.": float(oldest.written + oldest.copied),
        }


# A drive that was measured at some queue depths; the rate at another depth is predicted.

MEASURED_DEPTHS = (1, 2, 6, 12, 24, 64)
"""Numbers of reads under way at which the drive was measured."""
READS_A_RUN = 6000
"""Reads of the simulation of one depth."""


@cache
def reads_a_second(dies: int, channels: int, read: float, depth: int) -> float:
    """Simulate reads of 4 KiB anywhere, *depth* of them under way, on a drive of *dies* dies on so many channels."""
    nand = Nand(channels, dies // channels, 1, 64, 64, 4 * KIB, read, 8 * read, 40 * read, 400 * MB)
    drive = FlashType("yours", nand, nvme(3000 * MB, 8 * US), dies * 48 * 64 * 4 * KIB, buffer=MIB)
    random = Random("places")
    places = drive.capacity // (4 * KIB)

    def records() -> Iterator[Record]:
        for _ in range(READS_A_RUN):
            yield Record(None, "", READ, int(random.random() * places) * 4 * KIB, 4 * KIB)

    storage = Storage(simpy.Environment(), StoragePlan(DriveSheet(drive, None), Fcfs))
    host: Callable[..., Closed] = partial(Closed, depth=depth)
    return READS_A_RUN / replay_trace(records(), storage, host).seconds


@dataclass(frozen=True)
class OtherHalf:
    """Asks how many reads a second a drive does with *depth* of them under way, from its rates at other depths.

    It has *dies* dies on *channels*; a die reads a page in *read* seconds.
    """

    GIVEN_TO_STUDENTS: ClassVar = ("measured", "fio_table")

    dies: int
    channels: int
    read: float
    depth: int

    @classmethod
    def draw(cls, random: Random) -> "OtherHalf":
        dies, channels = random.choice([(8, 4), (12, 4), (16, 8), (24, 8)])
        return cls(dies, channels, random.choice([60, 75, 90]) * US, random.choice([8, 16]))

    @property
    def question(self) -> str:
        points = ", ".join(f"{rate:.0f} at {depth}" for depth, rate in self.measured.items())
        return (
            f"A solid-state drive was measured: so many reads of 4 KiB a second, anywhere, with so many under way: "
            f"{points}. (task.given['measured'] has them.) How many a second does it do with {self.depth} under way?"
        )

    @property
    def measured(self) -> dict[int, float]:
        """Reads a second by depth, at the depths that were measured."""
        return {depth: self._rate(depth) for depth in MEASURED_DEPTHS}

    @property
    def fio_table(self) -> str:
        """The measured rates as a table of fio, a benchmark of I/O, which ``spindle drive fit`` reads."""
        rows = [f"randread,{depth},1,4096,{READS_A_RUN},{rate:.0f},{1e3 * depth / rate:.5f}"
                for depth, rate in self.measured.items()]  # fmt: skip
        return "\n".join(["rw,iodepth,numjobs,bs,requests,iops,latency_mean_ms", *rows, ""])

    def run(self) -> pd.DataFrame:
        """Return the measured rates, each with the mean response by Little's law."""
        return pd.DataFrame([{"under way": depth, "reads a second": rate, "response, us": depth / rate / US}
                             for depth, rate in self.measured.items()])  # fmt: skip

    def answer(self) -> float:
        return self._rate(self.depth)

    def slips(self) -> Mapping[str, Answer]:
        measured = self.measured
        return {
            "Reads wait for each other: two may want the same die.": self.depth * measured[1],
            "That is what the deepest queue brings; here are fewer under way.": measured[64],
            "That is the line from 1 on; the drive bends it.":
                measured[1] + (self.depth - 1) * (measured[2] - measured[1]),
            "That is the next smaller depth's number.": measured[6 if self.depth == 8 else 12],
        }  # fmt: skip

    def _rate(self, depth: int) -> float:
        return reads_a_second(self.dies, self.channels, self.read, depth)

