"""Tests ``spindle sweep``: tables with their origin, resumed sweeps, and one line for a mistake."""

import filecmp
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from math import inf, nan
from pathlib import Path

import pandas as pd
import pytest

from spindle.cli import sweep, sweep_table
from spindle.cli.main import main
from spindle.sim.error import UserError

SWEEP = ["sweep", "max_iv", "--set=users=1,2", "--set=minutes=2", "--set=warm_up=0", "--seeds=2", "--workers=1"]
FORMAT_OF_USER = """
from spindle.workloads.traces.rows import Rows
from spindle.workloads.traces.shape import integer, separated_by
from spindle.workloads.traces.text import TextFormat

FIELDS = (integer("at", "first", {}), integer("bytes", "length"))
OWN = TextFormat("own", (), "a request is a line", lambda: Rows(FIELDS, separated_by("|")))
"""
Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Said:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("spindle.studies.sweep.stored_sweep.source", lambda: "as it was")

    def run(*arguments: str) -> tuple[int, str, str]:
        return main(arguments), *capsys.readouterr()

    return run


def wrote(said: tuple[int, str, str]) -> tuple[int, str, str]:
    """What a command says of its file, below the table that it prints."""
    status, out, errors = said
    return status, f"{out.splitlines()[-1]}\n", errors


def test_a_table_says_where_it_is_from(said: Said) -> None:
    assert wrote(said(*SWEEP, "--out=x.csv")) == (0, "x.csv: 4 rows\n", "")
    assert wrote(said(*SWEEP, "--out=x.parquet")) == (0, "x.parquet: 4 rows\n", "")
    text, binary = pd.read_csv("x.csv"), pd.read_parquet("x.parquet")
    assert text[["users", "minutes", "warm_up", "seed"]].values.tolist() == [
        [users, 2, 0, seed] for users in (1, 2) for seed in (1, 2)
    ]
    assert binary.attrs == {name: text[name][0] for name in ("system", "spindle", "commit")}
    assert binary.attrs["system"] == "max_iv"
    assert list(text.columns) == [*binary.columns, "system", "spindle", "commit"]
    assert sorted(os.listdir()) == ["x.csv", "x.parquet"]


def test_a_store_is_gone_on_with_and_lengthened(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(*SWEEP, "--store=kept", "--out=x.csv")[0] == 0
    module, run = import_module("spindle.studies.sweep.sweep"), []
    answer = module.answer
    monkeypatch.setattr(module, "answer", lambda *point: run.append(point) or answer(*point))
    longer = [word.replace("--seeds=2", "--seeds=3") for word in SWEEP]
    assert wrote(said(*longer, "--store=kept", "--out=y.csv")) == (0, "y.csv: 6 rows\n", "")
    assert [point["seed"] for *_, point in run] == [3, 3]
    assert said(*longer, "--out=z.csv")[0] == 0
    assert filecmp.cmp("y.csv", "z.csv", shallow=False)


@pytest.mark.parametrize("given", [["sata_ncq", "--trace=t.csv", "--warm-up=0"], ["t.csv", "--drive=hp7933"]])
def test_stored_runs_are_of_what_a_trace_holds_and_not_of_its_name(said: Said, given: list[str]) -> None:
    """Runs go on while the file is the same, whenever it was written, and are another sweep when it is not."""
    sweep = ["sweep", *given, "--seeds=1", "--workers=1", "--store=kept"]
    answers = []
    for second in (0, 0, 4096):
        Path("t.csv").write_text(f"time,offset,size,op\n0,0,4096,read\n1,{second},4096,read\n")
        answers.append(said(*sweep))
    first, again, other = answers
    assert first == again
    assert first[0] == 0
    assert other[0] == 2
    assert "kept is no store of sweep " in other[2]


@pytest.mark.parametrize("name", ["own.py:OWN", "own.py"])
@pytest.mark.parametrize("given", [["t"], ["curve", "--trace=t", "--sizes=1"]])
def test_stored_runs_are_of_what_a_format_of_the_user_says(said: Said, given: list[str], name: str) -> None:
    """The same bytes are another trace by another format."""
    sweep = ["sweep", *given, f"--format={name}", "--seeds=1", "--workers=1", "--store=kept"]
    Path("t").write_text("0|512\n4096|512\n")
    answers = []
    for unit in (1, 1, 512):
        Path("own.py").write_text(FORMAT_OF_USER.format(unit))
        answers.append(said(*sweep))
    first, again, other = answers
    assert first == again
    assert (first[0], other[0]) == (0, 2)
    assert "kept is no store of sweep " in other[2]


def test_an_interrupted_sweep_says_how_to_go_on(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    module, run = import_module("spindle.studies.sweep.sweep"), []
    answer = module.answer

    def stopped(*point: object) -> object:
        run.append(point)
        if len(run) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return answer(*point)

    monkeypatch.setattr(module, "answer", stopped)
    assert said(*SWEEP, "--out=x.csv") == (
        130, "",
        f"spindle: interrupted; what was finished is kept in {Path.cwd()}/x.csv.sweep: do the same again to go on from "
        "there\n",
    )  # fmt: skip
    assert os.listdir() == ["x.csv.sweep"]
    assert wrote(said(*SWEEP, "--out=x.csv")) == (0, "x.csv: 4 rows\n", "")
    assert len(run) == 5
    assert os.listdir() == ["x.csv"]


def test_a_broken_store_is_reported_in_one_line(said: Said) -> None:
    Path("kept").mkdir()
    Path("kept", "points.sqlite").write_text("notes")
    status, out, errors = said(*SWEEP, "--store=kept", "--out=x.csv")
    assert (status, out.splitlines()[-1]) == (0, "x.csv: 4 rows")
    what = "is damaged or of another sweep, and was renamed to set-aside-"
    assert errors.startswith(f"spindle: {Path.cwd()}/kept/points.sqlite {what}")
    assert errors.count("\n") == 1


@pytest.mark.parametrize(("arguments", "expected"), [
    (["--out=x.csv", "--store=./x.csv"], "spindle: --out and --store are both x.csv, but one is a file and the other a "
     "folder\n"),
    (["--out=x.xls"], "spindle: x.xls must end in .csv or .parquet\n"),
    (["--store=file"], "spindle: --store: cannot make the folder file: it is a file\n"),
    (["--cluster=tcp://127.0.0.1:1"],
     "spindle: --workers and --cluster exclude each other; a cluster has the workers that it has\n"),
])  # fmt: skip
def test_mistakes_are_one_line(said: Said, arguments: list[str], expected: str) -> None:
    Path("file").touch()
    assert said(*SWEEP, *arguments) == (2, "", expected)


def test_the_store_of_another_sweep(said: Said) -> None:
    assert said(*SWEEP, "--store=kept")[0] == 0
    status, out, errors = said(*SWEEP, "--set=sectors=64", "--store=kept")
    assert (status, out, errors.count("\n")) == (2, "", 1)
    assert f"{Path.cwd()}/kept is no store of sweep " in errors


def test_a_point_that_fails_leaves_the_others(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    from spindle.models.max_iv.system import SYSTEM

    def run(users: int, seed: int, **others: object) -> dict[str, float]:
        return {"x": 1 / (users - 2 + seed - 1)}

    broken = replace(SYSTEM, run=run)
    monkeypatch.setattr("spindle.cli.run_options.find_system", lambda _: broken)
    status, out, errors = said("sweep", "max_iv", "--set=users=1,2", "--seeds=2", "--workers=1", "--out=x.csv")
    assert (status, out) == (1, "")
    line = run.__code__.co_firstlineno + 1
    assert errors == (
        f"spindle: the point users=1, seed=2 failed: ZeroDivisionError: division by zero ({__file__}, line {line}), "
        f"and another did; all else is kept in {Path.cwd()}/x.csv.sweep\n"
    )


def test_the_table_has_main_measures_with_a_value_and_those_that_are_wanted() -> None:
    from spindle.models.max_iv.system import SYSTEM

    system = replace(SYSTEM, answers=("response_mean", "hit_ratio", "absent"))
    frame = pd.DataFrame({"users": [1, 2], "seed": [1, 1], "response_mean": [0.5, nan], "hit_ratio": [nan, nan],
                          "cpu_busy": [0.1, 0.2], "throughput": [3.0, 4.0]})  # fmt: skip

    def shown(wanted: str, *answers: str) -> list[str]:
        asked = replace(system, answers=answers or system.answers)
        return sweep_table.columns_of(asked, frame, ["users", "seed"], wanted)

    assert shown("") == ["response_mean"]
    assert shown("iops,response_mean,hit_ratio") == ["response_mean", "throughput", "hit_ratio"]
    assert shown("all") == ["response_mean", "hit_ratio", "cpu_busy", "throughput"]
    assert shown("", "absent") == ["response_mean", "hit_ratio"]
    with pytest.raises(UserError, match="unknown column 'cpu': did you mean cpu_busy"):
        shown("cpu")


def test_what_differs_by_rounding_alone_has_no_interval() -> None:
    assert sweep_table._mean("hit_ratio", [0.1 + 0.2, 0.3, 0.3], "") == "0.3 ± 0"
    assert sweep_table._mean("hit_ratio", [0.3, 0.31], "") == "0.305 ± 0.064"


def test_what_is_no_number_in_one_run_has_no_mean() -> None:
    assert sweep_table._mean("response_mean", [inf, 1.0, 2.0], "s") == "inf"
    assert sweep_table._mean("policy", ["lru", "lru"], "") == "lru"
    assert sweep_table._mean("response_mean", [], "s") == "n/a"


def test_json_on_the_screen_leaves_out_no_file(said: Said) -> None:
    plain = said(*SWEEP, "--json")
    assert plain[1].startswith("{")
    assert said(*SWEEP, "--json", "--out=x.csv", "--plot=x.png") == plain
    assert sorted(os.listdir()) == ["x.csv", "x.png"]


def test_a_measure_that_no_run_has_is_refused_before_any_is_made(
    said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_run(*_: object) -> None:
        raise AssertionError("a run was made")

    monkeypatch.setattr(sweep, "_sweep", no_run)
    for columns in ("hit_ratoi", "hit_ratio,hit_ratoi"):
        assert "unknown measure 'hit_ratoi': did you mean hit_ratio" in said(*SWEEP, "--columns", columns)[2]
