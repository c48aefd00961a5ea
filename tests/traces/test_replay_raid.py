"""Tests ``spindle replay --raid``, and drive files with a queue and a write cache of their own."""

import json
from pathlib import Path
from typing import Any

import pytest

from spindle.cli.main import main
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.planning import DriveQueue, PlannedQueue
from spindle.sim.disc.raid.stripes import WAYS
from spindle.sim.disc.scheduling import TaggedQueue
from spindle.sim.disc.sheet_file.sheet import TEMPLATE, read_sheet
from spindle.sim.error import UserError
from tests.traces.conftest import SHEET

Said = pytest.CaptureFixture[str]


def phases(told: Any) -> float:
    """The sum of the phases of the mean response, in seconds."""
    return sum(value for name, value in told["measures"].items() if name.startswith("part_"))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    rows = [f"{number * 0.01},{'RW'[number % 3 == 0]},{number * 7919 % 400 * 8192},8192" for number in range(120)]
    path.write_text("timestamp,op,offset,size\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(("level", "drives"), [("0", 2), ("1", 2), ("4", 5), ("5", 8), ("6", 4), ("10", 4), ("10f2", 5),
                                               ("10o2", 4)])
def test_a_trace_on_an_array(trace: Path, capsys: Said, level: str, drives: int) -> None:
    words = ["--drive", "hp7933", "--raid", level, "--drives", str(drives), "--chunk", "64K", "--json"]
    assert main(["replay", str(trace), *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["arrays"]["completed"] == 120
    assert len(told["drives"]) == drives
    assert phases(told) == pytest.approx(told["measures"]["response_mean"])


def test_the_page_says_how_rows_were_written(trace: Path, capsys: Said) -> None:
    assert main(["replay", str(trace), "--drive", "hp7933", "--raid", "5", "--drives", "8", "--cache", "64K"]) == 0
    said = capsys.readouterr().out
    assert "in raid 5, chunk of 512 KiB" in said
    assert "by read-modify-write" in said


@pytest.mark.parametrize(("words", "said"), [
    ("--raid 5", "needs --drives"), ("--raid 2 --drives 4", "no level '2'; 4 comes nearest"),
    ("--chunk 4K", "--chunk is for an array"),
    ("--raid 5 --drives 2", "takes 3 to 384"), ("--raid 5 --drives 4 --chunk 5000", "whole pages"),
    ("--raid 5 --drives 4 --chunk 1000", "whole sectors"), ("--bitmap 64M", "--bitmap is for an array"),
    ("--delayed", "--delayed is for an array"), ("--raid 10 --drives 4 --delayed", "levels 4, 5, 6"),
    ("--raid 5 --drives 4 --bitmap 3M", "a power of two"), ("--raid 0 --drives 4 --bitmap 1M", "copies or parity"),
    ("--raid 5 --drives 4 --tiers 1MB:1us", "not above an array"),
    ("--failed 1", "--failed is for an array"), ("--ure 1e-14", "--ure is for an array"),
    ("--raid 5 --drives 4 --failed 2", "failed must be from 0 to 1, not 2"),
    ("--raid 0 --drives 2 --failed 1", "from 0 to 0"), ("--raid 5 --drives 4 --failed x", "--failed must be a whole"),
    ("--raid 5 --drives 4 --rebuild 1000K", "failed says how many"),
    ("--raid 5 --drives 4 --ure 1", "from 0 to 1e-6, not 1"), ("--raid 5 --drives 4 --ure x", "--ure must be a number"),
])  # fmt: skip
def test_mistakes_are_one_line(trace: Path, capsys: Said, words: str, said: str) -> None:
    assert main(["replay", str(trace), "--drive", "hp7933", *words.split()]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_joined_rows_and_a_bitmap(trace: Path, capsys: Said) -> None:
    words = ["replay", str(trace), "--drive", "hp7933", "--raid", "5", "--drives", "4", "--chunk", "64K", "--json"]
    told = []
    for options in ([], ["--delayed"], ["--bitmap", "64M"]):
        assert main([*words, *options]) == 0
        told.append(json.loads(capsys.readouterr().out)["arrays"])
    assert sum(told[1][way] for way in WAYS) <= sum(told[0][way] for way in WAYS)
    assert told[2]["bitmap_writes"] > 0.0


def test_an_array_that_is_degraded_or_rebuilt(trace: Path, capsys: Said) -> None:
    words = ["replay", str(trace), "--drive", "hp7933", "--raid", "5", "--drives", "4", "--chunk", "64K"]
    assert main([*words, "--failed", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["arrays"]["degraded_reads"] > 0
    assert told["drives"].keys() != {}
    assert main([*words, "--failed", "1", "--rebuild", "100K", "--ure", "1e-7"]) == 0
    said = capsys.readouterr().out
    assert "1 failed, being rebuilt" in said
    assert "MB rebuilt" in said
    assert "unrecoverable read errors: " in said


def with_queue(place: Path, section: str) -> Path:
    path = place / "drive.yaml"
    path.write_text(TEMPLATE.read_text("utf-8") + f"\nqueue: {section}\n")
    return path


def test_a_sheet_with_a_queue(trace: Path, capsys: Said) -> None:
    path = with_queue(trace.parent, "{tags: 8, planned_ahead: 3, ageing_ms_per_s: 6, writes_cached: 16}")
    assert read_sheet(path).queue == DriveQueue(8, 3, 0.006, 16)
    main(["replay", str(trace), "--drive", str(path), "--wrap", "--closed", "32", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert phases(told) == pytest.approx(told["measures"]["response_mean"])
    main(["replay", str(trace), "--drive", str(path), "--wrap", "--raid", "5", "--drives", "3", "--json"])
    assert json.loads(capsys.readouterr().out)["arrays"]["completed"] == 120


def test_a_queue_of_little_words(trace: Path) -> None:
    assert read_sheet(with_queue(trace.parent, "{planned_ahead: 2}")).queue == DriveQueue(32, 2, None, 0)
    assert isinstance(DriveQueue().scheduler(Fcfs()), TaggedQueue)


@pytest.mark.parametrize(
    "section", ["{tags: 0}", "{planned_ahead: x}", "{tagss: 3}", "{writes_held: true}", "{writes_cached: -1}"]
)
def test_what_is_no_queue(trace: Path, section: str) -> None:
    with pytest.raises(UserError):
        read_sheet(with_queue(trace.parent, section))


def test_a_plan_is_of_one_request_at_least() -> None:
    with pytest.raises(UserError, match="at least 1"):
        PlannedQueue(Fcfs(), 0)


REBUILT = ["--raid", "1", "--drives", "2", "--failed", "1", "--rebuild", "1000K"]


def test_a_rebuild_has_an_end(tmp_path: Path, capsys: Said) -> None:
    """A mirror of 10 MB, whose spare is written at 1000 KiB a second at least."""
    sheet = tmp_path / "small.yaml"
    sheet.write_text(SHEET.replace("cylinders: 100", "cylinders: 1000").replace("4000", "40000")
                     .replace("99, 5.0", "999, 5.0"))  # fmt: skip
    path = tmp_path / "long.csv"
    path.write_text("time_s,op,offset,size\n0,R,0,4096\n400,R,0,4096\n")
    assert main(["replay", str(path), "--drive", str(sheet), *REBUILT, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    totals, measures = told["arrays"], told["measures"]
    assert measures["rebuilt_share"] == 1.0
    assert totals["bytes_to_rebuild"] == totals["rebuilt_bytes"] <= 40000 * 256
    assert measures["rebuild_seconds"] == totals["rebuilding"] < 400.0
    assert main(["replay", str(path), "--drive", str(sheet), *REBUILT]) == 0
    assert "rebuild: all done after" in capsys.readouterr().out
    assert main(["replay", str(path), "--drive", str(sheet), *REBUILT, "--speed", "15", "--json"]) == 0
    cut = json.loads(capsys.readouterr().out)["measures"]
    assert 0.0 < cut["rebuilt_share"] < 1.0
    assert cut["rebuild_seconds"] == pytest.approx(measures["rebuild_seconds"], rel=0.2)


def test_an_array_that_is_not_rebuilt_says_nothing_of_it(trace: Path, capsys: Said) -> None:
    assert main(["replay", str(trace), "--drive", "hp7933", *REBUILT[:6], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert not {"rebuilt_share", "rebuild_seconds"} & {*told["measures"]}
    assert "bytes_to_rebuild" not in told["arrays"]
