"""Tests ``--chains`` at the command line, on a made-up copy and a traced workstation, with mistakes in one line."""

import json
from pathlib import Path
from typing import Any

import pytest

from spindle.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
COPY = str(EXAMPLES / "copy.csv")


def replayed(capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    assert main([*options, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_copy_that_waits_for_its_reads_does_not_pile_up(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("replay", COPY, "--drive", "hp7925")
    piled, chained = replayed(capsys, *words, "--open"), replayed(capsys, *words, "--chains", "5ms")
    assert chained["question"]["loop"] == "open loop with chains of up to 5ms"
    assert chained["measures"]["response_mean"] < 0.5 * piled["measures"]["response_mean"]


def test_a_workstation_of_1992(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the driver's order was nobody knows: without chains reads are at 46 %."""
    requests = str(shared / "data" / "drives" / "HP_C2200A_hplajw" / "requests.csv")
    words = ("drive", "hpc2200a", requests, "--open", "--bus", "HP-IB", "--scheduler", "c-look", "--chains", "5ms")
    times = replayed(capsys, *words)["times"]
    for group, most in {"reads": 27.0, "writes": 12.0, "all": 12.0}.items():
        assert times["response"][group]["predicted"]["demerit_share"] < most / 100
        assert times["service"][group]["predicted"]["demerit_share"] < 0.04


def test_an_interval_over_readings_of_the_host(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The third day has a queue, where its order matters; on the others chains alone do."""
    requests = str(shared / "data" / "drives" / "HP_C2200A_hplajw" / "requests.csv")
    words = ("drive", "hpc2200a", requests, "--open", "--bus", "HP-IB", "--readings")
    rows = {(row["day"], row["group"]): row for row in replayed(capsys, *words)}
    assert [rows["all", group]["inside"] for group in ("reads", "writes")] == [True, True]
    assert all(row["inside"] for row in rows.values())
    assert [rows[day, "reads"]["outside"] > 1.0 for day in "123"] == [False, False, True]
    assert rows["3", "reads"]["low"] < rows["3", "reads"]["measured"] < rows["3", "reads"]["high"]
    assert rows["2", "reads"]["demerit"] < 0.25


@pytest.mark.parametrize(("words", "says"), [
    (("drive", str(EXAMPLES / "drive.yaml"), str(EXAMPLES / "requests.csv"), "--readings"), "--open makes one"),
    (("drive", str(EXAMPLES / "drive.yaml"), COPY, "--readings", "--open", "--scheduler", "look"),
     "--readings and --scheduler exclude"),
    (("replay", COPY, "--chains", "5ms", "--closed", "3"), "--chains and --closed are two kinds of loop"),
    (("replay", COPY, "--chains", "0"), "--chains must be more than 0 and at most 10 s"),
    (("replay", COPY, "--chains", "soon"), "--chains must be a number"),
    (("replay", str(EXAMPLES / "trace.csv"), "--chains", "5ms"), "request 0 has no measured response"),
    (("drive", str(EXAMPLES / "drive.yaml"), str(EXAMPLES / "requests.csv"), "--chains", "5ms"), "--open makes one"),
])  # fmt: skip
def test_mistakes_are_one_line(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err
