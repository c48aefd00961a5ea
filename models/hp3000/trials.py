"""The replications that the HP3000's claims are judged by."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from models.hp3000.experiments import SECTOR
from models.hp3000.run import run
from models.hp3000.unloaded import unloaded_reads
from sim.experiment.system import Trial
from sim.measure.result import Result
from sim.units import MIB, MS

FILLING, MORE = 2.0, 3.0
"""Minutes of warm-up: what it takes until caches and queues are there, and what a run of full length adds."""

Runs = Callable[..., Result]


def _runs(terminals: int, development: int, seed: object, minutes: float, length: float, changes: Any) -> Runs:
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
    pair = dict(_pair(_runs(63, 38, seed, 40.0, length, parameters)))
    return pair | {"memory_in_use_mb": pair["plain_memory_used"] / MIB}


def transactions(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """21, 42 and 63 transaction terminals by themselves: what each gains, and whether more of them gain more."""
    loads = [_runs(terminals, 0, seed, 15.0, length, parameters) for terminals in (21, 42, 63)]
    gains = [_pair(load)["gain"] for load in loads]
    return {"gain_21": gains[0], "gain_63": gains[2], "grows": float(gains[0] < gains[1] < gains[2])}


def fetch_trade_off(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """A larger random fetch hits more often and yet, beyond a point, answers later."""
    fetch = _runs(63, 38, seed, 15.0, length, parameters)
    small, usual, large = (fetch(fetch_random=sectors * SECTOR).summary() for sectors in (4, 16, 96))
    return {
        "hits_grow": float(small["hit_ratio"] < usual["hit_ratio"] < large["hit_ratio"]),
        "too_large_hurts": float(large["response_mean"] > usual["response_mean"]),
    }


def hit_time(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """A hit and a miss on an idle machine, in milliseconds, whatever the *seed*; by definition of the parameters."""
    hit, miss = unloaded_reads(caching=True, **parameters)
    _, access = unloaded_reads(caching=False, **parameters)
    return {"hit_ms": hit / MS, "miss_ms": miss / MS, "access_ms": access / MS}


TRIALS: Mapping[str, Trial] = {
    "hybrid_101": hybrid_101,
    "transactions": transactions,
    "fetch_trade_off": fetch_trade_off,
    "hit_time": hit_time,
}
