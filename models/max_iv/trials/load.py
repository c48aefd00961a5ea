"""Trials of the main load: users of the Tools, with the cache as Jacobson left it, with others, and with none."""

from collections.abc import Mapping
from typing import Any

from models.max_iv.cache.eligibility import MarksCached
from models.max_iv.cache.references import Referred
from models.max_iv.machine import SECTORS, Choices
from models.max_iv.parameters import Parameters
from models.max_iv.run import run
from sim.parameter import changed
from sim.units import MINUTE

FILLING, MORE = 5.0, 10.0
"""Minutes of warm-up: what 512 sectors take to fill however short a run is, and what a run of full length adds."""
LEAST = 3.0
DISC_WORK = ("part_queue", "part_seek", "part_rotation", "part_transfer", "part_channel", "part_overhead")


def load(
    users: int, seed: object, length: float, changes: Any, minutes: float = 60.0, sectors: int = SECTORS, **others: Any
) -> Mapping[str, float]:
    return run(users, sectors, seed, measured(minutes, length), FILLING + MORE * length, **others, **changes).summary()


def measured(minutes: float, length: float) -> float:
    """A share *length* of *minutes*, but not so few that nobody opens a file in them."""
    return max(minutes * length, LEAST)


def main_load(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Two hours of 3 users with the cache as Jacobson left it; and a sector's time in it."""
    summary = load(3, seed, length, parameters, 120.0)
    copy = changed(Parameters(), **parameters).copy
    return {
        **summary,
        "hit_service_us": 1e6 * (copy + summary["search_mean"]),
        "open_overhead": summary["accesses_per_open"] / summary["data_sectors_per_open"],
        "mostly_programs": float(summary["oversize_share"] > 0.5),
        "programs_pass": float(summary["oversize_share"] > 0.0),
    }


def other_sizes(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """The same hour with 256 and with 768 sectors."""
    sizes = (256, 512, 768)
    ratios = {sectors: load(3, seed, length, parameters, sectors=sectors)["hit_ratio"] for sectors in sizes}
    return {"hit_ratio_256": ratios[256], "gain_768": ratios[768] - ratios[512]}


def as_meant(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Half an hour with end-of-file marks in the cache, as section 2.2 meant it, and without them, as built."""
    meant = load(3, seed, length, parameters, 30.0, choices=Choices(rules=MarksCached()))["hit_ratio"]
    return {"more_hits": meant - load(3, seed, length, parameters, 30.0)["hit_ratio"]}


def without_cache(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Half an hour of 6 users without a cache."""
    return load(6, seed, length, parameters, minutes=30.0, sectors=0)


WORTH = 0.03
"""What a half larger cache must add to the hit ratio for somebody to see it."""
STEP = 16


def knee(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """From the references of an hour: the least size that saves more than it costs, and the largest that pays.

    Of each request it costs a search and two copies at most, and a hit saves an access to the disc.
    """
    seen, chosen = Referred(), changed(Parameters(), **parameters)
    summary = load(3, seed, length, parameters, watch=seen)
    references, requests = seen.references(), summary["op_rate"] * measured(60.0, length) * MINUTE
    access = 36e-3  # the paper's own
    sizes = range(1, 1537)
    hits = {size: references.lru_hits(size) / requests for size in sizes}
    cost = chosen.copy + summary["search_mean"]
    least = next(size for size in sizes if hits[size] * access > cost)
    largest = max(size for size in range(STEP, 1025, STEP) if hits[size * 3 // 2] - hits[size] >= WORTH)
    return {"least": float(least), "largest": float(largest), "hits_at_least": hits[least]}
