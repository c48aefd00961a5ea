"""Tests a drive's write cache by hand: what it reports when, who waits, what a flush waits for, and who takes a tag."""

import pytest
import simpy

from spindle.sim.clock import Account, Phase
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.scheduling import Sstf
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.error import UserError
from spindle.sim.parts import LawBroken, parts_on
from spindle.sim.request import READ, WRITE, Op, Request, Span, access
from spindle.sim.units import MS
from tests.sim.disc.milliseconds import Asked
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


def test_a_write_is_done_when_the_cache_has_it_and_a_read_when_the_drive_has_read(env: simpy.Environment) -> None:
    """A revolution takes 10 ms, and a sector 1: the drive writes sector 0 from 0, reads 2 at 2, writes 8 and then 5."""
    cache, ended = WriteCache(Watched(env), 1, SECONDS), dict[object, float]()

    def note(name: object) -> object:
        return lambda _: ended.update({name: round(env.now / MS, 9)})

    def flusher(sector: int) -> simpy.events.ProcessGenerator:
        yield from cache.flush(Span(sector * SECTOR, SECTOR))
        note(f"flush of {sector}")(None)  # type: ignore[operator]

    asked = {sector: ask(cache, op, sector) for sector, op in ((0, WRITE), (5, WRITE), (2, READ))}
    asked[8] = cache.start(access(WRITE, 8 * SECTOR, SECTOR, HOST)._replace(durable=True))
    for sector, request in asked.items():
        request.callbacks.append(note(sector))
        env.process(flusher(sector))
    cache.check()
    assert (cache.reported, cache.waits) == (1, 1)
    env.run()
    assert ended == {0: 0.1, 5: 1, 2: 3, 8: 9, "flush of 0": 1, "flush of 2": 0, "flush of 8": 9, "flush of 5": 16}
    pieces = [[(phase, round(begin / MS, 9), round(end / MS, 9)) for phase, begin, end in each.pieces()]
              for each in asked.values()]  # fmt: skip
    assert pieces == [
        [(Phase.OVERHEAD, 0, 0.1)], [(Phase.WRITE_WAIT, 0, 1)],
        [(Phase.QUEUE, 0, 1), (Phase.ROTATION, 1, 2), (Phase.TRANSFER, 2, 3)],
        [(Phase.QUEUE, 0, 3), (Phase.ROTATION, 3, 8), (Phase.TRANSFER, 8, 9)],
    ]  # fmt: skip
    assert {request.ledger.name for request in asked.values() if request.ledger} == {"write cache"}
    assert cache.reading() == {**cache.drive.reading(), "reported": 2.0, "write_waits": 1.0}
    assert cache.busy() == cache.drive.busy() == pytest.approx(16 * MS)


def test_a_cache_whose_reports_take_no_time_charges_none(env: simpy.Environment) -> None:
    waiting = Asked()
    cache = WriteCache(Watched(env), 2, waiting=waiting)
    first, second, third = (ask(cache, WRITE, sector) for sector in (0, 1, 5))
    env.run(until=first)
    assert (env.now, first.pieces(), second.triggered, third.triggered) == (0.0, [], True, False)
    ask(cache, WRITE, 27)  # two wait now, and of all four the last is written at 18 ms, on the next cylinder
    env.run()
    assert (cache.reported, cache.waits) == (4, 2)
    assert waiting.asked == [((0, 0), 1), ((0, 0), 2)]
    ask(cache, WRITE, 47)
    ask(cache, WRITE, 48)
    ask(cache, WRITE, 49)
    env.run()
    assert waiting.asked[2:] == [((2, 0), 28)]
    assert [round(when / MS, 9) for _, when in cache.drive.written] == [1, 2, 6, 18, 28, 29, 30]  # type: ignore[attr-defined]
    cache.check()


def test_a_cache_stands_for_its_drive(env: simpy.Environment) -> None:
    drive = Watched(env)
    cache = WriteCache(drive, 1)
    assert (cache.name, cache.capacity, cache.sector_bytes) == ("drive", drive.capacity, SECTOR)
    cache.discard(Span(0, 512))
    assert drive.discarded == [Span(0, 512)]
    assert [*parts_on(env)][-1] is cache
    with pytest.raises(UserError, match="drive: a write cache has room for 1 write at least, not 0"):
        WriteCache(drive, 0)


def test_places_that_do_not_add_up_break_a_law(env: simpy.Environment) -> None:
    cache = WriteCache(Watched(env), 2)
    for sector in (0, 1, 2):
        ask(cache, WRITE, sector)
    cache.check()
    cache._room += 1
    with pytest.raises(LawBroken, match="drive: 1 free and 2 taken of 2"):
        cache.check()
    cache._on_the_way.popitem()
    with pytest.raises(LawBroken, match="drive: 1 free and 1 taken of 2"):
        cache.check()  # they add up, but a write waits
    cache._late.clear()
    cache.check()
    for room in (2, 0):
        cache._room = room
        with pytest.raises(LawBroken, match=f"drive: {room} free and 1 taken of 2"):
            cache.check()
