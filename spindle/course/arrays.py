"""An exercise on arrays of drives (SmallWrites): how many accesses a small write takes with parity, or with copies."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

import pandas as pd
import simpy

from spindle.course.exercise import Answer
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.raid.array import Raid
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import WRITE, access
from spindle.sim.units import KIB

BLOCK = 4 * KIB
"""Bytes of a small write."""
LEVEL_WORDS = {
    "10": "RAID 10, with two copies of each block",
    "5": "RAID 5, whose parity goes round the drives",
    "6": "RAID 6, with two blocks of parity in each row, which go round the drives",
}
"""The levels of RAID, redundant arrays of drives, as the question describes them."""
BOOK_ACCESSES = {"10": 2.0, "5": 4.0, "6": 6.0}
"""Accesses of a small write by the textbooks: both copies written; or old data and parity read, new ones written."""


@cache
def accesses_a_write(level: str, drives: int) -> float:
    """Simulate one write to each block of the array; return the accesses of the busiest drive for each write."""
    env = simpy.Environment()
    members = [Drive(env, FixedService(1e-3, capacity=drives * BLOCK), name=f"drive {number}")
               for number in range(drives)]  # fmt: skip
    array = Raid(env, RaidType(level, drives, BLOCK), members)
    blocks = array.capacity // BLOCK

    def write_all() -> simpy.events.ProcessGenerator:
        for block in range(blocks):
            yield array.start(access(WRITE, block * BLOCK, BLOCK, Account("writer")))

    env.process(write_all())
    env.run()
    served = Counter({drive.name: drive.counts.completed for drive in members})
    return max(served.values()) / blocks


@dataclass(frozen=True)
class SmallWrites:
    """Asks how many small writes an array of a *level* does; its *drives* drives serve *rate* blocks a second each."""

    level: str
    drives: int
    rate: int

    @classmethod
    def draw(cls, random: Random) -> "SmallWrites":
        level = random.choice([*LEVEL_WORDS])
        return cls(level, random.choice([8, 10, 12]), random.randrange(80, 240, 5))

    @property
    def question(self) -> str:
        return (
            f"Each of {self.drives} drives reads or writes {self.rate} blocks a second, wherever they lie. They are an "
            f"array: {LEVEL_WORDS[self.level]}. Many users write single blocks all over it, at the same time. How "
            "many of these writes a second does the array do?"
        )

    def run(self) -> pd.DataFrame:
        """Simulate arrays of each level in other sizes, of drives that serve 100 blocks a second."""
        rows = [{"drives": drives, **{f"raid {level}": 100.0 / accesses_a_write(level, drives) for level in ("0", "1")}}
                for drives in (4, 6, 14)]  # fmt: skip
        return pd.DataFrame(rows)

    def answer(self) -> float:
        return self.rate / accesses_a_write(self.level, self.drives)

    def slips(self) -> Mapping[str, Answer]:
        whole = float(self.drives * self.rate)
        slips = {
            "So many reads it does; what else must be written with a block?": whole,
            "That is one drive's number: all of them work at the same time.": self.rate / BOOK_ACCESSES[self.level],
            "All drives share the work, those with parity or a copy of it, too: its place goes round.":
                (self.drives - 1) * self.rate / BOOK_ACCESSES[self.level],
        }  # fmt: skip
        if self.level != "10":
            slips["New parity needs the old data and the old parity: these are read first."] = \
                whole / (BOOK_ACCESSES[self.level] / 2)
        if self.level == "6":
            slips["There are two blocks of parity in a row."] = whole / BOOK_ACCESSES["5"]
        if self.level == "10":
            slips["There is no parity here, and nothing is read before a write."] = whole / BOOK_ACCESSES["5"]
        return slips
