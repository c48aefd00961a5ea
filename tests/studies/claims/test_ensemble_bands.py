"""What the members of an ensemble make of claims, one by one and together, checked by hand."""

from dataclasses import replace
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spindle.studies.claims.claims import Role
from spindle.studies.claims.ensemble import MemberTrial, member_trial
from spindle.studies.claims.ensemble_bands import BAND_COLUMNS, CAPTION, FAILS, bands, in_condition, joint, remark, role
from spindle.studies.report.sensitivity_board import ensemble_pairs, ensemble_strips
from tests.studies.claims.queues import system


@pytest.fixture
def bench(tmp_path: Path) -> MemberTrial:
    return member_trial(system(tmp_path))


MEMBERS = pd.DataFrame({
    "member": [0, 1, 2, 3, 4], "kept": [False, True, True, True, False], "why": "",
    "cached.gain": [0.9, 0.75, 0.80, 0.95, nan], "cached.few": [0.0, 1.0, 1.0, 0.0, nan],
    "cached.marginal": [0.0, 1.0, 0.0, 0.0, nan],
})  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.75, 0.85, Role.PREDICTED),  # all within 0.72 to 0.88
        (0.72, 0.88, Role.PREDICTED),
        (0.75, 0.95, Role.CONSISTENT),  # out of the bounds, and around 0.8
        (0.80, 0.95, Role.CONSISTENT),
        (0.65, 0.80, Role.CONSISTENT),
        (0.85, 0.95, FAILS),  # 0.8 is not in it
        (nan, nan, ""),
    ],
)
def test_a_role_by_hand(low: float, high: float, expected: str, bench: MemberTrial) -> None:
    assert role(bench.claims["Q1"], low, high) == expected


def test_a_band_is_that_of_those_kept_and_in_the_condition(bench: MemberTrial) -> None:
    gain, marginal = bands(bench, MEMBERS).to_dict("records")
    assert (gain["band_low"], gain["median"], gain["band_high"], gain["default"]) == (0.75, 0.80, 0.95, 0.9)
    assert (gain["quarter"], gain["three_quarters"]) == (pytest.approx(0.775), pytest.approx(0.875))
    assert tuple(bands(bench, MEMBERS).columns) == BAND_COLUMNS
    assert (gain["kept"], gain["members"], gain["inside"], gain["role"]) == (3, 3, pytest.approx(2 / 3), "consistent")
    # Members 1 and 2 have few hits; the default machine is not in the condition.
    assert (marginal["kept"], marginal["members"], marginal["inside"]) == (3, 2, 0.5)
    assert (marginal["role"], marginal["default"]) == ("consistent", pytest.approx(nan, nan_ok=True))


def test_claims_are_met_together_only_by_members_that_meet_each(bench: MemberTrial) -> None:
    both, either = joint(bench, MEMBERS).to_dict("records")
    # Of 1 and 2, which are in the condition, 1 gains 75 % and is marginal; 2 gains 80 % and is not.
    assert both == {"claims": "Q1, Q2", "kept": 3, "asked": 2, "meet": 1, "default": False}
    assert either == {"claims": "Q1 or Q2", "kept": 3, "asked": 2, "meet": 2, "default": False}
    everywhere = replace(bench, ensemble=replace(bench.ensemble, where={}))
    assert joint(everywhere, MEMBERS)["asked"].tolist() == [3, 3]
    assert joint(everywhere, MEMBERS)["meet"].tolist() == [1, 2]
    usual = MEMBERS.assign(**{"cached.gain": [0.8, 0.1, 0.1, 0.1, nan], "cached.few": 1.0,
                              "cached.marginal": [1.0, 0.0, 0.0, 0.0, 0.0]})  # fmt: skip
    assert joint(bench, usual)["default"].tolist() == [True, True]
    assert joint(bench, usual)["meet"].tolist() == [0, 0]


def test_without_a_set_all_claims_are_asked_together(bench: MemberTrial) -> None:
    plain = replace(bench, ensemble=replace(bench.ensemble, joint=()))
    assert joint(plain, MEMBERS).equals(joint(bench, MEMBERS)[:1])


def test_nothing_is_judged_where_no_member_was_kept(bench: MemberTrial) -> None:
    none = MEMBERS.assign(kept=False)
    assert bands(bench, none)["role"].tolist() == ["", ""]
    assert joint(bench, none)["meet"].tolist() == [0, 0]
    unmeasured = MEMBERS.drop(columns="cached.gain")  # as in a quick look, which lacks points
    assert [len(in_condition(bench, bench.claims[each], unmeasured)) for each in ("Q1", "Q2")] == [0, 2]
    assert remark(bench, none).startswith("0 of 4 members tried were kept. No claim is judged.")


def test_the_remark_counts_and_says_what_holds_together(bench: MemberTrial) -> None:
    assert remark(bench, MEMBERS) == (
        "3 of 4 members tried were kept. consistent: Q1, Q2. Q1, Q2 are met together by 1 of 2. Q1 or Q2 are met "
        f"together by 2 of 2. {CAPTION}")
    narrow = MEMBERS.assign(**{"cached.gain": [0.8, 0.75, 0.80, 0.85, nan], "kept": [True, True, True, True, False]})
    assert remark(bench, narrow).startswith(
        "3 of 4 members tried were kept, and stand here beside the default machine. predicted: Q1; consistent: Q2. Q1")


@pytest.mark.parametrize("kept", [0, 3])
def test_the_picture_has_a_strip_for_each_claim(kept: int, bench: MemberTrial) -> None:
    axes = ensemble_strips(bench, MEMBERS.assign(kept=[False, *[bool(kept)] * 3, False]))
    assert len(axes.get_yticklabels()) == 2


def test_two_claims_asked_together_are_a_panel_with_what_both_allow(bench: MemberTrial) -> None:
    figure = ensemble_pairs(bench, MEMBERS)
    assert figure is not None
    (ax,) = figure.axes
    assert ax.get_title("right") == "1 of 2 meet both"
    assert [np.asarray(line.get_xydata()).tolist() for line in ax.lines] == [[[0.75, 1.0], [0.8, 0.0]], []]
    alone = replace(bench, ensemble=replace(bench.ensemble, joint=()))
    assert ensemble_pairs(alone, MEMBERS) is None
