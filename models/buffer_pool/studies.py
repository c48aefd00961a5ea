"""Studies of the buffer pool: hits by its size, compared with a real PostgreSQL, and hits lost by a scan, by policy."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from spindle.models.buffer_pool.machine import PoolOptions
from spindle.models.buffer_pool.run import run
from spindle.sim import user_parts
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.units import MIB, Bytes
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.bars import Named, interval_bars
from spindle.studies.plots.claim_points import MEASURED, Numbers, Point, with_points
from spindle.studies.plots.curves import curve
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Row, Runs, SeedRows, Study, StudyWindow, means

MEASURED_HITS = partial(published_by_id, Path(__file__).with_name("claims.toml"))
POOL_MIB = (8, 16, 32, 64, 128)
"""Sizes of the pool (PostgreSQL's shared buffers)."""
PGBENCH_SCALE = 10
"""Scale of pgbench's tables: a million accounts."""


class MeasuredLoad(NamedTuple):
    """A load under which a real PostgreSQL's hits of pgbench's accounts table were measured.

    The claim on a pool of 8 MiB under the load with *letter* S is BP-S8; clients do the transactions of *mix*.
    """

    letter: str
    mix: str
    skew: float
    window: StudyWindow


QUICK_WINDOW, COARSE_POOLS = {"warm_up": 0.005, "minutes": 0.0025}, {"pool": (8, 16)}
"""Window and pools (MiB) of a quick look, which could not fill larger pools."""
UNIFORM_WINDOW = StudyWindow({"warm_up": 0.03, "minutes": 0.01}, QUICK_WINDOW, COARSE_POOLS)
ZIPF_WINDOW = StudyWindow({"warm_up": 0.1, "minutes": 0.05}, QUICK_WINDOW, COARSE_POOLS)
TPCB_WINDOW = StudyWindow({"warm_up": 0.125, "minutes": 0.035}, QUICK_WINDOW, COARSE_POOLS)
"""Windows of the three loads. That of Zipf's law has 120,000 transactions of warm-up and then 60,000, as the real
clients did, because some pages are read rarely, and late for the first time."""
MEASURED_LOADS = {
    "uniform": MeasuredLoad("S", "select", 0.0, UNIFORM_WINDOW),
    "zipf": MeasuredLoad("Z", "select", 1.07, ZIPF_WINDOW),
    "TPC-B": MeasuredLoad("T", "tpcb", 0.0, TPCB_WINDOW),
}


@means(pool=lambda mebibytes: {"pool": mebibytes * MIB})
def pool_hits(
    mix: str, skew: float, pool: int, seed: object, minutes: float, warm_up: float, scale: int = PGBENCH_SCALE,
    policy: str = "clock-sweep", scans: int = 0, **parameters: Any,
) -> Row:  # fmt: skip
    """Run clients of the *mix* on a *pool* of that many MiB; return its hits."""
    result = run(scale, 4, Bytes(pool * MIB), mix, scans, minutes, warm_up, seed,
                 PoolOptions(policy=user_parts.part("policy", policy, POLICIES)), keep_rows=False, skew=skew,
                 **parameters)  # fmt: skip
    return {"throughput": result.recorder.count / result.seconds, **result.extras}


def case_runs() -> list[Runs]:
    return [Runs(pool_hits, case.window, {"load": name}, mix=case.mix, skew=case.skew, pool=list(POOL_MIB))
            for name, case in MEASURED_LOADS.items()]


def claims() -> Mapping[str, tuple[str, int]]:
    """Return the load and the pool, in MiB, of each claim on hits of accounts."""
    return {f"BP-{case.letter}{pool}": (name, pool) for name, case in MEASURED_LOADS.items() for pool in POOL_MIB}


def measures(rows: SeedRows) -> Mapping[str, float]:
    """Return hits of accounts by claim, for the pools that were run."""
    hits = {(row["load"], row["pool"]): float(row["heap_hit_ratio"]) for row in rows}
    return {claim: hits[place] for claim, place in claims().items() if place in hits}


table = partial(summarise, by=["load", "pool"],
                values=["heap_hit_ratio", "index_hit_ratio", "buffer_hit_ratio", "throughput"])


def measured_hits(numbers: Numbers) -> list[Point]:
    return [(float(pool), numbers[claim]) for claim, (_, pool) in claims().items()]


picture = with_points(MEASURED_HITS, measured_hits, MEASURED)(
    partial(curve, x="pool", y="heap_hit_ratio", by="load", x_label="shared buffers, MiB",
            y_label="buffer hits of accounts", title="Hits as a real PostgreSQL has them, at every size"))

SCANNED_POOL_MIB = 16
"""Size of the pool while accounts are scanned."""
POLICY_RULES = {"clock-sweep": "clock sweep", "lru": "LRU", "midpoint": "midpoint, 1 s",
         "midpoint(wait=0.01)": "midpoint, 10 ms"}  # fmt: skip
SCAN_WAYS: Mapping[str, Mapping[str, Any]] = {"no scan": {"scans": 0}, "through a ring": {"scans": 1},
                                         "without a ring": {"scans": 1, "ring": 0}}  # fmt: skip
SCAN_WINDOW = StudyWindow({"warm_up": 0.03, "minutes": 0.03}, {"warm_up": 0.006, "minutes": 0.004},
                          {"policy": ("clock-sweep", "lru")})


def scan_runs() -> list[Runs]:
    """List the runs, at scale 5, whose accounts and index take four and a half times the pool."""
    return [Runs(pool_hits, SCAN_WINDOW, {"scan": way}, mix="select", skew=1.07, pool=SCANNED_POOL_MIB, scale=5,
                 policy=list(POLICY_RULES), **more) for way, more in SCAN_WAYS.items()]  # fmt: skip


def scan_measures(rows: SeedRows) -> Mapping[str, float]:
    """Return the percentage points of hits that a scan costs, by policy."""
    hits = {(row["policy"], row["scan"]): 100.0 * float(row["heap_hit_ratio"]) for row in rows}
    lost = {f"{rule}_{name}": hits[rule, "no scan"] - hits[rule, way] for rule in POLICY_RULES
            for name, way in (("ring", "through a ring"), ("scan", "without a ring")) if (rule, way) in hits}
    shares = {"midpoint_share": "midpoint_scan", "quick_midpoint_share": "midpoint(wait=0.01)_scan"}
    return {**lost, "sweep_over_lru": hits["clock-sweep", "no scan"] - hits["lru", "no scan"],
            **{name: lost[rule] / lost["lru_scan"] for name, rule in shares.items() if rule in lost}}


def scan_table(frame: pd.DataFrame) -> pd.DataFrame:
    missed = 100.0 * (1.0 - frame["heap_hit_ratio"])
    return summarise(frame.assign(missed=missed), ["policy", "scan"], ["missed", "throughput"])


scan_picture = partial(interval_bars, value="missed", groups=Named("scan", {way: way for way in SCAN_WAYS}),
                       kinds=Named("policy", POLICY_RULES), x_label="accounts not found, %",
                       title="A scan without a ring costs up to two points of hits")

STUDIES = (
    Study("pools", case_runs(), Figure(table, picture), measures, replications=1),
    Study("scans", scan_runs(), Figure(scan_table, scan_picture), scan_measures, replications=3),
)  # fmt: skip
