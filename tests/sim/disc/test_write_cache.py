"""Tests a drive's write cache beside its tags: the order of writes without room, and which requests take a tag."""

import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.scheduling import Sstf
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.request import WRITE, Op, Request, access
from tests.sim.watched_drives import SECTOR, Watched

HOST = Account("host")
SECONDS = 0.1e-3


def ask(cache: WriteCache, op: Op, sector: int) -> Request:
    return cache.start(access(op, sector * SECTOR, SECTOR, HOST))


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
