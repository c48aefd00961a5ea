"""Tests that every guess about a trace is reported with the answer: in text, JSON, Python and tables of runs."""

import json
from pathlib import Path

import pytest

from spindle import UserError, characterise, curve, find, replay, sweep
from spindle.cli.main import main

GUESS = "time is taken for milliseconds since a date; time_ms, _us or _ns would say the unit"
CODES = "op 0 is taken for fio's code: 0 reads, 1 writes, 2 trims; other tools have 1 for a read: --ops 1=read,0=write"


@pytest.fixture
def dated(tmp_path: Path) -> Path:
    trace = tmp_path / "dated.csv"
    trace.write_text("time,op,offset,size\n1700000000000,R,0,4096\n1700000001000,W,0,4096\n")
    return trace


@pytest.mark.parametrize("command", ["curve {} --sizes 1", "replay {}", "characterise {}"])
def test_json_has_the_notes_of_the_page(command: str, dated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = command.format(dated).split()
    assert main(words) == 0
    assert GUESS in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told.get("question", told)["notes"] == [GUESS]


@pytest.mark.parametrize("command", [
    "sweep {} --drive hp7933 --workers=1", "sweep {} --drive hp7933 --workers=1 --json",
    "find {} speed --drive hp7933 --where seconds<=1 --between 1:2", "sweep curve --trace {} --sizes 1 --workers=1",
])  # fmt: skip
def test_a_table_of_runs_stands_beside_what_was_guessed(
    command: str, dated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(command.format(dated).split())
    assert f"spindle: {dated}: {GUESS}\n" in capsys.readouterr().err


def test_python_has_them_too(dated: Path) -> None:
    assert replay(dated).notes == [GUESS]
    assert curve(dated, sizes=1).attrs["notes"] == [GUESS]
    assert characterise(dated)["notes"] == [GUESS]
    with pytest.warns(UserWarning, match=GUESS):
        sweep(dated, drive="hp7933", workers=1, progress=False)
    with pytest.warns(UserWarning, match=GUESS):
        find(dated, "speed", "makespan <= 0.7s", (1, 2), drive="hp7933", workers=1)


def test_nothing_is_said_of_a_trace_that_leaves_nothing_to_guess(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("time_s,op,offset,size\n0,R,0,4096\n1,W,0,4096\n")
    assert replay(trace).notes == []
    sweep(trace, drive="hp7933", workers=1, progress=False)
    assert [str(each.message) for each in recwarn if "t.csv" in str(each.message)] == []


@pytest.mark.parametrize(("line", "suffix"), [
    ("{},{},0,4096", "csv"), ('{{"ts":{},"rw":{},"offset":0,"size":1}}', "jsonl")])  # fmt: skip
def test_bare_numbers_for_operations_are_a_guess(tmp_path: Path, line: str, suffix: str) -> None:
    trace = tmp_path / f"t.{suffix}"
    head = "time_s,op,offset,size\n" if suffix == "csv" else ""
    trace.write_text(head + "".join(line.format(n, int(n == 0)) + "\n" for n in range(4)))
    for ops, reads, said in (("", 0.75, True), ("1=read,0=write", 0.25, False), ("0=read,1=write", 0.75, False)):
        told = characterise(trace, ops=ops)
        assert (told["read_share"], CODES in told["notes"]) == (reads, said)


def test_a_block_has_no_meaning_for_objects(tmp_path: Path) -> None:
    trace = tmp_path / "keys.csv"
    trace.write_text("time_s,op,key,size\n0,get,a,5\n1,get,a,5\n")
    said = ["block is for requests to devices, and this trace asks for objects by key"]
    assert curve(trace, sizes=1, block="512").attrs["notes"] == said
    assert curve(trace, sizes=9, bytes=True, block="512").attrs["notes"] == said
    assert curve(trace, sizes=1).attrs["notes"] == []
    tiers = curve(trace, sizes=1, block="512", tiers="512B:1us").attrs
    assert ("512 B" in tiers["page"], tiers["notes"]) == (True, []), "a tier of bytes holds as many objects as blocks"


@pytest.mark.parametrize(("sizes", "says"), [
    ("64M", "64M are bytes: 16384 blocks of 4 KiB"), ("8,64K", "64K are bytes: 16 blocks of 4 KiB"),
    ("4B", "4B are bytes: 1 blocks of 4 KiB"), ("x", "sizes must be a whole number, not 'x'"),
])  # fmt: skip
def test_sizes_in_bytes_are_answered_in_blocks(dated: Path, sizes: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        curve(dated, sizes=sizes)
    assert curve(dated, sizes="64K", bytes=True)["cache_bytes"].tolist() == [1 << 16]
