"""The replications that Max-IV's claims are judged by."""

from collections.abc import Mapping
from typing import Any

from models.max_iv.accesses import first_sector, spawn, two_readers
from models.max_iv.machine import SECTORS
from models.max_iv.parameters import Parameters
from models.max_iv.run import run
from models.max_iv.sector_cache import SectorCache
from sim.disc.sheets import MODCOMP_4138
from sim.experiment.system import Trial
from sim.parameter import changed
from sim.streams import pick, stream
from sim.units import MS

FILLING, MORE = 5.0, 10.0
"""Minutes of warm-up: what 512 sectors take to fill however short a run is, and what a run of full length adds."""


def _run(
    users: int, seed: object, length: float, changes: Any, minutes: float = 60.0, sectors: int = SECTORS
) -> Mapping[str, float]:
    return run(users, sectors, seed, minutes * length, FILLING + MORE * length, **changes).summary()


def main_load(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """An hour of 3 users with the cache as Jacobson left it; and a sector's time in it."""
    summary = _run(3, seed, length, parameters)
    copy = changed(Parameters(), **parameters).copy
    return {**summary, "hit_service_us": 1e6 * (copy + summary["search_mean"])}


def other_sizes(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """The same hour with 256 and with 768 sectors."""
    sizes = (256, 512, 768)
    ratios = {sectors: _run(3, seed, length, parameters, sectors=sectors)["hit_ratio"] for sectors in sizes}
    return {"hit_ratio_256": ratios[256], "gain_768": ratios[768] - ratios[512]}


def without_cache(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Half an hour of 6 users without a cache."""
    return _run(6, seed, length, parameters, minutes=30.0, sectors=0)


def searches(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Mean time to find one of 400 sectors, in one list and in 200 lists."""
    random, compare = stream(seed, "searches"), changed(Parameters(), **parameters).compare
    addresses = sorted({pick(random, 1 << 24) for _ in range(400)})
    spent: dict[str, float] = {}
    for name, entries in (("linear_ms", 1), ("hashed_ms", 200)):
        cache = SectorCache(len(addresses), entries)
        for address in addresses:
            cache.install(address)
        comparisons = sum(cache.search(address) for address in addresses)
        spent[name] = comparisons / len(addresses) * compare / MS
    return spent


def arithmetic(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """What follows from the paper's own numbers alone, whatever the *seed*."""
    chosen, track = changed(Parameters(), **parameters), MODCOMP_4138.layout.zones[0].sectors_per_track
    sectors = chosen.toc_bytes / 256
    return {
        "track_waste": 1.0 - 4.0 / track,
        "toc_from_cache_ms": sectors * chosen.copy / MS,
    }


TRIALS: Mapping[str, Trial] = {
    "main_load": main_load,
    "other_sizes": other_sizes,
    "without_cache": without_cache,
    "searches": searches,
    "first_sector": first_sector,
    "two_readers": two_readers,
    "spawn": spawn,
    "arithmetic": arithmetic,
}
