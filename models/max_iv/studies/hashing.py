"""Studies the hash table of Jacobson's cache: the time of a search, and list lengths by order of the address bits."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import exp, factorial, log

import numpy as np
import pandas as pd

from spindle.models.max_iv.cache import SectorCache
from spindle.models.max_iv.disc_address import track_low
from spindle.models.max_iv.machine import MaxIvOptions
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.studies.trials import MAIN, USERS
from spindle.models.max_iv.studies.two_hours import day
from spindle.sim.parameter import change
from spindle.sim.streams import pick, stream
from spindle.sim.units import MS
from spindle.studies.plots.curves import curve
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study

SECTOR_LOW, TRACK_LOW = "sector low", "track low"
LONGEST_SHOWN = 10
"""Sectors on the longest list that is shown."""
LIST_LOAD = 512 / 251
"""Sectors in the cache for each hash list."""
SEARCH_MEASURES = ("search_mean", "probes_mean", "chains_alike", "chain_at_most_3", "chain_max")


def hash_orders(frame: pd.DataFrame) -> pd.DataFrame:
    """Average over seeds the percent of hash lists by length at the end of a run, and the comparisons of a search."""
    shares = {
        f"length_{length}": [100.0 * lengths.count(length) / len(lengths) for lengths in frame["lengths"]]
        for length in range(LONGEST_SHOWN + 1)
    }
    means = frame.assign(**shares).groupby("order", sort=False)[[*SEARCH_MEASURES, *shares]].mean().reset_index()
    long_rows = [
        {"order": row["order"], **{name: row[name] for name in SEARCH_MEASURES}, "length": length,
         "share": row[f"length_{length}"]}
        for row in means.to_dict("records") for length in range(LONGEST_SHOWN + 1)
    ]  # fmt: skip
    chance = [
        {"order": "chance", "length": length, "share": 100.0 * exp(-LIST_LOAD) * LIST_LOAD**length / factorial(length)}
        for length in range(LONGEST_SHOWN + 1)
    ]
    return pd.DataFrame([*long_rows, *chance])


draw_hash_orders = partial(curve, x="length", y="share", by="order", x_label="sectors on a hash list",
                           y_label="lists, %", title="Hash lists are as by chance in either order")


def caption_hash_orders(table: pd.DataFrame) -> str:
    orders = [
        f"{order}: {rows.iloc[0]['probes_mean']:.2f} comparisons to find a sector, neighbours correlate by "
        f"{rows.iloc[0]['chains_alike']:.2f}"
        for order, rows in table.groupby("order", sort=False) if order != "chance"
    ]  # fmt: skip
    return (
        "Chance is Poisson's distribution with a mean of 512/251. " + "; ".join(orders) + ". So lists that lie "
        "together are alike, as in Jacobson's figure 3, and another order of the bits takes most of that away without "
        "making a search shorter."
    )


def strongest_period(lengths: Sequence[float]) -> float:
    """Return the share of the strongest period in the power of *lengths* along the table, periods of two aside."""
    powers = np.abs(np.fft.rfft(np.asarray(lengths, float))[1:(len(lengths) - 1) // 2 + 1]) ** 2
    return float(powers.max() / powers.sum())


def period_by_chance(lists: int, chance: float = 0.01) -> float:
    """Return the share that the strongest period of *lists* random lengths exceeds with this *chance* (Fisher 1929)."""
    periods = (lists - 1) // 2
    return 1.0 - exp(log(chance / periods) / (periods - 1))


def orders(rows: SeedRows) -> Mapping[str, float]:
    """Compare the sector with the track in the low bits of the address that is divided."""
    low, track = rows.one(order=SECTOR_LOW), rows.one(order=TRACK_LOW)
    return {
        "saved_us": 1e6 * (low["search_mean"] - track["search_mean"]),
        "probes_track_low": track["probes_mean"],
        "periodic": float(strongest_period(low["lengths"]) > period_by_chance(len(low["lengths"]))),
    }


def searches(entries: int, seed: object, **parameters: object) -> dict[str, float]:
    """Return the mean milliseconds to find one of 400 sectors in *entries* lists."""
    random, compare = stream(seed, "searches"), change(MaxIvParameters(), **parameters).compare
    addresses = sorted({pick(random, 1 << 24) for _ in range(400)})
    cache = SectorCache(len(addresses), entries)
    for address in addresses:
        cache.install(address)
    return {"ms": sum(cache.search(address) for address in addresses) / len(addresses) * compare / MS}


def search_times(rows: SeedRows) -> Mapping[str, float]:
    return {"linear_ms": rows.one(entries=1)["ms"], "hashed_ms": rows.one(entries=200)["ms"]}


STUDIES = (
    Study(
        "hash_orders",
        [Runs(day, MAIN, {"order": SECTOR_LOW}, users=USERS),
         Runs(day, MAIN, {"order": TRACK_LOW}, users=USERS, choices=MaxIvOptions(order=track_low))],
        Figure(hash_orders, draw_hash_orders, caption_hash_orders), orders,
    ),
    Study("searches", [Runs(searches, UNTIMED, entries=[1, 200])], measures=search_times),
)  # fmt: skip
