"""Verdicts on samples that are known, and replications that are added only where they are needed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, isnan, nan
from types import SimpleNamespace
from typing import cast

import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.studies.claims.claims import Claim, ClaimPart, Role
from spindle.studies.claims.verdicts import (
    VERDICT_COLUMNS,
    SeedCount,
    Verdict,
    interval_of,
    judge,
    replicate,
    samples_of,
    score,
    scoreboard,
)
from spindle.studies.confidence import Interval
from spindle.studies.plots.curves import curve
from spindle.studies.run_book import RunBook
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study, StudyWindow

CLAIM = Claim("hp3000", "B1", "a paper", "it says", Role.PREDICTED, "s", 10.0, 9.0, 11.0, "steady", "mean")
FIGURE = Figure(lambda frame: frame, lambda table: curve(table, "seed", "mean"))


@pytest.mark.parametrize(
    ("samples", "verdict"),
    [
        # Two samples a, b: the interval is their mean +- 12.7062 |a - b| / 2.
        ((9.99, 10.01), "holds"),
        ((8.0, 8.01), "fails"),
        ((12.0, 12.01), "fails"),
        ((9.9, 10.1), "undecided"),
        ((8.95, 9.05), "undecided"),
        ((9.0, 9.0), "holds"),
        ((11.0 + 1e-12, 11.0 + 1e-12), "holds"),
        ((11.0 + 1e-6, 11.0 + 1e-6), "fails"),
        ((10.0,), "undecided"),
    ],
)
def test_the_whole_interval_decides(samples: Sequence[float], verdict: str) -> None:
    assert judge(CLAIM, samples) == verdict


def test_a_contradiction_is_not_scored() -> None:
    assert judge(replace(CLAIM, role=Role.CONTRADICTORY), [10.0, 10.0]) is Verdict.NOT_SCORED


@pytest.mark.parametrize(("value", "verdict"), [(9.0, "undecided"), (9.49, "undecided"), (9.51, "holds"),
                                                (8.51, "undecided"), (8.49, "fails")])
def test_within_its_resolution_of_a_bound_nothing_is_decided(value: float, verdict: str) -> None:
    assert judge(replace(CLAIM, resolution=0.5), [value, value]) == verdict


def test_one_sample_decides_where_chance_has_no_part() -> None:
    """And no second seed is run."""
    assert judge(CLAIM, [10.0], exact=True) is Verdict.HOLDS
    assert judge(CLAIM, [11.1], exact=True) is Verdict.FAILS
    study = Study("steady", [Runs(steady, UNTIMED)], measures=lambda rows: {"mean": rows[0]["mean"]},
                  replications=1)
    book = RunBook(workers=1, progress=False)
    counts = replicate([study], [CLAIM], book, SeedCount(5, 20))
    assert counts == {"steady": 1}
    assert book.computed == 1
    (row,) = score([CLAIM], [study], book, counts).to_dict("records")
    assert (row["verdict"], row["ci_low"], row["ci_high"], row["replications"]) == ("holds", 10.0, 10.0, 1)


def steady(seed: int) -> dict[str, float]:
    return {"mean": 10.0, "share": 0.5}


def noisy(seed: int) -> dict[str, float]:
    """Swings of +-3 have a 95 % half-width of 2.5 at 8 samples; only 40 and more decide."""
    return {"mean": 10.0 + (3.0 if seed % 2 else -3.0)}


def rising(seed: int) -> dict[str, float]:
    return {"mean": 8.5 + seed, "share": 0.0}


def endless(seed: int) -> dict[str, float]:
    return {"mean": inf}


def nothing(seed: int) -> dict[str, float]:
    return {"mean": nan, "means": 1.0}


def only(rows: SeedRows) -> dict[str, float]:
    return {name: value for name, value in rows.one().items() if name != "seed"}


def study(run: Callable[..., dict[str, float]], name: str = "steady") -> Study:
    return Study(name, [Runs(run, UNTIMED)], measures=only)


def scored(claims: Sequence[Claim], *studies: Study, first: int = 2, most: int = 2) -> pd.DataFrame:
    book = RunBook(workers=1, progress=False)
    counts = replicate(studies, claims, book, SeedCount(first, most))
    return score(claims, studies, book, counts)


def test_replications_double_only_where_something_is_undecided() -> None:
    claims = [CLAIM, replace(CLAIM, id="B2", measure="share"), replace(CLAIM, id="B3", study="noisy")]
    frame = scored(claims, study(steady), study(noisy, "noisy"), first=2, most=10)
    assert frame["replications"].tolist() == [2, 2, 10]
    assert frame["verdict"].tolist() == ["holds", "fails", "undecided"]


def settling(seed: int) -> dict[str, float]:
    """Of two seeds the interval is 9.9 +- 2.5, of four and more it is within 0.5."""
    return {"mean": {1: 9.7, 2: 10.1}.get(seed, 9.9)}


def test_no_more_seeds_are_run_than_decide() -> None:
    frame = scored([CLAIM], study(settling), first=2, most=20)
    assert frame[["replications", "verdict"]].values.tolist() == [[4, "holds"]]


def test_all_seeds_that_are_kept_are_used() -> None:
    book = SimpleNamespace(kept_seeds=lambda points, most: most - 13, make=list)
    for first, used in ((5, 7), (8, 8)):
        assert replicate([study(steady)], [], cast(RunBook, book), SeedCount(first, 20)) == {"steady": used}


def test_a_run_without_chance_is_its_first_sample() -> None:
    assert interval_of([1.0, 2.0], True) == Interval(1.0, 1.0, 1.0, 2)


def test_a_study_that_is_only_shown_needs_no_more_seeds() -> None:
    shown, book = replace(study(noisy, "shown"), measures=None, figure=FIGURE), RunBook(workers=1, progress=False)
    assert replicate([study(noisy), shown], [CLAIM], book, SeedCount(2, 4)) == {"steady": 4, "shown": 2}


def test_a_study_whose_seeds_tell_nothing_has_one() -> None:
    frame = scored([CLAIM], replace(study(noisy), replications=1), first=2, most=10)
    assert frame[["replications", "simulated"]].values.tolist() == [[1, 13.0]]


def test_the_rows_of_claims_csv() -> None:
    claims = [CLAIM, replace(CLAIM, id="X1", role=Role.CONTRADICTORY, study="", measure="", note="why")]
    frame = scored(claims, study(rising))
    assert tuple(frame.columns) == VERDICT_COLUMNS
    first, second = frame.to_dict("records")
    assert first["simulated"] == 10.0
    assert first["ci_low"] == pytest.approx(10 - 12.706205 / 2)
    assert (first["role"], first["verdict"], first["study"], first["note"]) == ("predicted", "undecided", "steady", "")
    assert (second["verdict"], second["note"]) == ("not scored", "why")
    assert isnan(second["simulated"])


def test_a_row_has_every_word_of_its_claim() -> None:
    claim = Claim("max_iv", "B9", "Kim 2014, table 2", "it says", Role.SEEN, "ms", 10.0, 9.0, 11.5, "steady", "mean",
                  "why", "39", ClaimPart.REST)  # fmt: skip
    (row,) = scored([claim], study(steady)).to_dict("records")
    assert row == {
        "id": "B9", "system": "max_iv", "part": "rest", "source": "Kim 2014", "section": "table 2", "page": "39",
        "says": "it says", "role": "seen", "unit": "ms", "published": 10.0, "low": 9.0, "high": 11.5, "simulated": 10.0,
        "ci_low": 10.0, "ci_high": 10.0, "replications": 2, "verdict": "holds", "study": "steady", "measure": "mean",
        "note": "why",
    }  # fmt: skip
    assert tuple(scored([], study(steady)).columns) == VERDICT_COLUMNS
    none = scored([replace(claim, role=Role.UNASKED, study="", measure="")], study(steady))
    assert {str(none[name].dtype) for name in ("simulated", "ci_low", "ci_high")} == {"float64"}


def windowed(seed: int, length: int, base: float = 10.0) -> dict[str, float]:
    return {"mean": base} if length == 10 else {"short": base}


def test_a_quick_look_leaves_out_what_it_does_not_measure() -> None:
    """A claim without a sample has no verdict and no interval; one that is measured has."""
    made = Study("steady", [Runs(windowed, StudyWindow({"length": 10}, {"length": 1}))], measures=only)
    claims, book = [CLAIM, replace(CLAIM, id="B2", measure="short")], RunBook(workers=1, progress=False)
    counts = replicate([made], claims, book, SeedCount(2, 2), quick=True)
    assert (counts, book.computed) == ({"steady": 2}, 2)
    frame = score(claims, [made], book, counts, quick=True)
    assert frame[["verdict", "replications"]].values.tolist() == [["not scored", 0], ["holds", 2]]
    assert frame.loc[0, ["simulated", "ci_low", "ci_high"]].isna().all()
    assert {str(frame[name].dtype) for name in ("simulated", "ci_low", "ci_high")} == {"float64"}
    assert book.computed == 2  # nothing else is read
    doubtful = replace(claims[1], low=10.0, high=10.0, published=10.0)
    assert replicate([made], [doubtful], book, SeedCount(1, 2), quick=True) == {"steady": 2}
    assert book.computed == 2
    whole = RunBook(workers=1, progress=False)
    assert samples_of(made, [CLAIM], whole, replicate([made], [CLAIM], whole, SeedCount(2, 2))["steady"])
    assert whole.computed == 2  # as long as usual, unless told
    with pytest.raises(UserError, match="claim B1: unknown measure of steady 'mean'"):
        samples_of(made, [replace(CLAIM), claims[1]], book, 1, points=made.points(quick=True))


def test_samples_may_be_of_other_points() -> None:
    made = Study("steady", [Runs(windowed, StudyWindow({"length": 10}, {}), base=10.0)], measures=lambda rows: rows[0])
    book = RunBook(workers=1, progress=False)
    others = [replace(point, arguments={"base": 7.0}) for point in made.points()]
    claims = [CLAIM, replace(CLAIM, id="C1", study="another")]
    assert samples_of(made, claims, book, 2, points=others) == {"B1": [7.0, 7.0]}
    assert samples_of(made, claims, book, 1) == {"B1": [10.0]}


def test_a_shape_holds_if_every_replication_shows_it() -> None:
    shape = replace(CLAIM, role=Role.SHAPE, published=1.0, low=1.0, high=1.0)
    always = scored([shape], study(every_time))
    once_not = scored([shape], study(after_the_first))
    assert (always["verdict"][0], once_not["verdict"][0]) == ("holds", "undecided")


def every_time(seed: int) -> dict[str, float]:
    return {"mean": 1.0}


def after_the_first(seed: int) -> dict[str, float]:
    return {"mean": float(seed > 1)}


@pytest.mark.parametrize(("studies", "says"), [
    ([study(steady, "study")], "claim B1: unknown study 'steady': did you mean study[?]"),
    ([study(steady), study(steady)], "there are two studies steady"),
    ([study(nothing)], "claim B1: mean of steady is nan"),
    ([study(endless)], "claim B1: mean of steady is inf"),
    ([replace(study(steady), measures=None, figure=FIGURE)], "claim B1: the study steady has no measures"),
    ([replace(study(steady), measures=lambda rows: {"means": 1.0})],
     "claim B1: unknown measure of steady 'mean': did you mean means[?]"),
])  # fmt: skip
def test_what_cannot_be_scored_is_named(studies: list[Study], says: str) -> None:
    with pytest.raises(UserError, match=f"^{says}$"):
        scored([CLAIM], *studies)


def test_the_scoreboard_counts() -> None:
    claims = [CLAIM, replace(CLAIM, id="B2", role=Role.DEFINITION), replace(CLAIM, id="B3", low=9.9, high=9.95)]
    frame = scored(claims, study(steady))
    assert scoreboard(frame).to_dict("list") == {
        "system": ["hp3000", "hp3000"],
        "role": ["definition", "predicted"],
        "holds": [1, 1],
        "fails": [0, 1],
        "undecided": [0, 0],
        "not scored": [0, 0],
    }
    twice = pd.concat([frame.assign(system="b"), frame[::-1].assign(system="a")])
    assert scoreboard(twice)[["system", "role"]].values.tolist() == [
        ["b", "definition"], ["b", "predicted"], ["a", "definition"], ["a", "predicted"]]
