"""The replications that the claims on Windows NT are judged by."""

from collections.abc import Mapping

from models.windows_nt.experiments.discs import disc_checks
from models.windows_nt.experiments.growth_numbers import growth_numbers
from models.windows_nt.experiments.observe import seen, watched
from models.windows_nt.experiments.sides import SECONDS, at
from models.windows_nt.experiments.table import BOOK, times
from models.windows_nt.experiments.update_numbers import random_numbers, sequential_numbers
from models.windows_nt.experiments.workloads import workload
from models.windows_nt.parameters import Parameters
from sim.parameter import changed
from sim.streams import stream
from sim.study.system import Trial
from sim.units import MIB
from workloads.probe.walk import Walk

SHORTEST, USUAL = 60.0, 120.0
"""Seconds of a trial: however short a judging is a cold cache must fill, and what there is at full length."""


def seconds(length: float) -> float:
    return max(SHORTEST, USUAL * length)


def settings(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """What was put in: sizes, and where Probe's records lie."""
    chosen = changed(Parameters(), **parameters)
    (small, large) = (workload(name).processes[0].threads[0].actions[0] for name in ("sequential_read", "large_read"))
    reader, sequence = Walk(large, stream(seed, "spread")), Walk(small, stream(seed, "sequence"))
    places = sorted(each.first for _ in range(4000) for each in reader.once())
    firsts = [each.first for _ in range(small.records + 1) for each in sequence.once()]
    return {
        "memory_mb": chosen.memory / MIB, "trim_below_mb": chosen.trim_below / MIB, "record_bytes": small.record,
        "spread_mb": (places[-20] - places[20]) / MIB, "wraps": float(firsts[-1] == 0 and len(set(firsts)) == 256),
    }  # fmt: skip


def table(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """The twelve cells of table 6.2, and how many times as fast the cache is."""
    found = times(seed, length, **parameters)
    return {**found, **{f"{row}_gain": found[f"{row}_unbuffered"] / found[f"{row}_buffered"] for row in BOOK}}


def large_read(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Figures 6.3 to 6.5, and their first seconds more closely, in which the cache is trimmed."""
    closely = watched(workload("large_read"), seed, SHORTEST / 2, 0.25, **parameters)
    return growth_numbers(seen("large_read", seed, seconds(length), **parameters), closely)


def sequential_update(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Figures 6.6 to 6.12, and the cache of figure 6.3 beside them."""
    this, other = (seen(name, seed, seconds(length), **parameters) for name in ("sequential_update", "large_read"))
    return sequential_numbers(this, other)


def random_update(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Figures 6.13 to 6.18, always in full: the book's averages are over a cache that fills."""
    this = seen("random_update", seed, USUAL, **parameters)
    return random_numbers(this, seen("sequential_update", seed, seconds(length), **parameters))


def side_by_side(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Figures 6.19 to 6.21, the first and the last of their eight spreads."""
    first, last = (at(spread, seed, SECONDS, **parameters) for spread in (1, 8))
    return {
        "cache_ahead_at_first": float(first["cache_mb"] > first["mapped_mb"]),
        "mapped_ahead_at_last": float(last["mapped_mb"] > last["cache_mb"]),
        "available_falls": float(last["available_mb"] < first["available_mb"]),
        "paging_rises": float(last["pages_per_second"] > 2 * first["pages_per_second"]),
        "mapped_faster_at_first": float(first["mapped_ms"] < first["buffered_ms"]),
        "evens_up": last["mapped_ms"] / last["buffered_ms"],
    }


TRIALS: Mapping[str, Trial] = {
    "settings": settings,
    "table": table,
    "large_read": large_read,
    "sequential_update": sequential_update,
    "random_update": random_update,
    "side_by_side": side_by_side,
    "disc_checks": disc_checks,
}
