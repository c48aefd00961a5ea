"""Tests by hand the page of a run of the serving engine, and the runs, measures and tables of its studies."""

from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from spindle.models.kv_cache import studies
from spindle.models.kv_cache.parameters import KvParameters
from spindle.models.kv_cache.studies import (
    ALONE_WINDOW,
    CLAIM_BLOCKS,
    HBM_BYTES,
    HOUR_WINDOW,
    KV_BLOCK,
    POLICY_PAIRS,
    PREFILL_RATES,
    PREFIX_WAYS,
    _crossing,
    crossing_measures,
    crossing_picture,
    crossing_runs,
    dram_of,
    drive_measures,
    memory_measures,
    memory_table,
    policy_measures,
    policy_runs,
    serve_prompts,
)
from spindle.models.kv_cache.system import page
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.parameter import change
from spindle.sim.units import GIB
from spindle.studies.study import SeedRows

TIMES = {"mean": 1.5, "p95": 2.5, "p99": 3.5}


def shown(**more: float) -> list[str]:
    extras = {"hit_share": 0.5, "hit_share_hbm": 0.25, "hit_share_dram": 0.125, "recomputed_tokens": 12345.0,
              "recomputed_share": 0.0625, "instances_busy": 0.75, **more}  # fmt: skip
    result: Any = SimpleNamespace(
        parameters={"model": "llama", "instances": 3, "gpus": 2, "gpu": "h100", "arrivals": 0.4}, extras=extras,
        response=lambda: {f"response_{name}": seconds + 0.00123 for name, seconds in TIMES.items()}, seed=9,
        breakdown=lambda: {"cpu_wait": 0.250123, "transfer": 0.500123, "cpu": 0.750123},
        recorder=SimpleNamespace(count=1000),
    )  # fmt: skip
    return page(result).splitlines()


def test_the_page_line_by_line() -> None:
    lines = [
        "llama on 3 x 2 h100, 0.4 prompts/s, seed 9",
        "1000 first tokens: mean 1.5 s, p95 2.5 s, p99 3.5 s",
        "of the mean: queue 0.25 s, load 0.5 s, compute 0.75 s",
        "hits 50.00% of all blocks: hbm 25.00%, dram 12.50%",
        "12,345 tokens computed again, 6.25% of all; instances busy 75.0%",
    ]
    assert shown() == lines
    drive = "drive busy 12.5%, read 3 GB/s, its capacity written 1.23 times a day"
    assert shown(busiest_disc=0.125, bytes_rate=3e9, drive_writes_a_day=1.2345) == [*lines, drive]


def test_conversations_are_those_of_the_parameters() -> None:
    values = change(KvParameters(), again=0.5, pause=2.0, pause_spread=0.25, first=3.0, first_spread=0.5, adds=4.0,
                    adds_spread=0.75, answer=5, context=600, block_tokens=7)  # fmt: skip
    made = values.conversations()
    assert [getattr(made, each.name) for each in fields(made) if not hasattr(getattr(made, each.name), "median")] == [
        0.5, 5, 600, 7]  # fmt: skip
    spreads = [getattr(made, each.name) for each in fields(made) if hasattr(getattr(made, each.name), "median")]
    assert [(each.median, each.spread) for each in spreads] == [(2.0, 0.25), (3.0, 0.5), (4.0, 0.75)]


def test_what_a_study_runs_is_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, Any]] = []

    def run(**named: Any) -> Any:
        given.append(named)
        return SimpleNamespace(recorder=SimpleNamespace(count=30), extras={"hit_share": 0.5},
                               breakdown=lambda: {"transfer": 0.25},
                               response=lambda: {"response_mean": 1.0, "response_p95": 2.0, "response_p99": 3.0})

    monkeypatch.setattr(studies, "run", run)
    row = serve_prompts(3, 1, 2, 4, "fifo", "lru", arrivals=0.5)
    assert row == {"load_mean": 0.25, "prompts": 30, "response_mean": 1.0, "response_p95": 2.0, "response_p99": 3.0,
                   "hit_share": 0.5}  # fmt: skip
    options = given[0].pop("choices")
    assert (options.policy, options.hbm_policy) == (Lru, Fifo)
    assert given == [{"hbm": 1, "dram": 2, "nvme": 4, "seed": 3, "keep_rows": False, "arrivals": 0.5}]
    serve_prompts(3, 1)
    serve_prompts(3, 1, policy="fifo")
    assert [(each["dram"], each["nvme"], each["choices"].policy, each["choices"].hbm_policy) for each in given[1:]] == [
        (0, 0, Lru, Lru), (0, 0, Fifo, Lru)]  # fmt: skip
    with pytest.raises(UserError, match="unknown policy 'fofi'"):
        serve_prompts(3, 1, policy="fofi")


def test_memory_is_that_of_a_claims_blocks_less_hbm() -> None:
    assert [dram_of(claim) // KV_BLOCK for claim in CLAIM_BLOCKS] == [0, 2250, 7250, 12250, 24750]
    rows = SeedRows([{"dram": dram_of(claim), "hit_share": 0.1 * number, "response_mean": float(2 ** (9 - number))}
                     for number, claim in enumerate(CLAIM_BLOCKS)])  # fmt: skip
    assert memory_measures(rows) == {
        **{claim: pytest.approx(0.1 * number) for number, claim in enumerate(CLAIM_BLOCKS)}, "quicker": 16.0,
        "last_doubling": 2.0}  # fmt: skip


def test_a_table_of_memory_counts_blocks() -> None:
    frame = pd.DataFrame([{"dram": dram_of("KV-M10") + 5, "hit_share": share, "recomputed_share": 0.5,
                           "response_mean": 1.0, "response_p95": 2.0, "response_p99": 3.0} for share in (0.25, 0.75)])
    (row,) = memory_table(frame).to_dict("records")
    assert (row["blocks"], row["hit_share"], row["recomputed_share"], row["response_p99"]) == (2500, 0.5, 0.5, 3.0)
    assert HBM_BYTES == 250 * KV_BLOCK


def times(compute: list[float], load: list[float], cheaper: list[float]) -> SeedRows:
    ways = {"compute": compute, "load": load, "cheaper": cheaper}
    return SeedRows([{"way": way, "prefill_rate": speed, "response_mean": seconds}
                     for way, each in ways.items() for speed, seconds in zip(PREFILL_RATES, each, strict=True)])


def test_loading_crosses_computing_between_two_rates() -> None:
    """Half, three quarters, then one and a half times as long: a third of the way from 10,000 to 20,000."""
    found = crossing_measures(times([8.0, 4.0, 2.0, 1.0, 0.5], [4.0, 3.0, 3.0, 3.0, 3.0], [4.1, 3.0, 2.0, 1.0, 0.5]))
    assert found == {"crossing": pytest.approx(10_000 + 10_000 / 3), "slow_ratio": 0.5, "fast_ratio": 6.0,
                     "cheaper_is_cheap": 1.0}  # fmt: skip
    for cheaper in ([4.0, 3.2, 2.0, 1.0, 0.5], [4.0, 3.0, 2.5, 1.0, 0.5]):
        dear = crossing_measures(times([8.0, 4.0, 2.0, 1.0, 0.5], [4.0, 3.0, 3.0, 3.0, 3.0], cheaper))
        assert dear["cheaper_is_cheap"] == 0.0
    exact = crossing_measures(times([1.0] * 5, [0.5, 0.5, 0.5, 0.5, 0.5], [0.515, 0.5, 0.5, 0.5, 0.5]))
    assert exact["cheaper_is_cheap"] == 1.0


@pytest.mark.parametrize(("ratios", "rate"), [
    ([2.0, 3.0, 4.0, 5.0, 6.0], 5_000.0), ([0.1, 0.2, 0.3, 0.4, 1.0], 80_000.0), ([1.0, 2.0, 3.0, 4.0, 5.0], 5_000.0),
    ([0.5, 1.0, 2.0, 3.0, 4.0], 10_000.0), ([0.5, 0.5, 0.5, 0.5, 1.5], 60_000.0), ([0.1] * 5, 80_000.0),
    ([1.0] * 5, 80_000.0), ([2.0, 0.5, 0.4, 0.3, 0.2], 5_000.0),
])  # fmt: skip
def test_a_crossing_is_interpolated_or_an_end(ratios: list[float], rate: float) -> None:
    assert _crossing(ratios) == rate


def test_runs_are_of_each_way_and_each_pair() -> None:
    assert [each.marks for each in crossing_runs()] == [{"way": way} for way in PREFIX_WAYS]
    assert [each.grid for each in crossing_runs()] == [
        {"arrivals": 0.05, "hbm": 4 * GIB, "prefill_rate": list(PREFILL_RATES), **more}
        for more in PREFIX_WAYS.values()]  # fmt: skip
    assert all(each.run is serve_prompts and each.window is ALONE_WINDOW for each in crossing_runs())
    assert [each.marks for each in policy_runs()] == [{"pair": pair} for pair in POLICY_PAIRS]
    assert [each.grid for each in policy_runs()] == [
        {"hbm": HBM_BYTES, "dram": dram_of("KV-M10"), "hbm_policy": upper, "policy": lower}
        for upper, lower in POLICY_PAIRS.values()]  # fmt: skip
    assert all(each.run is serve_prompts and each.window is HOUR_WINDOW for each in policy_runs())


def test_policies_are_compared_in_points_of_hits() -> None:
    rows = SeedRows([{"pair": pair, "hit_share": 0.5 + 0.1 * number} for number, pair in enumerate(POLICY_PAIRS)])
    assert policy_measures(rows) == pytest.approx({"lru_fifo": 10.0, "fifo": 20.0, "s3": 30.0, "lru_s3": 40.0})


def test_a_drive_is_judged_at_one_rate_of_arrivals() -> None:
    rows = SeedRows([
        {"inclusion": rule, "arrivals": arrivals, "bytes_written": factor * 100.0 * arrivals,
         "drive_writes_a_day": factor + arrivals, "busiest_disc": 0.1 * factor, "load_mean": 0.2 * factor}
        for rule, factor in (("exclusive", 3.0), ("inclusive", 2.0)) for arrivals in (0.2, 0.4, 0.8)])  # fmt: skip
    assert drive_measures(rows) == {"written": pytest.approx(1.5), "drive_writes_a_day": 3.4,
                                    "busiest_disc": pytest.approx(0.3), "load_mean": pytest.approx(0.6)}  # fmt: skip


def test_the_picture_has_a_line_for_each_way_over_rates_by_their_powers() -> None:
    table = pd.DataFrame([{"way": way, "prefill_rate": speed, "response_mean": 1.0, "response_mean_low": 0.9,
                           "response_mean_high": 1.1} for way in PREFIX_WAYS for speed in PREFILL_RATES])  # fmt: skip
    axes = crossing_picture(table)
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["5,000", "10,000", "20,000", "40,000", "80,000"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("prefill, tokens/s", "time to first token, s")
    assert axes.get_title(loc="left") == "Slow accelerators gain by a drive, fast ones lose"
    assert len(axes.get_xticks(minor=True)) == 0
    assert axes.xaxis.get_transform().base == 10  # type: ignore[attr-defined]
    assert len(axes.get_lines()) == len(PREFIX_WAYS)
