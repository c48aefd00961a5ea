"""Laws of drives, replays, curves and KV caches: what miscounts stops the run of a user."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simpy

from spindle.models.kv_cache.run import run as kv_cache
from spindle.models.unix_stdio.pipelines.host import PipelineHost
from spindle.models.unix_stdio.pipelines.machine import PipelineMachine
from spindle.models.unix_stdio.pipelines.run import PipelineTask, run_pipelines
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import FixedService
from spindle.sim.parts import LawBroken
from spindle.sim.request import READ, Request, access
from spindle.sim.units import GIB, Bytes
from spindle.traces.batching.blocks import KvBlocks
from spindle.traces.batching.server import ModelServer, ServerLimits, TimedPrompt
from spindle.traces.blocks import NO_DROPS
from spindle.traces.curves import CurveRow, hit_curves, rows_within_bounds
from spindle.traces.kv.serving import Serving
from spindle.traces.objects import ObjectRow
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed, Open
from spindle.traces.replay.quick import quick_replay
from spindle.traces.replay.replay import TraceTally, replay_trace
from spindle.traces.replay.storage import Storage
from spindle.workloads.traces.batch import Batch
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record
from tests.traces.batching.test_server_by_hand import SECOND
from tests.traces.conftest import trace_of

# Drives.

@pytest.mark.parametrize("build", [
    lambda env: Drive(env, FixedService(1.0, capacity=1 << 20)), lambda env: FlashDrive(env, SAMSUNG_960_PRO),
])  # fmt: skip
def test_requests_of_a_drive_are_done_or_wait_or_are_served(
    env: simpy.Environment, build: Callable[[simpy.Environment], Drive]
) -> None:
    drive = build(env)
    for sector in range(5):
        drive.start(access(READ, 4096 * sector, 4096, Account("")))
    for instant in (0.0, 1e-5, 1e-4, 1.5, 10.0):
        if instant:
            env.run(instant)
        assert drive.faults() == []
    drive.counts.completed -= 1
    (fault,) = drive.faults()
    assert fault == "5 requests issued, 4 completed, 0 wait and 0 are served"


# Replays.

SHEET = DriveSheet(HP7933, None)


def records(number: int) -> Iterator[Record]:
    return (Record(0.1 * place, "", READ, 4096 * place, 4096) for place in range(number))


class Loses:
    """A host that asks for all but the last."""

    def __init__(self, finished: simpy.Event, records: Iterable[Record], places: Any, done: Any) -> None:
        *some, _ = records
        Open(finished, iter(some), places, done)


@pytest.mark.parametrize("host", [Open, Closed])
def test_every_request_that_is_read_is_done(host: Any) -> None:
    storage = Storage(simpy.Environment(), StoragePlan(SHEET, Fcfs))
    assert replay_trace(records(3), storage, host).tally.all_times.count == 3


def test_a_replay_that_loses_a_request_or_counts_one_twice_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LawBroken, match="2 requests were done of 3 that were read"):
        replay_trace(records(3), Storage(simpy.Environment(), StoragePlan(SHEET, Fcfs)), Loses)
    whole = TraceTally.add

    def twice(tally: TraceTally, record: Record, request: Request) -> None:
        whole(tally, record, request)
        whole(tally, record, request)

    monkeypatch.setattr(TraceTally, "add", twice)
    with pytest.raises(LawBroken, match="6 requests were done of 3 that were read"):
        replay_trace(records(3), Storage(simpy.Environment(), StoragePlan(SHEET, Fcfs)), Open)


def test_a_quick_replay_that_loses_a_request_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text(trace_of(*((place / 10, "R", 8 * place, 8) for place in range(5))))
    plan = StoragePlan(SHEET, Fcfs)
    found = quick_replay(Trace(path), plan, 0, None, lambda count: None)
    assert found is not None
    assert found.tally.all_times.count == 5
    monkeypatch.setattr(Batch, "requests", property(lambda batch: len(batch.times) + 1))
    with pytest.raises(LawBroken, match="5 requests were done of 6 that were read"):
        quick_replay(Trace(path), plan, 0, None, lambda count: None)


# Curves.

@pytest.mark.parametrize("policy", ["lru", "belady", "belady-min"])
def test_more_memory_never_has_fewer_hits_under_a_stack(policy: str) -> None:
    right = [CurveRow(policy, 8, 10, 5), CurveRow(policy, 2, 10, 5), CurveRow(policy, 1, 10, 3)]
    assert rows_within_bounds(right) == right
    wrong = [*right, CurveRow(policy, 4, 10, 6)]
    with pytest.raises(LawBroken, match=f"{policy}: 6 hits of 4 blocks, and 5 of 8"):
        rows_within_bounds(wrong)


def test_other_policies_may_have_fewer() -> None:
    """FIFO of these strings has 3 hits in 3 blocks and 2 in 4: Belady, Nelson and Shedler's example."""
    string = np.array([1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5], dtype=np.int64)
    rows = rows_within_bounds(hit_curves(string, ["fifo", "lru", "belady"], [1, 2, 3, 4, 5], drops=NO_DROPS))
    assert [row.hits for row in rows if row.policy == "fifo"] == [0, 0, 3, 2, 7]
    objects = [ObjectRow("lru", 4, 10, 6, 100, 60), ObjectRow("lru", 8, 10, 5, 100, 50)]
    assert rows_within_bounds(objects) == objects


# Servers in batches, and pipelines.

def test_a_server_that_keeps_a_block_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = KvBlocks.release
    monkeypatch.setattr(KvBlocks, "release", lambda blocks, held: whole(blocks, held[1:]))
    with pytest.raises(LawBroken, match="all is served, and 9 of 10 blocks are free"):
        ModelServer(ServerLimits(8, 8, 10, 4), SECOND).serve([TimedPrompt(0.0, 8, 1)])


@pytest.mark.parametrize(("name", "says"), [("free_buffer", "with 2e.06 bytes and 0 writers left"),
                                            ("write", "with 0 bytes and 1 writers left")])  # fmt: skip
def test_a_host_that_keeps_a_buffer_or_a_writer_is_stopped(
    monkeypatch: pytest.MonkeyPatch, name: str, says: str
) -> None:
    def write(machine: PipelineMachine, file: str, size: float) -> Iterator[Any]:
        machine._writers += 1
        yield machine.env.timeout(1.0)

    monkeypatch.setattr(PipelineMachine, name, write if name == "write" else lambda machine, size: None)
    with pytest.raises(LawBroken, match=says):
        run_pipelines([PipelineTask("in", 2e6, 0.0, "out", 1e6)], PipelineHost())


# KV caches.

@pytest.mark.parametrize(("counter", "more", "says"), [
    ("blocks", -1_000_000, "blocks were loaded"), ("found", 1_000_000, "blocks were loaded"),
    ("found", -1_000_000, "blocks were loaded"), ("computed", 10_000_000, "tokens were computed"),
    ("computed", -10_000_000, "tokens were computed"),
])  # fmt: skip
def test_a_kv_cache_that_miscounts_is_stopped(
    monkeypatch: pytest.MonkeyPatch, counter: str, more: int, says: str
) -> None:
    whole = Serving.check

    def miscount(serving: Serving) -> None:
        setattr(serving.counts, counter, getattr(serving.counts, counter) + more)
        whole(serving)

    monkeypatch.setattr(Serving, "check", miscount)
    with pytest.raises(LawBroken, match=says):
        kv_cache(minutes=0.2, warm_up=0.0, hbm=Bytes(GIB))


def test_the_parts_of_a_first_token_are_the_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    from spindle.traces.kv import serving

    monkeypatch.setattr(serving, "pause", lambda env, seconds: env.timeout(1.5 * seconds))
    with pytest.raises(LawBroken, match="first token: its parts against the clock"):
        kv_cache(minutes=0.2, warm_up=0.0, hbm=Bytes(GIB))
