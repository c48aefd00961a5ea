"""Tests files that commands write: they replace no input and no pipe, and have no cell that a spreadsheet computes."""

import csv
import os
import shutil
from pathlib import Path

import pytest

from spindle.cli.main import main
from tests.traces.conftest import SHEET, trace_of

SCRIPT = 'SCRIPT FEW\nTERMINALS 2\nRUN ORDERS\nLOOP\nTHINK 5\nENTER "FIND"\nEND\n'
RUN = ("run", "hp3000", "--minutes=0.5", "--warm-up=0")
LIST = "op,lba,sectors,gap_before_ms\nR,0,1,0\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "few.tepe").write_text(SCRIPT)
    (tmp_path / "small.yaml").write_text(SHEET)
    (tmp_path / "list.csv").write_text(LIST)
    (tmp_path / "trace.csv").write_text(trace_of((0, "R", 0, 1)))
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err.removeprefix("spindle: ").rstrip("\n")


@pytest.mark.parametrize(("arguments", "said"), [
    (("replay", "trace.csv", "--drive=small.yaml", "--out=x.parquet"), "--out writes text, such as .csv, and no .par"),
    (("curve", "trace.csv", "--policy=lru", "--out=x.JSON"), "--out writes text, such as .csv, and no .JSON: x.JSON"),
    (("replay", "trace.csv", "--drive=small.yaml", "--out=-"), "--out must name a file, not '-'"),
    (("convert", "trace.csv", "-", "--to=csv"), "OUT must name a file, not '-'"),
], ids=" ".join)  # fmt: skip
def test_a_table_has_no_name_of_another_kind_of_file(
    arguments: tuple[str, ...], said: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(place.iterdir())
    assert refused(capsys, *arguments).startswith(said)
    assert sorted(place.iterdir()) == before


@pytest.mark.parametrize("name", ["few.tepe", "./few.tepe", "hard", "soft", "over/few.tepe"])
def test_a_timeline_does_not_replace_the_script(
    name: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "hard").hardlink_to(place / "few.tepe")
    (place / "soft").symlink_to(place / "few.tepe")
    (place / "over").symlink_to(place)
    said = refused(capsys, *RUN, "--script", "few.tepe", "--timeline", name)
    assert said == f"--timeline would overwrite {Path('few.tepe')}, which is to be read"
    assert (place / "few.tepe").read_text() == SCRIPT


def test_a_timeline_does_not_replace_a_table_of_the_log(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, *RUN, "--script=few.tepe", "--log=log.csv", "--timeline=log_global.csv")
    assert said == "--timeline would overwrite log_global.csv, which is a table of --log"


@pytest.mark.parametrize("arguments", [
    (*RUN, "--script=few.csv", "--log=few.csv"),
    (*RUN, "--script=log_ldevs.csv", "--log=log.csv"),
    (*RUN, "--log=log.csv", "--timeline=./log.csv"),
    ("sweep", "max_iv", "--set=drive=small.yaml,large.yaml", "--set=minutes=1", "--out=large.yaml"),
    ("run", "windows_nt", "--probe=probe.scr", "--timeline=probe.scr"),
    ("moving", "--html=small.yaml", "--drive=small.yaml"),
    (*RUN, "--script=few.tepe", "--policy=own.py:Mine", "--html=own.py"),
    ("curve", "trace.csv", "--policy=own.py:Mine", "--html=./own.py"),
    ("replay", "trace.csv", "--drive=small.yaml", "--cache=64K", "--policy=own.py:Mine", "--out=own.py"),
], ids=" ".join)  # fmt: skip
def test_nothing_that_is_read_is_replaced(
    arguments: tuple[str, ...], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for copy in ("few.csv", "log_ldevs.csv"):
        shutil.copy("few.tepe", copy)
    (place / "large.yaml").write_text(SHEET.replace("cylinders: 100", "cylinders: 101").replace("4000", "4040"))
    (place / "probe.scr").write_text("nothing")
    (place / "own.py").write_text("from spindle import Lru as Mine")
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    said = refused(capsys, *arguments)
    assert "which is " in said or said.endswith("it is to be read")
    assert {name: (place / name).read_bytes() for name in before} == before


@pytest.mark.parametrize("arguments", [
    (*RUN, "--timeline"), (*RUN, "--log"), ("sweep", "max_iv", "--set=minutes=1", "--out"),
    ("drive", "small.yaml", "list.csv", "--out"), ("replay", "trace.csv", "--drive=small.yaml", "--out"),
    ("curve", "trace.csv", "--out"), ("characterise", "trace.csv", "--synthetic"),
    ("characterise", "trace.csv", "--plot"),
], ids=" ".join)  # fmt: skip
def test_a_pipe_stays_a_pipe(arguments: tuple[str, ...], place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = place / ("pipe.png" if arguments[-1] == "--plot" else "pipe.csv")
    os.mkfifo(pipe)
    assert refused(capsys, *arguments, pipe.name) == f"cannot write {pipe.name}: it is no regular file"
    assert pipe.is_fifo()


def test_names_of_devices_stay_in_their_cells(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    devices = ("=1+1", "+1", "@SUM(A1)", '"a""b"', "-", "\x9b31m", "sda")
    (place / "trace.csv").write_text(
        trace_of(*((0, device, "R", 0, 1) for device in devices), head="time_s,device,op,lba_512,sectors"))
    assert main(("replay", "trace.csv", "--drive=small.yaml", "--out=rows.csv")) == 0
    with (place / "rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["device"] for row in rows] == ["'=1+1", "'+1", "'@SUM(A1)", 'a"b', "'-", r"\x9b31m", "sda"]
    assert {row["op"] for row in rows} == {"R"}


def test_a_folder_that_is_made_for_a_file_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for told in ("spindle: --out: made the folder new\n", ""):
        assert main(["replay", "trace.csv", "--drive", "small.yaml", "--out", "new/rows.csv"]) == 0
        assert capsys.readouterr().err == told


@pytest.mark.parametrize("command", [
    ["sweep", "{}", "--cache", "4K,8K"], ["find", "{}", "cache", "--where", "hit_ratio >= 1", "--between", "4K:8K"],
])  # fmt: skip
@pytest.mark.parametrize(("name", "says"), [
    ("-", "standard input: each run reads the trace anew, and a pipe can be read once: write it to a file"),
    ("pipe", "pipe: each run reads the trace anew, and a pipe can be read once: write it to a file, and name that"),
    ("folder", "folder: each run reads the trace anew, from one file: spindle convert 'folder' all.csv --to csv"),
    ("trace.csv,list.csv", "trace.csv,list.csv: each run reads the trace anew, from one file"),
    ("*.csv", "*.csv: each run reads the trace anew, from one file"),
])  # fmt: skip
def test_runs_of_a_trace_that_no_run_can_read_anew_are_refused(
    command: list[str], name: str, says: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(place / "pipe")
    (place / "folder").mkdir()
    assert main([word.format(name) for word in command]) == 2
    assert capsys.readouterr().err.startswith(f"spindle: {says}")


def test_columns_of_a_trace_are_not_those_of_the_table(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "trace.csv", "--columns", "time=1,op=2"]) == 2
    assert capsys.readouterr().err == (
        "spindle: --columns names measures of the table; what the columns of a trace are is said by --set "
        "columns=time=1,op=2\n")
