"""Trials of the hash table: how long a search takes, and what another order of the address bits would do to it."""

from collections.abc import Mapping

from models.max_iv.cache.disc_address import sector_low, track_low
from models.max_iv.cache.sector_cache import SectorCache
from models.max_iv.machine import Choices
from models.max_iv.parameters import Parameters
from models.max_iv.trials.load import load
from sim.parameter import changed
from sim.streams import pick, stream
from sim.units import MS


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


def hash_orders(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Half an hour of 3 users with the sector, and with the track, in the low bits of what is divided."""
    low = load(3, seed, length, parameters, 30.0, choices=Choices(order=sector_low))
    track = load(3, seed, length, parameters, 30.0, choices=Choices(order=track_low))
    return {
        "saved_us": 1e6 * (low["search_mean"] - track["search_mean"]),
        "probes": low["probes_mean"], "probes_track_low": track["probes_mean"],
        "alike": low["chains_alike"], "alike_track_low": track["chains_alike"],
        "periodic": float(low["chains_alike"] > 0.2 and low["chains_alike"] > 2.0 * track["chains_alike"]),
        "at_most_3_track_low": track["chain_at_most_3"],
    }
