"""Tests correct use of the command line: examples of the help run, JSON can be read, Ctrl-C ends a command."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from spindle.cli import judged
from spindle.cli.main import COMMANDS, main
from spindle.output.tables import table_in
from spindle.studies.claims.verdicts import VERDICT_COLUMNS, SeedCount
from spindle.studies.report.report import SystemSection
from spindle.studies.study import Runs
from spindle.system import SYSTEM_ANSWERS
from spindle.systems import system_names
from tests.shorter import quarter, shortened

ROOT = Path(__file__).parents[2]
SHORT = ("--minutes=1", "--warm-up=0", "--terminals=4")

Said = Callable[..., str]
FINDERS = 'SCRIPT FINDERS\nTERMINALS 3\nRUN ORDERS\nLOOP\nTHINK 5\nENTER "FIND"\nEND\n'


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs a command that must go well; what it said."""

    def run(*arguments: str) -> str:
        status = main(arguments)
        out, err = capsys.readouterr()
        assert (status, err) == (0, ""), arguments
        return out

    return run


# Help ---------------------------------------------------------------------------------------------


def test_without_arguments_spindle_lists_its_commands(said: Said) -> None:
    listed = said()
    assert listed == said("--help") == said("-h") == said("help")
    assert [line.split()[1] for line in listed.splitlines() if line.startswith("  spindle ")] == list(COMMANDS)


@pytest.mark.parametrize("command", [[name] for name in COMMANDS] + [["run", "hp3000"], ["run", "max_iv"]])
def test_every_command_says_how_it_is_used_and_gives_examples(command: list[str], said: Said) -> None:
    shown = said(*command, "--help")
    assert shown.startswith(f"usage: spindle {command[0]} ")
    assert shown == said(*command, "-h")
    assert examples(shown)


def examples(shown: str) -> list[list[str]]:
    """The commands below "examples:" without the word spindle."""
    lines = shown.partition("\nexamples:\n")[2].splitlines()
    assert all(line.startswith("  spindle ") for line in lines)
    return [shlex.split(line)[1:] for line in lines]


def test_the_help_of_a_run_names_every_argument_and_part(said: Said) -> None:
    shown = said("run", "hp3000", "--help")
    for option in ("terminals", "clerks", "no-caching", "minutes", "warm-up", "seed", "set", "script", "json",
                   "cpu", "drive", "scheduler", "policy", "alignment", "write"):  # fmt: skip
        assert f"--{option}" in shown
    assert "--script" not in said("run", "max_iv", "--help")


@pytest.mark.parametrize("command", ["list", "parameters", "tepe"])
def test_the_quick_examples_work_as_they_stand(command: str, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for example in examples(said(command, "--help")):
        assert said(*example)


@pytest.mark.parametrize("system", [[], *([name] for name in system_names() if name != "hp3000")])
def test_the_examples_of_run_work(
    system: list[str], said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for example in examples(said("run", *system, "--help")):
        if "--shift" not in example:
            assert said(*shortened(example))


def test_the_example_of_a_shift_works(
    said: Said, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    (example,) = (each for each in examples(said("run", "hp3000", "--help")) if "--shift" in each)
    assert main(example) == 0
    page, console = capsys.readouterr()
    assert page.startswith("HP3000 ")
    assert console.count(" SHOWCACHE\n") == 3


def test_the_examples_of_sweep_work(said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("spindle.cli.run_options.warn_of_idle_axes", lambda *_: None)  # memory, in so short a window
    Path("points.csv").write_text("terminals,memory\n10,4M\n20,8M\n")
    Path("shop.tepe").write_text(FINDERS)
    shutil.copy(ROOT / "examples" / "trace.csv", "trace.csv")
    for example in examples(said("sweep", "--help")):
        example = ["2" if word == "64" else word for word in example]  # points of a sample
        long = {"trace.csv": [], "curve": [], "sata_ncq": ["--requests=500", "--seeds=1"]}
        short = long.get(example[1], ["--minutes=0.3", "--warm-up=0.3", "--seeds=1"])
        set_anew = {word.partition("=")[0] for word in short}
        example = [word for before, word in pairwise(["", *example]) if not set_anew & {before, word}]
        if "--batch" in " ".join(example):
            assert said(*example, *short).startswith("#!")
            continue
        printed = said(*example, *short, "--workers=1")
        if "--out" in example:
            name = example[example.index("--out") + 1]
            assert f"{name}: {len(table_in(Path(name).read_text(), Path(name)))} rows\n" in printed
        elif "--plot" not in example and short:
            head, *points, _, foot = printed.splitlines()
            assert head.split()[-6:] == list(SYSTEM_ANSWERS)
            assert len(points) == 4
            assert foot.startswith("one seed; ")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All efforts tiny, a quarter of the windows of a quick look, and an empty folder to work in."""
    monkeypatch.setattr(Runs, "points", quarter(Runs.points))
    monkeypatch.chdir(tmp_path)
    for name in ("QUICK", "USUAL", "FULL"):
        effort = replace(getattr(judged, name), replications=SeedCount(1, 1), quick=True, workers=1, progress=False)
        monkeypatch.setattr(judged, name, effort)


@pytest.fixture
def unjudged(tiny: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies that are not even run."""
    monkeypatch.setattr(judged, "replicate", lambda studies, *_: {study.name: 1 for study in studies})
    monkeypatch.setattr(judged, "score", lambda claims, *_: pd.DataFrame(
        [{**dict.fromkeys(VERDICT_COLUMNS, 1.0), "system": each.system} for each in claims[:1]]))


@pytest.mark.usefixtures("tiny")
def test_the_examples_of_experiment_work(said: Said) -> None:
    for example in examples(said("experiment", "--help")):
        assert "hit_ratio_vs_" in said(*example)
    made = sorted(path.as_posix() for path in Path("results").rglob("*.*") if path.name != "origins.json")
    names = ("max_iv/hit_ratio_vs_sectors", "max_iv/response_vs_users", "quick/hp3000/hit_ratio_vs_fetch")
    assert made == [f"results/{name}.{kind}" for name in names for kind in ("csv", "png")]


@pytest.mark.usefixtures("unjudged")
def test_the_examples_of_claims_work(said: Said) -> None:
    for example in examples(said("claims", "--help")):
        assert "verdict" in said(*example)
    assert Path("results/claims.csv").is_file()
    exported = pd.read_parquet("claims.parquet")
    assert exported.columns.tolist() == [*VERDICT_COLUMNS, "command", "models", "version"]
    assert set(exported["command"]) == {f"spindle claims {system}" for system in exported["system"].unique()}


@pytest.mark.usefixtures("unjudged")
def test_the_examples_of_report_are_understood(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Path] = []
    monkeypatch.setattr("spindle.cli.report.verify", lambda *_: None)
    section = SystemSection("hp3000", "", "", "")
    monkeypatch.setattr("spindle.cli.report._sections", lambda *_: [section])
    monkeypatch.setattr("spindle.cli.report.write_report", lambda path, *_: written.append(path))
    for example in examples(said("report", "--help")):
        assert "open it in a browser" in said(*example)
    assert written == [Path("results/quick/report.html"), Path("elsewhere/report.html")]


# What is printed ----------------------------------------------------------------------------------


def strict(text: str) -> Any:
    """JSON as the standard has it, which knows no NaN and no infinity."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("arguments", [
    ["hp3000", "--terminals=4", "--minutes=1", "--warm-up=0"],
    ["hp3000", "--terminals=4", "--minutes=1", "--warm-up=0", "--no-caching"],  # a hit ratio of nothing
    ["hp3000", "--terminals=4", "--minutes=0.001", "--warm-up=0"],  # nobody is answered: no mean
    ["max_iv", "--users=1", "--minutes=2", "--warm-up=0", "--sectors=0"],
])  # fmt: skip
def test_json_has_no_nan(arguments: list[str], said: Said) -> None:
    result = strict(said("run", *arguments, "--json"))
    assert result["system"] == arguments[0]
    assert result["seed"] == 1
    assert (result["start"], result["end"]) == (0.0, 60.0 * float(arguments[2].split("=")[1]))
    if result["summary"]["responses"]:
        parts = sum(value for name, value in result["summary"].items() if name.startswith("part_"))
        assert parts == pytest.approx(result["summary"]["response_mean"])
    else:
        assert result["summary"]["response_mean"] is None


@pytest.mark.parametrize("system", ["hp3000", "max_iv"])
def test_parameters_are_printed_with_their_sources(system: str, said: Said) -> None:
    rows = strict(said("parameters", system, "--json"))
    assert all(set(row) == {"name", "value", "unit", "kind", "note"} and row["note"] for row in rows)
    shown = said("parameters", system)
    assert [line.split(" = ")[0] for line in shown.splitlines() if line[:1].strip()] == [row["name"] for row in rows]


def test_list_names_every_experiment_of_a_system(said: Said) -> None:
    listed = said("list", "hp3000")
    assert all(f"{name}\n" in listed for name in ("response_vs_terminals", "hit_ratio_vs_fetch", "hit_ratio_vs_memory"))


def test_a_seed_is_a_whole_number(said: Said, capsys: pytest.CaptureFixture[str]) -> None:
    means = {strict(said("run", "hp3000", *SHORT, "--json", "--seed", seed))["summary"]["response_mean"]
             for seed in ("0", "1", "2")}  # fmt: skip
    assert len(means) == 3
    for word in ("one", "-1", "1.5", "nan", "\N{SNOWMAN}"):
        assert main(("run", "hp3000", *SHORT, f"--seed={word}")) == 2
        assert "--seed must be a" in capsys.readouterr().err


def test_options_reach_the_run(said: Said) -> None:
    result = strict(said("run", "hp3000", "--terminals", "5", "--clerks=3", "--minutes", "1", "--warm-up=0.5",
                         "--no-caching", "--seed", "7", "--set", "discs=2", "--set", "mips=2", "--json"))  # fmt: skip
    assert result["parameters"] == {
        "terminals": 5, "scripts": "CLERKS+COBOL+BASIC", "caching": False, "discs": 2, "mips": 2.0,
    }  # fmt: skip
    assert (result["seed"], result["start"], result["end"]) == (7, 30.0, 90.0)
    assert "drive2.completed" in result["counters"]
    assert "drive3.completed" not in result["counters"]


def test_every_part_can_be_exchanged_by_name(said: Said) -> None:
    def mean(*arguments: str) -> float:
        run = said("run", "hp3000", "--terminals=36", "--clerks=30", "--minutes=1", "--warm-up=0", "--json",
                   "--set=memory=2200000", *arguments)  # fmt: skip
        return float(strict(run)["summary"]["response_mean"])

    usual = mean()
    assert usual == mean("--cpu=preemptive", "--drive=hp7933", "--scheduler=fcfs", "--policy=clock",
                         "--alignment=from-request", "--write=behind")  # fmt: skip
    others = ["--cpu=fcfs", "--drive=hp7925", "--scheduler=sptf", "--policy=fifo", "--alignment=centred",
              "--write=block-on-write"]  # fmt: skip
    assert len({usual, *map(mean, others)}) == 7


def test_scripts_are_run_together_and_the_first_ones_terminals_can_be_changed(said: Said, tmp_path: Path) -> None:
    path = tmp_path / "finders.tepe"
    path.write_text(FINDERS)
    script = ["run", "hp3000", "--minutes=1", "--warm-up=0", "--json", "--script", str(path)]
    assert strict(said(*script))["parameters"] == {"terminals": 3, "scripts": "FINDERS", "caching": True}
    assert strict(said(*script, "--terminals", "5"))["parameters"]["terminals"] == 5
    both = strict(said(*script, "--script", str(path), "--terminals=5"))["parameters"]
    assert (both["terminals"], both["scripts"]) == (8, "FINDERS (1)+FINDERS (2)")


def test_a_sweep_over_parts_has_a_column_for_each(said: Said, tmp_path: Path) -> None:
    out = tmp_path / "parts.csv"
    said("sweep", "hp3000", "--set=drive=hp7933,hp7925", "--set=cpu=fcfs,preemptive", "--set=minutes=1",
         "--set=warm_up=0", "--set=terminals=60", "--seeds=1", "--workers=1", f"--out={out}")  # fmt: skip
    frame = table_in(out.read_text(), out)
    assert frame[["drive", "cpu"]].values.tolist() == [
        ["hp7933", "fcfs"], ["hp7933", "preemptive"], ["hp7925", "fcfs"], ["hp7925", "preemptive"],
    ]  # fmt: skip
    by_drive = frame.groupby("drive")["response_mean"].mean()
    assert by_drive["hp7933"] != by_drive["hp7925"]
    by_cpu = frame.groupby("cpu")["events"].mean()
    assert by_cpu["preemptive"] > by_cpu["fcfs"]


def test_a_sweep_on_the_screen_has_what_varies_and_what_answers(said: Said, tmp_path: Path) -> None:
    sweep = ["sweep", "max_iv", "--users=1,2", "--memory=512K", "--minutes=2", "--warm-up=0", "--workers=1"]
    out = tmp_path / "users.csv"
    assert said(*sweep, "--seeds=2", "--out", str(out)).endswith(f"\n{out}: 4 rows\n")
    frame, rows = table_in(out.read_text(), out), strict(said(*sweep, "--seed=1,2", "--json"))["rows"]
    assert [row["seed"] for row in rows] == frame["seed"].tolist() == [1, 2, 1, 2]
    assert [row["op_rate"] for row in rows] == pytest.approx(frame["op_rate"].tolist(), rel=1e-5)
    head, *points, _, foot = said(*sweep, "--seeds=2", "--columns=op_rate").splitlines()
    assert head.split() == ["users", *SYSTEM_ANSWERS, "op_rate"]
    assert [point.split()[0] for point in points] == ["1", "2"]
    low, high = frame[frame["users"] == 1]["op_rate"].sort_values()
    assert f"  {(low + high) / 2:.4g}/s ± {12.706 * (high - low) / 2:.2g}/s" in points[0]
    assert foot.startswith("means of 2 seeds ± half of the 95 % interval; ")
    foot = said(*sweep, "--seed=1", "--columns=all").splitlines()[-1]
    assert foot == "one seed; --out FILE.csv has a row for each run"


# Interruptions ------------------------------------------------------------------------------------


INTERRUPTED = """
import os, signal, sys, threading
import {modules}, spindle.models.hp3000.system
from spindle.cli.main import main
threading.Timer({after}, os.kill, (os.getpid(), signal.SIGINT)).start()
sys.exit(main({arguments!r}))
"""


@pytest.mark.parametrize(("arguments", "modules", "after"), [
    (["run", "hp3000", "--minutes=1000000"], "spindle.cli.run", 0.3),
    (["sweep", "hp3000", "--set=minutes=1000000", "--workers=2"], "loky, pandas, spindle.cli.sweep", 1.5),
])  # fmt: skip
def test_ctrl_c_ends_a_command_in_one_line(arguments: Sequence[str], modules: str, after: float) -> None:
    program = INTERRUPTED.format(modules=modules, after=after, arguments=arguments)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False,
                          timeout=60, env={**os.environ, "MPLBACKEND": "Agg"})  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "spindle: interrupted\n")


def test_runs_are_replicated_until_the_mean_is_known(said: Said) -> None:
    given = ["run", "hp3000", "--terminals=4", "--minutes=2", "--warm-up=0.5", "--precision=0.5"]
    page, numbers = said(*given), json.loads(said(*given, "--json"))
    assert "replications after" in page
    assert numbers["reached"]
    assert numbers["replications"] == len(numbers["rows"]) >= 10
    assert numbers["width"] <= 0.5


def test_the_warm_up_is_found_where_it_is_asked_for(said: Said) -> None:
    found = json.loads(said("run", "hp3000", "--terminals=12", "--minutes=6", "--warm-up=auto", "--json"))
    assert 0.0 < found["start"] < 180.0


def test_help_says_which_mechanisms_no_option_switches_off(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "max_iv", "--help"]) == 0
    assert "max_iv is built on these, which no option switches off:\n  sectors of 256 bytes" in capsys.readouterr().out
    assert main(["run", "hp3000", "--help"]) == 0
    assert "no option switches off" not in capsys.readouterr().out
