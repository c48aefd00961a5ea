"""A drive's write cache that holds writes until it is full: when they reach the drive, and what sends them earlier."""

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.scheduling import Sstf
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.request import READ, WRITE, Op, Request, Span, access
from tests.sim.watched_drives import SECTOR, Watched

HOST = Account("host")
SECONDS = 0.1e-3


@pytest.fixture
def cache(env: simpy.Environment) -> WriteCache:
    return WriteCache(Watched(env), 3, SECONDS, held=True)


def ask(cache: WriteCache, op: Op, sector: int) -> Request:
    return cache.start(access(op, sector * SECTOR, SECTOR, HOST))


def on_medium(cache: WriteCache) -> list[int]:
    """Sectors that were written, in order."""
    assert isinstance(cache.drive, Watched)
    return [span.first // SECTOR for span, _ in cache.drive.written]


def test_writes_stay_until_the_cache_is_full(env: simpy.Environment, cache: WriteCache) -> None:
    first = [ask(cache, WRITE, sector) for sector in (7, 3)]
    env.run()
    assert (env.now, all(each.processed for each in first), on_medium(cache)) == (SECONDS, True, [])
    ask(cache, WRITE, 5)
    env.run()
    assert on_medium(cache) == [7, 3, 5]


def test_what_comes_while_the_cache_is_purged_is_of_the_next_time(env: simpy.Environment, cache: WriteCache) -> None:
    asked = [ask(cache, WRITE, sector) for sector in range(5)]
    env.run()
    assert all(each.processed for each in asked)
    assert on_medium(cache) == [0, 1, 2]
    cache.check()


def test_what_has_no_tag_waits_in_the_order_of_the_host(env: simpy.Environment) -> None:
    queue = DriveQueue(tags=1, writes=1)
    cache = WriteCache(Watched(env, queue.scheduler(Fcfs())), 1, SECONDS, waiting=queue.waiting(Sstf()))
    order: list[int] = []
    for sector in (0, 180, 20, 60, 190):  # 20 sectors a cylinder
        ask(cache, WRITE, sector).callbacks.append(lambda _, sector=sector: order.append(sector))  # type: ignore[misc]
    env.run()
    # The first has room and the second the tag; of the others the host sends the nearest to what it sent last.
    assert order == [0, 180, 190, 60, 20]


def test_cached_writes_take_no_tags(env: simpy.Environment) -> None:
    tagged, cached = (DriveQueue(tags=1, writes=writes).scheduler(Sstf()) for writes in (0, 4))
    ended = []
    for scheduler in (tagged, cached):
        drive = Watched(env, scheduler)
        for sector in (0, 180, 20):
            drive.start(access(WRITE, sector * SECTOR, SECTOR, HOST))
        env.run()
        ended.append([span.first // SECTOR for span, _ in drive.written])
    # The host takes the nearest of what has no tag; what is cached is in the drive at once, and the next is planned.
    assert ended == [[0, 20, 180], [0, 180, 20]]


@pytest.mark.parametrize(("sector", "sent"), [(7, [7, 3]), (5, [])])
def test_a_read_of_what_is_held_waits_for_the_medium(
    env: simpy.Environment, cache: WriteCache, sector: int, sent: list[int]
) -> None:
    for each in (7, 3):
        ask(cache, WRITE, each)
    env.run(until=ask(cache, READ, sector))
    env.run()
    assert on_medium(cache) == sent


def test_a_flush_sends_what_is_held(env: simpy.Environment, cache: WriteCache) -> None:
    for each in (7, 3):
        ask(cache, WRITE, each)
    env.run(env.process(cache.flush(Span(0, 4 * SECTOR))))
    assert on_medium(cache) == [7, 3]
