"""Tests the host's I/O engines in replays and loads: what they cost, what they print, and what they refuse."""

import json
from pathlib import Path
from typing import Any

import pytest

from spindle.cli.main import main
from spindle.questions.array import ArrayOptions
from spindle.questions.host import HostOptions
from spindle.questions.storage import CacheOptions, DriveOptions, LoopOptions, TierOptions
from spindle.sim.clock import Phase
from spindle.sim.error import UserError
from spindle.sim.io_engine import ENGINES
from spindle.sim.units import US, Bytes
from spindle.traces.replay.answer import answer_replay
from spindle.traces.replay.answer_page import load_lines
from spindle.traces.replay.load import answer_load
from spindle.traces.replay.load_question import LoadOptions, LoadQuestion
from spindle.traces.replay.question import ReplayQuestion
from spindle.traces.replay.replay import PHASE_NAMES, TraceReplayed
from tests.traces.conftest import Said

SSD = DriveOptions("samsung960pro")
SMALL = CacheOptions(Bytes(1 << 20))


def load(host: HostOptions, threads: int = 1, device: DriveOptions = SSD, **asked: Any) -> TraceReplayed:
    options = LoadOptions(threads=threads, requests=1000, span=Bytes(1 << 24))
    return answer_load(LoadQuestion(options, device, host=host, **asked)).replayed


def mean(replayed: TraceReplayed) -> float:
    return replayed.tally.all_times.sum / replayed.tally.all_times.count


@pytest.mark.parametrize("engine", ENGINES)
def test_one_read_after_another_takes_longer_by_what_the_engine_costs(engine: str) -> None:
    costs = ENGINES[engine]
    more = mean(load(HostOptions(engine))) - mean(load(HostOptions()))
    assert more == pytest.approx(costs.submit + costs.complete + costs.wake, abs=0.02 * US)


def test_engines_differ_and_without_one_no_time_goes_to_the_cpu() -> None:
    times = {engine: mean(load(HostOptions(engine))) for engine in ("", *ENGINES)}
    assert sorted(times, key=times.__getitem__) == ["", "spdk", "io_uring", "psync", "libaio"]
    assert "cpu" not in load(HostOptions()).breakdown()


def test_cpus_bound_what_is_done() -> None:
    """One does 184,000 a second with psync. Two could do as many as the drive, whose link carries 320,000."""
    rates = [(replayed := load(HostOptions("psync", cpus), 64)).tally.all_times.count / replayed.seconds
             for cpus in (1, 2, 8)]  # fmt: skip
    assert rates[0] == pytest.approx(1 / 5.442e-6, rel=0.03)
    assert 1.6 * rates[0] < rates[1] <= rates[2] < 1.1 * rates[1]


@pytest.mark.parametrize(("asked", "device"), [
    ({"memory": SMALL}, SSD), ({"array": ArrayOptions("0", 2)}, SSD), ({}, DriveOptions("hp7933", scheduler="sptf")),
    ({"array": ArrayOptions(drives=3)}, SSD),
])  # fmt: skip
def test_an_engine_lies_above_caches_arrays_and_discs(asked: dict[str, Any], device: DriveOptions) -> None:
    """Responses are the sum of their phases, which a replay checks."""
    found = load(HostOptions("libaio"), 4, device, **asked).breakdown()
    assert found[PHASE_NAMES[Phase.CPU]] >= 1000 * ENGINES["libaio"].submit
    assert found[PHASE_NAMES[Phase.CPU_WAIT]] > 0.0


def test_the_page_and_the_numbers_say_which_engine() -> None:
    question = LoadQuestion(LoadOptions(requests=9), SSD, host=HostOptions("io_uring", 2))
    answer = answer_load(question)
    assert load_lines(answer)[1] == "Samsung 960 Pro, fcfs, by io_uring on 2 CPUs"
    assert (answer.head()["engine"], answer.head()["cpus"]) == ("io_uring", 2)
    assert "engine" not in answer_load(LoadQuestion(LoadOptions(requests=9), SSD)).head()


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("op,offset,size\n" + "".join(f"R,{4096 * place},4096\n" for place in range(50)))
    return path


@pytest.mark.parametrize("more", [{}, {"layers": TierOptions("64K:1us")}])
def test_a_replay_has_engines_too(trace: Path, more: dict[str, Any]) -> None:
    bare, asked = (answer_replay(ReplayQuestion(device=SSD, host=host, **more), trace)
                   for host in (HostOptions(), HostOptions("libaio")))  # fmt: skip
    costs = ENGINES["libaio"]
    assert mean(asked.replayed) - mean(bare.replayed) == pytest.approx(costs.submit + costs.wake, abs=0.1 * US)
    assert asked.head()["engine"] == "libaio"


def test_a_large_trace_is_replayed_by_the_engine_too(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.traces.replay.answer.COMPILED_FROM", 0)
    question = ReplayQuestion(device=DriveOptions("hp7933"), loop=LoopOptions(closed=1), host=HostOptions("psync"))
    assert answer_replay(question, trace).replayed.breakdown()["cpu"] == pytest.approx(50 * 5.442 * US)


def test_steps_say_what_the_cpu_takes_and_what_the_cache_had_by_then(place: Path, said: Said) -> None:
    (place / "four.csv").write_text("time_s,op,offset,size\n0,R,0,4096\n0,R,4096,4096\n0.001,W,0,4096\n0.1,R,0,4096\n")
    words = ["replay", "four.csv", "--drive", "samsung960pro", "--cache", "1M", "--steps", "--json"]
    bare, asked = (json.loads(said(*words, *more))["steps"] for more in ([], ["--engine", "libaio"]))
    assert [(step["number"], step["result"]) for step in asked] == [(step["number"], step["result"]) for step in bare]
    costs = ENGINES["libaio"]
    assert asked[-1]["result"] == "hit"
    assert bare[-1]["response"] == 0.0
    assert asked[-1]["response"] == asked[-1]["phases"]["other"] == pytest.approx(costs.submit + costs.wake)


def test_spdk_has_no_scheduler_of_the_kernel(trace: Path) -> None:
    with pytest.raises(UserError) as error:
        load(HostOptions("spdk"), device=DriveOptions("samsung960pro", scheduler="kyber"))
    assert str(error.value) == "engine spdk has no kernel, and so none of its schedulers; scheduler must be fcfs"
    load(HostOptions("io_uring"), device=DriveOptions("samsung960pro", scheduler="kyber"))


@pytest.mark.parametrize(("words", "said"), [
    (["--engine", "uring"], "unknown engine 'uring'"),
    (["--cpus", "2"], "--cpus is for an engine; --engine names it"),
    (["--engine", "libaio", "--cpus", "0"], "--cpus must be"),
])  # fmt: skip
def test_mistakes_are_named(trace: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(trace), *words]) == 2
    assert capsys.readouterr().err.startswith(f"spindle: {said}")


def test_a_command_takes_them(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(trace), "--drive", "samsung960pro", "--engine", "spdk", "--cpus", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["question"]["engine"], told["question"]["cpus"]) == ("spdk", 2)
    assert told["measures"]["part_cpu"] == pytest.approx(1 / 13.85e6)
