"""Tests by hand the page of a run of the buffer pool, and the runs, measures and tables of its studies."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from spindle.models.buffer_pool import studies
from spindle.models.buffer_pool.studies import (
    MEASURED_LOADS,
    POLICY_RULES,
    POOL_MIB,
    SCAN_WAYS,
    SCAN_WINDOW,
    case_runs,
    claims,
    measured_hits,
    measures,
    pool_hits,
    scan_measures,
    scan_runs,
    scan_table,
)
from spindle.models.buffer_pool.system import page
from spindle.sim.eviction.lru import Lru
from spindle.sim.units import MIB
from spindle.studies.study import SeedRows


def test_the_page_line_by_line() -> None:
    result: Any = SimpleNamespace(
        parameters={"scale": 3, "clients": 5, "mix": "select", "scans": 2, "pool": 16 * MIB, "raid": "1", "drives": 2},
        extras={"read_rate": 1234.5, "write_rate": 20.0, "flush_rate": 3.0, "buffer_hit_ratio": 0.98765,
                "heap_hit_ratio": 0.5, "index_hit_ratio": 0.75, "cpu_busy": 0.125, "disc_busy": 0.875},
        response=lambda: {"response_mean": 0.00251234, "response_p95": 0.01251234}, seed=9, seconds=4.0,
        recorder=SimpleNamespace(count=10_000))  # fmt: skip
    *lines, last = page(result).splitlines()
    assert lines == [
        "scale 3, 5 clients of select, 2 scans, a pool of 16,777,216 bytes, seed 9",
        "2,500 transactions/s, mean 2.51 ms, p95 12.5 ms",
        "buffer hits 98.77%: accounts 50.00%, their index 75.00%",
        "pages read 1230/s, written 20/s, flushes of the log 3/s",
    ]
    assert last.startswith("CPU busy 12.5%, drive busy 87.5%")
    assert last != "CPU busy 12.5%, drive busy 87.5%", "the array is told"
    result.parameters.update(raid="", drives=None)
    assert page(result).splitlines()[-1] == "CPU busy 12.5%, drive busy 87.5%"


def test_what_a_study_runs_is_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Any, ...]] = []

    def run(*arguments: Any, **named: Any) -> Any:
        given.append((*arguments, named))
        return SimpleNamespace(recorder=SimpleNamespace(count=30), seconds=4.0, extras={"heap_hit_ratio": 0.5})

    monkeypatch.setattr(studies, "run", run)
    row = pool_hits("select", 1.07, 8, seed=3, minutes=0.5, warm_up=0.25, policy="lru", scans=2, ring=0)
    assert row == {"throughput": 7.5, "heap_hit_ratio": 0.5}
    (scale, clients, pool, mix, scans, minutes, warm_up, seed, options, named), = given
    assert (scale, clients, pool, mix, scans, minutes, warm_up, seed) == (10, 4, 8 * MIB, "select", 2, 0.5, 0.25, 3)
    assert named == {"keep_rows": False, "skew": 1.07, "ring": 0}
    assert options.policy is Lru


def test_runs_are_of_each_load_and_of_each_way_of_a_scan() -> None:
    loads = {"uniform": ("select", 0.0), "zipf": ("select", 1.07), "TPC-B": ("tpcb", 0.0)}
    assert [each.marks for each in case_runs()] == [{"load": load} for load in loads]
    assert [each.grid for each in case_runs()] == [
        {"mix": mix, "skew": skew, "pool": list(POOL_MIB)} for mix, skew in loads.values()]
    assert [each.window for each in case_runs()] == [case.window for case in MEASURED_LOADS.values()]
    assert all(each.run is pool_hits for each in case_runs())
    assert [each.marks for each in scan_runs()] == [{"scan": way} for way in SCAN_WAYS]
    assert [each.grid for each in scan_runs()] == [
        {"mix": "select", "skew": 1.07, "pool": 16, "scale": 5, "policy": list(POLICY_RULES), **more}
        for more in SCAN_WAYS.values()]  # fmt: skip
    assert all(each.run is pool_hits and each.window is SCAN_WINDOW for each in scan_runs())


def test_claims_are_by_load_and_pool() -> None:
    assert claims() == {f"BP-{letter}{pool}": (load, pool) for letter, load in zip("SZT", MEASURED_LOADS, strict=True)
                        for pool in (8, 16, 32, 64, 128)}  # fmt: skip
    rows = SeedRows([{"load": "zipf", "pool": 8, "heap_hit_ratio": 0.25}, {"load": "TPC-B", "pool": 128,
                                                                       "heap_hit_ratio": 0.75}])  # fmt: skip
    assert measures(rows) == {"BP-Z8": 0.25, "BP-T128": 0.75}
    numbers = {claim: float(number) for number, claim in enumerate(claims())}
    pools = [pool for _, pool in claims().values()]
    assert measured_hits(numbers) == [(float(pool), float(number)) for number, pool in enumerate(pools)]


def scanned(hits: dict[tuple[str, str], float]) -> SeedRows:
    return SeedRows([{"policy": policy, "scan": scan, "heap_hit_ratio": ratio, "throughput": 2.0}
                     for (policy, scan), ratio in hits.items()])  # fmt: skip


def test_what_a_scan_costs_is_in_points_of_hits() -> None:
    """By policy 90, 80, 70 and 60 % without a scan; with one 1, 2, 4 and 8 points less, through a ring half of it."""
    hits = {}
    for number, rule in enumerate(POLICY_RULES):
        before, lost = 0.9 - 0.1 * number, 0.01 * 2**number
        hits |= {(rule, "no scan"): before, (rule, "through a ring"): before - lost / 2,
                 (rule, "without a ring"): before - lost}  # fmt: skip
    found = scan_measures(scanned(hits))
    lost = {f"{rule}_{name}": 2.0**number * factor for number, rule in enumerate(POLICY_RULES)
            for name, factor in (("ring", 0.5), ("scan", 1.0))}
    assert found == pytest.approx({**lost, "sweep_over_lru": 10.0, "midpoint_share": 2.0, "quick_midpoint_share": 4.0})
    few = scan_measures(scanned({key: ratio for key, ratio in hits.items() if key[0] in ("clock-sweep", "lru")}))
    assert list(few) == ["clock-sweep_ring", "clock-sweep_scan", "lru_ring", "lru_scan", "sweep_over_lru"]


def test_a_table_of_scans_has_what_was_not_found() -> None:
    frame = pd.DataFrame([{"policy": "lru", "scan": "no scan", "heap_hit_ratio": ratio, "throughput": rate}
                          for ratio, rate in ((0.9, 10.0), (0.8, 30.0))])  # fmt: skip
    (row,) = scan_table(frame).to_dict("records")
    assert (row["policy"], row["scan"], row["throughput"]) == ("lru", "no scan", 20.0)
    assert row["missed"] == pytest.approx(15.0)
