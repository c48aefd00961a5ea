"""Tests a disc (LDEV) whose caching is stopped and started while it is in use."""

from collections.abc import Callable

import pytest
import simpy

from spindle.models.hp3000.caching.at_risk import Loss
from spindle.models.hp3000.caching.control import CacheSettings, Control, WriteMode
from spindle.models.hp3000.caching.costs import CacheCosts
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.caching.ldev import Caching, Ldev, losses
from spindle.models.hp3000.discs import PlainDisc
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.cpu import FcfsCpu, Stopped
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Access, Hint, Op, Span
from spindle.sim.units import KIB, MS

DISC, PLAIN, HIT, MISS, WRITE = 25 * MS, 4 * MS, 3 * MS, 32 * MS, 7 * MS
FILE = Span(0, 64 * KIB)


class Bench:
    """An LDEV, and people who use it at given times; *log* says when each was done, in ms."""

    def __init__(self, env: simpy.Environment, cached: bool = True, mode: WriteMode | None = None) -> None:
        self.env = env
        self.cpu = FcfsCpu(env)
        self.memory = SharedMemory(env, 64 * KIB, Lru())
        self.drive = Drive(env, FixedService(DISC, capacity=64 * KIB))
        settings = CacheSettings(4 * KIB, 24 * KIB, mode or WriteMode())
        costs = CacheCosts(search=1 * MS, copy=2 * MS, initiate=4 * MS, level=2)
        cache = DiscCache(env, self.drive, self.cpu, self.memory, costs, Control(env, settings))
        self.ldev = Ldev(env, 1, PlainDisc(self.drive, self.cpu, PLAIN, 2), cache, cached)
        self.log: dict[str, float] = {}
        self.accounts: dict[str, Account] = {}

    def at(self, when: float, who: str, work: Callable[[], Wait]) -> None:
        def process() -> Wait:
            yield pause(self.env, when)
            yield from work()
            self.log[who] = round(self.env.now / MS, 6)

        self.env.process(process())

    def does(self, op: Op, when: float, who: str, first: int = 0) -> None:
        account = self.accounts[who] = Account(who)
        access = Access(op, Span(first, 512), FILE, who, Hint.NONE, False, account)
        self.at(when, who, lambda: self.ldev.read(access) if op is Op.READ else self.ldev.write(access))

    def reads(self, when: float, who: str, first: int = 0) -> None:
        self.does(Op.READ, when, who, first)

    def writes(self, when: float, who: str, first: int = 0) -> None:
        self.does(Op.WRITE, when, who, first)

    def stops(self, when: float) -> None:
        self.at(when, "stop", self.ldev.stop_cache)

    def starts(self, when: float) -> None:
        self.at(when, "start", self.ldev.start_cache)


@pytest.fixture
def bench(env: simpy.Environment) -> Bench:
    return Bench(env)


def ms(seconds: float) -> float:
    return round(seconds / MS, 6)


def test_a_stopped_cache_is_empty_and_the_disc_is_plain(bench: Bench) -> None:
    bench.reads(0.0, "miss")
    bench.stops(1.0)
    bench.reads(2.0, "plain")
    bench.writes(3.0, "plain write")
    bench.env.run()
    assert bench.log == {"miss": ms(MISS), "stop": 1000, "plain": ms(2 + PLAIN + DISC),
                         "plain write": ms(3 + PLAIN + DISC)}  # fmt: skip
    assert (bench.ldev.is_cached, bench.memory.used_bytes, len(bench.ldev.cache.directory)) == (False, 0, 0)
    assert bench.accounts["plain"].seconds[Phase.CACHE] == 0.0


def test_a_started_cache_begins_empty(env: simpy.Environment) -> None:
    bench = Bench(env, cached=False)
    bench.reads(0.0, "plain")
    bench.starts(1.0)
    bench.reads(2.0, "miss")
    bench.reads(3.0, "hit")
    env.run()
    assert bench.log == {"plain": ms(PLAIN + DISC), "start": 1000, "miss": ms(2 + MISS), "hit": ms(3 + HIT)}
    assert bench.ldev.is_cached


def test_what_is_so_already_takes_no_time_and_keeps_what_is_in_memory(bench: Bench) -> None:
    bench.reads(0.0, "miss")
    bench.starts(1.0)
    bench.env.run()
    assert (bench.log["start"], bench.memory.used_bytes) == (1000, 4 * KIB)


@pytest.mark.parametrize("op", [Op.READ, Op.WRITE])
def test_a_stop_waits_for_the_accesses_under_way_and_for_their_posts(bench: Bench, op: Op) -> None:
    """The write is acknowledged at 7 ms and on the medium at 32; who asks meanwhile is held back."""
    bench.writes(0.0, "write")
    bench.stops(10 * MS)
    bench.does(op, 12 * MS, "held")
    bench.env.run()
    assert bench.log == {"write": ms(WRITE), "stop": ms(WRITE + DISC), "held": ms(WRITE + DISC + PLAIN + DISC)}
    assert ms(bench.accounts["held"].seconds[Phase.WRITE_WAIT]) == 20
    assert bench.accounts["held"].total() == pytest.approx(WRITE + DISC + PLAIN + DISC - 12 * MS)


def test_accesses_under_way_end_as_they_began(bench: Bench) -> None:
    bench.reads(0.0, "miss")
    bench.stops(10 * MS)
    bench.env.run()
    assert bench.log == {"miss": ms(MISS), "stop": ms(MISS)}
    assert bench.ldev.cache.misses == 1
    assert bench.memory.used_bytes == 0


def test_a_start_waits_for_plain_writes_lest_a_fetch_read_around_them(env: simpy.Environment) -> None:
    bench = Bench(env, cached=False)
    bench.writes(0.0, "plain")
    bench.starts(10 * MS)
    bench.reads(11 * MS, "held")
    env.run()
    assert bench.log == {"plain": ms(PLAIN + DISC), "start": ms(PLAIN + DISC), "held": ms(PLAIN + DISC + MISS)}


def test_two_switches_come_one_after_the_other(bench: Bench) -> None:
    bench.writes(0.0, "write")
    bench.stops(1 * MS)
    bench.starts(2 * MS)
    bench.env.run()
    assert (bench.log["stop"], bench.log["start"]) == (ms(WRITE + DISC), ms(WRITE + DISC))
    assert bench.ldev.is_cached


@pytest.mark.parametrize("op", [Op.READ, Op.WRITE])
def test_a_switch_waits_for_the_last_of_those_under_way(op: Op, env: simpy.Environment) -> None:
    """The CPU starts the second when it has started the first, and the disc serves it afterwards."""
    bench = Bench(env, cached=False)
    for who in ("one", "other"):
        bench.does(op, 0.0, who)
    bench.starts(10 * MS)
    env.run()
    assert bench.log == {"one": ms(PLAIN + DISC), "other": ms(PLAIN + 2 * DISC), "start": ms(PLAIN + 2 * DISC)}


def test_switches_wait_for_each_other_as_long_as_there_is_one(bench: Bench) -> None:
    """At 32 ms the first stop is done, the start waits for a plain read, and the other stop for the start."""
    bench.writes(0.0, "write")
    bench.stops(1 * MS)
    bench.reads(1.5 * MS, "held")
    bench.starts(2 * MS)
    bench.at(3 * MS, "stop again", bench.ldev.stop_cache)
    bench.env.run(5 * MS)
    gates = bench.ldev._switched, bench.ldev._quiet
    assert [gate.name for gate in gates if gate is not None] == ["LDEV 1 to be switched", "accesses to LDEV 1"]
    bench.env.run()
    last = ms(WRITE + DISC + PLAIN + DISC)
    assert bench.log == {"write": ms(WRITE), "stop": ms(WRITE + DISC), "held": last, "start": last, "stop again": last}
    assert not bench.ldev.is_cached


def scheduled(env: simpy.Environment) -> int:
    """How many events have been put on the clock so far."""
    return int(repr(env._eid)[len("count("):-1])


@pytest.mark.parametrize("cached", [False, True])
def test_an_ldev_costs_neither_events_nor_time(cached: bool) -> None:
    """Against its own cache, or its plain driver, by itself."""
    events, logs, busy = [], [], []
    for bare in (False, True):
        env = simpy.Environment()
        bench = Bench(env, cached)
        if bare:
            bench.ldev.read, bench.ldev.write = (  # type: ignore[method-assign]
                bench.ldev._device.read, bench.ldev._device.write
            )
        for number in range(6):
            bench.reads(number * 20 * MS, f"read {number}", number % 4 * 2 * KIB)
            bench.writes(number * 33 * MS, f"write {number}", number % 3 * 3 * KIB)
        env.run()
        events.append(scheduled(env))
        logs.append(bench.log)
        busy.append(bench.cpu.busy())
    assert events[0] == events[1]
    assert logs[0] == logs[1]
    assert busy[0] == busy[1]


def test_a_write_is_overtaken_by_one_on_another_ldev(env: simpy.Environment) -> None:
    first, second = (Bench(env).ldev for _ in range(2))
    first.cache.at_risk.acknowledge("old", 512)
    env.run(until=1.0)
    second.cache.at_risk.acknowledge("new", 256)
    assert losses([first, second]) == [Loss(1, 512, 0.0, False), Loss(1, 256, 1.0, False)]
    second.cache.at_risk.on_medium("new")
    assert losses(iter([first, second])) == [Loss(1, 512, 0.0, True)]


def test_what_is_started_flushed_or_discarded_goes_to_the_cache(bench: Bench) -> None:
    bench.writes(0.0, "write")
    bench.at(10 * MS, "flushed", lambda: bench.ldev.flush(FILE))
    bench.env.run()
    assert (bench.log["flushed"], bench.memory.used_bytes) == (ms(WRITE + DISC), 512)
    request = bench.ldev.start(Access(Op.READ, Span(0, 512), FILE, None, Hint.NONE, False, Account("")))
    bench.env.run()
    assert (request.triggered, bench.ldev.cache.hits, request.ledger.name) == (True, 1, "LDEV 1")
    bench.ldev.discard(FILE)
    assert bench.memory.used_bytes == 0


def test_each_disc_has_a_number_from_1_on_and_is_cached_if_it_is_named(env: simpy.Environment) -> None:
    cpu, memory, costs = FcfsCpu(env), SharedMemory(env, 64 * KIB, Lru()), CacheCosts(1 * MS, 2 * MS, 4 * MS, 2)
    discs = [PlainDisc(Drive(env, FixedService(DISC, capacity=64 * KIB)), cpu, PLAIN, 2) for _ in range(3)]
    stopped, control = Stopped(), Control(env)

    def built(*cached: int) -> Caching:
        return Caching(env, discs, cpu, memory, costs, control, stopped, cached)

    some = built(1, 3)
    assert [(ldev.number, ldev.is_cached) for ldev in some.ldevs] == [(1, True), (2, False), (3, True)]
    assert [cache.drive for cache in some.caches] == [disc.drive for disc in discs]
    assert some.control is control
    assert all(cache._posted.stopped is stopped for cache in some.caches)
    assert all(each.is_cached for each in Caching(env, discs, cpu, memory, costs, control, stopped).ldevs)
    env.run(until=env.process(some.ldevs[1].start_cache()))
    assert some.ldevs[1].is_cached
    with pytest.raises(UserError, match="cached_ldevs: there is no LDEV 4; there are 1 to 3"):
        built(5, 2, 4)
    with pytest.raises(UserError, match="no LDEV 0"):
        built(0)
