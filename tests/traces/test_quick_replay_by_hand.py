"""Tests that compiled loops over a few requests, some of them measured, have the answer of the simulated drives."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import nan
from pathlib import Path

import numpy as np
import pytest
import simpy

from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.kernel.drives import OPEN
from spindle.sim.disc.scheduling import Sstf
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7911
from spindle.sim.jit import AVAILABLE
from spindle.traces.replay.data import replay_data
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed, Open
from spindle.traces.replay.quick import _Replay, quick_replay
from spindle.traces.replay.replay import replay_trace
from spindle.traces.replay.storage import Storage
from spindle.workloads.traces.batch import Floats, NotSimpleError, Owners, batch_of
from spindle.workloads.traces.reader import Trace

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="numba is not installed; pip install -r requirements-fast.txt")

TWO = StoragePlan(DriveSheet(HP7911, None), Fcfs, count=2, wrap=True)
NEAREST = replace(TWO, scheduler=Sstf)
LINES = """time_s,device,op,offset,size,response_s
0.5,a,R,0,512,0.25
0.5,b,W,40960,4096,0.5
0.51,a,W,8192,1000,
0.6,c,R,20971520,512,0.125
0.6,a,R,512,512,0.75
1.5,b,R,81920,40960,1.5
1.25,c,W,9216000,512,
"""


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    (tmp_path / "trace.csv").write_text(LINES)
    return Trace(tmp_path / "trace.csv", "csv")


def nearly(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: nearly(each) for name, each in value.items()}
    return pytest.approx(value, rel=1e-11, abs=1e-15, nan_ok=True) if isinstance(value, float) else value


@pytest.mark.parametrize("under_way", [OPEN, 1, 2])
def test_measured_times_bytes_and_counts_are_of_their_operation(trace: Trace, under_way: int) -> None:
    quick = quick_replay(trace, TWO, under_way, None, lambda _: None)
    assert quick is not None
    plain = replay_trace(iter(trace), Storage(simpy.Environment(), TWO),
                         partial(Closed, depth=under_way) if under_way else Open)  # fmt: skip
    assert replay_data(quick) == nearly(replay_data(plain))
    assert (quick.end, quick.tally.begin) == (plain.end, plain.tally.begin)
    for op in (None, *{record.op for record in trace}):
        for found, told in ((quick.tally.measured_of(op), plain.tally.measured_of(op)),
                            (quick.tally.times_of(op), plain.tally.times_of(op))):  # fmt: skip
            assert (found.count, found.sum) == (told.count, pytest.approx(told.sum))
        assert quick.tally.times_of(op).bytes == plain.tally.times_of(op).bytes


def test_batches_are_gone_through_as_one(trace: Trace) -> None:
    """Halves taken one by one, the second with a device that the first had not, and nothing between them."""
    whole = quick_replay(trace, TWO, OPEN, None, lambda _: None)
    assert whole is not None
    records, owners, replay = list(trace), Owners(), _Replay(TWO, OPEN, 1.0, 9)
    for part in (records[:3], [], records[3:]):
        batch = batch_of(part)
        replay.take(batch, owners.number_all(batch.owners), list(owners))
    halves = replay.result()
    assert replay_data(halves) == nearly(replay_data(whole))
    assert (halves.behind, halves.tally.begin) == (whole.behind, whole.tally.begin)


def test_what_comes_in_a_later_batch_may_be_served_before_what_waits(tmp_path: Path) -> None:
    """The arm is at the first request, so that the third, which comes meanwhile, is nearer than the second."""
    (tmp_path / "near.csv").write_text("time_s,op,offset,size\n0,R,0,512\n0,R,20971520,512\n0.001,W,8192,512\n")
    trace, owners, replay = Trace(tmp_path / "near.csv", "csv"), Owners(), _Replay(NEAREST, OPEN, 1.0, 9)
    for part in (list(trace)[:2], list(trace)[2:]):
        replay.take(batch_of(part), owners.number_all(batch_of(part).owners), list(owners))
    plain = replay_trace(iter(trace), Storage(simpy.Environment(), NEAREST), Open)
    assert replay_data(replay.result()) == nearly(replay_data(plain))
    assert plain.tally.writes.longest < 0.5 * plain.tally.reads.longest


@pytest.mark.parametrize(("under_way", "change"), [
    (OPEN, {"times": np.array([0.0, nan])}), (2, {"gaps": np.array([0.0, 1.0])}),
])  # fmt: skip
def test_what_is_no_load_of_that_kind_is_not_simple(trace: Trace, under_way: int, change: dict[str, Floats]) -> None:
    replay, owners = _Replay(TWO, under_way, 1.0, 9), Owners()
    batch = batch_of(list(trace)[:2])._replace(**change)
    with pytest.raises(NotSimpleError):
        replay.take(batch, owners.number_all(batch.owners), list(owners))
    with pytest.raises(NotSimpleError):
        _Replay(TWO, under_way, 1.0, 9).result()
