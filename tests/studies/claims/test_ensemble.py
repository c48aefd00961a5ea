"""Members of a made-up ensemble of queues: drawn evenly, fitted to what was measured, and only then asked."""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, log
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats.qmc import Halton

from spindle.sim.error import UserError
from spindle.studies.claims import ensemble
from spindle.studies.claims.ensemble import member_trial, trial, try_members
from spindle.studies.claims.quasi_newton import CLOSE_DISTANCE, CORRECTABLE_DISTANCE, FitResult
from spindle.studies.ensemble import Between, Ensemble, Extent, FitStart, Knob, OneOf, read_ensemble
from spindle.studies.study import Point, Runs, Study
from tests.studies.claims.queues import WINDOW, cached, plain, system


def test_a_range_gives_both_of_its_ends() -> None:
    assert [OneOf((2, 4), "").value_at(share) for share in (0.0, 0.49, 0.5, 0.99)] == [2, 2, 4, 4]
    assert Between(1.0, 100.0, "").value_at(0.5) == pytest.approx(10.0)


def test_members_fill_the_range_evenly_in_its_logarithm_and_hang_on_their_number_alone(tmp_path: Path) -> None:
    bench = member_trial(system(tmp_path))
    hits = [bench.draw_values(number)["hits"] for number in range(1, 101)]
    assert 0.1 <= min(hits) < 0.12
    assert 0.8 < max(hits) <= 0.9
    assert sum(each < 0.3 for each in hits) == pytest.approx(50, abs=3)  # half of the logarithms of 0.1 to 0.9
    assert bench.draw_values(7) == {"hits": hits[6]}
    assert bench.draw_values(0) == {}
    share = Halton(1, seed=ensemble.SCRAMBLING).random(1)[0][0]
    assert bench.draw_values(1)["hits"] == pytest.approx(0.1 * 9.0**share)


def test_a_knob_multiplies_what_is_drawn_or_fixed_or_usual(tmp_path: Path) -> None:
    bench = member_trial(system(tmp_path, fixed={"rate": 0.4}))
    assert bench.settings({"hits": 0.3}, [2.0, 3.0]) == {"hits": 0.3, "rate": 0.8, "work": 3.0}


def test_what_is_drawn_is_so_whatever_is_fixed(tmp_path: Path) -> None:
    bench = member_trial(system(tmp_path, fixed={"rate": 0.4, "hits": 0.2}))
    assert bench.settings({"hits": 0.7}, [1.0, 2.0]) == {"rate": 0.4, "hits": 0.7, "work": 2.0}


def test_a_member_is_fitted_to_what_was_measured_and_then_asked(tmp_path: Path) -> None:
    bench = member_trial(system(tmp_path))
    row = trial(bench, bench.ensemble.extent, 1)
    # Busy for 0.8 and 10 s a response is work of 2 s at a rate of 0.4; the default machine has 1 s and 0.5.
    assert (row["pace"], row["weight"]) == (pytest.approx(0.8, rel=0.1), pytest.approx(2.0, rel=0.1))
    assert (row["kept"], row["why"]) == (True, "")
    assert row["plain.response"] == pytest.approx(10.0, rel=0.1)
    work, rate = 2.0 * row["weight"] / 2.0 * (1.0 - row["hits"]), 0.5 * row["pace"]
    assert row["cached.gain"] == pytest.approx(1.0 - work / (1.0 - rate * work) / row["plain.response"])
    assert row["plain.length"] == 3.0  # minutes of judging, not those of the study


def test_what_is_known_of_a_start_is_used(tmp_path: Path) -> None:
    asked: list[object] = []

    def start(values: object) -> FitStart:
        asked.append(values)
        return FitStart([0.8, 2.0], [[1.0, 1.0], [1.0, 1.0]])

    bench = member_trial(system(tmp_path, start=start, fixed={"rate": 0.5}))
    row = trial(bench, bench.ensemble.extent, 1)
    assert (row["pace"], row["weight"], row["steps"]) == (pytest.approx(0.8), pytest.approx(2.0), 1)
    assert asked == [{"rate": 0.5, "hits": row["hits"]}]


def test_a_member_that_cannot_be_fitted_says_why_and_is_not_asked(tmp_path: Path) -> None:
    def hopeless(values: object) -> FitStart:
        return FitStart([], [], "there is no such queue")

    bench = member_trial(system(tmp_path, start=hopeless))
    row = trial(bench, bench.ensemble.extent, 1)
    assert (row["kept"], row["why"]) == (False, "there is no such queue")
    assert list(row) == ["hits", "pace", "weight", "kept", "why"]


@pytest.mark.parametrize(("checks", "moved", "rounds", "why"), [
    ([0.5, 0.2], -0.5 - 0.2 / 2, 2, ""),  # a whole step, and then half of one
    ([0.1], -0.1 / 2, 1, ""),  # near enough: no check follows, and half of a step
    ([CLOSE_DISTANCE], -CLOSE_DISTANCE / 2, 1, ""),
    ([0.5, CORRECTABLE_DISTANCE], -0.5 - CORRECTABLE_DISTANCE / 2, 2, ""),
    ([0.5, 0.4], -0.5 - 0.4 / 2, 2, "the last of 2 checks on longer runs was 40% away"),
])  # fmt: skip
def test_the_end_of_a_fit_is_checked_on_longer_runs_and_corrected(
    checks: list[float], moved: float, rounds: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A factor of two was fitted in three steps; each check has another seed, and each correction is smaller."""
    runs: list[object] = []

    def measure(ids: object, parameters: object, window: object, seeds: object) -> object:
        runs.append((ids, parameters, window, seeds))
        return parameters

    made: Any = SimpleNamespace(
        ensemble=SimpleNamespace(start=lambda values: FitStart([3.0], [[1.0]]), fixed={"rate": 5.0}, aims={"P1": 1.0},
                                 knobs={"pace": Knob(("rate",))}),
        settings=lambda drawn, knobs: {**drawn, "rate": knobs[0]}, measure=measure,
        distances=lambda values: [checks[len(runs) - 1]])  # fmt: skip
    fits: list[object] = []

    def fit(measure: object, start: object, slopes: object, most: int) -> FitResult:
        fits.append((start, slopes, most))
        return FitResult(np.array([log(2.0)]), np.array([0.0]), np.array([[1.0]]), 3)

    monkeypatch.setattr(ensemble, "fit", fit)
    extent = Extent({"minutes": 1.0}, {"minutes": 2.0}, {"minutes": 3.0}, steps=7)
    row = ensemble._fit(made, {"hits": 0.5}, extent)
    assert row == {"pace": pytest.approx(2.0 * exp(moved)), "steps": 3, "rounds": rounds, "why": why}
    assert fits == [([log(3.0)], [[1.0]], 7)]
    assert [run[2:] for run in runs] == [({"minutes": 2.0}, [11 + place]) for place in range(rounds)]  # type: ignore[index]
    assert runs[0][:2] == (["P1"], {"hits": 0.5, "rate": pytest.approx(2.0)})  # type: ignore[index]
    unchecked = ensemble._fit(made, {"hits": 0.5}, replace(extent, rounds=0))
    assert unchecked == {"pace": pytest.approx(2.0), "steps": 3, "rounds": 0, "why": ""}


FILE = """
shows = "Queues."
met = ["P1"]
asked = ["Q1"]
joint = [[["Q1"], ["Q2"]]]
extent = { fitting = { minutes = 1.0 }, checking = {}, judging = {} }
quick = { fitting = {}, checking = {}, judging = { minutes = 2.0 }, steps = 9 }
[knobs]
pace = ["rate", "other"]
[ranges]
hits = { why = "a", between = [0.1, 0.9] }
wait = { why = "b", between_ms = [5, 20] }
calls = { why = "c", values = [3, 6], over = 1.5 }
hold = { why = "d", values = ["call", "part"] }
"""


def test_a_table_describes_an_ensemble(tmp_path: Path) -> None:
    path = tmp_path / "ensemble.toml"
    path.write_text(FILE)

    def start(values: object) -> FitStart:
        return FitStart([], [])

    assert read_ensemble(path, start) == Ensemble(
        "Queues.", {"hits": Between(0.1, 0.9, "a"), "wait": Between(0.005, 0.020, "b"),
                    "calls": OneOf((2.0, 4.0), "c"), "hold": OneOf(("call", "part"), "d")},
        ("P1",), ("Q1",), Extent({"minutes": 1.0}, {}, {}), Extent({}, {}, {"minutes": 2.0}, steps=9),
        {"pace": Knob(("rate", "other"))}, start=start, joint=((("Q1",), ("Q2",)),))  # fmt: skip


def test_without_knobs_those_are_kept_that_meet_what_was_measured(tmp_path: Path) -> None:
    ranges = {"rate": OneOf((0.4, 0.2), "")}
    bench = member_trial(system(tmp_path, knobs={}, aims={}, ranges=ranges, fixed={"work": 2.0}))
    rows = [trial(bench, bench.ensemble.extent, number) for number in (1, 2, 3, 4)]
    assert {row["rate"]: (row["kept"], row["why"]) for row in rows} == {
        0.4: (True, ""), 0.2: (False, "unseen seeds: P1 response 3.33; P2 busy 0.4"),
    }  # fmt: skip


def test_members_are_tried_in_one_sweep_that_goes_on_from_its_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(ensemble, "sweep", lambda run, **given: asked.append({"extent": run.args[1], **given}))
    of = system(tmp_path, quick=Extent({}, {}, {}))
    for quick in (False, True):
        try_members(of, 2, quick, 3, True, tmp_path / "store")
    made = member_trial(of).ensemble
    assert asked == [{"extent": extent, "workers": 3, "progress": True, "store": tmp_path / "store",
                      "member": [0, 1, 2]} for extent in (made.extent, made.quick)]  # fmt: skip


def seeded(caching: bool, minutes: float, seed: int, **_: float) -> dict[str, float]:
    """A run that shows nothing but its seed."""
    return {"response_mean": float(seed), "busy": 0.5, "length": minutes, "hit_ratio": 0.1}


def test_measures_are_means_over_seeds_of_all_studies_that_claims_have(tmp_path: Path) -> None:
    bench = member_trial(system(tmp_path))
    studies = {"plain": Study("plain", [Runs(seeded, WINDOW, caching=False)], measures=plain),
               "cached": Study("cached", [Runs(seeded, WINDOW, caching=[False, True])], measures=cached)}
    found = replace(bench, studies=studies).measure(["P1", "Q1"], {}, {"minutes": 2.0}, [3, 7])
    assert found == {"plain.response": 5.0, "plain.busy": 0.5, "plain.length": 2.0,
                     "cached.gain": 0.0, "cached.few": 1.0, "cached.marginal": 1.0}  # fmt: skip


def test_all_steps_of_a_fit_have_one_seed_and_its_window(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[object] = []
    made: Any = SimpleNamespace(
        ensemble=SimpleNamespace(start=lambda values: FitStart([3.0], [[1.0]]), fixed={}, aims={"P1": 1.0},
                                 knobs={"pace": Knob(("rate",))}),
        settings=lambda drawn, knobs: knobs, measure=lambda *given: runs.append(given), distances=lambda values: [0.0])

    def fit(measure: Any, start: list[float], slopes: object, most: int) -> FitResult:
        for _ in range(2):
            assert measure(start) == [0.0]
        return FitResult(np.array([log(2.0)]), np.array([0.0]), np.array([[1.0]]), 3, "no way")

    monkeypatch.setattr(ensemble, "fit", fit)
    row = ensemble._fit(made, {}, Extent({"minutes": 1.0}, {"minutes": 2.0}, {"minutes": 3.0}))
    assert row == {"pace": pytest.approx(2.0), "steps": 3, "rounds": 0, "why": "no way"}
    assert runs == [(["P1"], [pytest.approx(3.0)], {"minutes": 1.0}, [1])] * 2


def test_a_member_is_judged_by_seeds_that_no_fit_has_seen() -> None:
    """One whose machine cannot be asked what the claims ask is not kept, whatever it met before."""
    runs: list[object] = []

    def measure(ids: object, parameters: object, window: object, seeds: Sequence[int]) -> dict[str, float]:
        runs.append((ids, parameters, window, list(seeds)))
        if ids == ("Q1",) and len(runs) > 2:
            raise UserError("no such machine")
        return {"a" if ids == ("P1",) else "b": 1.0}

    made: Any = SimpleNamespace(
        ensemble=SimpleNamespace(knobs={}, met=("P1",), asked=("Q1",)), draw_values=lambda member: {"hits": 0.5},
        settings=lambda drawn, knobs: {**drawn, "knobs": knobs}, measure=measure, describe_missed=lambda values: "")
    extent = Extent({"minutes": 1.0}, {"minutes": 2.0}, {"minutes": 3.0}, seeds=2)
    assert trial(made, extent, 1) == {"hits": 0.5, "a": 1.0, "b": 1.0, "kept": True, "why": ""}
    assert runs == [((claim,), {"hits": 0.5, "knobs": []}, {"minutes": 3.0}, [101, 102]) for claim in ("P1", "Q1")]
    assert trial(made, extent, 1) == {"hits": 0.5, "a": 1.0, "kept": False, "why": "no such machine"}


def test_a_window_keeps_what_the_extent_does_not_say() -> None:
    point = Point(dict, {}, {"minutes": 60.0, "warm_up": 5.0})
    assert ensemble._as_long_as({"minutes": 3.0, "other": 1.0}, point).window == {"minutes": 3.0, "warm_up": 5.0}


def test_a_machine_that_cannot_be_built_is_no_member(tmp_path: Path) -> None:
    bench = member_trial(system(tmp_path, fixed={"hits": 1.0}, ranges={"rate": OneOf((0.4,), "")}))
    row = trial(bench, bench.ensemble.extent, 1)
    assert not row["kept"]
    assert row["why"].startswith("hits must be below 1")


def test_the_default_machine_is_asked_whether_it_is_kept_or_not(tmp_path: Path) -> None:
    frame = try_members(system(tmp_path), 2, False, 1, False, tmp_path / "store")
    assert frame["member"].tolist() == [0, 1, 2]
    assert frame["kept"].tolist() == [False, True, True]
    usual = frame.iloc[0]
    assert (usual["pace"], usual["weight"]) == (1.0, 1.0)
    # Work of 0.5 s for 1 s, busy 0.25 for 0.5: 2/3 s for 2 s.
    assert usual["cached.gain"] == pytest.approx(2.0 / 3.0)
    assert pd.isna(usual["hits"])


@pytest.mark.parametrize(("changes", "says"), [
    ({"met": ["P3"]}, "unknown claim of the ensemble 'P3'"),
    ({"asked": ["Q3"]}, "unknown claim of the ensemble 'Q3'"),
    ({"aims": {"P9": 10.0, "P2": 0.8}}, "unknown claim of the ensemble 'P9'"),
    ({"joint": [[["Q1"], ["P1"]]]}, "unknown claim asked of the ensemble 'P1'"),
    ({"knobs": {"pace": Knob(("rate",))}}, "an ensemble has as many aims as knobs, not 2 and 1"),
])  # fmt: skip
def test_what_is_no_ensemble(changes: dict[str, object], says: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"^{says}"):
        member_trial(system(tmp_path, **changes))
    with pytest.raises(UserError, match=r"^claim P1: unknown study 'plain'"):
        member_trial(replace(system(tmp_path), studies=()))
    with pytest.raises(UserError, match=r"^queues has no ensemble: "):
        member_trial(replace(system(tmp_path), ensemble=None))


def test_how_far_a_member_is_from_its_aims(tmp_path: Path) -> None:
    bench = member_trial(system(tmp_path))
    assert bench.distances({"plain.response": 20.0, "plain.busy": 0.4}) == pytest.approx([log(2.0), -log(2.0)])
    assert bench.distances({"plain.response": 10.0, "plain.busy": 0.0})[1] == pytest.approx(log(1e-6 / 0.8))
