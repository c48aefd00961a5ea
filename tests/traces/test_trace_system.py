"""Tests a trace as a system in ``sweep`` and ``find``: drives, caches and policies are axes of its replays."""

import json
import random
import re
from inspect import signature
from pathlib import Path

import pytest

from spindle import ask
from spindle.cli.main import main
from spindle.cli.run_options import is_trace
from spindle.measures import find_measure
from spindle.sim.error import UserError
from spindle.sim.units import Bytes
from spindle.traces.system import MODEL, TIME_ANSWERS, TraceParameters, load_system, run, trace_system
from tests.traces.conftest import trace_of


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    chance, now, lines = random.Random(1), 0.0, ["time_ms,op,offset,size"]
    for _ in range(300):
        now += chance.expovariate(1 / 60)
        lines.append(f"{now:.3f},{'R' if chance.random() < 0.7 else 'W'},{int(chance.random() * 400) * 4096},4096")
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_replay_gives_what_the_command_gives(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(trace), "--drive", "hp7933", "--cache", "256K", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    row = run(trace, drive="hp7933", cache=256 * 1024)
    assert row["response_mean"] == pytest.approx(printed["measures"]["response_mean"], rel=1e-12)
    assert row["hit_ratio"] == pytest.approx(printed["measures"]["hit_ratio"], rel=1e-12)
    assert all(find_measure(name) for name in row)
    assert set(TIME_ANSWERS) <= set(row)
    assert run(trace, drive="hp7933", closed=4)["throughput"] > row["throughput"]
    assert (row.notes, len(run(trace, drive="intels3700", scheduler="sptf").notes)) == ([], 1)


@pytest.mark.parametrize("scheduler", ["fcfs", "sptf", "sstf", "look"])
def test_a_scheduler_is_that_of_the_command(
    trace: Path, scheduler: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(trace), "--drive", "hp7933", "--closed", "8", "--scheduler", scheduler, "--json"]) == 0
    seconds = json.loads(capsys.readouterr().out)["measures"]["response_mean"]
    asked = {"drive": "hp7933", "closed": 8, "scheduler": scheduler}
    assert ask.replay(trace, **asked)["response_mean"] == pytest.approx(seconds, rel=1e-12)
    (swept,) = ask.sweep(str(trace), **asked, workers=1)["response_mean"]
    assert swept == pytest.approx(seconds, rel=1e-12)


def test_schedulers_differ(trace: Path) -> None:
    means = {run(trace, drive="hp7933", scheduler=name, closed=8)["response_mean"] for name in ("fcfs", "sptf", "sstf")}
    assert len(means) == 3


def test_an_array_is_that_of_the_command(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--drive", "hp7933", "--drives", "4", "--raid", "5", "--chunk", "64K"]
    assert main(["replay", str(trace), *words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    row = run(trace, drive="hp7933", drives=4, raid="5", chunk=Bytes(64 * 1024))
    assert row["response_mean"] == pytest.approx(printed["measures"]["response_mean"], rel=1e-12)
    assert main(["sweep", str(trace), "--drive", "hp7933", "--drives", "4", "--raid", "0,5,10", "--workers", "1"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[:4]] == ["raid", "0", "5", "10"]


@pytest.mark.parametrize(("given", "says"), [
    ({"raid": "5", "drives": 2}, "takes 3 to"), ({"raid": "5"}, "raid 5 needs drives"),
    ({"raid": "7", "drives": 4}, "no level")])  # fmt: skip
def test_no_array(trace: Path, given: dict[str, object], says: str) -> None:
    with pytest.raises(UserError, match=says):
        run(trace, **given)


def test_a_trace_is_swept(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--drive", "hp7933,intels3700", "--cache", "0,256K", "--policy", "lru,s3-fifo", "--workers", "1"]
    assert main(["sweep", str(trace), *words]) == 0
    head, *rows = capsys.readouterr().out.splitlines()[:9]
    assert head.split()[:3] == ["drive", "policy", "cache"]
    assert "response_p999" in head
    assert len(rows) == 8


@pytest.mark.parametrize(("axis", "word"), [
    ("flash", "intels3700"), ("bus", "HP-IB"), ("engine", "psync"), ("tiers", "64K:1ms"),
])  # fmt: skip
def test_an_axis_may_begin_without_what_it_asks_for(trace: Path, axis: str, word: str) -> None:
    """``--flash none,intels3700``: the point of none is the replay that names nothing."""
    alone = ask.replay(trace, drive="hp7933")["response_mean"]
    none, other = (ask.replay(trace, drive="hp7933", **{axis: given})["response_mean"] for given in ("none", word))
    assert none == alone != other


def test_a_flash_tier_is_swept_beside_none(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", str(trace), "--drive=hp7933", "--flash=none,intels3700", "--workers=1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["flash"] for row in rows] == ["", "intels3700"]
    alone = ask.replay(trace, drive="hp7933")["response_mean"]
    assert rows[0]["response_mean"] == pytest.approx(alone) != rows[1]["response_mean"]


def test_a_column_may_have_the_short_name_that_a_condition_has(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["sweep", str(trace), "--drive=hp7933", "--workers=1", "--columns"]
    assert main([*words, "p50,read_p50"]) == 0
    head = capsys.readouterr().out.partition("\n")[0].split()
    assert head[-2:] == ["response_median", "read_median"]
    assert main([*words, "p51"]) == 2
    assert "unknown measure 'p51'" in capsys.readouterr().err


@pytest.mark.parametrize(("errors", "said"), [("0", True), ("1e-6", False)])
def test_seeds_without_chance_are_told(
    trace: Path, errors: str, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["sweep", str(trace), "--drive=hp7933", "--raid=5", "--drives=4", f"--ure={errors}", "--workers=1"]
    assert main([*words, "--seeds=3"]) == 0
    assert ("all seeds give the same runs" in capsys.readouterr().out) is said
    assert main(words) == 0
    assert "all seeds" not in capsys.readouterr().out


def test_a_size_is_found(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--where", "hit_ratio >= 0.1", "--between", "16K:1M", "--drive", "hp7933", "--workers", "1"]
    assert main(["find", str(trace), "cache", *words]) == 0
    assert "smallest cache with hit_ratio >= 0.1: " in capsys.readouterr().out


def test_one_run_of_a_trace_is_a_replay(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(trace)]) == 2
    assert "is a trace: spindle replay replays it once" in capsys.readouterr().err


def test_what_cannot_be_replayed_is_one_line(trace: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="limit must be a whole number from 0"):
        run(trace, limit=-1)
    assert not is_trace("hp3000")
    assert not is_trace(f"{trace}.py:SHOP")
    assert "trace" not in dict.fromkeys(trace_system(str(trace)).says)


def test_python_has_the_responses_of_each_device(place: Path) -> None:
    rows = [(0, "a", "R", 0, 8), (1, "b", "W", 0, 8), (2, "a", "W", 100, 8), (3, "a", "R", 500, 8)]
    (place / "two.csv").write_text(trace_of(*rows, head="time_s,device,op,lba_512,sectors"))
    numbers = ask.replay("two.csv", drive="small.yaml")
    table = numbers.frame().set_index(["device", "requests"])
    assert table["count"].to_dict() == {("a", "all"): 3, ("a", "reads"): 2, ("a", "writes"): 1, ("b", "all"): 1,
                                        ("b", "writes"): 1}  # fmt: skip
    means = table.xs("all", level="requests")
    assert (means["mean"] * means["count"]).sum() == pytest.approx(numbers["response_mean"] * 4)
    assert table["max"].max() == numbers["response_max"]
    assert len(numbers.picture("two").axes) == 2, "reads and writes"


def test_the_load_that_still_meets_a_bound_is_found(trace: Path) -> None:
    found = ask.find(str(trace), "speed", "response_p95 <= 200ms", (0.5, 20.0), drive="hp7933", seeds=2)
    assert found.largest
    assert ask.replay(trace, drive="hp7933", speed=found.value * 0.9)["response_p95"] <= 0.2
    assert ask.replay(trace, drive="hp7933", speed=found.value * 1.1)["response_p95"] > 0.2
    assert {"throughput", "bandwidth"} <= {*ask.replay(trace, drive="hp7933").frame().columns}


def test_a_replay_that_is_searched_is_run_once_at_each_value(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = ask.find(str(trace), "speed", "response_p95 <= 200ms", (0.5, 20.0), drive="hp7933")
    assert found.curve["seeds"].eq(1).all()
    assert found.low == found.value == found.high
    words = ["--where", "response_p95 <= 200ms", "--between", "0.5:20", "--drive", "hp7933", "--workers", "1"]
    assert main(["find", str(trace), "speed", *words]) == 0
    head, *table, _, answer = capsys.readouterr().out.splitlines()
    assert head.split() == ["speed", "response_p95"]
    assert len({line.split()[-1] for line in table}) == 1, "a column has one unit"
    runs = len(table)
    beyond = re.fullmatch(rf"largest speed with response_p95 <= 0.2 s: {found.value:.5g} \((\S+) does not meet it; "
                          rf"{runs} runs of {runs} values\)", answer)  # fmt: skip
    assert beyond is not None
    assert found.value < float(beyond[1]) < 1.02 * found.value


def test_a_point_that_cannot_be_run_is_not_the_end_of_a_sweep(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["sweep", str(trace), "--drive", "hp7933", "--workers", "1", "--cache"]
    assert main([*words, "100,256K,200", "--out", str(tmp_path / "out.csv")]) == 0
    out, err = capsys.readouterr()
    assert ["n/a" in line.split() for line in out.splitlines()[1:4]] == [True, False, True]
    assert err == ("spindle: n/a: a cache of 100 bytes has no room for a block of 4096 (at drive=hp7933, cache=100, "
                   "seed=1), and 1 more of 3 points\n")  # fmt: skip
    assert "has no room" in (tmp_path / "out.csv").read_text()
    assert main([*words, "100,200"]) == 2
    assert capsys.readouterr().err.startswith("spindle: a cache of 100 bytes has no room")
    with pytest.warns(UserWarning, match="n/a: a cache of 100 bytes"):
        swept = ask.sweep(str(trace), drive="hp7933", cache=[100, 262144], workers=1)
    assert swept["response_mean"].isna().tolist() == [True, False]


def test_a_trace_and_a_load_are_systems(trace: Path) -> None:
    replays, loads = trace_system(str(trace)), load_system("load")
    assert (replays.name, replays.title, replays.answers) == (str(trace), f"Replays of {trace}", TIME_ANSWERS)
    assert (loads.name, loads.title) == ("load", "Load without a trace")
    assert loads.answers == ("throughput", "bandwidth", *TIME_ANSWERS)
    assert replays.model == loads.model == MODEL
    assert replays.parameters == loads.parameters == TraceParameters()
    assert "trace" not in signature(replays.run).parameters
    assert {"drive", "closed", "cache"} <= {*signature(replays.run).parameters}
    assert {"drive", "requests", "writes"} <= {*signature(loads.run).parameters}


def test_numbers_of_a_load_have_their_rows_and_picture() -> None:
    found = load_system("load").run(drive="hp7933", requests=40, writes=0.5)
    assert "writes" not in found, "it is an argument"
    assert found["responses"] == 40
    assert len(found.picture("title").axes) == 2
    frame = found.frame()
    assert frame["requests"].tolist() == ["all", "reads", "writes"]
    assert frame["count"].tolist()[0] == 40 == frame["count"].tolist()[1] + frame["count"].tolist()[2]
    assert frame.attrs["units"] == {
        "count": "1", "throughput": "1/s", "bandwidth": "bytes/s",
        **dict.fromkeys(("mean", "median", "p95", "p99", "p999", "p9999", "max"), "s")}  # fmt: skip
    assert frame["throughput"].iloc[0] == pytest.approx(40 / found["makespan"])
    assert found.notes == []
    assert load_system("load").run(drive="intels3700", requests=4, scheduler="sptf").notes != []
