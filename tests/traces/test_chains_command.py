"""Tests ``--chains`` at the command line, on a made-up copy and a traced workstation, with mistakes in one line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spindle.cli.main import main
from spindle.lab.drives.unknown_host import DayLoad, ReadingAnswers
from spindle.sim.units import DAY

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


def test_one_day_of_readings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"{0.001 * number:.3f},{'RW'[number % 2]},{1000 * number},8,{10 + number},0" for number in range(20)]
    path = tmp_path / "requests.csv"
    path.write_text("\n".join(["arrival_s,op,lba512,sectors512,service_ms,queue_ms", *lines]))
    rows = replayed(capsys, "drive", "hp7925", str(path), "--open", "--readings")
    assert [(row["day"], row["group"], row["requests"]) for row in rows] == [("1", "reads", 10), ("1", "writes", 10)]
    assert rows[0]["low"] < rows[0]["high"]
    assert not any("demerit" in row for row in rows)


def test_readings_of_two_days_are_judged_on_the_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"{86400 * (number // 20) + 0.001 * number:.3f},{'RW'[number % 2]},{1000 * number},8,{10 + number},0"
             for number in range(40)]  # fmt: skip
    path = tmp_path / "requests.csv"
    path.write_text("\n".join(["arrival_s,op,lba512,sectors512,service_ms,queue_ms", *lines]))
    assert main(["drive", "hp7925", str(path), "--open", "--readings"]) == 0
    assert "best on other days" in capsys.readouterr().out


def answers(arrived: list[float], measured: list[float], **predicted: list[float]) -> ReadingAnswers:
    reads = np.full(len(arrived), True)
    return ReadingAnswers(np.array(arrived), reads, np.array(measured),
                          {name: np.array(times) for name, times in predicted.items()})  # fmt: skip


QUIET, BUSY = [0.0, 10.0], [DAY, DAY + 1.0, DAY + 2.0, DAY + 10.0]


def test_a_day_is_outside_by_its_load_or_its_queue() -> None:
    """Of the busy day's four requests the second and the third meet one and two others; of the quiet day's none."""
    found = answers([*QUIET, *BUSY], [1.0] * 6, look=[1.0, 1.0, 5.0, 5.0, 1.0, 1.0])
    assert found.loads == {0: DayLoad(0.2, 0.0), 1: DayLoad(0.4, 0.75)}
    assert [found.outside(day) for day in (0, 1)] == [0.0, 1.0]
    longer = answers([*BUSY, *(at + DAY for at in BUSY)], [1.0] * 8, look=[5.0, 5.0, 1.0, 1.0, 9.0, 9.0, 9.0, 1.0])
    assert [each.met for each in longer.loads.values()] == [0.75, 1.0]
    assert [longer.outside(day) for day in (0, 1)] == [0.0, pytest.approx(4 / 3)]
    assert answers(QUIET, [1.0] * 2, look=[1.0] * 2).outside(0) == 0.0
    assert answers([*QUIET, *BUSY], [1.0] * 6, look=[0.1] * 6).outside(1) == 1.0, "by its load alone"


def test_an_interval_has_what_readings_were_off_on_other_days() -> None:
    found = answers([*QUIET, *BUSY], [3.0, 3.0, 1.0, 1.0, 1.0, 1.0], look=[1.0, 2.0, 1.0, 2.0, 1.0, 2.0],
                    fcfs=[9.0] * 6)  # fmt: skip
    quiet, busy = found.days == 0, found.days == 1
    assert found.expected(busy, quiet, 0.0) == pytest.approx((1.5, 3.0))
    assert found.expected(quiet, busy, 0.0) == pytest.approx((1.0, 1.5))
    assert found.expected(busy, quiet, 2.0) == pytest.approx((1.5 / 9.0, 81.0))
    assert found.expected(busy, busy & quiet, 0.0) == pytest.approx((1.5, 1.5))
    assert found.best(quiet) == "look"


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
