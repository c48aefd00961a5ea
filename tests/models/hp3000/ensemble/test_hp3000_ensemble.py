"""The ensemble: who its members are, what they must meet, the bands they make, and one of them from end to end."""

from dataclasses import fields, replace
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from models.hp3000.ensemble.bands import FAILS, bands, cached_claims, role
from models.hp3000.ensemble.ensemble import ENSEMBLE
from models.hp3000.ensemble.member import SHIPPED_CALLS, Between, OneOf, Ranges, member
from models.hp3000.ensemble.start import first_guess, hopeless, slopes
from models.hp3000.ensemble.target import FITTED, away, missed
from models.hp3000.ensemble.trial import Extent, trial
from models.hp3000.ensemble.work import NAMES, Knobs, begun, load
from models.hp3000.image.control_block import CpuPart, WholeCall
from models.hp3000.load import default_load
from models.hp3000.parameters import Parameters
from models.hp3000.runs.misfits import MISFITS
from models.hp3000.system import SYSTEM
from sim.claims.claims import Claim, Role, read_claims
from sim.output.tables import read_table
from sim.script import Call, Choose, Loop, Script
from sim.sweep import sweep
from workloads.programs.program import Answer, Compute, DataBase, Intrinsic

TINY = Extent(warm_up=0.2, fitting=0.2, checking=0.2, precise=0.2, gain=0.2, short=0.2, steps=2, rounds=1, seeds=1)
MET = {"response_mean": 0.92, "cpu_busy": 0.47, "impede_rate": 40.0, "disc_rate": 50.0, "paused": 0.45}


def claim(low: float, published: float, high: float) -> Claim:
    return Claim("hp3000", "B34", "paper", "says", Role.CONSISTENT, "s", published, low, high, "x", "cached")


def answers(script: Script) -> list[Answer]:
    """Of the clerks' script, in the order in which they stand there."""
    loop = next(step for step in script.steps if isinstance(step, Loop))
    choose = next(step for step in loop.steps if isinstance(step, Choose))
    calls = [step for branch in choose.branches for step in branch if isinstance(step, Call)]
    return [call.program for call in calls if isinstance(call.program, Answer)]


def calls(answer: Answer, idle: bool | None = None) -> float:
    """Mean data base calls of an *answer*: those that touch no block, those that do, or all."""
    acts = [act for act in answer.acts if isinstance(act, DataBase)]
    return sum(act.times.mean for act in acts if idle is None or idle == (act.intrinsic is Intrinsic.CONTROL))


# Members


def test_a_range_gives_both_of_its_ends() -> None:
    assert [OneOf((2, 4), "").at(share) for share in (0.0, 0.49, 0.5, 0.99)] == [2, 2, 4, 4]
    assert Between(1.0, 100.0, "").at(0.5) == pytest.approx(10.0)


def test_a_member_hangs_on_its_number_alone() -> None:
    assert [member(number) for number in (7, 3)] == [member(number) for number in (7, 3)]
    assert member(3) != replace(member(4), number=3)


def test_members_fill_every_range() -> None:
    many = [member(number) for number in range(1, 121)]
    for each in fields(Ranges):
        found = getattr(Ranges(), each.name)
        drawn = [getattr(one, each.name) for one in many]
        if isinstance(found, OneOf):
            share = len(many) / len(found.values)
            for value in set(found.values):
                assert 0.7 < drawn.count(value) / (share * found.values.count(value)) < 1.3, each.name
        else:
            assert found.low <= min(drawn) < found.at(0.05)
            assert found.at(0.95) < max(drawn) <= found.high


def test_number_0_is_the_default_machine() -> None:
    usual, p = member(0), Parameters()
    assert {name: getattr(p, name) for name in usual.settings()} == pytest.approx(usual.settings())
    assert usual.hold is WholeCall


def test_the_shipped_calls_are_what_the_clerks_make() -> None:
    shares = [0.4, 0.3, 0.2, 0.1]
    (script,) = default_load(63, 0, 1.0)
    mean = sum(share * calls(answer) for share, answer in zip(shares, answers(script), strict=True))
    assert mean == pytest.approx(SHIPPED_CALLS, rel=0.01)


# Knobs


def test_knobs_of_one_change_nothing() -> None:
    usual = Parameters().think_scale
    (ours,), (shipped,) = load(Knobs(), 63, 0), default_load(63, 0, usual)
    assert ours.typing == shipped.typing
    assert [calls(answer) for answer in answers(ours)] == [calls(answer) for answer in answers(shipped)]


def test_calls_that_touch_blocks_replace_those_that_do_not() -> None:
    (usual,), (half,) = load(Knobs(), 63, 0), load(Knobs(touching=0.5), 63, 0)
    for before, after in zip(answers(usual), answers(half), strict=True):
        assert calls(after) == pytest.approx(calls(before))
        assert calls(after, idle=False) == pytest.approx(0.5 * calls(before, idle=False))


def test_clerks_that_are_twice_as_slow_type_at_half_the_speed() -> None:
    (usual,), (slow,) = load(Knobs(), 63, 0), load(Knobs(pace=2.0), 63, 0)
    assert slow.typing == 0.5 * usual.typing


def test_heavier_programs_compute_longer() -> None:
    usual, heavy = (_computes(load(knobs, 0, 38)[0]) for knobs in (Knobs(), Knobs(computing=2.0)))
    assert usual
    assert heavy == pytest.approx([2.0 * each for each in usual])


def _computes(script: Script) -> list[float]:
    called = [step.program for step in script.steps if isinstance(step, Call) and isinstance(step.program, Answer)]
    return [act.time.mean for answer in called for act in answer.acts if isinstance(act, Compute)]


def test_programmers_begin_in_different_places_of_their_round() -> None:
    (cobol, *_) = default_load(0, 38, 1.0)
    divided = begun(cobol)
    assert sum(each.terminals for each in divided) == cobol.terminals
    assert len({each.name for each in divided}) == len(divided) == 4
    edits = [[step.times for step in each.steps if isinstance(step, Loop)] for each in divided]
    assert edits == [[12, None], [9, None], [6, None], [3, None]]  # what is left of the first round, then all of it


def test_longer_files_and_heavier_calls_are_parameters() -> None:
    usual = Parameters()
    assert Knobs(computing=2.0, records=3.0).settings() == pytest.approx(
        {"call_cpu": 2.0 * usual.call_cpu, "records_scale": 3.0 * usual.records_scale}
    )


def test_the_first_guess_has_a_slope_for_every_target_and_knob() -> None:
    for one in (replace(member(1), hold=hold) for hold in (WholeCall, CpuPart)):
        assert [len(row) for row in slopes(one)] == [len(NAMES)] * len(FITTED)
        assert first_guess(one).pace > 0.0


def test_the_first_guess_keeps_the_default_machine_nearly_as_it_is() -> None:
    assert first_guess(member(0)).pace == pytest.approx(1.0, abs=0.5)


def test_who_would_have_to_ask_every_other_second_is_hopeless() -> None:
    few, many = (replace(member(1), hold=CpuPart, calls=calls) for calls in (3, 60))
    assert hopeless(few) == "clerks would have to ask every 1.4 s"  # 63 clerks x 3 calls at 135 calls a second
    assert hopeless(many) == hopeless(member(0)) == ""


# Targets, bands and roles


def test_what_meets_the_uncached_row_is_no_way_off() -> None:
    assert missed(MET) == ""
    assert away(MET) == [0.0] * 4


def test_what_misses_it_says_what() -> None:
    assert missed(MET | {"cpu_busy": 0.51, "paused": 0.39}) == "B10 cpu_busy 0.51; B11 paused 0.39"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.28, 0.33, Role.PREDICTED),  # all within 0.25 to 0.35
        (0.28, 0.50, Role.CONSISTENT),  # out of the bounds, and around 0.31
        (0.35, 0.50, FAILS),  # 0.31 is not in it
        (float("nan"), float("nan"), ""),
    ],
)
def test_a_role_by_hand(low: float, high: float, expected: str) -> None:
    assert role(claim(0.25, 0.31, 0.35), low, high) == expected


def test_a_band_by_hand() -> None:
    frame = pd.DataFrame({
        "member": [0, 1, 2, 3, 4], "kept": [False, True, True, True, False], "cached": [0.9, 0.2, 0.3, 0.6, None],
    })  # fmt: skip
    (row,) = bands(frame, [claim(0.25, 0.31, 0.35)]).to_dict("records")
    assert (row["band_low"], row["median"], row["band_high"], row["default"]) == (0.2, 0.3, 0.6, 0.9)
    assert (row["members"], row["inside"], row["role"]) == (3, pytest.approx(1 / 3), "consistent")


def test_only_who_is_in_the_condition_of_a_misfit_counts() -> None:
    frame = pd.DataFrame({
        "member": [1, 2, 3, 4], "kept": [True, True, True, False], "marginal_busy": [0.3, -0.1, 0.05, -1.0],
        "busy_condition": [0.60, 0.70, 0.80, 0.90],
    })  # fmt: skip
    (row,) = bands(frame, [replace(claim(-10.0, 0.0, 0.1), measure="marginal_busy")]).to_dict("records")
    assert (row["kept"], row["members"], row["band_low"], row["band_high"]) == (3, 2, -0.1, 0.05)
    assert row["role"] == "predicted"


def test_a_low_hit_ratio_is_a_condition_too() -> None:
    assert MISFITS["scattered"].met(0.2)
    assert not MISFITS["scattered"].met(0.5)


def test_the_roles_of_the_claims_are_those_of_the_ensemble_that_was_kept() -> None:
    kept = Path(__file__).parents[4] / "results" / "hp3000" / "ensemble_bands.csv"
    if not kept.exists():
        pytest.skip("no ensemble was kept")
    roles = {row["id"]: row["role"] for row in read_table(kept).to_dict("records")}
    claims = {each.id: each for each in read_claims(SYSTEM.claims)}
    assert roles.keys() <= claims.keys()
    for name, role_of_band in roles.items():
        said = claims[name]
        if said.role in (Role.PREDICTED, Role.CONSISTENT):
            expected = Role.PREDICTED if role_of_band == Role.PREDICTED else Role.CONSISTENT
            assert said.role == expected, name


def test_claims_about_the_uncached_machine_have_no_band() -> None:
    ids = [each.id for each in cached_claims()]
    assert {"B28", "B30", "B34", "B36", "B39"} <= set(ids)
    assert not {"B10", "B33"} & set(ids)
    assert len(ids) == len(set(ids))


# From end to end


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """The default machine and a member, in runs so short that neither is like the paper's."""
    return sweep(partial(trial, TINY), workers=1, progress=False, member=[0, 1])


def test_the_default_machine_is_measured_to_the_end(rows: pd.DataFrame) -> None:
    usual = rows.iloc[0]
    measured = [each.measure for each in cached_claims() if each.measure in rows]
    assert {"cached_response_mean", "gain_21", "gain_63", "too_large_hurts", "marginal_busy"} <= set(measured)
    assert usual[measured].notna().all()
    assert [usual[name] for name in NAMES] == [1.0] * len(NAMES)


def test_who_is_not_kept_says_why_and_is_not_cached(rows: pd.DataFrame) -> None:
    assert not rows["kept"].any()
    assert rows["why"].str.len().gt(0).all()
    assert list(rows["cached_response_mean"].isna()) == [False, True]


def test_a_member_is_the_same_again() -> None:
    assert trial(TINY, 1) == trial(TINY, 1)


@pytest.mark.parametrize("kept", [0, 2])
def test_the_picture_has_a_strip_for_each_claim(rows: pd.DataFrame, kept: int) -> None:
    usual = rows.iloc[[0]]
    frame = pd.concat([usual, *(usual.assign(member=number, kept=True) for number in range(1, kept + 1))])
    axes = ENSEMBLE.draw(frame)
    assert len(axes.get_yticklabels()) == len(ENSEMBLE.bands(frame))
    assert ENSEMBLE.remark(frame).startswith(f"{kept} of {kept} members tried were kept.")
