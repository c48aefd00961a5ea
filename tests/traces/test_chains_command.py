"""``--chains`` at the command line: of a made-up copy, of a traced workstation, and mistakes in one line."""

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
    assert chained["loop"] == "open loop with chains of up to 5ms"
    assert chained["response"]["all"]["mean_ms"] < 0.5 * piled["response"]["all"]["mean_ms"]


def test_a_workstation_of_1992(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The limits are those that were set; without the chains and the driver's order reads are at 46 %."""
    requests = str(shared / "data" / "drives" / "HP_C2200A_hplajw" / "requests.csv")
    words = ("drive", "hpc2200a", requests, "--open", "--bus", "HP-IB", "--scheduler", "c-look-few", "--chains", "5ms")
    times = replayed(capsys, *words)["times"]
    for group, most in {"reads": 15.0, "writes": 12.0, "all": 12.0}.items():
        assert times["response"][group]["predicted"]["demerit_percent"] < most
        assert times["service"][group]["predicted"]["demerit_percent"] < 4.0


@pytest.mark.parametrize(("words", "says"), [
    (("replay", COPY, "--chains", "5ms", "--closed", "3"), "--chains and --closed are two ways to ask"),
    (("replay", COPY, "--chains", "0"), "--chains must be more than 0 and at most 10 s"),
    (("replay", COPY, "--chains", "soon"), "--chains must be a number"),
    (("replay", str(EXAMPLES / "trace.csv"), "--chains", "5ms"), "request 0 has no measured response"),
    (("drive", str(EXAMPLES / "drive.yaml"), str(EXAMPLES / "requests.csv"), "--chains", "5ms"), "needs --open"),
])  # fmt: skip
def test_mistakes_are_one_line(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err
