"""Sensitivity of a made-up system of trivial trials, on which one assumption flips exactly one verdict."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from spindle.output.kept_tables import keep_table, kept_table
from spindle.sim.error import UserError
from spindle.sim.parameter import Rule, assumed, change, check, cited
from spindle.studies.claims.sensitivity import (
    CHANGE_COLUMNS,
    IMPOSSIBLE,
    STAGES,
    _StudyInVariants,
    newer_claims,
    read_sensitivity,
    scored_claims,
    sensitivity,
    stability,
    stability_table,
    write_sensitivity,
)
from spindle.studies.report.sensitivity_board import sensitivity_board
from spindle.studies.run_book import RunBook
from spindle.studies.study import Point, Runs, SeedRows, Study, StudyWindow
from spindle.system import System

CLAIMS = """
[[claim]]
id = "A"
paper = "a paper"
says = "a rate of about 10, and surely not below 9"
published = 10
low = 9
high = 25
role = "predicted"
unit = "1/s"
study = "rates"
measure = "rate"
note = "argued for"

[[claim]]
id = "B"
paper = "a paper"
says = "a share of 80 %"
published = 0.8
low = 0.2
high = 1.2
role = "consistent"
unit = "1"
study = "shares"
measure = "share"
note = "argued for"

[[claim]]
id = "C"
paper = "a paper"
says = "there is a rate"
role = "shape"
study = "rates"
measure = "positive"

[[claim]]
id = "X"
paper = "a paper"
says = "one is two"
published = 1
role = "contradictory"
unit = "1"
study = "rates"
measure = "rate"
note = "it is not"
"""
SEEDS = 3


@dataclass(frozen=True)
class Parameters:
    rate: float = assumed(10.0, "nobody says")
    share: float = assumed(0.8, "nobody says", rule=Rule(0.0, 1.0))
    discs: int = assumed(2, "nobody says", rule=Rule(1, 16))
    spares: int = assumed(0, "nobody says")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Known:
    rate: float = cited(10.0, "p. 1")


def rates(seed: int, length: float, **parameters: object) -> Mapping[str, float]:
    """A rate with the seeds 1, 2, 3 is 0.1 below, at, and 0.1 above what is assumed."""
    rate = change(Parameters(), **parameters).rate
    return {"rate": rate + 0.1 * (seed - 2), "positive": float(rate > 0), "length": length}


def shares(seed: int, length: float, **parameters: object) -> Mapping[str, float]:
    """It hardly swings, but wildly if it is small; and needs two discs."""
    used = change(Parameters(), **parameters)
    if used.discs < 2:
        raise UserError(f"discs must be at least 2, not {used.discs}")
    swing = 0.05 if used.share > 0.5 else 1.0
    return {"share": used.share + swing * (seed - 2)}


def broken(seed: int, length: float, **parameters: object) -> Mapping[str, float]:
    raise UserError("there are no discs")


def only(rows: SeedRows) -> Mapping[str, float]:
    return rows.one()


def measuring(name: str, run: Callable[..., Mapping[str, float]]) -> Study:
    return Study(name, [Runs(run, StudyWindow({"length": 1.0}, {"length": 0.25}))], measures=only)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> System:
    claims = tmp_path_factory.mktemp("toy") / "claims.toml"
    claims.write_text(CLAIMS)
    unused: Any = None
    studies = (measuring("rates", rates), measuring("shares", shares))
    return System("toy", "Toy", unused, Parameters(), "a paper", "why?", studies, claims, {}, unused)


def tried(toy: System, workers: int = 1, quick: bool = False) -> pd.DataFrame:
    return sensitivity(toy, SEEDS, RunBook(workers=workers, progress=False), quick)


@pytest.fixture(scope="module")
def frame(toy: System) -> pd.DataFrame:
    return tried(toy)


def cell(frame: pd.DataFrame, parameter: str, factor: float, claim: str) -> pd.Series:
    found = frame[(frame["parameter"] == parameter) & (frame["factor"] == factor) & (frame["id"] == claim)]
    return found.squeeze()


def test_one_assumption_flips_exactly_one_verdict(frame: pd.DataFrame) -> None:
    flipped = frame[frame["flips"]]
    assert flipped[["parameter", "factor", "id"]].values.tolist() == [["rate", 0.5, "A"]]
    assert cell(frame, "rate", 0.5, "A")[["base_verdict", "verdict"]].tolist() == ["holds", "fails"]
    assert cell(frame, "rate", 2.0, "A")["verdict"] == "holds"  # 20 is below 25


def test_there_is_a_row_for_each_variant_and_scored_claim(frame: pd.DataFrame) -> None:
    assert tuple(frame.columns) == CHANGE_COLUMNS
    assert len(frame) == 6 * 3
    assert list(dict.fromkeys(frame["id"])) == ["A", "B", "C"]
    assert "spares" not in set(frame["parameter"])


def test_numbers_stand_beside_the_verdict(frame: pd.DataFrame) -> None:
    row = cell(frame, "rate", 0.5, "A")
    assert row[["usual", "value", "low", "high", "base", "simulated"]].tolist() == pytest.approx([10, 5, 9, 25, 10, 5])
    # 5 +- 4.302653 * 0.1 / sqrt(3); pair by pair the difference is 5, so that its interval has no width.
    assert row[["ci_low", "ci_high"]].tolist() == pytest.approx([4.751586, 5.248414])
    assert row[["change", "change_low", "change_high"]].tolist() == pytest.approx([-0.5, -0.5, -0.5])


def test_a_value_is_kept_within_its_rule_and_told(frame: pd.DataFrame) -> None:
    assert cell(frame, "share", 2.0, "B")[["usual", "value", "verdict"]].tolist() == [0.8, 1.0, "holds"]


def test_what_is_no_longer_decided_does_not_flip(frame: pd.DataFrame) -> None:
    assert cell(frame, "share", 0.5, "B")[["verdict", "flips"]].tolist() == ["undecided", False]


def test_what_cannot_be_run_is_impossible_and_says_why(frame: pd.DataFrame) -> None:
    row = cell(frame, "discs", 0.5, "B")
    assert row[["verdict", "flips", "why"]].tolist() == [IMPOSSIBLE, False, "discs must be at least 2, not 1"]
    assert isnan(row["simulated"])
    assert isnan(row["change"])
    assert cell(frame, "discs", 0.5, "A")["verdict"] == "holds"


def test_a_variant_that_measures_nothing_is_impossible(toy: System) -> None:
    def nothing(rows: SeedRows) -> Mapping[str, float]:
        return {**rows.one(), "rate": nan} if rows.one()["rate"] > 15.0 else rows.one()

    frame = tried(replace(toy, studies=(replace(toy.studies[0], measures=nothing), toy.studies[1])))
    row = cell(frame, "rate", 2.0, "A")
    assert row[["verdict", "why"]].tolist() == [IMPOSSIBLE, "claim A: rate of rates is nan"]
    assert cell(frame, "rate", 0.5, "A")["verdict"] == "fails"


def test_a_run_that_is_read_in_a_variant_only_and_refused_is_impossible(toy: System) -> None:
    def small(seed: int, length: float, **parameters: object) -> Mapping[str, float]:
        row = rates(seed, length, **parameters)
        if length > 1.0 and row["rate"] > 15.0:
            raise UserError("there is no room")
        return row

    runs = [Runs(small, StudyWindow({}, {}), length=[1.0, 2.0])]
    study = Study("rates", runs, measures=lambda rows: rows[0] if rows[0]["rate"] < 15.0 else rows[1])
    row = cell(tried(replace(toy, studies=(study, toy.studies[1]))), "rate", 2.0, "A")
    assert row["verdict"] == IMPOSSIBLE
    assert "there is no room" in row["why"]


def test_only_what_might_change_a_verdict_is_replicated(toy: System, frame: pd.DataFrame) -> None:
    counts = frame.pivot_table(index=["parameter", "factor"], columns="id", values="replications")
    assert counts.loc[("rate", 2.0)].tolist() == [3, 1, 3]  # 20 holds; 30, at twice the change, would not
    assert counts.loc[("discs", 2.0)].tolist() == [1, 1, 1]  # which nothing hangs on
    assert counts.loc[("discs", 0.5)].tolist() == [1, 0, 1]  # impossible
    book = RunBook(workers=1, progress=False)
    sensitivity(toy, SEEDS, book)
    assert book.computed == 6 + 12 + 2 * 4  # as assumed; every variant once; rate and share halved and doubled


MINUTES: list[float] = []
"""The windows of runs that were made."""


def timed_rates(seed: int, minutes: float, **parameters: object) -> Mapping[str, float]:
    MINUTES.append(minutes)
    return rates(seed, 1.0, **parameters)


def timed_shares(seed: int, minutes: float, **parameters: object) -> Mapping[str, float]:
    MINUTES.append(minutes)
    return shares(seed, 1.0, **parameters)


def test_windows_are_longer_for_what_a_shorter_one_finds_near(toy: System, frame: pd.DataFrame) -> None:
    """The same rows come of windows of 48 minutes, 2 and 6, for these runs do not depend on the length."""
    window = StudyWindow({"minutes": 48.0}, {})
    studies = [Study(name, [Runs(run, window)], measures=only)
               for name, run in (("rates", timed_rates), ("shares", timed_shares))]  # fmt: skip
    MINUTES.clear()
    pd.testing.assert_frame_equal(tried(replace(toy, studies=tuple(studies))), frame)
    assert MINUTES.count(2.0) == 2 + 12  # as assumed, and every variant, of two studies
    assert MINUTES.count(6.0) == 2 * SEEDS + 4 * SEEDS  # as assumed; rate and share halved and doubled
    assert MINUTES.count(48.0) == 2 * SEEDS


def test_whole_windows_are_for_what_short_ones_cannot_measure(toy: System, frame: pd.DataFrame) -> None:
    def slow(seed: int, minutes: float, **parameters: object) -> Mapping[str, float]:
        MINUTES.append(minutes)
        row = rates(seed, 1.0, **parameters)
        return {**row, "rate": nan} if minutes < 10.0 and row["rate"] > 15.0 else row

    MINUTES.clear()
    study = Study("rates", [Runs(slow, StudyWindow({"minutes": 48.0}, {}))], measures=only)
    found = tried(replace(toy, studies=(study, toy.studies[1])))
    pd.testing.assert_frame_equal(found, frame)
    assert MINUTES.count(48.0) == 2 * SEEDS


def test_a_change_of_which_the_seeds_disagree_decides_nothing(toy: System) -> None:
    """It is 4, 0 and 8 below 16: by the mean, 12, it would hold, and by the ends of its interval it may not."""
    def unsteady(seed: int, length: float, **parameters: object) -> Mapping[str, float]:
        row = rates(seed, length, rate=16.0)
        return {**row, "rate": row["rate"] - (4.0, 0.0, 8.0)[seed - 1]} if parameters.get("rate") == 5.0 else row

    row = cell(tried(replace(toy, studies=(measuring("rates", unsteady), toy.studies[1]))), "rate", 0.5, "A")
    assert row[["base_verdict", "verdict", "replications"]].tolist() == ["holds", "undecided", 3]
    assert row["simulated"] == pytest.approx(12.0)
    half, own = 4.302653 * 4.0 / 3**0.5, 4.302653 * 0.1 / 3**0.5  # of the change, and of the base
    assert row[["ci_low", "ci_high"]].tolist() == pytest.approx([12.0 - half - own, 12.0 + half + own])


def test_a_change_is_a_share_of_a_number_that_may_be_negative(toy: System) -> None:
    def owed(rows: SeedRows) -> Mapping[str, float]:
        return {**rows.one(), "rate": -rows.one()["rate"]}

    found = tried(replace(toy, studies=(replace(toy.studies[0], measures=owed), toy.studies[1])))
    assert cell(found, "rate", 0.5, "A")[["base", "change"]].tolist() == pytest.approx([-10.0, 0.5])


def test_a_change_is_no_share_of_nothing(toy: System) -> None:
    def beyond(rows: SeedRows) -> Mapping[str, float]:
        return {**rows.one(), "rate": rows.one()["rate"] - 10.0}

    found = tried(replace(toy, studies=(replace(toy.studies[0], measures=beyond), toy.studies[1])))
    row = cell(found, "rate", 0.5, "A")
    assert row[["base", "simulated"]].tolist() == pytest.approx([0.0, -5.0], abs=1e-12)
    assert row[["change", "change_low", "change_high"]].isna().all()


def test_the_base_has_all_seeds_that_are_kept(toy: System) -> None:
    for kept, most in ((7, 7), (2, SEEDS)):
        book: Any = SimpleNamespace(kept_seeds=lambda points, limit, kept=kept: kept if limit == 20 else 99)
        runs = list(_StudyInVariants(toy.studies[0], scored_claims(toy), book, SEEDS, False).base_runs())
        assert [seed for _, seed in runs] == [*range(1, most + 1)]


def test_windows_of_the_first_look_are_shorter_than_those_of_the_next() -> None:
    """A share and a count are left whole where a second look is taken."""
    window = {"minutes": 48.0, "warm_up": 24.0, "seconds": 96.0, "requests": 240.0, "cycles": 16.0, "share": 0.5,
              "count": 8.0}  # fmt: skip
    first, second = (Point(dict, {}, window).shorten(stage.factors).window for stage in STAGES[:2])
    assert first == {"minutes": 2.0, "warm_up": 1.0, "seconds": 4.0, "requests": 10.0, "cycles": 2.0, "share": 0.125,
                     "count": 2.0}  # fmt: skip
    assert second == {"minutes": 6.0, "warm_up": 3.0, "seconds": 12.0, "requests": 30.0, "cycles": 16.0, "share": 0.5,
                      "count": 8.0}  # fmt: skip


def test_whole_windows_have_all_seeds(toy: System) -> None:
    """Also where a single one would show that nothing changes."""
    def slow(seed: int, minutes: float, **parameters: object) -> Mapping[str, float]:
        row = rates(seed, 1.0, **parameters)
        return {**row, "rate": nan} if minutes < 10.0 and parameters.get("discs") == 4 else row

    study = Study("rates", [Runs(slow, StudyWindow({"minutes": 48.0}, {}))], measures=only)
    found = tried(replace(toy, studies=(study, toy.studies[1])))
    assert cell(found, "discs", 2.0, "A")[["verdict", "replications", "change"]].tolist() == ["holds", 3, 0.0]


def test_what_holds_holds_no_more_where_short_windows_have_the_usual_machine_fail(toy: System) -> None:
    """In them it says no as assumed, and yes with a doubled rate: that is no step from yes to more than yes."""
    def late(seed: int, minutes: float, **parameters: object) -> Mapping[str, float]:
        row = rates(seed, 1.0, **parameters)
        return {**row, "positive": float(minutes > 10.0 or row["rate"] > 15.0)}

    study = Study("rates", [Runs(late, StudyWindow({"minutes": 48.0}, {}))], measures=only)
    row = cell(tried(replace(toy, studies=(study, toy.studies[1]))), "rate", 2.0, "C")
    assert row[["base", "simulated", "change", "verdict", "replications"]].tolist() == [1.0, 1.0, 1.0, "holds", 3]


def two_lengths(toy: System, measures: Callable[[SeedRows], Mapping[str, float]]) -> System:
    runs = [Runs(rates, StudyWindow({}, {}), length=[1.0, 2.0])]
    return replace(toy, studies=(Study("rates", runs, measures=measures), toy.studies[1]))


def test_a_run_that_no_measure_reads_is_made_only_as_assumed(toy: System, frame: pd.DataFrame) -> None:
    book = RunBook(workers=1, progress=False)
    both = two_lengths(toy, lambda rows: rows.one(length=1.0))
    pd.testing.assert_frame_equal(sensitivity(both, SEEDS, book), frame)
    assert book.computed == 9 + 12 + 2 * 4  # three studies' worth as assumed; in variants as if there were two


def test_a_run_that_is_read_in_a_variant_only_is_made_for_it(toy: System) -> None:
    frame = tried(two_lengths(toy, lambda rows: rows[0] if rows[0]["rate"] < 15.0 else rows[1]))
    assert cell(frame, "rate", 2.0, "A")["simulated"] == pytest.approx(20.0)
    assert cell(frame, "rate", 2.0, "A")["replications"] == SEEDS


def test_what_is_run_once_has_the_base_with_its_change_and_no_interval(frame: pd.DataFrame) -> None:
    row = cell(frame, "discs", 2.0, "A")
    assert row[["simulated", "change", "verdict"]].tolist() == [10.0, 0.0, "holds"]
    assert row[["ci_low", "ci_high", "change_low", "change_high"]].isna().all()


def test_a_base_that_cannot_be_run_is_an_error(toy: System) -> None:
    with pytest.raises(UserError, match=r"^there are no discs \(at seed=1\)$"):
        tried(replace(toy, studies=(measuring("rates", rates), measuring("shares", broken))))
    with pytest.raises(UserError, match="claim B: unknown study 'shares'"):
        tried(replace(toy, studies=(measuring("rates", rates),)))


def test_without_assumptions_there_is_nothing_to_try(toy: System) -> None:
    with pytest.raises(UserError, match="toy has no claim to judge, or no assumed number to change"):
        tried(replace(toy, parameters=Known()))


def test_it_is_counted_which_verdicts_stand(frame: pd.DataFrame) -> None:
    assert [*stability_table(frame)] == ["id", "role", "base_verdict", "flips", "undecided", "stands"]
    assert stability_table(frame).values.tolist() == [
        ["A", "predicted", "holds", 1, 0, False],
        ["B", "consistent", "holds", 0, 1, False],
        ["C", "shape", "holds", 0, 0, True],
    ]
    assert stability(frame) == (
        "1 of 3 verdicts stand whatever assumption is halved or doubled, 1 of the 2 predictions and shapes among them; "
        "of the others 1 can be flipped, 1 not always decided."
    )


def test_the_table_is_the_same_whoever_works(toy: System, frame: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(tried(toy, workers=2), frame)


def test_a_quick_look_is_shorter(toy: System, tmp_path: Path) -> None:
    claims = tmp_path / "claims.toml"
    claims.write_text(CLAIMS.replace('measure = "positive"', 'measure = "length"'))
    shorter = tried(replace(toy, claims=claims), quick=True)
    assert set(shorter.loc[shorter["id"] == "C", "base"]) == {0.25}


# As a file ----------------------------------------------------------------------------------------


def test_what_is_written_is_read_back(toy: System, frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "sensitivity.csv"
    assert read_sensitivity(path, toy) is None
    write_sensitivity(path, frame, toy, {"seeds": "1..3"})
    kept = read_sensitivity(path, toy)
    assert kept is not None
    assert not kept.stale
    assert kept_table(path).origin["seeds"] == "1..3"
    pd.testing.assert_frame_equal(kept.frame, frame, check_dtype=False, check_exact=False, rtol=1e-5)
    assert stability(kept.frame) == stability(frame)


@pytest.mark.parametrize(("old", "new", "stale"), [
    ("low = 9", "low = 8", True),
    ('measure = "positive"', 'measure = "rate"', True),
    ('role = "consistent"', 'role = "seen"', True),
    ("argued for", "argued for at length", False),
])  # fmt: skip
def test_a_table_made_from_other_claims_is_stale(
    old: str, new: str, stale: bool, toy: System, frame: pd.DataFrame, tmp_path: Path
) -> None:
    write_sensitivity(tmp_path / "sensitivity.csv", frame, toy, {})
    (tmp_path / "claims.toml").write_text(CLAIMS.replace(old, new))
    kept = read_sensitivity(tmp_path / "sensitivity.csv", replace(toy, claims=tmp_path / "claims.toml"))
    assert kept is not None
    assert kept.stale is stale


def test_a_table_without_a_newer_claim_is_not_stale(toy: System, frame: pd.DataFrame, tmp_path: Path) -> None:
    older = frame[frame["id"] != frame["id"].iloc[-1]]
    newest = CLAIMS.index("[[claim]]", CLAIMS.index('id = "B"'))
    (tmp_path / "claims.toml").write_text(CLAIMS[:newest])
    write_sensitivity(tmp_path / "sensitivity.csv", older, replace(toy, claims=tmp_path / "claims.toml"), {})
    kept = read_sensitivity(tmp_path / "sensitivity.csv", toy)
    assert kept is not None
    assert not kept.stale
    assert newer_claims(toy, kept.frame) == [frame["id"].iloc[-1]]


def test_a_table_of_another_model_number_is_stale(toy: System, frame: pd.DataFrame, tmp_path: Path) -> None:
    write_sensitivity(tmp_path / "sensitivity.csv", frame, toy, {})
    kept = read_sensitivity(tmp_path / "sensitivity.csv", replace(toy, model=toy.model + 1))
    assert kept is not None
    assert kept.stale


def test_a_table_made_from_other_parameters_is_stale(toy: System, frame: pd.DataFrame, tmp_path: Path) -> None:
    write_sensitivity(tmp_path / "sensitivity.csv", frame, toy, {})
    kept = read_sensitivity(tmp_path / "sensitivity.csv", replace(toy, parameters=Parameters(share=0.7)))
    assert kept is not None
    assert kept.stale


def test_another_table_is_refused(toy: System, tmp_path: Path) -> None:
    keep_table(pd.DataFrame({"a": [1]}), tmp_path / "sensitivity.csv", {})
    with pytest.raises(UserError, match="is no table of sensitivity"):
        read_sensitivity(tmp_path / "sensitivity.csv", toy)


def test_contradictions_are_not_scored(toy: System) -> None:
    assert [claim.id for claim in scored_claims(toy)] == ["A", "B", "C"]


# As a picture -------------------------------------------------------------------------------------


def test_each_flip_is_a_tile_in_the_colour_of_its_verdict(frame: pd.DataFrame) -> None:
    axes = sensitivity_board(frame)
    (flip,) = frame[frame["flips"]].to_dict("records")
    assert [text.get_text() for text in axes.texts] == [flip["id"]]
    assert [to_hex(tile.get_facecolor()) for tile in axes.patches if tile.get_height()] == ["#d55e00"]
    assert [label.get_text() for label in axes.get_yticklabels()] == [f"{flip['parameter']} \u00d7 \u00bd"]
    assert axes.get_title(loc="left") == "1 of 3 assumed numbers flip 1 of 3 verdicts"


def test_where_nothing_flips_the_title_says_so(frame: pd.DataFrame) -> None:
    axes = sensitivity_board(frame.assign(flips=False))
    assert (len(axes.texts), axes.get_title(loc="left")) == (0, "None of 3 assumed numbers flips a verdict")
