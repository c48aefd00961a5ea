"""What Max-IV's experiments vary and how they are drawn, and the replications that its claims are judged by."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.accesses import first_sector, spawn, two_readers
from models.max_iv.machine import SECTORS
from models.max_iv.parameters import Parameters
from models.max_iv.run import run
from models.max_iv.sector_cache import SectorCache
from sim.disc.sheets import MODCOMP_4138
from sim.experiment.plots import curve
from sim.experiment.summarise import summarise
from sim.experiment.system import Effort, Experiment
from sim.measure.result import Result
from sim.streams import pick, stream
from sim.units import MS

SIZES = (64, 128, 192, *range(256, 513, 32), 640, 768, 1024)
"""With the sizes between 256 and 512 at which Jacobson did not look (3.2)."""
STRETCH = 3.0
"""Few users give few commands, so these runs last so many times as long as others."""
CACHED = {0: "no cache", SECTORS: f"{SECTORS} sectors"}
RESPONSE = "RETURN to first character, s"


def stretched(minutes: float, warm_up: float, **others: object) -> Result:
    return run(minutes=STRETCH * minutes, warm_up=STRETCH * warm_up, **others)  # type: ignore[arg-type]


def hit_ratio_vs_sectors(effort: Effort) -> pd.DataFrame:
    """Hit ratio and response of 3 users against the size of the cache."""
    frame = effort.sweep(stretched, users=3, sectors=list(SIZES))
    values = ["hit_ratio", "read_hit_ratio", "miss_reads", "miss_writes", "miss_weofs", "management_share",
              "response_mean", "response_p95"]
    return summarise(frame, ["sectors"], values)


def draw_hit_ratio_vs_sectors(frame: pd.DataFrame) -> Axes:
    return curve(
        frame, "sectors", "hit_ratio", x_label="sectors in the cache", y_label="hits, of all requests",
        title="No step between 256 and 512 sectors",
    )


def response_vs_users(effort: Effort) -> pd.DataFrame:
    """Response against the number of users, without a cache (0 sectors) and with Jacobson's."""
    frame = effort.sweep(stretched, users=list(range(1, 7)), sectors=[0, SECTORS])
    values = ["response_mean", "response_p95", "op_rate", "cpu_busy", "disc_busy", "hit_ratio"]
    return summarise(frame, ["users", "sectors"], values)


def draw_response_vs_users(frame: pd.DataFrame) -> Axes:
    return curve(
        frame, "users", "response_mean", by="sectors", names=CACHED, x_label="users", y_label=RESPONSE,
        title="The cache helps most where users share the disc",
    )


def breakdown(effort: Effort) -> pd.DataFrame:
    """Where a response of 3 users goes, cached and not: means over the replications, one column a part."""
    frame = effort.sweep(stretched, users=3, sectors=[0, SECTORS])
    parts = [name for name in frame.columns if name.startswith("part_")]
    means = frame.groupby("sectors", sort=False)[parts].mean().reset_index()
    return means.assign(run=means["sectors"].map(CACHED)).drop(columns="sectors")


EXPERIMENTS = (
    Experiment(
        "hit_ratio_vs_sectors",
        "How the hit ratio grows with the number of sectors in the cache, also between 256 and 512.",
        hit_ratio_vs_sectors, draw_hit_ratio_vs_sectors,
    ),
    Experiment(
        "response_vs_users",
        "How response time grows with the number of users, with the cache and without.",
        response_vs_users, draw_response_vs_users,
    ),
)


# Trials: one replication each, the numbers that claims are judged by.


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
