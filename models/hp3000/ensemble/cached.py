"""What caching does to a member: at 101 terminals, at 21 to 63, by fetch size, and where it should not pay."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from models.hp3000.domains import SECTOR
from models.hp3000.ensemble.start import CLERKS, PROGRAMMERS
from models.hp3000.ensemble.work import Knobs
from models.hp3000.parameters import Parameters
from sim.units import KIB

SHOWN = ("response_mean", "cpu_busy", "paused", "disc_rate", "impede_rate", "lock_busy", "memory_pressure")
HEAVIER = 4.0
"""Brings a CPU that is 47 % busy without caching well beyond 65 % (B36); how far is in the row."""
TAKEN = 2560 * KIB
"""Bytes taken from 8 Mbytes of memory, so that the programs' 5.3 have to be swapped (B37)."""

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

    def gain(self, clerks: int, minutes: float) -> float:
        """Of so many transaction terminals by themselves."""
        plain, cached = (self._mean(self.knobs, clerks, 0, on, minutes) for on in (False, True))
        return 1.0 - cached["response_mean"] / plain["response_mean"]

    def _mean(self, knobs: Knobs, clerks: int, programmers: int, caching: bool, minutes: float) -> dict[str, float]:
        rows = [self.one(knobs, clerks, programmers, caching, seed, minutes) for seed in self.seeds]
        return {name: fmean(row[name] for row in rows) for name in (*SHOWN, *(["hit_ratio"] if caching else []))}

    def short(self, caching: bool, minutes: float, heavier: float = 1.0, **changes: Any) -> Mapping[str, float]:
        """One run of 101 terminals with *changes* to the machine, or with programs that compute more."""
        knobs = replace(self.knobs, computing=self.knobs.computing * heavier)
        return self.one(knobs, CLERKS, PROGRAMMERS, caching, self.seeds[0], minutes, **changes)


def gains(bench: Bench, minutes: float) -> dict[str, float]:
    """B28 and B30: 21, 42 and 63 transaction terminals."""
    found = [bench.gain(clerks, minutes) for clerks in (21, 42, 63)]
    return {"gain_21": found[0], "gain_42": found[1], "gain_63": found[2], "grows": float(found == sorted(found))}


def fetches(bench: Bench, minutes: float) -> dict[str, float]:
    """B39 and B40: random fetches of a block, of the default, and of the most there is."""
    plain = bench.short(False, minutes)
    block, usual, large = (bench.short(True, minutes, fetch_random=size) for size in
                           (Parameters().block, Parameters().fetch_random, 96 * SECTOR))  # fmt: skip
    return {
        "gain_block_fetch": _gain(plain, block),
        "hits_grow": float(block["hit_ratio"] < usual["hit_ratio"] < large["hit_ratio"]),
        "too_large_hurts": float(large["response_mean"] > usual["response_mean"]),
    }


def misfits(bench: Bench, minutes: float) -> dict[str, float]:
    """B36 to B38: a busy CPU, memory pressure, no locality; each with how busy the CPU is without caching, and how
    much of it the memory manager takes with it."""
    cases: Mapping[str, Mapping[str, Any]] = {
        "busy": {"heavier": HEAVIER},
        "pressed": {"memory": Parameters().memory - TAKEN},
        "scattered": {"hot_share": 0.0},
    }
    row: dict[str, float] = {}
    for name, changes in cases.items():
        plain, cached = (bench.short(on, minutes, **changes) for on in (False, True))
        row |= {f"gain_{name}": _gain(plain, cached), f"{name}_cpu": plain["cpu_busy"],
                f"{name}_manager": cached["memory_pressure"]}  # fmt: skip
    return row


def _gain(plain: Mapping[str, float], cached: Mapping[str, float]) -> float:
    return 1.0 - cached["response_mean"] / plain["response_mean"]
