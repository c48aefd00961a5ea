"""A sweep by hand: how many runs it has, of which seeds, and which files it must not write over."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from spindle.cli import plotting, sweep
from spindle.cli.batch import BatchOptions
from spindle.cli.designs import DesignOptions
from spindle.cli.main import main
from spindle.cli.sweep import SweepQuestion, _check, _count, _files, _keep_rows, _seeds
from spindle.cli.workers import WorkerOptions
from spindle.sim.error import PointFailed, UserError
from spindle.studies.settings import TOGETHER
from spindle.studies.sweep.part import WHOLE, SweepPart
from spindle.system import System
from spindle.systems import find_system


def toy(users: int = 1, minutes: float = 5.0, seed: int = 1, log: str = "") -> None: ...


@dataclass(frozen=True)
class Parameters:
    """None."""


TOY = System("toy", "Toy", toy, Parameters())


def test_the_runs_are_the_product_of_the_axes_and_the_points() -> None:
    grid = {"users": [1, 2, 3], "seed": range(1, 6)}
    assert _count(grid, None) == 15
    assert _count(grid, {"drive": ["a", "b", "c"], "size": [1, 2, 3]}) == 45
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
    for name in ("a.tepe", "b c.tepe", "c.yaml", "design.csv"):
        (tmp_path / name).touch()
    axes = {"script": [f"a.tepe{TOGETHER}b c.tepe"], "drive": ["c.yaml", "hp7933"], "users": [1, 2]}
    assert _files(SweepQuestion(out="x.csv", plot="-"), axes) == {"--out": Path("x.csv"), "--plot": None}
    assert _files(SweepQuestion(plot="x.svg"), axes) == {"--out": None, "--plot": Path("x.svg")}
    assert _files(SweepQuestion(out="x.parquet"), axes)["--out"] == Path("x.parquet"), "a table may be no text"
    for name in ("a.tepe", "b c.tepe", "c.yaml"):
        with pytest.raises(UserError, match=f"^--out would overwrite {name}, which is to be read$"):
            _files(SweepQuestion(out=name), axes)
    with pytest.raises(UserError, match=r"^--out would overwrite design\.csv, which is to be read$"):
        _files(SweepQuestion(out="design.csv", drawn=DesignOptions(design="design.csv")), {})
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


# A sweep whose runs are made up: four numbers of users, each with two seeds.

ROWS = pd.DataFrame([{"users": users, "seed": seed, "response_mean": users + seed / 2, "hit_ratio": 0.25}
                     for users in range(1, 5) for seed in (1, 2)])  # fmt: skip
WORDS = ("sweep", "toy", "--users=1-4", "--seeds=2")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What each sweep of a toy is asked for; it gives ROWS."""
    asked: list[Any] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sweep.run_options, "find_system", lambda name: {"toy": TOY, "mine.py:TOY": TOY}[name])
    monkeypatch.setattr(sweep.run_options, "system_names", lambda: ["toy"])
    monkeypatch.setattr(sweep, "_sweep", lambda *told: asked.append(told) or ROWS)
    return asked


def test_the_screen_has_all_lines_unless_a_file_has_them(
    made: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sweep, "MAX_TABLE_LINES", 3)
    assert main(WORDS) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:-2]] == ["1", "2", "3", "4"]
    assert lines[1].split()[:6] == ["1", "1.75", "s", "\u00b1", "3.2", "s"]
    assert main((*WORDS, "--out=x.csv")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (len(lines), lines[3].split()[0], lines[4]) == (9, "3", "... 1 line more")
    assert lines[-2:] == ["", "x.csv: 8 rows"]
    assert main((*WORDS, "--json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["system"], len(found["rows"])) == ("toy", 8)
    system, run, grid, points, question, out = made[1]
    assert (system.name, {name: [*each] for name, each in grid.items()}, points, question.seeds, out) == (
        "toy", {"users": [1, 2, 3, 4], "seed": [1, 2]}, None, 2, Path("x.csv"))
    assert run is system.run


@pytest.mark.parametrize(("columns", "drawn"), [
    ("", ["response_mean"]), ("all", ["response_mean"]), ("hit_ratio,response_mean", ["hit_ratio", "response_mean"]),
])  # fmt: skip
def test_a_picture_is_of_the_columns_that_are_asked_for(
    columns: str, drawn: list[str], made: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(plotting, "plot_sweep", lambda *given: told.append(given) or ["", "a picture"])
    more = (f"--columns={columns}",) if columns else ()
    assert main((*WORDS, "--plot=p.png", "--out=x.csv", *more)) == 0
    head, *_, gap, rows, blank, picture = capsys.readouterr().out.splitlines()
    assert (gap, rows, blank, picture) == ("", "x.csv: 8 rows", "", "a picture")
    assert head.split() == ["users", "response_mean", "hit_ratio"]
    ((table, measures, path),) = told
    assert (measures, path, list(table.axes), len(table.frame)) == (drawn, Path("p.png"), ["users", "seed"], 8)


@pytest.mark.parametrize(("words", "says"), [
    (("--log=x.csv",), "unknown option '--log'"), (("--minutes=1,1",), "minutes"), (("--seeds=0",), "--seeds must be"),
    (("--seeds=2", "--seed=3"), "--seeds and --seed exclude each other"), (("--columns=nosuch",), "unknown measure"),
])  # fmt: skip
def test_what_a_sweep_cannot_be_is_refused_before_it_runs(
    words: tuple[str, ...], says: str, made: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(("sweep", "toy", *words)) == 2
    assert says in capsys.readouterr().err
    assert made == []


def test_a_sweep_that_failed_has_the_status_of_a_failure(
    made: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sweep, "_sweep", lambda *_: None)
    assert main(WORDS) == 1
    assert capsys.readouterr() == ("", "")


def test_points_that_are_refused_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"users": [1, 2], "response_mean": [0.5, 0.75], "refused": ["too few", None]})
    monkeypatch.setattr(plotting, "plot_sweep", lambda table, *_: table.frame["users"].tolist())
    assert sweep._plot(TOY, frame, ["users"], ["response_mean"], "", None) == [2]
    assert sweep._plot(TOY, frame.drop(columns="refused"), ["users"], ["response_mean"], "", None) == [1, 2]


@pytest.mark.parametrize(("system", "columns", "says"), [
    ("hp3000", "time=1,op=2", "--columns names measures of the table; .*--set columns=time=1,op=2"),
    ("hp3000", "hit_ratio,nosuch", "unknown measure 'nosuch'"),
    ("hp3000", "all", ""), ("hp3000", "", ""), ("hp3000", "hit_ratio", ""), ("mine.py", "nosuch", ""),
    ("mine.py:Mine", "nosuch", ""), ("offered", "nosuch", ""),
])  # fmt: skip
def test_columns_are_measures_unless_the_system_is_another_s(
    system: str, columns: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "installed_systems", lambda: ["offered"])
    if not says:
        sweep._check_columns(system, columns)
        return
    with pytest.raises(UserError, match=says):
        sweep._check_columns(system, columns)


def test_a_design_brings_its_own_points_and_seeds(
    made: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("points.csv").write_text("users,seed\n2,7\n1,9\n")
    words = ("sweep", "mine.py:TOY", "--design=points.csv", "--minutes=1,2", "--json")
    told: list[Any] = []
    for name in ("warn_of_guesses", "warn_of_idle"):
        monkeypatch.setattr(sweep.run_options, name, lambda of, axes: told.append(axes))
    monkeypatch.setattr(sweep.run_options, "run_of", lambda name, system, axes: told.append(axes) or name)
    monkeypatch.setattr(sweep, "_files", lambda question, axes: told.append(axes) or {"--out": None, "--plot": None})
    assert main(words) == 0
    (_, run, grid, points, *_), = made
    assert (grid, points) == ({"minutes": [1.0, 2.0]}, {"users": [2, 1], "seed": [7, 9]})
    assert (run, told) == ("mine.py:TOY", [{**grid, **points}] * 4), "all that is known by name is among these"
    monkeypatch.setattr(sweep, "_sweep", lambda *_: ROWS.assign(minutes=[1.0, 2.0] * 4))
    assert main(words[:-1]) == 0
    assert capsys.readouterr().out.splitlines()[-11].split() == ["users", "minutes", "response_mean", "hit_ratio"]
    monkeypatch.setattr(sweep, "_sweep", lambda *given: made.append(given))
    Path("points.csv").write_text("users\n2\n1\n3\n")
    capsys.readouterr()
    assert main((*words, "--batch=slurm:64", "--store=s")) == 0
    script = capsys.readouterr().out
    assert "# 30 runs in 30 jobs of SLURM" in script, "three points, two lengths, five seeds"
    assert ("--design=points.csv" in script, script[:2], script[-2:] != "\n\n") == (True, "#!", True)
    assert len(made) == 1
    assert main(("sweep", "toy", "--design=points.csv", "--minutes=1,1")) == 2
    assert "minutes" in capsys.readouterr().err
    monkeypatch.setattr(sweep, "MAX_POINTS", 29)
    assert main(words) == 2
    assert "a sweep of 30 runs is more than 29" in capsys.readouterr().err
    monkeypatch.setattr(sweep.run_options, "find_system", lambda name: replace(TOY, instead=("users", "minutes")))
    assert main(words) == 2
    assert "--users and --minutes exclude each other" in capsys.readouterr().err


def test_a_sweep_of_a_trace_has_one_seed_and_warns(
    made: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Any] = []
    Path("t.csv").write_text("time_s,op,lba_512,sectors\n0,R,0,1\n")
    monkeypatch.setattr(sweep.run_options, "warn_of_guesses", lambda *given: told.append(given))
    monkeypatch.setattr(sweep.run_options, "warn_of_idle", lambda system, axes: told.append((system.name, axes)))
    assert main(["sweep", "t.csv", "--speed=1,2", "--json"]) == 0
    axes = {"speed": [1.0, 2.0], "seed": range(1, 2)}
    assert made[0][2] == axes
    assert told == [("t.csv", axes), (made[0][0].name, axes)]


def test_an_axis_that_moves_nothing_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = pd.DataFrame({"users": [1, 1, 2, 2], "memory": [1, 2, 1, 2], "seed": 1, "response_mean": [3.0, 3.0, 4, 4]})
    monkeypatch.setattr(sweep, "_sweep", lambda *told: rows)
    assert main(["sweep", "max_iv", "--users=1,2", "--memory=1M,2M", "--seeds=1"]) == 0
    assert capsys.readouterr().err == "spindle: --memory changes nothing in these runs\n"


def test_a_sweep_is_made_where_and_of_what_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, Any] = {}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("spindle.studies.sweep.sweep.sweep", lambda run, **given: told.update(given, run=run) or "rows")
    system, run = find_system("hp3000"), toy
    question = SweepQuestion(runners=WorkerOptions(workers=3), jobs=BatchOptions(part="2/3"), store="kept")
    assert sweep._sweep(system, run, {"users": [1]}, {"size": [2]}, question, Path("x.csv")) == "rows"
    table, made = told.pop("out"), told.pop("run")
    assert Path("kept").is_dir()
    assert told == {"workers": 3, "progress": True, "store": Path("kept"), "design": {"size": [2]}, "lenient": True,
                    "part": SweepPart(2, 3), "users": [1]}  # fmt: skip
    assert (made.func, made.keywords, table.path, table.metadata) == (
        toy, {"keep_rows": True}, Path("x.csv"), {"system": "hp3000"})
    sweep._sweep(system, run, {}, None, SweepQuestion(), None)
    assert (told["out"], told["store"], told["part"], told["workers"]) == (None, None, WHOLE, None)
    with pytest.raises(UserError, match=r"^--store"):
        sweep._sweep(system, run, {}, None, SweepQuestion(store="/dev/null/kept"), None)
    with pytest.raises(UserError, match=r"^--out and --store are both kept, but one is a file and the other a fold"):
        sweep._sweep(system, run, {}, None, question, Path("kept"))


def test_a_point_that_failed_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PointFailed("the point\n  failed")

    monkeypatch.setattr("spindle.studies.sweep.sweep.sweep", fail)
    assert sweep._sweep(TOY, toy, {}, None, SweepQuestion(), None) is None
    assert capsys.readouterr() == ("", "spindle: the point failed\n")
