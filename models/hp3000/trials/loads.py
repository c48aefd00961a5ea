"""Whole loads without and with caching: what most of the paper's numbers are about."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from models.hp3000.experiments.hybrid import NO_THINKING, SECTOR
from models.hp3000.experiments.processor import OtherWork
from models.hp3000.parameters import Parameters
from models.hp3000.run import run
from sim.measure.result import Result
from sim.parameter import changed
from sim.units import MIB

FILLING, MORE = 2.0, 3.0
"""Minutes of warm-up: what it takes until caches and queues are there, and what a run of full length adds."""

OTHERS = 0.22
"""The share of the CPU for other work that brings a good fit."""

Runs = Callable[..., Result]


def runs(terminals: int, development: int, seed: object, minutes: float, length: float, changes: Any) -> Runs:
    """Runs of that load, *minutes* long at full *length*."""
    return partial(run, terminals, development, seed=seed, minutes=minutes * length,
                   warm_up=FILLING + MORE * length, keep_rows=False, **changes)  # fmt: skip


def _pair(one: Runs) -> Mapping[str, float]:
    """The same load without and with caching, on the same random numbers; the gain is 1 - cached / uncached."""
    plain, cached = one(caching=False).summary(), one(caching=True).summary()
    return {
        **{f"plain_{name}": value for name, value in plain.items()},
        **{f"cached_{name}": value for name, value in cached.items()},
        "gain": 1 - cached["response_mean"] / plain["response_mean"],
        "ratio": plain["response_mean"] / cached["response_mean"],
    }


def hybrid_101(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """63 transaction terminals and 38 development sessions."""
    pair = dict(_pair(runs(63, 38, seed, 40.0, length, parameters)))
    whole, used = changed(Parameters(), **parameters).memory / MIB, pair["plain_memory_used"] / MIB
    paused = pair["plain_paused_disc"] + pair["plain_paused_swap"]
    return pair | {"memory_in_use_mb": used, "memory_idle_mb": whole - used, "plain_paused": paused}


def transactions(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """21, 42 and 63 transaction terminals by themselves: what each gains, and whether more of them gain more."""
    loads = [runs(terminals, 0, seed, 12.0, length, parameters) for terminals in (21, 42, 63)]
    gains = [_pair(load)["gain"] for load in loads]
    return {"gain_21": gains[0], "gain_63": gains[2], "grows": float(gains[0] < gains[1] < gains[2])}


def fetch_trade_off(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """A larger random fetch hits more often and yet, beyond a point, answers later."""
    fetch = runs(63, 38, seed, 12.0, length, parameters)
    small, usual, large = (fetch(fetch_random=sectors * SECTOR).summary() for sectors in (4, 16, 96))
    return {
        "hits_grow": float(small["hit_ratio"] < usual["hit_ratio"] < large["hit_ratio"]),
        "too_large_hurts": float(large["response_mean"] > usual["response_mean"]),
    }


def good_fit(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """101 terminals beside other work, so that 20 to 40 % of the CPU are left: what the paper calls a good fit."""
    one = runs(63, 38, seed, 6.0, length, parameters)
    plain, cached = (one(caching=on, watch=OtherWork(OTHERS, seed)).summary() for on in (False, True))
    gain = 1.0 - cached["response_mean"] / plain["response_mean"]
    return {"left": 1.0 - plain["cpu_busy"], "gain": gain, "pays": float(gain > 0.0)}


def zero_think(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """21 terminals whose users do not think, and type at their usual speed: answers a second without and with it."""
    one = runs(21, 0, seed, 6.0, length, {**parameters, "think_scale": NO_THINKING})
    plain, cached = (one(caching=on).summary()["throughput"] for on in (False, True))
    return {"plain": plain, "cached": cached, "more": float(cached > plain)}


def built_in(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """101 terminals on a machine that has caching on no LDEV, against one that does not have it: what that costs."""
    one = runs(63, 38, seed, 6.0, length, parameters)
    absent, off = one(caching=False).summary(), one(caching=True, cached_ldevs=()).summary()
    return {"degradation": off["response_mean"] / absent["response_mean"] - 1.0}
