"""Laws of every answer: shares are in 0 to 1, nothing else is negative; of all systems, kv, replay and curve."""

from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import pytest

from spindle import curve, simulate
from spindle import replay as replayed
from spindle.measures import (
    AMOUNT,
    BOUND_KINDS,
    SHARE,
    SIGNED,
    _file,
    check_measures,
    find_measure,
    kind_of,
    names,
    within_bounds,
)
from spindle.sim.parts import LawBroken
from spindle.studies.sweep.grid import summary
from spindle.systems import find_system
from spindle.traces.curves import CurveRow, rows_within_bounds
from spindle.traces.objects import ObjectRow

RUNS: dict[str, dict[str, Any]] = {
    "hp3000": {"terminals": 5, "minutes": 0.2, "warm_up": 0.1, "caching": True},
    "max_iv": {"minutes": 0.02, "users": 2}, "windows_nt": {"seconds": 4.0}, "unix_stdio": {"seconds": 0.1},
    "sata_ncq": {"requests": 30}, "ml_loader": {"steps": 3, "checkpoint_every": 2},
    "buffer_pool": {"scale": 1, "minutes": 0.002, "warm_up": 0.001},
    "kv_cache": {"minutes": 0.5, "warm_up": 0.2, "arrivals": 5.0, "seed": 55, "drives": 4},
}  # fmt: skip
TRACE = Path(__file__).parents[1] / "examples" / "trace.csv"


@pytest.mark.parametrize("name", RUNS)
def test_measures_of_every_system_are_within_their_bounds(name: str) -> None:
    result = simulate(name, **RUNS[name])
    assert check_measures(result) is result
    assert min(result.counters.values()) >= 0.0
    shares = [value for each, value in result.extras.items() if kind_of(each) == SHARE]
    assert all(value != value or 0.0 <= value <= 1.0 + 1e-9 for value in shares)


def test_the_measures_of_a_wrong_run_are_refused() -> None:
    result = find_system("unix_stdio").run(seconds=0.01)
    for extras, said in (({"hit_ratio": 1.001}, "hit_ratio is 1.001, and a share of 1 at most"),
                         ({"reads": -1.0}, "reads is -1.0, and never negative"),
                         ({"drive3_busy": 1.1}, "drive3_busy is 1.1")):
        with pytest.raises(LawBroken, match=said):
            summary(replace(result, extras=extras))
    summary(replace(result, extras={"hit_ratio": nan, "ln_rate": -1.0, "mine": -3.0, "my_share": 7.0}))
    with pytest.raises(LawBroken, match="the counter drive"):
        summary(replace(result, counters={"drive.reads": -1.0}))


@pytest.mark.parametrize(("numbers", "holds"), [
    ({"hit_ratio": 0.0}, True), ({"hit_ratio": 1.0}, True), ({"hit_ratio": 1.0 + 2e-9}, False),
    ({"hit_ratio": 1.0 + 1e-10}, True), ({"hit_ratio": -2e-9}, False), ({"reads": -1e-10}, True),
    ({"reads": -2e-9}, False), ({"amplification": 7.0}, True), ({"chains_alike": -1.0}, True), ({"why": "-1"}, True),
    ({"reads": None}, True), ({"hit_ratio": 1.0 + 1e-9}, True), ({"reads": -1e-9}, True), ({"reads": nan}, True),
    # A number within others is bounded by its own name, or else by that of the whole.
    ({"utilisation": {"a": 1.5}}, False), ({"drives": {"a": {"utilisation": 1.5}}}, False),
    ({"drives": [{"busy": -1.0}]}, False), ({"drives": [{"busy": 9.0}]}, True), ({"drives": [1.0, -1.0]}, False),
])  # fmt: skip
def test_what_is_within_bounds(numbers: dict[str, Any], holds: bool) -> None:
    if holds:
        assert within_bounds(numbers) is numbers
    else:
        with pytest.raises(LawBroken):
            within_bounds(numbers)


@pytest.mark.parametrize(("numbers", "said"), [
    ({"drives": {"a": {"utilisation": 1.5}}}, "utilisation is 1.5, and a share of 1 at most"),
    ({"drives": [{"busy": -1.0}]}, "busy is -1.0, and never negative"),
    ({"drives": [1.0, -1.0]}, "drives is -1.0, and never negative"),
    ({"hit_ratio": [0.5, 1.5]}, "hit_ratio is 1.5, and a share of 1 at most"),
    ({"utilisation": {"one": [{"two": 1.5}]}}, "two is 1.5, and a share of 1 at most"),
])  # fmt: skip
def test_what_is_beyond_its_bound_is_named(numbers: dict[str, Any], said: str) -> None:
    with pytest.raises(LawBroken, match=f"^{said}$"):
        within_bounds(numbers)


def test_kinds_are_of_measures_that_there_are() -> None:
    of = _file()[BOUND_KINDS]
    known = {*names()}
    for name in (*of[SHARE], *of[SIGNED]):
        assert name in known or find_measure(name) is not None, name
    assert (kind_of("disc_busy"), kind_of("ln_rate"), kind_of("throughput")) == (SHARE, SIGNED, AMOUNT)
    said = {name: found.says for name in known if "*" not in name and (found := find_measure(name)) is not None}
    missing = [name for name, says in said.items() if says.startswith("Share of ") and kind_of(name) != SHARE]
    assert missing == []


def test_rows_of_curves_are_within_bounds() -> None:
    right = [CurveRow("lru", 4, 10, 10), ObjectRow("lru", 4, 10, 0, 100, 100)]
    assert rows_within_bounds(iter(right)) == right
    for wrong in (CurveRow("lru", 4, 10, 11), CurveRow("lru", 4, 10, -1), ObjectRow("lru", 4, 10, 0, 100, 101)):
        with pytest.raises(LawBroken):
            rows_within_bounds([wrong])


def test_a_curve_and_a_replay_are_held_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert curve(TRACE, policy="lru,arc", sizes="4,64")["hit_ratio"].between(0.0, 1.0).all()
    assert 0.0 < replayed(TRACE, drive="hp7933", cache="1MiB")["disc_busy"] <= 1.0
    monkeypatch.setattr(CurveRow, "hit_ratio", property(lambda row: 1.2))
    with pytest.raises(LawBroken, match="hit_ratio is "):
        curve(TRACE, policy="lru", sizes="4")
