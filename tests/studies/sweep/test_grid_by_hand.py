"""The points of a grid by number, their names and keys, and the rows that runs give: text and numbers of Python."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from spindle.measures import LawBroken
from spindle.sim.error import PointFailed, UserError
from spindle.studies.sweep.grid import Grid, Keys, answer, plain, summary


class Pair(NamedTuple):
    left: int
    right: int


GRID = Grid({"seed": [7, 8], "pair": Pair(1, 2), "cache": (0, 4, 8)}, {"a": [1.0, 2.0], "b": ["x", "y"]})


def test_a_design_comes_first_and_the_last_axis_varies_fastest() -> None:
    assert (len(GRID), GRID.axes) == (12, ["a", "b", "seed", "cache"])
    assert GRID[0] == {"a": 1.0, "b": "x", "seed": 7, "pair": Pair(1, 2), "cache": 0}
    assert GRID[5] == {"a": 1.0, "b": "x", "seed": 8, "pair": Pair(1, 2), "cache": 8}
    assert GRID[6] == {"a": 2.0, "b": "y", "seed": 7, "pair": Pair(1, 2), "cache": 0}
    assert GRID.value_places(11) == {"a": 1, "b": 1, "seed": 1, "pair": 0, "cache": 2}
    assert GRID.point_name(7) == "a=2.0, b=y, seed=7, cache=4"
    one = Grid({"pair": Pair(1, 2), "cache": 3})
    assert (len(one), one.axes, one.point_name(0)) == (1, ["pair", "cache"], "pair=Pair(left=1, right=2), cache=3")
    assert [type(each["n"]) for each in (Grid({"n": np.array([1])})[0], Grid({"n": range(2)})[1])] == [int, int]
    with pytest.raises(UserError, match=r"^a is a column of the design, and is given beside it$"):
        Grid({"seed": 1, "a": 2}, {"a": [1]})
    with pytest.raises(UserError, match=r"^n has no values to sweep over$"):
        Grid({"n": range(0)})


def test_a_key_is_of_the_run_its_source_and_all_arguments_in_whatever_order() -> None:
    def key(index: int, run: Any = abs, source: str = "s", **grid: object) -> bytes:
        return Keys(run, Grid(grid), source)[index]

    first = key(0, a=[1, 2], b=3)
    assert first == key(0, b=3, a=1) == key(1, a=[5, 1], b=3)
    others = [key(1, a=[1, 2], b=3), key(0, a=1, c=3), key(0, a=3, b=1), key(0, len, a=1, b=3),
              key(0, abs, "t", a=1, b=3), key(0, a=1), key(0, a=1.0, b=3)]  # fmt: skip
    assert len({first, *others}) == 1 + len(others)
    assert {len(each) for each in others} == {16}


def test_a_row_has_what_the_run_measured_beside_its_arguments() -> None:
    class Summed(SimpleNamespace):
        def summary(self) -> Mapping[str, object]:
            return {"think": 1.5, "busy": 0.5}

    plain_row = answer(lambda **_: Summed(), ["n"], False, {"n": 2, "think": 3.0})
    assert (plain_row, [*plain_row]) == ({"n": 2, "think": 3.0, "busy": 0.5}, ["n", "think", "busy"])
    assert summary(Summed(extras={}, counters={"reads": 3}))["busy"] == 0.5
    for extras, counters in (({"hit_ratio": 1.5}, {}), ({}, {"reads": -1})):
        with pytest.raises(LawBroken):
            summary(Summed(extras=extras, counters=counters))
    found = plain({"a": np.float64(0.5), "b": None, "c": int, "d": np.bool_(True), "e": "x"})
    assert found == {"a": 0.5, "b": None, "c": "int", "d": True, "e": "x"}
    assert [type(value) for value in found.values()] == [float, type(None), str, bool, str]
    with pytest.raises(UserError, match=r"^the run gives a 'n' of its own beside .* of that name \(at n=2\)$"):
        answer(lambda **_: {"n": 2, "x": 1}, ["n"], False, {"n": 2})


def test_what_cannot_be_run_says_where_before_the_lines_that_follow() -> None:
    def refusing(n: int, seed: int) -> None:
        raise UserError("too many\nin line 3\n  n = 9")

    point = {"n": 9, "seed": 1}
    with pytest.raises(UserError, match=r"^too many \(at n=9\)\nin line 3\n  n = 9$"):
        answer(refusing, ["n"], False, point)
    assert answer(refusing, ["n"], True, point) == {"n": 9, "seed": 1, "refused": "too many (at n=9)"}
    for error, failure in ((SystemExit(3), PointFailed), (KeyboardInterrupt(), KeyboardInterrupt)):
        def ended(error: BaseException = error, **_: object) -> None:
            raise error

        with pytest.raises(failure) as told:
            answer(ended, ["n"], True, point)
        if failure is PointFailed:
            assert str(told.value).startswith("the point n=9 failed: SystemExit: 3 (")
