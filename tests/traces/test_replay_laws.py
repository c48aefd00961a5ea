"""A replay or a curve that miscounts stops the run of a user."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simpy

from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.parts import LawBroken
from spindle.sim.request import READ, Request
from spindle.traces.blocks import NO_DROPS
from spindle.traces.curves import CurveRow, hit_curves, rows_within_bounds
from spindle.traces.objects import ObjectRow
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed, Open
from spindle.traces.replay.quick import quick_replay
from spindle.traces.replay.replay import TraceTally, replay_trace
from spindle.traces.replay.storage import Storage
from spindle.workloads.traces.batch import Batch
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record
from tests.traces.conftest import trace_of

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
