"""Tests the ensemble of the HP3000: the numbers that it varies, the start of a fit, and its default machine."""

from dataclasses import fields
from math import exp

import pytest

from spindle.models.hp3000.ensemble import ENSEMBLE, KNOB_SLOPES, SHIPPED_CALLS, start
from spindle.models.hp3000.load import default_load
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.studies.misfits import MISFITS
from spindle.models.hp3000.system import SYSTEM
from spindle.sim.parameter import change
from spindle.sim.script import Call, Choose, Loop
from spindle.studies.claims.claims import Role
from spindle.studies.claims.ensemble import member_trial, trial
from spindle.workloads.programs import Answer, DataBaseCalls

PARTS = ("hold", "alignment", "flush")


def values(**changes: object) -> dict[str, object]:
    return {"calls_scale": MpeParameters.calls_scale, "discs": 6, "hold": "whole-call", **changes}


def test_what_is_varied_are_parameters_and_parts() -> None:
    names = {each.name for each in fields(MpeParameters)}
    assert set(ENSEMBLE.ranges) - set(PARTS) <= names
    assert {name for knob in ENSEMBLE.knobs.values() for name in knob.parameters} <= names
    for name, choices in ENSEMBLE.ranges.items():
        for share in (0.0, 0.5, 0.99):
            value = choices.value_at(share)
            assert value in SYSTEM.parts[name] if name in PARTS else change(MpeParameters(), **{name: value})


def test_the_shipped_calls_are_what_the_clerks_make() -> None:
    (script,) = default_load(63, 63, MpeParameters())
    loop = next(step for step in script.steps if isinstance(step, Loop))
    choose = next(step for step in loop.steps if isinstance(step, Choose))
    programs = [step.program for branch in choose.branches for step in branch if isinstance(step, Call)]
    calls = [sum(act.times.mean for act in program.acts if isinstance(act, DataBaseCalls))
             for program in programs if isinstance(program, Answer)]  # fmt: skip
    mean = sum(share * each for share, each in zip([0.4, 0.3, 0.2, 0.1], calls, strict=True))
    assert mean == pytest.approx(SHIPPED_CALLS, rel=0.01)
    assert ENSEMBLE.ranges["calls_scale"].value_at(0.0) * SHIPPED_CALLS == pytest.approx(3.0)


def test_a_start_has_a_slope_for_every_aim_and_knob() -> None:
    for hold in KNOB_SLOPES:
        begun = start(values(hold=hold))
        assert [len(row) for row in begun.slopes] == [len(ENSEMBLE.knobs)] * len(ENSEMBLE.aims)
        assert len(begun.knobs) == len(ENSEMBLE.knobs)
        assert begun.knobs[0] > 0.0


def test_the_start_keeps_the_default_machine_nearly_as_it_is() -> None:
    assert start(values()).knobs[0] == pytest.approx(1.0, abs=0.5)


@pytest.mark.parametrize(("hold", "calls", "discs", "calls_a_second", "knobs"), [
    ("whole-call", 17.2, 6, 58.36, (1.0, 1.0, 1.0)), ("whole-call", 4.3, 4, 41.59, (0.5, exp(-0.56), 1.0)),
    ("whole-call", 60.0, 6, 114.0, (1.1, 1.0, 1.0)),
    ("cpu-part", 50.0, 6, 135.0, (0.7, 0.5, 0.7)), ("cpu-part", 10.0, 6, 135.0, (0.7, 2.0, 0.7)),
])  # fmt: skip
def test_a_start_by_hand(
    hold: str, calls: float, discs: int, calls_a_second: float, knobs: tuple[float, float, float]
) -> None:
    """A round of 63 clerks is as long as their calls take; without the 0.92 s of the answer it gives the pace."""
    usual = MpeParameters()
    begun = start(values(hold=hold, calls_scale=calls / SHIPPED_CALLS, discs=discs))
    pace = (63 * calls / calls_a_second - 0.92) / (8.0 * usual.think_scale + 3.3)
    scales = (usual.pace_scale, usual.compute_scale, usual.touch_scale, usual.records_scale)
    factors = (pace, *knobs[:2], knobs[2] * 1.2)
    assert begun.knobs == pytest.approx([factor / scale for factor, scale in zip(factors, scales, strict=True)])
    assert (begun.slopes, begun.why) == (KNOB_SLOPES[hold], "")


def test_clerks_that_would_have_to_ask_every_other_second_are_hopeless() -> None:
    few, many = (values(hold="cpu-part", calls_scale=calls / SHIPPED_CALLS) for calls in (3, 60))
    assert start(few).why == "clerks would have to ask every 1.4 s"  # 63 clerks x 3 calls at 135 calls a second
    assert start(many).why == start(values()).why == ""


def test_nothing_is_asked_that_was_fitted_and_misfits_are_asked_where_they_are_met() -> None:
    claims = member_trial(SYSTEM).claims
    assert not set(ENSEMBLE.asked) & set(ENSEMBLE.met)
    assert all(claims[each].role is not Role.DEFINITION for each in ENSEMBLE.met)
    assert ENSEMBLE.where == {case.claim: f"{name}_met" for name, case in MISFITS.items()}


def test_the_default_machine_is_asked_all_claims() -> None:
    bench = member_trial(SYSTEM)
    row = trial(bench, bench.ensemble.quick, 0)
    assert [row[name] for name in ENSEMBLE.knobs] == [1.0] * len(ENSEMBLE.knobs)
    assert row["why"].startswith("unseen seeds: B33 response_mean")  # in half a minute
    for each in ENSEMBLE.asked:
        assert f"{bench.claims[each].study}.{bench.claims[each].measure}" in row
