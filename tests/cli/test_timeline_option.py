"""``--timeline``: all systems write one by their general parts, and what they print stays as it was."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from spindle.cli.main import main

RUNS = [
    ["hp3000", "--terminals=5", "--minutes=2", "--warm-up=1"],
    ["hp3000", "--terminals=5", "--minutes=1", "--warm-up=0", "--no-caching"],
    ["max_iv", "--users=2", "--minutes=2", "--warm-up=1"],
    ["windows_nt", "--seconds=10"],
    ["unix_stdio", "--size=100000"],
    ["sata_ncq", "--requests=300"],
]


@pytest.mark.parametrize("arguments", RUNS, ids=" ".join)
def test_a_run_with_a_timeline_prints_what_it_prints_without(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for more in ([], [f"--timeline={tmp_path}/new/run.json"], ["--timeline", f"{tmp_path}/run.pftrace"]):
        assert main(["run", *arguments, "--json", *more]) == 0
        said.append(capsys.readouterr())
    results = [json.loads(each.out) for each in said]
    assert [each.pop("files", None) for each in results] == [
        None, [f"{tmp_path}/new/run.json"], [f"{tmp_path}/run.pftrace"],
    ]  # fmt: skip
    assert results[0] == results[1] == results[2]
    assert (tmp_path / "run.pftrace").read_bytes()[0] == 0x0A
    result = json.loads(said[0].out)
    events = json.loads((tmp_path / "new" / "run.json").read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event.get("name") == "thread_name"}
    parts = {name.partition(".")[0] for name in result["counters"] if name.startswith(("drive", "disc.", "cpu"))}
    assert {"run", "responses", *parts} <= set(names.values())
    check_services(events, names, result, parts)
    check_counters(events, result)


def check_services(events: list[Any], names: dict[int, str], result: Any, parts: set[str]) -> None:
    """The slices of *parts* are their busy time within the window."""
    start, open_slices, seconds = result["start"] * 1e6, Counter[int](), Counter[str]()
    for event in events:
        track = event["tid"]
        if event["ph"] == "B":
            open_slices[track] += 1
            if open_slices[track] == 1:
                seconds[names[track]] -= max(start, event["ts"])
        elif event["ph"] == "E":
            open_slices[track] -= 1
            if open_slices[track] == 0:
                seconds[names[track]] += max(start, event["ts"])
    assert set(open_slices.values()) == {0}
    for part in parts:
        assert seconds[part] / 1e6 == pytest.approx(result["counters"][f"{part}.busy"], abs=1e-4), part


LEVELS = {
    "hp3000": {"memory used, bytes"}, "max_iv": {"fhl resident, sectors"}, "windows_nt": {"sets cache, pages"},
    "unix_stdio": {"page cache unwritten, bytes"}, "sata_ncq": {"cache dirty, blocks"},
}  # fmt: skip
"""A level that every run of the system shows."""


def check_counters(events: list[Any], result: Any) -> None:
    """Levels are shown with their units, each cache's too, each drive's queue in requests; none is ever negative."""
    shown = [event for event in events if event["ph"] == "C"]
    assert min(event["args"]["value"] for event in shown) == 0
    names = {event["name"] for event in shown}
    assert names >= LEVELS[result["system"]]
    parts = {name.partition(".")[0] for name in result["counters"]}
    assert names >= {f"{part} queue, requests" for part in parts if part.startswith("drive")}
    if result["system"] == "hp3000":
        assert names >= {f"{part} resident, bytes" for part in parts if part.startswith("cache")}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "--timeline must have a value, not ''"),
        ("{}", "--timeline must name a file"),
        ("{}/file/below", "cannot make the folder"),
        ("/dev/full", "cannot write /dev/full: it is no regular file"),
    ],
)
def test_where_nothing_can_be_written_is_said_in_one_line(
    path: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    cheap = ["run", "hp3000", "--terminals=3", "--minutes=1", "--warm-up=0"]
    status = main([*cheap, f"--timeline={path.format(tmp_path)}"])
    shown = capsys.readouterr()
    assert (status, shown.out, shown.err.count("\n")) == (2, "", 1)
    assert said in shown.err


def test_a_run_that_is_refused_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "run.pftrace"
    path.write_text("of old")
    assert main(["run", "hp3000", "--minutes=-1", f"--timeline={path}"]) == 2
    assert path.read_text() == "of old"
