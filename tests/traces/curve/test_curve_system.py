"""Tests hit curves as a system of sweeps by hand: what one run takes and gives, and what it is asked for wrongly."""

from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from spindle.questions.field import description_of
from spindle.sim.error import UserError
from spindle.sim.units import Bytes
from spindle.traces.curve.system import CurveParameters, curve_system
from tests.traces.conftest import trace_of


def run(**asked: Any) -> dict[str, float]:
    found: dict[str, float] = curve_system("curve").run(**asked)
    return found


@pytest.fixture
def five(tmp_path: Path) -> Path:
    """The references 0 1 0 2 3 0."""
    path = tmp_path / "five.csv"
    requests = ("R", 0, 1), ("R", 1, 1), ("W", 0, 1), ("R", 2, 2), ("R", 0, 1)
    path.write_text(trace_of(*requests, head="op,lba_512,sectors"))
    return path


@pytest.mark.parametrize(("asked", "found"), [
    ({"sizes": 1}, {"refs": 6, "hits": 0, "hit_ratio": 0.0}),
    ({"sizes": 3, "policy": "fifo"}, {"refs": 6, "hits": 1, "hit_ratio": 1 / 6}),
    ({"sizes": 3, "policy": "lru", "seed": 7}, {"refs": 6, "hits": 2, "hit_ratio": 2 / 6}),
    ({"sizes": 1024, "bytes": True},
     {"refs": 6, "hits": 1, "hit_ratio": 1 / 6, "hit_bytes": 512, "byte_hit_ratio": 512 / 3072}),
])  # fmt: skip
def test_a_run_gives_the_numbers_of_one_size(five: Path, asked: dict[str, Any], found: dict[str, float]) -> None:
    assert run(trace=five, block=Bytes(512), **asked) == pytest.approx(found)


def test_a_run_may_have_responses(five: Path) -> None:
    found = run(trace=five, block=Bytes(512), sizes=2, response=True)
    assert list(found) == ["refs", "hits", "hit_ratio", "response_mean"]
    assert found["response_mean"] > 0.0


@pytest.mark.parametrize(("asked", "says"), [
    ({"sizes": 1}, "^trace must be given: each run has one trace and one size$"),
    ({"trace": Path("x")}, "^sizes must be given: each run has one trace and one size$"), ({}, "^trace must be given"),
])  # fmt: skip
def test_a_run_needs_a_trace_and_a_size(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        run(**asked)


def test_a_run_has_one_policy(five: Path) -> None:
    with pytest.raises(UserError, match="policy must name one: each run has one policy"):
        run(trace=five, sizes=1, policy="lru,fifo")


def test_the_arguments_are_the_options_of_a_curve_with_one_trace_size_and_policy() -> None:
    given = signature(curve_system("curve").run).parameters
    assert [*given][:2] == ["trace", "sizes"]
    assert [*given][-1] == "seed"
    assert {"policy", "block", "warm_up", "tiers", "drive", "write", "raid"} < {*given}
    assert [given[name].default for name in ("trace", "sizes", "policy", "seed")] == [None, None, "lru", 1]
    asked = {name: description_of(given[name]) for name in ("trace", "sizes", "policy")}
    assert {name: kind for name, (kind, _) in asked.items()} == {"trace": Path, "sizes": int, "policy": str}
    assert (asked["policy"][1].whole, asked["policy"][1].metavar, asked["sizes"][1].least) == (False, "NAME", 1)
    assert asked["policy"][1].says.startswith("lru | fifo | ")
    system = curve_system("curve")
    assert (system.name, system.title) == ("curve", "Hits of a trace against the size of a cache")
    assert system.answers == ("hit_ratio", "byte_hit_ratio", "response_mean")
    assert system.parameters == CurveParameters()
