"""Sobol' indices of functions whose indices are known, by the studies and claims that a machine has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import log2, pi, sin
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.sim.parameter import Rule, assumed
from spindle.studies.claims.global_sensitivity import (
    INDEX_COLUMNS,
    JointDesign,
    _chance,
    _Indices,
    global_sensitivity,
    read_global,
    remark,
    screen_design,
)
from spindle.studies.claims.sensitivity import scored_claims, write_sensitivity
from spindle.studies.report.sensitivity_board import global_board
from spindle.studies.run_book import RunBook
from spindle.studies.study import UNTIMED, Runs, SeedRows, Study, StudyWindow
from spindle.system import System

CLAIM = """
[[claim]]
id = "{id}"
paper = "a paper"
says = "it is so"
published = 1.0
low = 0.0
high = 2.0
role = "predicted"
unit = "1"
study = "{study}"
measure = "{measure}"
note = "argued for"
"""
MEASURES = {"I": ("exact", "ishigami"), "A": ("exact", "sum"), "C": ("exact", "constant"), "N": ("noisy", "noise")}

SIZES = {"exact": 1, "noisy": 1}


@dataclass(frozen=True)
class Parameters:
    a: float = assumed(1.0, "nobody says")
    b: float = assumed(1.0, "nobody says")
    c: float = assumed(1.0, "nobody says")
    share: float = assumed(0.8, "nobody says", rule=Rule(0.0, 1.0))
    discs: int = assumed(4, "nobody says")


def exact(seed: int, a: float = 1.0, b: float = 1.0, c: float = 1.0) -> Mapping[str, float]:
    """Ishigami & Homma's function of -pi to pi, when all are between half and double; a sum; and nothing that moves."""
    x, y, z = (pi * log2(each) for each in (a, b, c))
    return {"ishigami": sin(x) + 7 * sin(y) ** 2 + 0.1 * z**4 * sin(x), "sum": log2(a) + 2 * log2(b), "constant": 0.1}


def noisy(seed: int, a: float = 1.0, b: float = 1.0) -> Mapping[str, float]:
    """What a does, -1 to 1; what the seed does to all; and noise of any point and seed, -0.5 to 0.5."""
    return {"noise": log2(a) + 10.0 * seed + (a * 1e7 * seed + b * 1e6) % 1.0 - 0.5}


def fragile(seed: int, a: float = 1.0, b: float = 1.0) -> Mapping[str, float]:
    if a > 1.9:
        raise UserError(f"a must be at most 1.9, not {a:g}")
    return noisy(seed, a, b)


def only(rows: SeedRows) -> Mapping[str, float]:
    return rows.one()


def study(name: str, run: Callable[..., Mapping[str, float]], replications: int | None = None) -> Study:
    return Study(name, [Runs(run, UNTIMED)], measures=only, replications=replications)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> System:
    claims = tmp_path_factory.mktemp("toy") / "claims.toml"
    claims.write_text("".join(CLAIM.format(id=id_, study=of, measure=name) for id_, (of, name) in MEASURES.items()))
    studies, unused = (study("exact", exact, 1), study("noisy", noisy)), Any
    return System("toy", "Toy", exact, Parameters(), "a paper", "why?", studies, claims, {}, unused)


def found(toy: System, name: str, parameters: str, points: int, seeds: int = 2) -> pd.DataFrame:
    chosen = [each for each in toy.studies if each.name == name]
    return global_sensitivity(toy, JointDesign(chosen, parameters.split(), points, seeds),
                              RunBook(workers=1, progress=False))  # fmt: skip


@pytest.fixture(scope="module")
def frame(toy: System) -> pd.DataFrame:
    return found(toy, "exact", "a b c", 512)


def test_the_function_of_ishigami_and_homma(frame: pd.DataFrame) -> None:
    rows = frame[frame["id"].eq("I")]
    assert tuple(frame.columns) == INDEX_COLUMNS
    assert rows[["study", "measure", "role", "parameter", "points"]].values.tolist() == [
        ["exact", "ishigami", "predicted", name, 512] for name in "abc"]
    # a = 7, b = 0.1: V = a^2/8 + b pi^4/5 + b^2 pi^8/18 + 1/2 = 13.844588
    assert rows["first"].tolist() == pytest.approx([0.3139, 0.4424, 0.0], abs=0.06)
    assert rows["total"].tolist() == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.06)
    assert rows["spread"].tolist() == pytest.approx([13.844588**0.5] * 3, rel=0.05)
    assert rows["together"].tolist() == [True, False, True]
    assert set(rows["chance"]) == {0.0}  # one seed says all
    for index in ("first", "total"):
        assert (rows[f"{index}_low"].lt(rows[index]) & rows[index].lt(rows[f"{index}_high"])).all()


def test_in_a_sum_everything_acts_by_itself(frame: pd.DataFrame) -> None:
    rows = frame[frame["id"].eq("A")]
    assert rows["first"].tolist() == pytest.approx([0.2, 0.8, 0.0], abs=0.04)
    assert rows["total"].tolist() == pytest.approx([0.2, 0.8, 0.0], abs=0.04)
    assert not rows["together"].any()
    assert rows[["usual", "least", "most"]].values.tolist() == [[1.0, 0.5, 2.0]] * 3


def test_what_does_not_move_hangs_on_nothing(frame: pd.DataFrame) -> None:
    rows = frame[frame["id"].eq("C")]
    assert (rows[["first", "total", "total_high", "chance", "spread"]] == 0.0).all(axis=None)
    assert not rows["together"].any()


@pytest.mark.parametrize(("first_high", "total_low", "chance", "together"), [
    (0.3, 0.41, 0.1, True), (0.3, 0.39, 0.1, False), (-0.2, 0.11, 0.1, True), (-0.2, 0.09, 0.1, False),
])  # fmt: skip
def test_parameters_act_together_beyond_both_intervals_and_chance(
    first_high: float, total_low: float, chance: float, together: bool
) -> None:
    cells = [np.array([[value]]) for value in (0.1, 0.2, first_high, 0.5, total_low, 0.6)]
    found = _Indices((cells[0], cells[1], cells[2]), (cells[3], cells[4], cells[5]), np.array([chance]),
                     np.array([2.0]), 16).row(0, 0)  # fmt: skip
    assert list(found.values()) == [0.1, 0.2, first_high, 0.5, total_low, 0.6, chance, 2.0, 16, together]


def test_what_chance_does_is_no_acting_together(toy: System) -> None:
    rows = found(toy, "noisy", "a b", 64)
    # The mean of two seeds: noise of 1/24 beside the 1/3 of what a does; what a seed does to all is none.
    assert rows["chance"].tolist() == pytest.approx([1 / 9] * 2, abs=0.03)
    assert rows["total"].tolist() == pytest.approx([1.0, 1 / 9], abs=0.1)
    assert not rows["together"].any()


@pytest.mark.parametrize(("spread", "share"), [(2.0, 0.25), (1.0, 1.0), (0.5, 1.0), (0.0, 0.0)])
def test_chance_is_the_variance_of_a_mean_over_seeds_beside_that_of_all_rows(spread: float, share: float) -> None:
    """Two seeds are 2 apart in each row, either way: a variance of 2, and of their mean 1. Mixtures do not count."""
    samples = np.array([[[[0.0, 2.0], [0.0, -2.0]], [[0.0, -2.0], [0.0, 2.0]], [[9.0, 0.0], [0.0, 0.0]]]])
    assert _chance(samples, np.array([spread])).tolist() == [share]
    assert _chance(samples[..., :1], np.array([spread])).tolist() == [0.0]


def test_a_quick_look_has_its_own_windows(toy: System) -> None:
    """In a quarter of the time a quarter of the effect."""
    def longer(seed: int, length: float, a: float = 1.0, b: float = 1.0) -> Mapping[str, float]:
        return {"noise": length * (log2(a) + log2(b))}

    windows = StudyWindow({"length": 4.0}, {"length": 1.0})
    timed = Study("noisy", [Runs(longer, windows)], measures=only)
    system, design = replace(toy, studies=(toy.studies[0], timed)), JointDesign([timed], ["a", "b"], 4, 1)
    whole, quick = (global_sensitivity(system, design, RunBook(workers=1, progress=False), short)["spread"]
                    for short in (False, True))  # fmt: skip
    assert whole.tolist() == pytest.approx((4.0 * quick).tolist())


def test_rows_that_no_machine_is_like_are_left_out(toy: System) -> None:
    broken = replace(toy, studies=(toy.studies[0], study("noisy", fragile)))
    rows = found(broken, "noisy", "a b", 32)
    assert set(rows["points"]) == {16}  # of some 28 that are whole, a power of 2
    with pytest.raises(UserError, match=r"noisy: hardly any machine is like what was drawn: a must be at most 1\.9"):
        found(replace(broken, parameters=Parameters(a=4.0)), "noisy", "a b", 2)


def test_values_keep_to_their_rule_and_type(toy: System) -> None:
    values = [row for page in JointDesign([], ["share", "discs"], 16, 1).pages(toy.parameters) for row in page]
    assert {type(row["discs"]) for row in values} == {int}
    assert {row["discs"] for row in values} == set(range(2, 9))
    assert max(row["share"] for row in values) == 1.0
    assert min(row["share"] for row in values) == pytest.approx(0.4, rel=0.05)


def test_a_design_that_tells_nothing_is_refused(toy: System) -> None:
    for study_, parameters, points, says in (
        ("exact", "a", 8, "together are two parameters or more, not a"),
        ("exact", "a b", 6, "a Sobol sequence has a power of 2 of points, such as 4 or 8, not 6"),
    ):
        with pytest.raises(UserError, match=says):
            found(toy, study_, parameters, points)
    with pytest.raises(UserError, match="no claim of toy is judged by other"):
        found(replace(toy, studies=(*toy.studies, study("other", exact))), "other", "a b", 2)


def test_runs_are_counted(toy: System) -> None:
    assert JointDesign(toy.studies, ["a", "b"], 8, 2).runs() == 8 * 4 * (1 + 2)


# What is screened, said, kept and drawn -----------------------------------------------------------


def test_what_moves_most_one_at_a_time_is_drawn_together(toy: System) -> None:
    rows = [  # parameter, claim, what it becomes; claims go from 0 to 2
        ("a", "I", 1.8), ("a", "N", 1.0), ("b", "I", 9.0), ("b", "N", 1.2), ("c", "I", 1.0), ("c", "N", 1.1),
        ("share", "I", 1.2), ("share", "N", float("nan")),
    ]  # fmt: skip
    table = pd.DataFrame([
        {"parameter": name, "factor": 2.0, "id": claim, "low": 0.0, "high": 2.0, "base": 1.0, "simulated": value}
        for name, claim, value in rows
    ])  # fmt: skip
    claims = scored_claims(toy)
    assert screen_design(table, claims, SIZES, [], 3) == (["exact"], ["b", "a"])
    assert screen_design(table, claims, {"exact": 10, "noisy": 1}, [], 3) == (["noisy"], ["b", "c"])
    assert screen_design(table, claims, SIZES, ["noisy"], 3) == (["noisy"], ["b", "c"])
    assert screen_design(table, claims, SIZES, ["exact", "noisy"], 1) == (["exact", "noisy"], ["b"])
    assert screen_design(table[table["parameter"].isin(["b", "c"])], claims, SIZES, [], 3) == (["noisy"], ["b", "c"])


def test_it_is_said_what_acts_together(frame: pd.DataFrame) -> None:
    assert remark(frame) == (
        "a, b, c drawn together for exact: of 3 numbers 2 move, b alone does most to 2; a and c act with others on I."
    )
    assert "none act together on any number" in remark(frame[frame["id"].eq("A")])
    assert "of 1 numbers 0 move; none act" in remark(frame[frame["id"].eq("C")])


def test_what_is_written_is_read_back(toy: System, frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "sensitivity_global.csv"
    assert read_global(path, toy) is None
    write_sensitivity(path, frame, toy, {})
    kept = read_global(path, toy)
    assert kept is not None
    assert not kept.stale
    pd.testing.assert_frame_equal(kept.frame, frame, check_exact=False, rtol=1e-5, check_dtype=False)
    changed = read_global(path, replace(toy, parameters=Parameters(c=2.0)))
    assert changed is not None
    assert changed.stale


def test_the_picture_has_a_row_for_each_parameter_of_what_moves(frame: pd.DataFrame) -> None:
    axes = global_board(frame)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"] * 2
    dots = [line for line in axes.lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert len(dots) == 2 * 6
    red = [line for line in dots if line.get_color() == "#D55E00"]
    assert sorted(round(line.get_ydata()[0]) for line in red) == [0, 0, 2, 2]  # a and c, on Ishigami's function
    assert [text.get_text() for text in axes.texts] == ["I", "A"]
