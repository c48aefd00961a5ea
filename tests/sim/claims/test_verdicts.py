"""Verdicts on samples that are known, and replications that are added only where they are needed."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan

import pytest

from sim.claims.claims import Claim, Role
from sim.claims.verdicts import COLUMNS, Experiment, Verdict, judge, score, scoreboard
from sim.error import UserError

CLAIM = Claim("hp3000", "B1", "a paper", "it says", Role.PREDICTED, "s", 10.0, 9.0, 11.0, "steady", "mean")


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


def test_replications_double_only_where_something_is_undecided() -> None:
    seen: dict[str, list[int]] = {"steady": [], "noisy": []}

    def steady(seed: int) -> dict[str, float]:
        seen["steady"].append(seed)
        return {"mean": 10.0, "share": 0.5}

    def noisy(seed: int) -> dict[str, float]:
        # Swings of +-3 have a 95 % half-width of 2.5 at 8 samples; only 40 and more decide.
        seen["noisy"].append(seed)
        return {"mean": 10.0 + (3.0 if seed % 2 else -3.0)}

    claims = [CLAIM, replace(CLAIM, id="B2", measure="share"), replace(CLAIM, id="B3", experiment="noisy")]
    experiments: dict[str, Experiment] = {"steady": steady, "noisy": noisy}
    frame = score(claims, experiments, seeds=range(1, 11), first=2, workers=1)
    assert seen == {"steady": [1, 2], "noisy": list(range(1, 11))}
    assert frame["verdict"].tolist() == ["holds", "fails", "undecided"]


def test_the_rows_of_claims_csv() -> None:
    claims = [CLAIM, replace(CLAIM, id="X1", role=Role.CONTRADICTORY, experiment="", measure="", note="why")]
    frame = score(claims, {"steady": lambda seed: {"mean": 9.0 + seed}}, seeds=[0, 2], first=2, workers=1)
    assert tuple(frame.columns) == COLUMNS
    first, second = frame.to_dict("records")
    assert first["simulated"] == 10.0
    assert first["ci_low"] == pytest.approx(10 - 12.706205)
    assert (first["role"], first["verdict"], first["note"]) == ("predicted", "undecided", "")
    assert (second["verdict"], second["note"]) == ("not scored", "why")
    assert isnan(second["simulated"])


def test_a_shape_holds_if_every_replication_shows_it() -> None:
    shape = replace(CLAIM, role=Role.SHAPE, published=1.0, low=1.0, high=1.0)
    always = score([shape], {"steady": lambda seed: {"mean": True}}, seeds=range(3), workers=1)
    once_not = score([shape], {"steady": lambda seed: {"mean": seed > 0}}, seeds=range(3), workers=1)
    assert (always["verdict"][0], once_not["verdict"][0]) == ("holds", "undecided")


def test_what_cannot_be_scored_is_named() -> None:
    with pytest.raises(UserError, match="claim B1: unknown experiment 'steady': did you mean study"):
        score([CLAIM], {"study": lambda seed: {}})
    with pytest.raises(UserError, match="claim B1: unknown measure of steady 'mean': did you mean means"):
        score([CLAIM], {"steady": lambda seed: {"means": 1.0}}, seeds=[1], workers=1)
    with pytest.raises(UserError, match="claim B1: mean of steady is nan"):
        score([CLAIM], {"steady": lambda seed: {"mean": nan}}, seeds=[1], workers=1)
    with pytest.raises(UserError, match="at least one replication, not 0"):
        score([CLAIM], {"steady": lambda seed: {"mean": nan}}, seeds=[])


def test_the_scoreboard_counts() -> None:
    claims = [CLAIM, replace(CLAIM, id="B2", role=Role.DEFINITION), replace(CLAIM, id="B3", low=9.9, high=9.95)]
    frame = score(claims, {"steady": lambda seed: {"mean": 10.0}}, seeds=[1, 2], workers=1)
    assert scoreboard(frame).to_dict("list") == {
        "system": ["hp3000", "hp3000"],
        "role": ["definition", "predicted"],
        "holds": [1, 1],
        "fails": [0, 1],
        "undecided": [0, 0],
        "not scored": [0, 0],
    }
