"""An exercise on paging (PageFaults): counting the page faults of some references in a few frames of memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import ClassVar

import pandas as pd

from spindle.course.exercise import Answer
from spindle.sim.eviction.registry import POLICIES
from spindle.traces.curve.question import BOUNDS
from spindle.traces.curve.steps import CacheStep, cache_steps, policy_for

POLICY_NAMES = {"fifo": "FIFO", "lru": "LRU", "opt": "OPT, which evicts the page that is used last of all"}
"""Replacement policies as the question calls them."""
PAGES, REFERENCES = 8, 24
"""Different pages of the program, and how many references it makes."""


@dataclass(frozen=True)
class PageFaults:
    """Asks how many page faults a program has that uses *pages* in turn, in *frames* frames under a *policy*."""

    GIVEN_TO_STUDENTS: ClassVar = ("pages", "steps")

    pages: tuple[int, ...]
    frames: int
    policy: str

    @classmethod
    def draw(cls, random: Random) -> "PageFaults":
        pages = tuple(int(PAGES * random.random()) for _ in range(REFERENCES))
        return cls(pages, random.choice([3, 4]), random.choice([*POLICY_NAMES]))

    @property
    def question(self) -> str:
        return (
            f"A program uses the pages {' '.join(map(str, self.pages))}, one after another. Memory has {self.frames} "
            f"frames for them, which are empty at first, and evicts by {POLICY_NAMES[self.policy]}. How many page "
            "faults are there? task.given['steps'](2) shows two frames step by step."
        )

    def run(self) -> pd.DataFrame:
        """Count the faults in other numbers of frames."""
        others = [frames for frames in range(1, PAGES + 1) if frames != self.frames]
        return pd.DataFrame([{"frames": frames, **{name: self.faults(name, frames) for name in POLICY_NAMES}}
                             for frames in others])  # fmt: skip

    def steps(self, frames: int) -> pd.DataFrame:
        """Return what each reference does in another number of *frames*: hit or fault, page evicted, frames after."""
        shown = frames if frames != self.frames else frames - 1
        return pd.DataFrame([{"page": step.reference, "hit": step.hit, "evicted": step.evicted,
                              "frames": " ".join(each or "-" for each in step.frames)}
                             for step in self._steps(self.policy, shown)])  # fmt: skip

    def answer(self) -> float:
        return float(self.faults(self.policy, self.frames))

    def slips(self) -> Mapping[str, Answer]:
        faults = {name: float(self.faults(name, self.frames)) for name in POLICY_NAMES}
        wanted = faults.pop(self.policy)
        others = {f"That is {POLICY_NAMES[name].split(',')[0]}'s number.": count for name, count in faults.items()}
        return {
            **{hint: count for hint, count in others.items() if count != wanted},
            "That is the number of hits.": len(self.pages) - wanted,
            "The first use of a page faults, too: no frame has it.": wanted - min(self.frames, len(set(self.pages))),
            "There is a frame more than that.": float(self.faults(self.policy, self.frames - 1)),
        }

    def faults(self, policy: str, frames: int) -> int:
        return sum(not step.hit for step in self._steps(policy, frames))

    def _steps(self, policy: str, frames: int) -> list[CacheStep]:
        kind = POLICIES["lru" if policy in BOUNDS else policy]
        return [*cache_steps(self.pages, frames, policy_for(policy, kind, self.pages, frames))]
