"""The replications that Max-IV's claims are judged by."""

from collections.abc import Mapping

from models.max_iv.accesses import first_sector, spawn, two_readers
from models.max_iv.parameters import Parameters
from models.max_iv.run import run
from models.max_iv.sector_cache import SectorCache
from sim.disc.sheets import MODCOMP_4138
from sim.streams import pick, stream
from sim.units import MS


def main_load(seed: object) -> Mapping[str, float]:
    """An hour of 3 users with the cache as Jacobson left it; and a sector's time in it."""
    summary = run(users=3, seed=seed).summary()
    return {**summary, "hit_service_us": 1e6 * (Parameters().copy + summary["search_mean"])}


def other_sizes(seed: object) -> Mapping[str, float]:
    """The same hour with 256 and with 768 sectors."""
    ratios = {sectors: run(users=3, seed=seed, sectors=sectors).summary()["hit_ratio"] for sectors in (256, 512, 768)}
    return {"hit_ratio_256": ratios[256], "gain_768": ratios[768] - ratios[512]}


def without_cache(seed: object) -> Mapping[str, float]:
    """Half an hour of 6 users without a cache."""
    return run(users=6, sectors=0, seed=seed, minutes=30.0).summary()


def searches(seed: object) -> Mapping[str, float]:
    """Mean time to find one of 400 sectors, in one list and in 200 lists."""
    random = stream(seed, "searches")
    addresses = sorted({pick(random, 1 << 24) for _ in range(400)})
    spent: dict[str, float] = {}
    for name, entries in (("linear_ms", 1), ("hashed_ms", 200)):
        cache = SectorCache(len(addresses), entries)
        for address in addresses:
            cache.install(address)
        comparisons = sum(cache.search(address) for address in addresses)
        spent[name] = comparisons / len(addresses) * Parameters().compare / MS
    return spent


def arithmetic(seed: object) -> Mapping[str, float]:
    """What follows from the paper's own numbers alone, whatever the *seed*."""
    parameters, track = Parameters(), MODCOMP_4138.layout.zones[0].sectors_per_track
    sectors = parameters.toc_bytes / 256
    return {
        "track_waste": 1.0 - 4.0 / track,
        "toc_from_cache_ms": sectors * parameters.copy / MS,
    }


TRIALS = {
    "main_load": main_load,
    "other_sizes": other_sizes,
    "without_cache": without_cache,
    "searches": searches,
    "first_sector": first_sector,
    "two_readers": two_readers,
    "spawn": spawn,
    "arithmetic": arithmetic,
}
