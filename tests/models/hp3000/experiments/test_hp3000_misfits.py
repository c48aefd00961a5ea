"""Experiments on where disc caching fits and where not: each runs and draws; what they compute is checked by hand."""

from math import exp, log, nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from models.hp3000.caching.at_risk import Loss
from models.hp3000.experiments import (
    batch,
    blocks,
    fit_map,
    ldevs,
    locality,
    mix,
    questions,
    rates,
    safety,
    tuning,
)
from models.hp3000.experiments.clerks import SHARES, clerks, with_orders
from models.hp3000.experiments.descent import Descent, Setting
from models.hp3000.experiments.gains import few, gains, percent
from sim.error import UserError
from sim.output.tables import read_table, write_table
from sim.plots.pictures import png
from sim.script import Call, Choose, Loop
from sim.study.system import Effort, Experiment
from sim.units import KIB

TINY = Effort(replications=1, minutes=0.15, warm_up=0.15, workers=1, progress=False)
THEMES = (mix, blocks, locality, batch, safety, ldevs, tuning, questions, fit_map, rates)
SHORT = {"seed": 1, "minutes": 0.2, "warm_up": 0.2}


@pytest.mark.parametrize("experiment", [e for theme in THEMES for e in theme.EXPERIMENTS], ids=lambda e: e.name)
def test_every_experiment_runs_and_its_table_is_drawn_and_remarked_on(experiment: Experiment, tmp_path: Path) -> None:
    frame = experiment.run(TINY)
    assert len(frame) > 1
    write_table(frame, tmp_path / "table.csv", {})
    frame = read_table(tmp_path / "table.csv")  # as a quick report may draw it
    assert png(experiment.draw(frame)).startswith(b"\x89PNG")
    assert experiment.shows.endswith(".")
    said = experiment.remark(frame)
    assert said.endswith(".")
    assert "nan" not in said


def rows(**columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(columns)


# What a change gains -------------------------------------------------------------------------------------


def test_halved_responses_are_a_gain_of_half_whatever_the_seeds_differ() -> None:
    frame = rows(
        caching=[False, False, True, True], seed=[1, 2, 1, 2], response_mean=[2.0, 4.0, 1.0, 2.0], busy=[1, 3, 5, 7]
    )
    (row,) = gains(frame, "caching", False, values=["busy"]).to_dict("records")
    assert (row["gain"], row["gain_low"], row["gain_high"]) == pytest.approx((50.0, 50.0, 50.0))
    assert (row["plain_response_mean"], row["response_mean"], row["plain_busy"], row["busy"]) == (3.0, 1.5, 2.0, 6.0)


def test_longer_responses_are_a_loss_within_its_interval() -> None:
    frame = rows(mode=["none"] * 2 + ["slow"] * 2, seed=[1, 2] * 2, load=["a"] * 4, response_mean=[1.0, 1.0, 1.5, 3.0])
    (row,) = gains(frame, "mode", "none", ["load"]).to_dict("records")
    assert row["gain"] == pytest.approx(100.0 * (1.0 - exp((log(1.5) + log(3.0)) / 2)))
    assert row["gain_low"] < row["gain"] < 0.0 < row["gain_high"]


def test_a_gain_without_an_interval_is_said_without_one() -> None:
    assert percent({"gain": 12.4, "gain_low": nan, "gain_high": nan}) == "12 %"
    assert percent({"gain": 12.4, "gain_low": 10.4, "gain_high": 14.4}) == "12 % (± 2)"


@pytest.mark.parametrize(("given", "minutes", "used"), [(5, 2.0, 3), (5, 4.0, 4), (10, 30.0, 10), (1, 0.2, 1)])
def test_few_replications_are_three_at_least_unless_fewer_are_wanted(given: int, minutes: float, used: int) -> None:
    assert few(Effort(replications=given, minutes=minutes)).replications == used


# Loads ---------------------------------------------------------------------------------------------------


def test_shares_with_other_orders_sum_to_all_and_keep_their_proportions() -> None:
    assert with_orders(SHARES["ORDER"]) == pytest.approx(dict(SHARES))
    half = with_orders(50.0)
    assert sum(half.values()) == pytest.approx(100.0)
    assert half["FIND"] / half["LIST"] == pytest.approx(SHARES["FIND"] / SHARES["LIST"])


def test_an_answer_without_a_share_is_never_given() -> None:
    (script,) = clerks(5, {"LIST": 100.0})
    (loop,) = [step for step in script.steps if isinstance(step, Loop)]
    (choose,) = [step for step in loop.steps if isinstance(step, Choose)]
    assert script.terminals == 5
    assert [step.name for branch in choose.branches for step in branch if isinstance(step, Call)] == ["LIST"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: with_orders(101.0), "between 0 and 100"),
        (lambda: clerks(5, {"FINDS": 1.0}), "did you mean FIND"),
        (lambda: clerks(5, {}), "at least one answer"),
        (lambda: locality.local("medium", **SHORT), "unknown kind of locality"),
        (lambda: safety.failing("bold", **SHORT), "unknown mode"),
        (lambda: questions.asked("one more operator", **SHORT), "unknown question"),
        (lambda: fit_map.configured("games", **SHORT), "unknown load"),
        (lambda: ldevs.partly((7,), **SHORT), "no LDEV 7"),
        (lambda: fit_map.configured("hybrid", memory=1, **SHORT), "memory must leave at least"),
        (lambda: blocks.lists(0, caching=True, **SHORT), "block must be"),
        (lambda: batch.job(97), "fetch_sequential"),
    ],
)  # fmt: skip
def test_what_is_impossible_is_a_mistake(wrong: object, said: str) -> None:
    with pytest.raises(UserError, match=said):
        wrong()  # type: ignore[operator]


# Arithmetic ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sectors", "hits"), [(4, 0.0), (16, 3 / 4), (96, 23 / 24)])
def test_a_job_hits_as_often_as_arithmetic_has_it(sectors: int, hits: float) -> None:
    assert batch.arithmetic(sectors) == pytest.approx(hits)
    assert batch.job(sectors, extent=48 * KIB)["hit_ratio"] == pytest.approx(hits)


def test_a_job_takes_as_long_as_its_blocks_and_less_with_larger_fetches() -> None:
    short, long = (batch.job(0, extent=extent)["elapsed"] for extent in (24 * KIB, 48 * KIB))
    assert long == pytest.approx(2 * short, rel=0.02)
    assert batch.job(96, extent=48 * KIB)["elapsed"] < batch.job(16, extent=48 * KIB)["elapsed"] < long


def test_lists_hit_less_than_arithmetic_only_by_where_they_begin() -> None:
    for block in (1 * KIB, 4 * KIB):
        seen = blocks.lists(block, caching=True, seed=1, minutes=1.5, warm_up=0.5).extras["hit_ratio"]
        assert seen == pytest.approx(blocks.arithmetic(block / blocks.FETCH), abs=0.05)


@pytest.mark.parametrize(
    ("hits", "gain", "start"),
    [
        ([0.2, 0.6, 0.4], [-10.0, 30.0, 10.0], 0.3),
        ([0.1, 0.2, 0.3, 0.4], [5.0, -5.0, -5.0, 5.0], 0.35),
        ([0.1, 0.2], [5.0, 10.0], nan),
        ([0.1, 0.2], [-5.0, -1.0], nan),
    ],
)
def test_caching_pays_from_where_the_last_loss_turns_into_gain(
    hits: list[float], gain: list[float], start: float
) -> None:
    assert locality.pays_from(hits, gain) == pytest.approx(start, nan_ok=True)


# What the power takes with it ----------------------------------------------------------------------------


def test_losses_are_counted_over_failures() -> None:
    told = [[Loss(1, 2048, 0.0), Loss(2, 1024, 1.0)], [], [Loss(1, 1024, 2.0)], []]
    assert safety.lost(told) == {"lost_kib": 1.0, "lost_writes": 0.75, "lost_most_kib": 3.0, "lost_nothing": 0.5}


def test_who_waits_for_the_medium_loses_nothing_and_who_does_not_loses_what_is_under_way() -> None:
    lost = {mode: safety.failing(mode, seed=1, minutes=0.6, warm_up=0.6)["lost_most_kib"] for mode in safety.NAMES}
    assert lost["none"] == lost["block"] == 0.0
    assert min(lost["behind"], lost["serial"]) > 0.0


# Tuning --------------------------------------------------------------------------------------------------


def hill(setting: Setting) -> list[float]:
    """Best at (2, 0); the further off, the longer the responses of both seeds."""
    return [seed + 3.0 * abs(setting[0] - 2) + abs(setting[1] - 0) for seed in (0.0, 1.0)]


def test_descent_climbs_to_the_best_and_undoes_what_is_worse() -> None:
    descent = Descent(hill, (0, 1), (4, 3), most=20)
    shots = descent.run()
    assert descent.setting == (2, 0)
    assert [(shot.setting, shot.kept) for shot in shots[:5]] == [
        ((1, 1), True), ((2, 1), True), ((3, 1), False), ((2, 2), False), ((2, 0), True),
    ]  # fmt: skip
    assert [shot.setting for shot in shots[5:]] == [(3, 0), (1, 0)]
    assert list(shots[0].gained) == [3.0, 3.0]
    assert descent.best == hill((2, 0))


def test_descent_ends_when_its_shots_are_used_up() -> None:
    assert [shot.setting for shot in Descent(hill, (0, 1), (4, 3), most=2).run()] == [(1, 1), (2, 1)]


# The map and the chart -----------------------------------------------------------------------------------


def test_a_misfit_is_beyond_one_of_the_papers_limits() -> None:
    frame = rows(plain_cpu_busy=[0.5, 0.66, 0.5, 0.9], memory_pressure=[0.05, 0.05, 0.11, 0.2])
    assert fit_map.misfit(frame).tolist() == [False, True, True, True]


def test_the_chart_has_a_dozen_cases_in_two_groups_each_sorted() -> None:
    frame = rates.improvement_rates(TINY)
    assert len(frame) >= 12
    assert frame["case"].is_unique
    for group, each in frame.groupby("group"):
        assert each["gain"].is_monotonic_decreasing
        assert (each["rule"] == "").all() == (group == rates.A)
    assert set(frame["rule"]) == {"", "CPU busy", "memory pressure", "hit ratio", "block size", "reads a write"}
