"""Tests ``spindle run --precision`` and ``--warm-up auto``: many runs, which write no files, and their output."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from spindle.cli import replications
from spindle.cli.main import main
from spindle.cli.named_files import LOG_TABLE_SUFFIXES
from spindle.sim.error import UserError
from spindle.studies.confidence import confidence
from spindle.studies.sweep.executor import Worker
from spindle.studies.sweep.precision import Replications
from spindle.systems import find_system

SHORT = ("run", "hp3000", "--terminals=10", "--minutes=1", "--warm-up=0.5")
LATE = """\
SCRIPT LATE
TERMINALS 3
START AT 100000
RUN ORDERS
THINK 5
ENTER "LIST"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err.removeprefix("spindle: ").rstrip("\n")


def test_many_runs_write_no_log(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, *SHORT, "--precision=0.5", "--log=log.csv")
    assert said == "--precision and --log exclude each other; one makes many runs, the other shows one"
    assert not list(place.iterdir())


def test_the_tables_of_a_log_are_known_before_it_is_written(place: Path) -> None:
    assert main((*SHORT, "--log=log.csv")) == 0
    assert {each.name for each in place.iterdir()} == {f"log{each}.csv" for each in ("", *LOG_TABLE_SUFFIXES)}


def test_pilots_write_no_log(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "log.txt").write_text("kept")
    said = refused(capsys, "run", "hp3000", "--terminals=2", "--minutes=1", "--warm-up=auto", "--log=log.txt")
    assert said.startswith("this takes at least 50 observations, and there are ")
    assert (place / "log.txt").read_text() == "kept"


def test_pilots_have_no_operator(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """His clock begins with the run: at minute 5 he types once, for the 4 minutes after the warm-up are not over."""
    (place / "shift.txt").write_text("5 SHOWCACHE\n")
    assert main(("run", "hp3000", "--terminals=21", "--minutes=4", "--warm-up=auto", "--shift=shift.txt")) == 0
    assert capsys.readouterr().err.count("SHOWCACHE") == 1


def test_pilots_are_asked_for_neither_files_nor_an_operator_and_have_their_own_seeds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replications, "find_warm_up", lambda run, **given: (run, given))
    monkeypatch.setattr(replications, "run_of", lambda *given: given)
    point = {"terminals": 2, "log": "log.csv", "shift": Path("shift.txt"), "seed": 3}
    system = find_system("hp3000")
    run, found = replications.warm_up_of("mine.py:M", system, point)  # type: ignore[misc]
    assert (run, found) == (("mine.py:M", system, {"terminals": [2]}), {
        "terminals": [2], "seed": ["pilot 1", "pilot 2", "pilot 3"]})  # fmt: skip


def test_the_page_has_an_interval_for_what_all_runs_have() -> None:
    """Of 1, 2 and 3 the half is 4.303 / sqrt(3)."""
    frame = pd.DataFrame({"response_mean": [1.0, 2.0, 3.0], "throughput": [2.0, 2.0, 2.0], "presence": ["", "", ""],
                          "hit_ratio": [0.5, float("nan"), 0.5]})  # fmt: skip
    found = Replications(frame, [confidence([1.0, 2.0, 3.0])], 0.05)
    assert replications.page(found, 2.0).splitlines() == [
        "3 replications after 2 minutes of warm-up; mean response within 1.2e+02 %; asked for 5 %: not reached", "",
        "95 % intervals          mean       low      high",
        "response_mean              2   -0.4841     4.484", "throughput                 2         2         2"]
    absent = replace(found, frame=frame.assign(presence="one is absent"), precision=2.0)
    assert replications.page(absent, None).splitlines()[:2] == [
        "3 replications; mean response within 1.2e+02 %", "one is absent"]
    some = replace(found, frame=frame.assign(presence=["", "two are absent", ""]))
    assert replications.page(some, 0.0).splitlines()[:2] == [
        "3 replications after 0 minutes of warm-up; mean response within 1.2e+02 %; asked for 5 %: not reached",
        "two are absent"]


def test_a_mistake_in_a_file_keeps_its_lines(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "shift.txt").write_text("90 SHOWCACHE\n")
    said = refused(capsys, *SHORT, "--precision=0.5", "--shift=shift.txt")
    what, line, mark = said.split("\n")
    assert what.startswith("shift.txt:1:1: minute 90 does not come before the end of the run, at minute 1.5 (at ")
    assert (line, mark) == ("90 SHOWCACHE", "^")


def test_a_run_without_a_response_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "late.tepe").write_text(LATE)
    said = refused(capsys, "run", "hp3000", "--script=late.tepe", "--minutes=1", "--warm-up=0", "--precision=0.3")
    assert said == "the run with seed 1 has no finite response_mean: observe longer, or from another time on"


def test_the_way_to_a_precision_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("run", "hp3000", "--terminals=5", "--minutes=0.5", "--warm-up=0.2", "--precision=0.04")) == 0
    page, told = capsys.readouterr()
    first, *_ = told.splitlines()
    assert re.fullmatch(r"10 replications: mean response within [\d.]+ %, and 4 % is asked for; \d+ more", first)
    count = sum(map(int, re.findall(r"(\d+) more", told))) + 10
    assert page.startswith(f"{count} replications after 0.2 minutes of warm-up; mean response within ")


def test_terminals_without_a_user_are_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("run", "hp3000", "--terminals=40", "--minutes=0.5", "--warm-up=0", "--precision=0.9")
    assert main(given) == 0
    assert "of 40 terminals, on average\n" in capsys.readouterr().out
    assert main((*given, "--json")) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert all(row["presence"].startswith("users are logged on at ") for row in rows)


def test_workers_need_a_place(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "gone").mkdir()
    monkeypatch.chdir(place / "gone")
    (place / "gone").rmdir()
    with pytest.raises(UserError, match="work in the working directory, which is there no longer"):
        Worker()
