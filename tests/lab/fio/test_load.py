"""A load of fio's and the queue before a device, followed by hand: who may ask, who sleeps, what is counted."""

from collections import deque

import pytest
import simpy

from spindle.lab.fio.load import (
    BATCH_SECONDS,
    TAGS,
    FioLoad,
    HostDelay,
    HostShare,
    LoadAnswer,
    _Loop,
    _Process,
    answer_load,
    host_share,
    is_held_back,
)
from spindle.lab.fio.points import FioPoint
from spindle.sim.clock import happen
from spindle.sim.request import READ, WRITE, Access, Op, Request
from spindle.sim.streams import stream
from spindle.sim.units import MS

SIZE = 4096


class Slower:
    """A device without a queue of its own: request number n takes n ms behind the one before it; or, held, for ever."""

    name, capacity, sector_bytes = "slower", 100 * SIZE, 512

    def __init__(self, env: simpy.Environment, held: bool = False) -> None:
        self.env, self.held = env, held
        self.asked: list[Access] = []
        self.under_way: deque[Request] = deque()
        self._free = 0.0

    def start(self, access: Access) -> Request:
        self.asked.append(access)
        request = Request(self.env, access)
        self.under_way.append(request)
        if not self.held:
            self._free = max(self._free, self.env.now) + len(self.asked) * MS
            done = self.env.timeout(self._free - self.env.now)
            assert done.callbacks is not None
            done.callbacks.append(lambda _: self.finish())
        return request

    def finish(self, count: int = 1) -> None:
        for _ in range(count):
            happen(self.under_way.popleft())


def answered(load: FioLoad, requests: int) -> tuple[LoadAnswer, Slower]:
    made: list[Slower] = []

    def builds(env: simpy.Environment) -> Slower:
        made.append(Slower(env))
        return made[0]

    return answer_load(load, builds, requests), made[0]  # type: ignore[arg-type]


def test_what_is_counted_and_what_only_settles() -> None:
    """3 for each under way, a fifth of 10, and 2 more settle: numbers 8 to 17, of 8 to 17 ms, count, 125 ms in all."""
    load = FioLoad(WRITE, 1, SIZE, 100 * SIZE, settling=2)
    answer, device = answered(load, 10)
    assert answer.iops == pytest.approx(10 / 0.125)
    assert answer.mean == pytest.approx(0.0125)
    assert answer.quantiles == pytest.approx({0.50: 12 * MS, 0.95: 17 * MS, 0.99: 17 * MS, 0.999: 17 * MS})
    draw = stream(1, "fio write 1").random
    assert [each.span.first for each in device.asked] == [int(draw() * 100) * SIZE for _ in range(18)]
    assert {(each.op, each.span.length, each.account.name) for each in device.asked} == {(WRITE, SIZE, "fio")}


def test_the_fifth_that_settles_is_of_whole_requests() -> None:
    """3 and 2 of 12 settle: numbers 6 to 17, of 6 to 17 ms, count, 138 ms in all."""
    assert answered(FioLoad(READ, 1, SIZE, 100 * SIZE), 12)[0].iops == pytest.approx(12 / 0.138)


def test_a_load_asks_four_times_for_each_under_way() -> None:
    """With 4 under way 16 count behind 12 and a fifth of 16: 31 are done, and 4 more under way."""
    assert len(answered(FioLoad(READ, 4, SIZE, 100 * SIZE), 1)[1].asked) == 35


def test_places_are_whole_requests_of_the_span() -> None:
    _, device = answered(FioLoad(READ, 1, SIZE, SIZE * 3 // 2), 30)
    assert {each.span.first for each in device.asked} == {0}


def loop(level: int, jobs: int, inside: int, latency: float = 0.0) -> tuple[Slower, simpy.Environment]:
    """Processes that ask for the first time, above a device that holds what it is asked for."""
    env = simpy.Environment()
    device = Slower(env, held=True)
    load = FioLoad(READ, level, SIZE, device.capacity, jobs)
    made = _Loop(env, device, load, HostDelay(inside, latency), 1000)  # type: ignore[arg-type]
    with pytest.raises(simpy.core.EmptySchedule):
        made.run()
    return device, env


@pytest.mark.parametrize(("level", "jobs", "inside", "count"), [
    (10, 1, 4, 6), (10, 1, 5, 7), (6, 2, 4, 6), (7, 2, 100, 6), (3, 1, 4, 3), (200, 1, 128, 192),
])  # fmt: skip
def test_half_as_many_more_may_be_asked_for_as_are_inside(level: int, jobs: int, inside: int, count: int) -> None:
    """Who fills the queue may ask for a batch; a process has a whole number under way."""
    assert len(loop(level, jobs, inside)[0].asked) == count


def test_a_sleeper_goes_on_when_less_is_inside() -> None:
    device, _ = loop(10, 1, 4)
    device.finish(2)
    assert len(device.asked) == 6
    device.finish()
    assert len(device.asked) == 6 + 3


def test_who_comes_back_late_finds_the_queue_no_longer_full() -> None:
    """Its batch is over, but one less is inside."""
    device, env = loop(4, 1, 4, latency=1 * MS)
    env.run(2 * BATCH_SECONDS)
    device.finish()
    env.run()
    assert len(device.asked) == 5


def test_a_batch_ends_with_its_time_or_its_last_request() -> None:
    process = _Process(0, 32)
    process.until = 1.0
    told = []
    for process.batch, now in ((0, 0.5), (1, 0.5), (1, 1.0), (31, 1.5), (32, 1.5)):
        told.append(process.batching(now))
    assert told == [False, True, False, False, True]


# The host's share.

def point(op: Op, depth: int, jobs: int, iops: float) -> FioPoint:
    return FioPoint(op, depth, jobs, SIZE, 1000, iops, 1.0, {})


@pytest.mark.parametrize(("depth", "jobs", "held"), [(8, 4, False), (8, 5, True), (17, 2, True), (33, 1, False),
                                                     (7, 5, False)])  # fmt: skip
def test_who_is_held_back(depth: int, jobs: int, held: bool) -> None:
    assert is_held_back(point(READ, depth, jobs, 1.0)) is held


def test_a_share_without_points_alone_is_none() -> None:
    assert host_share([point(READ, 2, 1, 1.0)]) == HostShare(0.0, {})


def test_turns_that_are_a_little_slower_are_none() -> None:
    """7 % less is none yet; what has as many under way as there are tags does not count."""
    few = point(READ, 4, TAGS // 4, 1.0)
    assert host_share([point(READ, 64, 1, 100.0), point(READ, 8, 8, 93.0), few]).rates == {}
    assert host_share([point(READ, 64, 1, 100.0), point(READ, 8, 8, 92.9), few]).rates == {READ: 92.9}


def test_the_share_never_makes_a_time_negative() -> None:
    device = LoadAnswer(100.0, 0.5, {0.5: 0.2, 0.95: 0.6})
    answer = HostShare(0.3, {WRITE: 50.0}).fio_answer(point(READ, 8, 8, 1.0), device)
    assert answer == LoadAnswer(100.0, 0.5, {0.5: 0.0, 0.95: pytest.approx(0.3)})
