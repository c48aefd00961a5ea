"""What caching does to a member: at 101 terminals, at 21 to 63, by fetch size, and where it should not pay."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from models.hp3000.caching.domains import SECTOR
from models.hp3000.ensemble.start import CLERKS, PROGRAMMERS
from models.hp3000.ensemble.work import Knobs
from models.hp3000.parameters import Parameters
from models.hp3000.runs.loads import hybrid, parts_of
from models.hp3000.runs.misfits import MISFITS, measured

SHOWN = ("response_mean", "cpu_busy", "paused", "disc_rate", "impede_rate", "lock_busy", "memory_pressure")

One = Callable[..., Mapping[str, float]]
"""A run of the member: ``one(knobs, terminals, development, caching, seed, minutes, **changes)``."""


@dataclass(frozen=True)
class Bench:
    """A member on the bench: its run as *one*, its *knobs*, and seeds for what has to be precise."""

    one: One
    knobs: Knobs
    seeds: Sequence[int]

    def loaded(self, caching: bool, minutes: float) -> dict[str, float]:
        """The mean summary of 101 terminals."""
        return self._mean(self.knobs, CLERKS, PROGRAMMERS, caching, minutes)

    def _mean(self, knobs: Knobs, clerks: int, programmers: int, caching: bool, minutes: float) -> dict[str, float]:
        rows = [self.one(knobs, clerks, programmers, caching, seed, minutes) for seed in self.seeds]
        return {name: fmean(row[name] for row in rows) for name in (*SHOWN, *(["hit_ratio"] if caching else []))}

    def short(
        self, minutes: float, clerks: int, programmers: int, caching: bool, **changes: Any
    ) -> Mapping[str, float]:
        """One run with the first seed, and with *changes* to the machine."""
        return self.one(self.knobs, clerks, programmers, caching, self.seeds[0], minutes, **changes)


def gains(bench: Bench, minutes: float) -> dict[str, float]:
    """B28 and B30: 21, 42 and 63 transaction terminals."""
    found = [
        _gain(*(bench.short(minutes, clerks, 0, caching) for caching in (False, True))) for clerks in (21, 42, 63)
    ]
    return {"gain_21": found[0], "gain_42": found[1], "gain_63": found[2], "grows": float(found == sorted(found))}


def fetches(bench: Bench, minutes: float) -> dict[str, float]:
    """B40: random fetches of a block, of the default, and of the most there is, with 101 terminals."""
    block, usual, large = (
        bench.short(minutes, CLERKS, PROGRAMMERS, True, fetch_random=size)
        for size in (Parameters().block, Parameters().fetch_random, 96 * SECTOR)
    )
    return {
        "hits_grow": float(block["hit_ratio"] < usual["hit_ratio"] < large["hit_ratio"]),
        "too_large_hurts": float(large["response_mean"] > usual["response_mean"]),
    }


def misfits(bench: Bench, minutes: float) -> dict[str, float]:
    """B36 to B39: what the member gains where caching should not pay, and how far each condition goes."""
    row: dict[str, float] = {}
    for name, case in MISFITS.items():
        load = parts_of(case.terminals) if case.run is hybrid else (case.terminals, 0)
        row |= measured(name, *(bench.short(minutes, *load, caching, **case.changes) for caching in (False, True)))
    return row


def _gain(plain: Mapping[str, float], cached: Mapping[str, float]) -> float:
    return 1.0 - cached["response_mean"] / plain["response_mean"]
