"""The last exercise: tune an HP3000 of one's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random

import pandas as pd

from models.course.exercise import Answer
from models.hp3000.runs.loads import SECTOR, orders
from sim.units import MIB, MS

SECTORS = (4, 8, 16, 32, 64, 96)
"""Of a random fetch: four are a block of the data base."""
MEMORY = (3, 4, 6)
"""MiB."""


@dataclass(frozen=True)
class Tuning:
    """*terminals* of clerks on a machine with *memory* MiB; *seed* is of its runs."""

    terminals: int
    memory: int
    seed: int

    @classmethod
    def draw(cls, random: Random) -> "Tuning":
        return cls(random.randrange(40, 64), random.choice(MEMORY), random.randrange(10**6))

    @property
    def question(self) -> str:
        return (
            f"{self.terminals} clerks work on an HP3000 with {self.memory} MiB and disc caching. "
            "task.case.response(16) is the mean response in ms with a random fetch of 16 sectors. What is the shortest "
            f"that any random fetch of {', '.join(map(str, SECTORS[:-1]))} or {SECTORS[-1]} sectors reaches, in ms?"
        )

    def run(self) -> pd.DataFrame:
        """The two ends."""
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
        """Mean response, ms, with a random fetch of so many *sectors*."""
        row = orders(self.terminals, caching=True, memory=self.memory * MIB, fetch_random=sectors * SECTOR,
                     minutes=1.0, warm_up=0.5, seed=self.seed)  # fmt: skip
        return row["response_mean"] / MS

    @cached_property
    def _responses(self) -> dict[int, float]:
        return {each: self.response(each) for each in SECTORS}
