"""Tests that a replay keeps no requests, reads no further than it must, and breaks no law, however long it is."""

import gc
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import pytest
import simpy

from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.scheduling import Sptf, TaggedQueue
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.eviction.arc import Arc
from spindle.sim.request import READ, WRITE, Request
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed, Host, Open
from spindle.traces.replay.replay import replay_trace
from spindle.traces.replay.storage import CachePlan, Storage, write_back
from spindle.workloads.traces.record import Record

SHEET = DriveSheet(HP7933, None)
BARE = StoragePlan(SHEET, Fcfs)
TAGS = StoragePlan(SHEET, lambda: TaggedQueue(Fcfs(), Sptf(0.006), 8))
CACHED = StoragePlan(SHEET, Fcfs, CachePlan(1 << 16, 4096, Arc, write_back))


def storage(plan: StoragePlan) -> Storage:
    return Storage(simpy.Environment(), plan)


def requests(number: int, seen: Callable[[int], object] = lambda _: None) -> Iterator[Record]:
    """A few a second, so that no queue grows, on two devices."""
    random = Random("flat")
    for place in range(number):
        op = READ if random.random() < 0.7 else WRITE
        yield Record(place * 0.15, "ab"[place % 2], op, 512 * int(200_000 * random.random() ** 4), 4096)
        seen(place)


@pytest.fixture(scope="module")
def alone() -> None:
    """What there is besides is not counted, which would take longer than the replays."""
    gc.collect()
    gc.freeze()


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("plan", [BARE, TAGS, CACHED], ids=["bare", "tags", "cached"])
@pytest.mark.parametrize("host", [Open, partial(Closed, depth=8)], ids=["open", "closed"])
def test_memory_does_not_grow_with_the_number_of_requests(plan: StoragePlan, host: Callable[..., Host]) -> None:
    """What is counted are objects that refer to others: each request kept would be some of them."""
    counted = {}

    def seen(place: int) -> None:
        if place in (400, 1600):
            gc.collect()
            counted[place] = len(gc.get_objects())

    replayed = replay_trace(requests(1601, seen), storage(plan), host)
    assert replayed.tally.all_times.count == 1601
    assert counted[1600] - counted[400] < 150


def test_a_trace_is_read_as_it_is_asked() -> None:
    """No further than what is under way and, in an open loop, the one to come."""
    read = [0]
    answered = []
    for host, ahead in ((Open, 1), (partial(Closed, depth=4), 4)):
        read[0] = 0
        answered.clear()
        replay_trace(requests(50, lambda place: read.__setitem__(0, place)), storage(BARE), host,
                     lambda *_: answered.append(read[0] - len(answered)))  # fmt: skip
        assert len(answered) == 50
        assert max(answered) <= ahead + 3


def test_requests_of_the_same_instant_are_all_asked_then() -> None:
    found: list[float] = []
    records = [Record(1.0, "", READ, 0, 4096)] * 3 + [Record(0.5, "", READ, 0, 4096)]
    replay_trace(records, storage(BARE), Open, lambda record, response, request: found.append(request.submitted))
    assert found == [1.0] * 4


def test_more_under_way_is_more_done_and_a_longer_wait() -> None:
    one, eight = (replay_trace(requests(400), storage(TAGS), partial(Closed, depth=depth)) for depth in (1, 8))
    assert eight.end < one.end
    assert eight.tally.all_times.sum > one.tally.all_times.sum


def test_a_closed_loop_lets_the_gap_of_each_request_go_by() -> None:
    """Each is asked so long after the answer to the one before: two events, the gap and the disc."""
    asked, answered = [], []

    def told(record: Record, response: float, request: Request) -> None:
        asked.append(request.submitted)
        answered.append(request.submitted + response)

    gaps = (0.5, 1.0, 0.0, 2.5)
    replay_trace([Record(None, "", READ, 0, 4096, gap=gap) for gap in gaps], storage(BARE), Closed, told)
    assert asked == pytest.approx([before + gap for before, gap in zip([0.0, *answered], gaps, strict=False)])


def test_an_open_loop_asks_by_time_and_knows_no_gap() -> None:
    asked: list[float] = []
    records = [Record(time, "", READ, 0, 4096, gap=100.0) for time in (0.5, 1.0, 2.5)]
    replay_trace(records, storage(BARE), Open, lambda record, response, request: asked.append(request.submitted))
    assert asked == [0.5, 1.0, 2.5]
