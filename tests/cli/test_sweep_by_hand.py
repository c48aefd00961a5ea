"""A sweep by hand: how many runs it has, of which seeds, and which files it must not write over."""

from pathlib import Path
from typing import Any

import pytest

from spindle.cli import sweep
from spindle.cli.sweep import SweepQuestion, _check, _count, _files, _keep_rows, _seeds
from spindle.sim.error import UserError
from spindle.studies.settings import TOGETHER
from spindle.system import System


def test_the_runs_are_the_product_of_the_axes_and_the_points() -> None:
    grid = {"users": [1, 2, 3], "seed": range(1, 6)}
    assert _count(grid, None) == 15
    assert _count(grid, {"drive": ["a", "b"], "size": [1, 2]}) == 30
    assert _count({}, {}) == 1


@pytest.mark.parametrize(("question", "points", "expected"), [
    (SweepQuestion(), None, [1, 2, 3]), (SweepQuestion(seeds=2), None, [1, 2]),
    (SweepQuestion(seed="7,1"), None, [7, 1]),
    (SweepQuestion(seed="3-5"), {"users": [1]}, [3, 4, 5]), (SweepQuestion(), {"seed": [9]}, [1, 2, 3]),
])  # fmt: skip
def test_seeds_are_a_number_of_them_or_their_list(question: SweepQuestion, points: Any, expected: list[int]) -> None:
    assert list(_seeds(question, points, 3)) == expected


@pytest.mark.parametrize("question", [SweepQuestion(seeds=2), SweepQuestion(seed="7")])
def test_a_design_with_seeds_has_no_others(question: SweepQuestion) -> None:
    with pytest.raises(UserError, match="the design has a column of seeds; leave out --seeds"):
        _seeds(question, {"seed": [1]}, 5)


def test_no_sweep_is_larger_than_can_be_kept_and_no_value_comes_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "MAX_POINTS", 6)
    _check({"users": [1, 2, 3]}, {"size": [1, 2]})
    with pytest.raises(UserError, match=r"^a sweep of 7 runs is more than 6; give fewer values$"):
        _check({"users": range(7)}, None)
    with pytest.raises(UserError, match="size"):
        _check({"users": [1, 2], "size": [3, 3]}, None)


def test_files_that_axes_name_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.tepe", "b.tepe", "c.yaml", "design.csv"):
        (tmp_path / name).touch()
    axes = {"script": [f"a.tepe{TOGETHER}b.tepe"], "drive": ["c.yaml", "hp7933"], "users": [1, 2]}
    assert _files(SweepQuestion(out="x.csv", plot="-"), axes) == {"--out": Path("x.csv"), "--plot": None}
    assert _files(SweepQuestion(plot="x.svg"), axes) == {"--out": None, "--plot": Path("x.svg")}
    for name in ("a.tepe", "b.tepe", "c.yaml"):
        with pytest.raises(UserError, match=f"^--out would overwrite {name}, which is to be read$"):
            _files(SweepQuestion(out=name), axes)
    with pytest.raises(UserError, match="--plot must name a file that ends in"):
        _files(SweepQuestion(plot="x.csv"), axes)


def test_rows_are_kept_where_a_run_has_some(monkeypatch: pytest.MonkeyPatch) -> None:
    class Keeping:
        @staticmethod
        def run(users: int = 1, keep_rows: bool = False) -> None: ...

    class Plain:
        @staticmethod
        def run(users: int = 1) -> None: ...

    keeping: Any = Keeping
    plain: Any = Plain
    systems: list[System] = [keeping, plain]
    assert [_keep_rows(system, dict)(users=3) for system in systems] == [{"users": 3, "keep_rows": True}, {"users": 3}]
