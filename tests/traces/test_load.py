"""Tests ``spindle load``: by hand on a drive of fixed times, as a system, and mistakes in one line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import simpy

from spindle.ask import find, sweep
from spindle.cli.main import main
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import READ
from spindle.sim.units import Bytes
from spindle.traces.replay.hosts import Paced
from spindle.traces.replay.load import records_of
from spindle.traces.replay.load_question import LoadOptions
from spindle.traces.replay.storage import DevicePlace, to_drive
from spindle.workloads.traces.record import Record
from tests.traces.conftest import Said


@pytest.mark.parametrize(("depth", "submitted", "end"), [
    (1, [0.0, 1.0, 2.0, 9.0], 10.0),  # asked for at 0, 0, 0.5 and 9: each waits for the one before
    (2, [0.0, 0.0, 1.0, 9.0], 10.0),
    (8, [0.0, 0.0, 0.5, 9.0], 10.0),
])  # fmt: skip
def test_at_most_so_many_are_under_way(
    env: simpy.Environment, depth: int, submitted: list[float], end: float
) -> None:
    """On a drive that takes a second for each, one after another."""
    place = DevicePlace("", to_drive(Drive(env, FixedService(1.0, capacity=1 << 20))), 1 << 20, 0, 512, False)
    records = (Record(time, "", READ, 0, 512) for time in (0.0, 0.0, 0.5, 9.0))
    asked: list[float] = []
    finished = env.event()
    Paced(finished, records, {"": place}, lambda record, request: asked.append(request.submitted), depth)
    env.run(finished)
    assert (asked, env.now) == (submitted, end)


def test_no_record_at_all(env: simpy.Environment) -> None:
    finished, none = env.event(), iter(list[Record]())
    Paced(finished, none, {}, lambda record, request: None, 3)
    env.run(finished)
    assert env.now == 0.0


def test_shares_rate_and_places_are_those_asked_for() -> None:
    options = LoadOptions(iops=100.0, writes=0.25, size=Bytes(8192), random=0.5, span=Bytes(1 << 20), requests=20_000)
    records = list(records_of(options, 2, 1 << 30, 1))
    assert len(records) == 20_000
    assert records[-1].time == pytest.approx(200.0, rel=0.03)
    assert sum(record.op is not READ for record in records) / 20_000 == pytest.approx(0.25, abs=0.01)
    assert {record.device for record in records} == {"0", "1"}
    assert max(record.first for record in records) == (1 << 20) - 8192
    share = sum(_follows(records)) / 20_000
    assert share == pytest.approx(0.5 + 0.5 / 128, abs=0.015)
    assert list(records_of(options, 2, 1 << 30, 1)) == records != list(records_of(options, 2, 1 << 30, 2))


def _follows(records: list[Record]) -> Iterator[bool]:
    """Whether each request goes on where the last of its device ended, or begins anew after the last place."""
    last: dict[str, int] = {}
    for record in records:
        before = last.get(record.device, 0)
        yield record.first == (before + 8192) % (1 << 20)
        last[record.device] = record.first


def test_the_page_and_the_numbers(said: Said) -> None:
    words = ("load", "--drive", "small.yaml", "--iops", "10", "--writes", "40%", "--size", "512", "--requests", "200")
    page = said(*words, "--threads", "8", "--by-device")
    assert page.startswith("10 requests/s, of 512 B, 40% writes, 100% random, at most 8 under way\nSmall Drive, fcfs\n")
    found = json.loads(said(*words, "--json"))
    assert found["question"]["load"] == {"iops": 10.0, "threads": 0, "writes": 0.4, "size": 512, "random": 1.0,
                                         "span": 0, "requests": 200, "burst": 0, "pause": 0.0}  # fmt: skip
    assert found["measures"]["responses"] == 200
    assert found["measures"]["throughput"] == pytest.approx(10.0, rel=0.2)
    assert said(*words, "--seed", "2") != said(*words)
    assert said("load", "--drive", "small.yaml", "--threads", "3", "--size", "512", "--requests", "50").startswith(
        "3 always under way, ")
    array = said(*words, "--raid", "5", "--drives", "4", "--chunk", "4K", "--cache", "64K")
    assert "4 drives Small Drive in raid 5, chunk of 4 KiB, fcfs; cache of 64 KiB, lru, write back" in array


@pytest.mark.parametrize(("words", "line", "told"), [
    ("--network-latency 1ms", "with network latency 1 ms", {"network_latency": 0.001}),
    ("--sleep-after 20s --wake 1s", "with sleep after 20 s, wake 1 s", {"sleep_after": 20.0, "wake": 1.0}),
    ("--cache 64K --block 512", "with block 512 B", {"block": 512, "cache": 65536}),
    ("--raid 5 --drives 3 --chunk 4K --ure 1e-9", "with ure 1e-09", {"ure": 1e-9, "chunk": 4096}),
    ("--bus HP-IB", "with bus HP-IB", {"bus": "HP-IB"}), ("--depth 4", "", {"depth": 4}),
])  # fmt: skip
def test_an_answer_names_all_that_was_asked(said: Said, words: str, line: str, told: dict[str, object]) -> None:
    """Of a load and of a replay, in text and in JSON; a default is not named."""
    drive = "--drive=small.yaml"
    for asked in (("load", drive, "--size=512", "--requests=20"), ("replay", "trace.csv", drive)):
        page = said(*asked, *words.split()).splitlines()
        assert [each for each in page if each.startswith("with ")] == ([line] if line else [])
        question = json.loads(said(*asked, *words.split(), "--json"))["question"]
        assert {name: question[name] for name in told} == told
        assert not {*told} & {*json.loads(said(*asked, "--json"))["question"]} - {"depth"}


@pytest.mark.parametrize(("words", "line"), [
    ("--sleep-after 20s --wake 1s", "No drive slept: none was idle for 20 s."),
    ("--stall-every 99 --stall 1s", "No drive stalled: none had 99 requests."),
])  # fmt: skip
def test_what_never_happened_is_told(said: Said, words: str, line: str) -> None:
    asked = ("load", "--drive", "small.yaml", "--size", "512", "--requests")
    assert line in said(*asked, "20", *words.split()).splitlines()
    assert "No drive" not in said(*asked, "20")
    assert ("No drive" in said(*asked, "100", *words.split())) is ("sleep" in words)


def test_the_span_of_a_load_is_told(said: Said) -> None:
    asked = "load --drive small.yaml --span 64K --requests 9 --iops 5 --threads 2"
    assert said(*asked.split()).startswith(
        "5 requests/s, of 4 KiB, 0% writes, 100% random, within the first 64 KiB of a device, at most 2 under way\n")


def test_times_that_begin_late_are_not_passed_over(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A closed loop, as if it had no times, would leave them out."""
    (place / "late.csv").write_text("time_s,op,offset,size\n,R,0,512\n7,R,0,512\n")
    assert main(["replay", "late.csv", "--drive=small.yaml"]) == 2
    assert "a request has a time, 7 s, and the first has none; --closed" in capsys.readouterr().err
    assert main(["replay", "late.csv", "--drive=small.yaml", "--closed=1"]) == 0
    assert "closed loop of 1 as asked" in capsys.readouterr().out


def test_raid_1_has_no_chunks(said: Said) -> None:
    asked = ("load", "--drive", "small.yaml", "--size", "512", "--requests", "20", "--drives", "2", "--chunk", "4K")
    assert "2 drives Small Drive in raid 1, which has no chunks, fcfs" in said(*asked, "--raid", "1")
    assert "in raid 0, chunk of 4 KiB, fcfs" in said(*asked, "--raid", "0")


@pytest.mark.parametrize(("words", "says"), [
    ("--writes 140%", "--writes must be a number from 0 to 1, not 1.4"), ("--iops x", "--iops must be a number"),
    ("--size 4M", "--size of 4194304 bytes has no room on 1024000"), ("--requests 0", "--requests must be"),
    ("--raid raidz2 --drives 4", "no level 'raidz2'; 6 comes nearest"), ("--raid 3 --drives 4", "4 comes nearest"),
    ("--raid 5 --drives 3 --chunk 100M", "raid 5: a chunk of 104857600 bytes does not fit on a drive\n"),
    ("--raid 1 --drives 2 --chunk 100", "raid 1: a chunk of 100 bytes must be whole sectors of 256\n"),
    ("--raid raid5 --drives 4", "did you mean 5?"), ("--raid far --drives 4", "did you mean 10f2?"),
])  # fmt: skip
def test_no_load(place: Path, words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["load", "--drive", "small.yaml", *words.split()]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err


def test_a_load_is_swept_and_searched(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {"drive": "small.yaml", "size": "512", "requests": 300, "workers": 1}
    frame = sweep("load", iops=[10, 50], seeds=2, **asked)
    assert frame.groupby("iops")["response_mean"].mean().is_monotonic_increasing
    found = find("load", "iops", "p95 <= 40ms", (5.0, 90.0), seeds=2, most=2, **asked)
    assert 20.0 < found.value < 90.0
    shares = sweep("load", writes=["0%", "50%"], iops=10, seeds=1, **asked)
    assert shares["writes"].tolist() == [0.0, 0.5]
    assert shares["reads"].tolist()[0] == 300 > shares["reads"].tolist()[1]
    assert main(["run", "load"]) == 2
    assert "put on drives once by spindle load" in capsys.readouterr().err


def test_a_network_as_fast_as_can_be_is_none() -> None:
    asked = {"drive": "hp7933", "raid": "1", "drives": 3, "iops": 40, "writes": "30%", "requests": 200, "seeds": 1,
             "workers": 1}  # fmt: skip
    without, fast, slow = (sweep("load", **asked, **network)["response_mean"].item()
                           for network in ({}, {"network_rate": 1 << 50}, {"network_rate": 1_000_000}))
    assert fast == pytest.approx(without, rel=1e-6)
    assert slow > 1.01 * without


@pytest.mark.parametrize(("words", "is_said"), [
    ("--random 0%", True), ("--random 50% --writes 50%", True), ("", False), ("--random 0% --size 32K", False),
    ("--random 0% --writes 100%", False), ("--random 0% --drive small.yaml", False),
])  # fmt: skip
def test_small_reads_in_sequence_of_flash_are_too_slow_and_it_is_said(said: Said, words: str, is_said: bool) -> None:
    page = said("load", "--drive", "samsung960pro", "--requests", "5", *words.split())
    assert ("\nReads in sequence of less than 32 KiB are slower here than on a real drive" in page) is is_said


def test_a_load_that_the_drives_do_not_bear_is_said(said: Said) -> None:
    """An HP 7933 serves some 22 such reads a second; with four under way the others wait outside, all the same."""
    for load in (["--iops", "60"], ["--iops", "60", "--threads", "4"]):
        page = said("load", "--drive", "hp7933", "--requests", "600", *load)
        assert "The drives do not keep up: the last request comes after 10" in page, load
    for load in (["--iops", "10"], ["--threads", "4"], ["--iops", "60", "--requests", "30"]):
        assert "keep up" not in said("load", "--drive", "hp7933", "--requests", "600", *load), load


def test_a_trace_that_the_drives_do_not_bear_is_said(said: Said, tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    lines = [f"{number / 100},R,{number * 7919 % 5000 * 4096},4096" for number in range(400)]
    trace.write_text("\n".join(["time,op,offset,size", *lines]) + "\n")
    for options, is_said in (([], True), (["--speed", "0.01"], False), (["--closed", "1"], False)):
        assert ("do not keep up" in said("replay", str(trace), "--drive", "hp7933", *options)) == is_said, options


def test_a_pause_after_each_burst_is_no_part_of_a_response(said: Said) -> None:
    """Of 30 requests in bursts of 10 there are two pauses: the same responses, and 2 s more in all."""
    asked = ("load", "--drive", "small.yaml", "--requests", "30", "--size", "512", "--random", "0", "--json")
    plain, paused = (json.loads(said(*asked, *more))["measures"] for more in ((), ("--burst", "10", "--pause", "1s")))
    assert paused["makespan"] == pytest.approx(plain["makespan"] + 2.0, abs=0.03)  # and where the disc then is
    assert paused["responses"] == 30.0
    assert "bursts of 10 requests, 1 s apart" in said(*asked[:-1], "--burst", "10", "--pause", "1s")


@pytest.mark.parametrize(("words", "says"), [
    ("--burst 10", "--burst is for a pause; --pause gives it"), ("--pause 5ms", "--pause is for a burst; --burst"),
    ("--burst 10 --pause 5ms --iops 9", "--burst and --iops exclude each other"),
    ("--burst 10 --pause 5ms --threads 2", "--burst and --threads exclude each other")])  # fmt: skip
def test_bursts_without_their_pause_are_refused(refused: Said, words: str, says: str) -> None:
    assert says in refused("load", *words.split())


def test_a_share_of_nothing_is_not_told(said: Said) -> None:
    """Writes into a cache take no time, of which a drive would be busy; no read reaches the flash tier."""
    asked = ("load", "--drive", "small.yaml", "--requests", "3", "--size", "512", "--writes", "100%")
    page = said(*asked, "--cache", "64K", "--block", "512", "--flash", "intels3700", "--flash-size", "64K")
    assert "queue 0.000 ms; busiest drive n/a\n" in page
    assert "flash tier: n/a hits of the reads that reached it, 0 blocks written back; its drive busy n/a\n" in page
    assert "nan" not in page
    many = said(*asked, "--cache", "64K", "--block", "512", "--drives", "2", "--requests", "20")
    assert "drives busy n/a on average, the busiest n/a" in many
