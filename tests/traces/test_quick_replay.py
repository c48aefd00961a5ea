"""Tests that a replay by compiled loops has the answer of the simulated drives, or leaves the trace to them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import accumulate, islice
from math import inf
from pathlib import Path
from random import Random

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.disc.buffer_sheet import BlocksAhead, Buffer, HostLink, ImmediateReporting, Overheads
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.kernel.drives import OPEN
from spindle.sim.disc.layout import Layout, Zone
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.scheduling import CLook, CScan, Look, Sptf, Sstf, TaggedQueue
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HITACHI_7K1000C, HP7911, HP7933
from spindle.sim.eviction.arc import Arc
from spindle.sim.jit import AVAILABLE
from spindle.sim.measure.result import Quantiles
from spindle.traces.replay import answer as command
from spindle.traces.replay.data import replay_data
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed, Open
from spindle.traces.replay.quick import count_quantiles, quick_replay
from spindle.traces.replay.replay import replay_trace
from spindle.traces.replay.storage import CachePlan, Storage, write_back
from spindle.workloads.traces import source, text
from spindle.workloads.traces.reader import Trace
from tests.samples import sample
from tests.traces.conftest import Said

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="numba is not installed; pip install -r requirements-fast.txt")

SHEET = DriveSheet(HP7933, None)
BARE = StoragePlan(SHEET, Fcfs)
TWO = StoragePlan(DriveSheet(HP7911, None), Fcfs, count=2, wrap=True)
LINES = sample(300, 500)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """Of five devices, with times, some of which fall, gaps, and requests that begin or end within a sector."""
    random, now, lines = Random("quick"), 0.0, ["time_s,device,op,offset,size,gap_before_ms"]
    for _ in range(LINES):
        now = max(0.0, now + random.expovariate(8.0) - 0.03)
        first, length = random.randrange(400_000) * 512, random.choice((512, 4096, 40_960, 1000))
        gap = random.choice(("0", f"{random.random() * 20:.3f}"))
        lines.append(f"{now:.6f},d{random.randrange(5)},{random.choice('RW')},{first},{length},{gap}")
    path = tmp_path_factory.mktemp("quick") / "trace.csv"
    path.write_text("\n".join(lines) + "\n")
    return Trace(path)


@pytest.fixture(scope="module")
def ungapped(trace: Trace) -> Trace:
    """The same without gaps."""
    path = trace.path.with_name("ungapped.csv")
    path.write_text("".join(line.rpartition(",")[0] + "\n" for line in trace.path.read_text().splitlines()))
    return Trace(path)


def nearly(value: object) -> object:
    """*value* but for the rounding of sums."""
    if isinstance(value, Mapping):
        return {name: nearly(each) for name, each in value.items()}
    return pytest.approx(value, rel=1e-11, abs=1e-15) if isinstance(value, float) else value


SPTF, TAGS = replace(BARE, scheduler=Sptf), replace(TWO, scheduler=lambda: TaggedQueue(Fcfs(), Sptf(0.006), 8))


BUFFER = StoragePlan(DriveSheet(HITACHI_7K1000C, None), Fcfs, count=2, wrap=True)
BUFFERS = [BUFFER, replace(BUFFER, scheduler=lambda: TaggedQueue(Fcfs(), Sptf(), 8)), replace(BUFFER, scheduler=Look)]
SWEEPING = [replace(TWO, scheduler=kind) for kind in (Sstf, Look, CLook)]


@pytest.mark.parametrize("plan", [BARE, TWO, replace(BARE, count=1, wrap=True), SPTF, TAGS, *SWEEPING],
                         ids=["each", "two", "one", "sptf", "tags", "sstf", "look", "c-look"])  # fmt: skip
@pytest.mark.parametrize("under_way", [OPEN, 1, 7])
@pytest.mark.parametrize("most", [None, 1, 300])
def test_numbers(trace: Trace, ungapped: Trace, plan: StoragePlan, under_way: int, most: int | None) -> None:
    compare(trace if under_way < 2 else ungapped, plan, under_way, most)


@pytest.fixture(scope="module")
def bursts(trace: Trace) -> Trace:
    """Of the same requests, some twenty at each instant, some of which come as a drive is done."""
    path, (head, *lines) = trace.path.with_name("bursts.csv"), trace.path.read_text().splitlines()
    rows = (f"{number // 20 * 0.4:.1f},{line.partition(',')[2]}\n" for number, line in enumerate(lines))
    path.write_text(f"{head}\n" + "".join(rows))
    return Trace(path)


@pytest.mark.parametrize("plan", [BARE, replace(SPTF, head=700), TAGS, *SWEEPING, *BUFFERS])
def test_requests_of_one_instant_are_one_queue(bursts: Trace, plan: StoragePlan) -> None:
    compare(bursts, plan, OPEN, None)


def compare(asked: Trace, plan: StoragePlan, under_way: int, most: int | None) -> None:
    passed = list[int]()
    quick = quick_replay(asked, plan, under_way, most, passed.append)
    assert quick is not None
    host = partial(Closed, depth=under_way) if under_way else Open
    plain = replay_trace(islice(asked, most), Storage(simpy.Environment(), plan), host)
    assert replay_data(quick) == nearly(replay_data(plain))
    assert quick.end == plain.end
    if under_way == OPEN:
        assert quick.behind == plain.behind
    assert quick.tally.all_times.quantiles._buckets == plain.tally.all_times.quantiles._buckets
    assert sum(passed) == asked.path.stat().st_size
    if under_way == 1:
        assert quick.tally.all_times.sum == plain.tally.all_times.sum


@pytest.mark.parametrize("plan", BUFFERS, ids=["fcfs", "tags", "look"])
@pytest.mark.parametrize("under_way", [OPEN, 1, 7])
def test_drives_with_buffers(trace: Trace, ungapped: Trace, plan: StoragePlan, under_way: int) -> None:
    compare(trace if under_way < 2 else ungapped, plan, under_way, None)


def test_a_faster_load(trace: Trace) -> None:
    quick = quick_replay(trace, TWO, OPEN, None, lambda _: None, speed=3.0)
    assert quick is not None
    faster = (record._replace(time=(record.time or 0.0) / 3.0) for record in trace)
    assert replay_data(quick) == nearly(replay_data(replay_trace(faster, Storage(simpy.Environment(), TWO), Open)))


def test_batches_are_gone_through_as_one(ungapped: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "READ_AT_ONCE", 4096)
    monkeypatch.setattr(source, "PIECE", 4096)
    for plan, under_way in ((SPTF, OPEN), (TAGS, 20), (TWO, OPEN), (BUFFERS[1], 20)):
        quick = quick_replay(ungapped, plan, under_way, None, lambda _: None)
        assert quick is not None
        host = partial(Closed, depth=under_way) if under_way else Open
        plain = replay_trace(ungapped, Storage(simpy.Environment(), plan), host)
        assert replay_data(quick) == nearly(replay_data(plain))
        assert quick.end == plain.end


# Eight sectors of a second each, and a second more for each cylinder: what happens at all happens at whole seconds.
WHOLE = DiscType("whole", Layout(5, 2, 512, (Zone(0, 8, 1, 2),)), 7.5, LinearSeek(1.0, 5.0, 5), 1.0)
BUFFERED = replace(WHOLE, buffer=Buffer(2, 12, Overheads(read_done=1.0), HostLink(1.0, 1.0), BlocksAhead(4),
                                        ImmediateReporting(True)))  # fmt: skip
SCHEDULERS = (Fcfs, Sstf, Look, CLook, Sptf, lambda: Sptf(0.5), lambda: TaggedQueue(Fcfs(), Sptf(), 2))


@settings(max_examples=sample(40, 250), deadline=None)
@given(requests=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 1), st.sampled_from("RW"), st.integers(0, 72),
                                   st.integers(1, 8)), min_size=1, max_size=25),
       scheduler=st.sampled_from(SCHEDULERS), under_way=st.sampled_from([OPEN, 1, 3]),
       disc=st.sampled_from([WHOLE, BUFFERED]))  # fmt: skip
def test_of_what_happens_at_one_instant_the_order_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, requests: list[tuple[int, int, str, int, int]],
    scheduler: Callable[[], Scheduler], under_way: int, disc: DiscType,
) -> None:  # fmt: skip
    plan, times = StoragePlan(DriveSheet(disc, None), scheduler), accumulate(each[0] for each in requests)
    lines = [f"{time},{device},{op},{512 * first},{512 * sectors}\n"
             for time, (_, device, op, first, sectors) in zip(times, requests, strict=True)]
    path = tmp_path_factory.getbasetemp() / "ties.csv"
    path.write_text("time_s,device,op,offset,size\n" + "".join(lines))
    asked = Trace(path, "csv")
    quick = quick_replay(asked, plan, under_way, None, lambda _: None)
    assert quick is not None
    host = partial(Closed, depth=under_way) if under_way else Open
    plain = replay_trace(asked, Storage(simpy.Environment(), plan), host)
    assert replay_data(quick) == replay_data(plain)


@pytest.mark.parametrize("plan", [
    replace(BARE, cache=CachePlan(1 << 16, 4096, Arc, write_back)), replace(BARE, scheduler=CScan),
    replace(BARE, scheduler=lambda: Sptf(inf)), replace(BARE, scheduler=lambda: TaggedQueue(CLook(), Sptf(), 8)),
    replace(BARE, scheduler=lambda: TaggedQueue(Fcfs(), Fcfs(), 8)), replace(BARE, sheet=DriveSheet(HP7933, "HP-IB")),
    replace(BARE, sheet=DriveSheet(INTEL_S3700, None)),
    replace(TWO, wrap=False), replace(TWO, count=5, wrap=False),
], ids=["cache", "c-scan", "endless ageing", "c-look in the host", "fcfs with tags", "bus", "flash",
        "more devices than drives", "beyond the end"])  # fmt: skip
def test_what_is_more_than_an_arm_is_left_to_the_drives(trace: Trace, plan: StoragePlan) -> None:
    assert quick_replay(trace, plan, 1, None, lambda _: None) is None


@pytest.mark.parametrize(("under_way", "content"), [
    (OPEN, "op,offset,size\nR,0,512\n"), (OPEN, "time_s,op,offset,size\n3e9,R,0,512\n"),
    (1, "key,size\na,512\n"), (1, "op,offset,size\n"), (1, "op,offset,size\nR,0,0\n"),
    (1, "op,offset,size\nR,0,512\nR,1e3,512\n"), (2, "op,offset,size,gap_before_ms\nR,0,512,1\n"),
])  # fmt: skip
def test_what_is_wrong_is_for_careful_reading_to_tell(tmp_path: Path, under_way: int, content: str) -> None:
    (tmp_path / "trace.csv").write_text(content)
    assert quick_replay(Trace(tmp_path / "trace.csv", "csv"), BARE, under_way, None, lambda _: None) is None


@given(st.lists(st.floats(0, 2.0**39), max_size=30))
def test_times_are_counted_as_one_by_one(seconds: list[float]) -> None:
    one_by_one = Quantiles()
    for each in seconds:
        one_by_one.add(each)
    assert count_quantiles(np.array(seconds))._buckets == one_by_one._buckets


@pytest.mark.parametrize("options", [
    [], ["--closed", "1", "--limit", "500"], ["--open", "--drives", "1", "--wrap"],
    ["--closed", "8", "--depth", "4", "--limit", "1"], ["--scheduler", "sptf"], ["--closed", "2"],
])  # fmt: skip
def test_the_command_has_the_same_page(
    said: Said, trace: Trace, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    words = ("replay", str(trace.path), "--drive", "hp7933", *options)
    pages, figures = [], []
    for many in (command.COMPILED_FROM, 0):
        monkeypatch.setattr(command, "COMPILED_FROM", many)
        pages.append(said(*words))
        figures.append(json.loads(said(*words, "--json")))
    assert pages[0] == pages[1]
    assert figures[1] == nearly(figures[0])
