"""Tests the runs of studies: other work, other proportions of answers, moved work, losses, tuning, single parts."""

import pytest

from spindle.models.hp3000.caching.at_risk import Loss
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.series import SERIES_64, SERIES_III
from spindle.models.hp3000.studies import batch, idle_machine, unit_test
from spindle.models.hp3000.studies import power_failures as failures
from spindle.models.hp3000.studies import trials as loads
from spindle.models.hp3000.studies.load_kinds import (
    FETCH_BYTES,
    SCRIPT_PERCENTS,
    clerks,
    lists,
    with_orders,
    with_share,
)
from spindle.models.hp3000.studies.misfits import MISFITS, measure_misfit
from spindle.models.hp3000.studies.ported_work import MACHINES, ported_to, run_ported
from spindle.models.hp3000.studies.trials import hybrid, orders, parts_of, run_with_theory
from spindle.models.hp3000.studies.tuning import TUNED_SETTINGS, Descent, Setting, tune
from spindle.sim.error import UserError
from spindle.sim.script import Call, Choose, Loop
from spindle.sim.units import KIB, MS

SHORT = {"seed": 1, "minutes": 0.2, "warm_up": 0.2}


# Loads


def test_the_hybrid_load_keeps_the_papers_proportions() -> None:
    assert [parts_of(terminals) for terminals in (101, 10, 63)] == [(63, 38), (6, 4), (39, 24)]


def test_other_work_keeps_the_cpu_busy_for_its_share_and_asks_for_no_disc() -> None:
    alone, beside = (
        hybrid(1, caching=True, other_work=share, seed=1, minutes=4.0, warm_up=0.2) for share in (0.0, 0.5)
    )  # fmt: skip
    # 6000 bursts of exponential length: a standard error of two percent.
    assert beside["cpu_busy"] - alone["cpu_busy"] == pytest.approx(0.5, abs=0.04)
    assert beside["disc_rate"] == pytest.approx(alone["disc_rate"], abs=0.02)


def test_caching_that_is_built_in_and_off_changes_no_response() -> None:
    short = {"seed": 2, "minutes": 0.5, "warm_up": 0.2}
    absent = hybrid(30, caching=False, **short)
    off = hybrid(30, caching=True, cached_ldevs=(), **short)
    assert [off[name] for name in ("response_mean", "cpu_busy", "disc_rate")] == [
        absent[name] for name in ("response_mean", "cpu_busy", "disc_rate")
    ]  # fmt: skip


def test_a_call_holds_the_control_block_for_shorter_with_caching() -> None:
    plain, cached = (orders(63, caching=caching, seed=1, minutes=1.0, warm_up=1.0) for caching in (False, True))
    assert cached["hold_ms"] < 0.8 * plain["hold_ms"]
    assert plain["calls"] * plain["hold_ms"] / 1000 == pytest.approx(plain["lock_busy"], rel=0.02)


def test_che_stands_beside_the_same_run() -> None:
    beside, run = run_with_theory(30, caching=True, **SHORT), hybrid(30, caching=True, **SHORT)
    assert beside["response_mean"] == run["response_mean"]
    assert beside["beyond_che"] == pytest.approx(beside["hit_ratio"] - beside["che"])


def test_shares_with_other_orders_sum_to_all_and_keep_their_proportions() -> None:
    assert with_orders(SCRIPT_PERCENTS["ORDER"]) == pytest.approx(dict(SCRIPT_PERCENTS))
    half = with_orders(50.0)
    assert sum(half.values()) == pytest.approx(100.0)
    assert half["FIND"] / half["LIST"] == pytest.approx(SCRIPT_PERCENTS["FIND"] / SCRIPT_PERCENTS["LIST"])


def test_clerks_by_the_shipped_shares_are_the_shipped_clerks() -> None:
    run, shipped = with_share(20.0, caching=True, **SHORT), orders(63, caching=True, order_scale=1.0, **SHORT)
    assert run["response_mean"] == shipped["response_mean"]


def test_an_answer_without_a_share_is_never_given() -> None:
    (script,) = clerks(5, {"LIST": 100.0}, MpeParameters())
    (loop,) = [step for step in script.steps if isinstance(step, Loop)]
    (choose,) = [step for step in loop.steps if isinstance(step, Choose)]
    assert script.terminals == 5
    assert [step.name for branch in choose.branches for step in branch if isinstance(step, Call)] == ["LIST"]


def test_lists_hit_less_than_arithmetic_only_by_where_they_begin() -> None:
    """Long lists, that begin anywhere: short ones in a hot part find what others fetched."""
    alike = {"hot_share": 0.0, "calls_scale": 1.3, "touch_scale": 1.0, "pace_scale": 1.0}
    for block in (1 * KIB, 4 * KIB):
        row = lists(block, caching=True, seed=1, minutes=1.5, warm_up=0.5, **alike)
        assert row["hit_ratio"] == pytest.approx(1.0 - block / FETCH_BYTES, abs=0.05)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: with_orders(101.0), "between 0 and 100"),
        (lambda: clerks(5, {"FINDS": 1.0}, MpeParameters()), "did you mean FIND"),
        (lambda: clerks(5, {}, MpeParameters()), "at least one answer"),
        (lambda: hybrid(101, caching=True, write="behing", **SHORT), "did you mean behind"),
        (lambda: hybrid(101, cached_ldevs=(7,), **SHORT), "no LDEV 7"),
        (lambda: hybrid(101, memory=1, **SHORT), "memory must leave at least"),
        (lambda: lists(0, caching=True, **SHORT), "block must be"),
        (lambda: batch.job(97, seed=1), "fetch_sequential"),
    ],
)  # fmt: skip
def test_what_is_impossible_is_a_mistake(wrong: object, text: str) -> None:
    with pytest.raises(UserError, match=text):
        wrong()  # type: ignore[operator]


# Misfits


def test_a_misfit_is_what_caching_gains_there_and_how_far_its_condition_goes() -> None:
    plain, cached = (
        {"response_mean": mean, "cpu_busy": 0.6, "memory_pressure": pressure, "memory_disc_rate": 10.0,
         "disc_rate": 40.0, "hit_ratio": 0.3}
        for mean, pressure in ((0.4, 0.03), (0.5, 0.12))
    )  # fmt: skip
    measures = measure_misfit("pressed", plain, cached)
    assert measures["gain_pressed"] == pytest.approx(-0.25)
    assert (measures["pressed_condition"], measures["pressed_swapping"]) == (0.12, 0.25)


@pytest.mark.parametrize(("cached", "pressure", "verdict"), [(0.5, 0.12, 1.0), (0.5, 0.10, 0.0), (0.3, 0.12, 0.0)])
def test_a_misfit_is_marginal_only_if_its_condition_is_met(cached: float, pressure: float, verdict: float) -> None:
    rows = [{"response_mean": mean, "cpu_busy": 0.6, "memory_pressure": pressure, "memory_disc_rate": 10.0,
             "disc_rate": 40.0, "hit_ratio": 0.3} for mean in (0.4, cached)]  # fmt: skip
    assert measure_misfit("pressed", *rows)["marginal_pressed"] == verdict


def test_which_runs_are_in_a_condition() -> None:
    assert MISFITS["busy"].is_met(0.66)
    assert not MISFITS["busy"].is_met(0.65)
    assert MISFITS["scattered"].is_met(0.2)  # few hits
    assert MISFITS["block"].is_met(0.5)  # always


# Parts by themselves


def test_what_the_paper_gives_is_read_off_the_parts() -> None:
    row = idle_machine.printed_inputs(seed=1)
    assert (row["data_sets"], row["terminals"], row["mips_iii"], row["memory_64_mb"]) == (56, 101, 0.3, 8)


def test_changed_parameters_reach_the_idle_machine() -> None:
    assert idle_machine.reads(seed=1, hit_cpu=8 * MS)["hit_ms"] == pytest.approx(8.0)


def test_a_series_has_its_own_drives_unless_others_are_given() -> None:
    own, eight = (unit_test.unit_rate("Series III", seconds=5.0, seed=1, **more) for more in ({}, {"discs": 8}))
    assert (own["drives"], eight["drives"]) == (2, 8)
    assert own["disc_rate"] < eight["disc_rate"]


@pytest.mark.parametrize(("sectors", "hits"), [(4, 0.0), (16, 3 / 4), (96, 23 / 24)])
def test_a_job_hits_as_often_as_arithmetic_has_it(sectors: int, hits: float) -> None:
    assert batch.job(sectors, seed=1, extent=48 * KIB)["hit_ratio"] == pytest.approx(hits)


def test_a_job_takes_as_long_as_its_blocks_and_less_with_larger_fetches() -> None:
    short, long = (batch.job(0, seed=1, extent=extent)["elapsed"] for extent in (24 * KIB, 48 * KIB))
    assert long == pytest.approx(2 * short, rel=0.02)
    assert batch.job(96, seed=1, extent=48 * KIB)["elapsed"] < batch.job(16, seed=1, extent=48 * KIB)["elapsed"] < long


# Ported work


def test_the_faster_cpu_answers_more_in_as_many_minutes_by_the_steady_state() -> None:
    three, new = (run_ported(machine, 1e-9, seed=1, minutes=2.0, warm_up=1.0) for machine in list(MACHINES)[:2])
    assert new["throughput"] > three["throughput"]
    # The same answers cost the CPU less time in the proportion of the speeds.
    cost = [each["cpu_busy"] / each["throughput"] for each in (three, new)]
    assert cost[0] / cost[1] == pytest.approx(SERIES_64.mips / SERIES_III.mips, rel=0.05)


def test_ported_to_a_64_the_discs_are_those_of_a_three_and_nothing_else_is() -> None:
    series = ported_to(SERIES_64)
    assert (series.discs, series.drive) == (SERIES_III.discs, SERIES_III.drive)
    assert (series.mips, series.memory, series.path) == (SERIES_64.mips, SERIES_64.memory, SERIES_64.path)


# What the power takes with it


def test_losses_are_counted_over_failures() -> None:
    losses = [[Loss(1, 2048, 0.0, True), Loss(2, 1024, 1.0, True)], [], [Loss(1, 1024, 2.0)], []]
    assert failures.summarise_losses(losses) == {
        "lost_kib": 1.0, "lost_writes": 0.75, "lost_most_kib": 3.0, "lost_nothing": 0.5, "overtaken": 0.5,
        "out_of_order": 0.25,
    }


def test_only_the_serial_write_queue_keeps_the_order_of_what_is_posted() -> None:
    behind, serial = (failures.failing(101, 1, 2.0, 1.0, write=mode) for mode in ("behind", "serial"))
    assert behind["out_of_order"] > 0.0
    assert serial["lost_writes"] > 0.0
    assert serial["out_of_order"] == 0.0


def test_a_writer_that_waits_for_the_medium_loses_nothing_and_one_that_does_not_loses_what_is_under_way() -> None:
    modes = ("block-on-write", "behind", "serial")
    lost = {mode: failures.failing(101, 1, 0.6, 0.6, write=mode)["lost_most_kib"] for mode in modes}
    assert lost["block-on-write"] == 0.0
    assert min(lost["behind"], lost["serial"]) > 0.0


# Tuning


def hill(setting: Setting) -> float:
    """Best at (2, 0); the further off, the longer the response."""
    return 3.0 * abs(setting[0] - 2) + abs(setting[1] - 0)


def test_descent_climbs_to_the_best_and_undoes_what_is_worse() -> None:
    descent = Descent(hill, (0, 1), (4, 3), most=20)
    shots = descent.run()
    assert descent.setting == (2, 0)
    assert [(shot.setting, shot.kept) for shot in shots[:5]] == [
        ((1, 1), True), ((2, 1), True), ((3, 1), False), ((2, 2), False), ((2, 0), True),
    ]  # fmt: skip
    assert [shot.setting for shot in shots[5:]] == [(3, 0), (1, 0)]
    assert shots[0].gained == 3.0
    assert descent.best == hill((2, 0))


def test_descent_ends_when_its_shots_are_used_up() -> None:
    assert [shot.setting for shot in Descent(hill, (0, 1), (4, 3), most=2).run()] == [(1, 1), (2, 1)]


def test_a_night_of_tuning_says_what_each_change_gained(monkeypatch: pytest.MonkeyPatch) -> None:
    def response(
        terminals: int, caching: bool = True, write: str = "", flush: str = "", **sizes: int
    ) -> dict[str, float]:
        if not caching:
            return {"response_mean": 4.0}
        return {"response_mean": 2.0 if sizes["fetch_random"] == 4 * loads.SECTOR else 1.0 + (write != "behind")}

    monkeypatch.setattr("spindle.models.hp3000.studies.trials.hybrid", response)
    night = tune(101)
    assert night["change"][:2] == ["first build", "random fetch 16"]
    assert set(night["change"][1:]) <= {f"{way} {value}" for way, values in TUNED_SETTINGS.items() for value in values}
    assert night["total"][0] == pytest.approx(50.0)  # 2 s of 4
    assert [gain > 0.0 for gain in night["gain"][1:]] == night["kept"][1:]
