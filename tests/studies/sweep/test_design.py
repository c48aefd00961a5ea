"""Designs: rows of a table as points of a sweep, and samples that fill their ranges evenly."""

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import qmc

from spindle.sim.error import UserError
from spindle.studies.sweep import design as design_of
from spindle.studies.sweep.design import latin, sobol
from spindle.studies.sweep.sweep import sweep
from tests.studies.sweep.points import noted, product


def typed(whole: int, fraction: float, word: str = "none", flag: bool = False, seed: int = 0) -> dict[str, str]:
    return {"kinds": " ".join(type(each).__name__ for each in (whole, fraction, word, flag))}


def quiet(run: Callable[..., Any], **arguments: Any) -> pd.DataFrame:
    return sweep(run, workers=1, progress=False, **arguments)


def test_each_row_at_every_combination_of_the_grid_the_rows_outermost() -> None:
    design = pd.DataFrame({"b": [7, 2], "a": [3, 10]})
    frame = quiet(product, design=design, seed=[1, 2], word=["x"])
    assert list(frame.columns) == ["b", "a", "seed", "word", "product", "process"]
    assert frame[["b", "a", "seed", "product"]].values.tolist() == [
        [7, 3, 1, 21], [7, 3, 2, 21], [2, 10, 1, 20], [2, 10, 2, 20],
    ]  # fmt: skip


def test_values_arrive_as_pythons_own_and_whole_numbers_stay_whole_beside_fractions() -> None:
    design = pd.DataFrame({"whole": [1, 2], "fraction": [0.5, 2.0], "word": ["a", "b"], "flag": [True, False]})
    assert quiet(typed, design=design)["kinds"].tolist() == ["int float str bool"] * 2
    columns = {"whole": np.array([3]), "fraction": [np.float64(0.25)]}
    assert quiet(typed, design=columns)["kinds"].tolist() == ["int float str bool"]


def test_rows_are_the_same_whatever_the_workers() -> None:
    design = pd.DataFrame({"a": range(6), "b": [5, 1, 4, 2, 3, 3]})
    alone, two = (sweep(product, design=design, seed=[1, 2], workers=workers, progress=False) for workers in (1, 2))
    pd.testing.assert_frame_equal(alone.drop(columns="process"), two.drop(columns="process"))


def test_a_design_goes_on_from_what_a_grid_has_left_in_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spindle.studies.sweep.stored_sweep.source", lambda: "as it was")
    log = tmp_path / "log"
    quiet(noted, point=[1, 2], log=str(log), store=tmp_path / "store")
    frame = quiet(noted, design={"point": [5, 2, 4]}, log=str(log), store=tmp_path / "store")
    assert log.read_text().split() == ["1", "2", "5", "4"]
    assert frame["third"].tolist() == [5 / 3, 2 / 3, 4 / 3]


@pytest.mark.parametrize(("design", "said"), [
    ({"whole": [1, 2], "fraction": [0.5, float("nan")]}, "the design has no value of fraction in row 2: nan"),
    (pd.DataFrame({"whole": [1, None], "fraction": [1.0, 2.0]}), "the design has no value of whole in row 2: nan"),
    ({"whole": [pd.NA], "fraction": [1.0]}, "the design has no value of whole in row 1: <NA>"),
    ({"whole": [1, pd.NaT], "fraction": [1.0, 1.0]}, "the design has no value of whole in row 2: NaT"),
    ({1: [1]}, "the columns of a design have different names, not 1 1 times"),
    ({"whole": [1, 2], "fraction": [1.0]}, "the design has 2 values of whole and 1 of fraction"),
    ({"whole": [], "fraction": []}, "a design has from 1 to 1000000 rows, not 0"),
    (pd.DataFrame(), "the design has no columns"),
    (pd.DataFrame([[1, 2]], columns=["whole", "whole"]), "the columns of a design have different names, not 'whole' 2"),
    ({"whole": [1]}, "the design has no column fraction, which the run needs"),
    ({"whole": [1], "fracton": [1.0]}, "unknown column of the design 'fracton': did you mean fraction?"),
    ({"whole": [1], "fraction": [1.0], "seed": [3]}, "seed is a column of the design, and is given beside it"),
])  # fmt: skip
def test_what_is_no_design_is_refused_before_anything_is_run(design: Any, said: str) -> None:
    with pytest.raises(UserError) as error:
        quiet(typed, design=design, seed=[1])
    assert str(error.value).startswith(said)


def test_a_failing_row_is_named_by_its_columns() -> None:
    def run(a: int, b: int) -> dict[str, float]:
        return {"share": a / b}

    with pytest.raises(RuntimeError, match="the point a=1, b=0 failed: ZeroDivisionError"):
        quiet(run, design={"a": [4, 1], "b": [2, 0]})


def test_each_part_of_every_range_of_a_latin_hypercube_has_one_point() -> None:
    frame = latin(50, {"terminals": (1, 100), "think": (2.0, 12.0)})
    # 50 parts of 100 whole numbers are pairs of them: 1 and 2, 3 and 4, ...
    assert sorted((value - 1) // 2 for value in frame["terminals"].tolist()) == list(range(50))
    assert sorted(int((value - 2.0) / 0.2) for value in frame["think"].tolist()) == list(range(50))
    assert frame["terminals"].dtype == np.int64
    assert abs(frame["terminals"].corr(frame["think"])) < 0.4


def test_a_sobol_sequence_is_even_in_both_ranges_together() -> None:
    frame = sobol(64, {"a": (0.0, 8.0), "b": (1, 8)})
    # 64 points, one in each square of 8 times 8: what two dimensions of a scrambled net give.
    squares = {(int(a), b) for a, b in frame.itertuples(index=False)}
    assert len(squares) == 64


def test_whole_ranges_reach_both_ends_with_equal_shares() -> None:
    assert latin(30, {"n": (3, 5)})["n"].value_counts().to_dict() == {3: 10, 4: 10, 5: 10}


def test_the_same_seed_draws_the_same_sample_and_another_another() -> None:
    ranges = {"a": (0.0, 1.0), "b": (1, 9)}
    for draw in (latin, sobol):
        pd.testing.assert_frame_equal(draw(8, ranges), draw(8, ranges))
        assert draw(8, ranges, seed=2)["a"].tolist() != draw(8, ranges)["a"].tolist()


@pytest.mark.parametrize(("count", "ranges", "said"), [
    (0, {"a": (0, 1)}, "a design has from 1 to 1000000 rows, not 0"),
    (4, {}, "a sample needs the range of at least one parameter"),
    (4, {"a": (5, 5)}, "the range of a must go from a number to a greater one, not from 5 to 5"),
    (4, {"a": (5.0, 1.0)}, "the range of a must go from a number to a greater one, not from 5.0 to 1.0"),
    (4, {"a": (-inf, 1.0)}, "the range of a must go from a number to a greater one, not from -inf to 1.0"),
    (4, {"a": (0.0, float("nan"))}, "the range of a must go from a number to a greater one, not from 0.0 to nan"),
    (4, {"a": (0.0, float("inf"))}, "the range of a must go from a number to a greater one, not from 0.0 to inf"),
])  # fmt: skip
@pytest.mark.parametrize("draw", [latin, sobol])
def test_what_cannot_be_drawn_is_refused(draw: Any, count: int, ranges: Any, said: str) -> None:
    with pytest.raises(UserError, match=f"^{said}$"):
        draw(count, ranges)


def test_a_design_has_as_many_rows_as_a_sweep_has_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(design_of, "MAX_POINTS", 2)
    assert design_of.columns({"a": [1, 2]}) == {"a": [1, 2]}
    assert len(latin(2, {"a": (0, 9)})) == 2
    for draw in (lambda: design_of.columns({"a": [1, 2, 3]}), lambda: latin(3, {"a": (0, 9)})):
        with pytest.raises(UserError, match=r"^a design has from 1 to 2 rows, not 3$"):
            draw()


def test_arguments_that_a_run_needs_are_in_the_design_or_beside_it() -> None:
    def run(a: int, *, b: int, c: int = 0, **others: int) -> None: ...

    design_of.check_arguments(run, {"a": [1], "anything": [2]}, {"b": 3})
    for design, others, name in (({"a": [1]}, {}, "b"), ({"c": [1]}, {"b": 3}, "a")):
        with pytest.raises(UserError, match=f"^the design has no column {name}, which the run needs$"):
            design_of.check_arguments(run, design, others)


def test_no_value_is_beyond_its_range() -> None:
    """0.6 + (1.8 - 0.6) is more than 1.8, rounded."""
    end = np.array([1.0])
    assert [*design_of._scale_range(end, 0.6, 1.8), *design_of._scale_range(end, 3, 5)] == [1.8, 5]


def test_a_range_of_a_whole_number_and_a_fraction_is_one_of_fractions() -> None:
    for ends in ((1, 9.5), (1.5, 9)):
        assert all(value % 1 for value in latin(8, {"a": ends})["a"])
    assert latin(200, {"a": (1, 2)})["a"].value_counts().to_dict() == {1: 100, 2: 100}


def test_a_sobol_sequence_has_so_many_numbers_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"^a point of a Sobol sequence has at most 21201 numbers, not 21202$"):
        sobol(2, dict.fromkeys(map(str, range(21202)), (0, 1)))
    monkeypatch.setattr(qmc.Sobol, "MAXDIM", 2)
    assert sobol(2, {"a": (0, 1), "b": (0, 1)}).shape == (2, 2)


@pytest.mark.parametrize("draw", [latin, sobol])
def test_one_point_may_be_drawn(draw: Any) -> None:
    assert 3.0 <= float(draw(1, {"a": (3.0, 4.0)})["a"].iloc[0]) <= 4.0


def test_a_sobol_sequence_of_another_length_names_the_two_nearest() -> None:
    with pytest.raises(UserError, match=r"has a power of 2 of points, such as 64 or 128, not 100$"):
        sobol(100, {"a": (0, 1)})
