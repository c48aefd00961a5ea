"""Tests chains in an open trace: which requests follow which read, and that they follow it however long it takes."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest
import simpy

from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.units import MS
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import AHEAD, Chained, Host, Links, Open
from spindle.traces.replay.replay import replay_trace
from spindle.traces.replay.storage import Storage
from spindle.workloads.traces.record import Record

DISC = DiscType("Small", uniform(100, 2, 20, 512), 6000, LinearSeek(2 * MS, 8 * MS, 100))
SLOW = replace(DISC, overhead=50 * MS)


def record(time: float, op: Op, response: float, device: str = "", sector: int = 0) -> Record:
    return Record(time, device, op, 512 * sector, 512, response)


def times(records: Sequence[Record], disc: DiscType, host: type[Host] | partial[Host]) -> list[tuple[float, float]]:
    """When each was asked, and its response, in the order of the records, whose addresses differ."""
    storage, done = Storage(simpy.Environment(), StoragePlan(DriveSheet(disc, None), Fcfs)), {}
    replay_trace(records, storage, host, lambda row, response, of: done.update({row: (of.submitted, response)}))
    return [done[each] for each in records]


def chained(limit: float = 5 * MS) -> "partial[Host]":
    return partial(Chained, links=Links(limit))


def test_a_request_follows_the_last_read_of_its_device_that_was_done() -> None:
    links = Links(5 * MS)
    assert links.link(0, record(0.0, READ, 0.010)) is None
    assert links.link(1, record(0.009, READ, 0.020)) is None  # the first is not done
    assert links.link(2, record(0.012, WRITE, 0.001)) == (0, pytest.approx(0.002))
    assert links.link(3, record(0.014, WRITE, 0.5)) == (0, pytest.approx(0.004))  # nobody follows a write
    assert links.link(4, record(0.016, READ, 0.5)) is None  # 6 ms are too long
    assert links.link(5, record(0.030, READ, 0.5, "other")) is None
    assert links.link(6, record(0.031, READ, 0.5)) == (1, pytest.approx(0.002))
    assert links.followers == 3


def test_a_chain_keeps_its_pauses_on_a_slower_drive() -> None:
    records = [record(0.0, READ, 0.010), record(0.011, READ, 0.010, sector=1), record(0.023, WRITE, 0.01, sector=2),
               record(0.5, READ, 0.01, sector=3)]
    (a, first), (b, second), (c, _), (d, _) = times(records, SLOW, chained())
    assert (a, b) == (0.0, pytest.approx(first + 1 * MS))
    assert c == pytest.approx(b + second + 2 * MS)
    assert d == 0.5


def test_on_the_drive_of_the_trace_chains_change_nothing() -> None:
    records = [record(n * 0.015, READ if n % 3 else WRITE, 0.1, sector=137 * n % 4000) for n in range(300)]
    asked = times(records, DISC, Open)
    measured = [each._replace(response=response) for each, (_, response) in zip(records, asked, strict=True)]
    links = Links(12 * MS)
    again = times(measured, DISC, partial(Chained, links=links))
    assert links.followers > 100
    assert again == [pytest.approx(each) for each in asked]


def test_long_pauses_end_no_chain_too_early() -> None:
    records = [record(n * 2.5 * AHEAD + late, READ, 0.01, sector=2 * n + (late > 0)) for n in range(3)
               for late in (0.0, 0.011)]  # fmt: skip
    starts = [start for start, _ in times(records, SLOW, chained())]
    assert starts[::2] == pytest.approx([0.0, 2.5 * AHEAD, 5.0 * AHEAD])
    assert all(after > before + 50 * MS for before, after in zip(starts[::2], starts[1::2], strict=True))


@pytest.mark.parametrize(("wrong", "says"), [
    (Record(0.0, "", READ, 0, 512), "request 0 has no measured response"),
    (Record(None, "", READ, 0, 512, 0.1), "request 0 has no time"),
])  # fmt: skip
def test_what_was_not_measured_tells_no_chains(wrong: Record, says: str) -> None:
    with pytest.raises(UserError, match=says):
        times([wrong], DISC, chained())
    with pytest.raises(UserError, match="more than 0 s"):
        Links(0.0)
