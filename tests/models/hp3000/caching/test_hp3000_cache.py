"""Tests MPE's disc caching by hand: hits, late hits, misses, the bytes of a fetch, and the waits of a writer."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import simpy

from spindle.models.hp3000.caching.at_risk import UnwrittenPosts
from spindle.models.hp3000.caching.control import WRITE_BEHIND, CacheSettings, Control, WriteMode
from spindle.models.hp3000.caching.costs import CacheCosts, cache_costs
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.caching.domains import Domain
from spindle.models.hp3000.discs import PlainDisc
from spindle.models.hp3000.parameters import MpeParameters
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.cpu import Stopped
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.parameter import change
from spindle.sim.parts import LawBroken
from spindle.sim.request import Access, Hint, Op, Span
from spindle.sim.units import KIB, MS
from tests.models.hp3000.noting_cpu import NotingCpu

DISC = 25 * MS
"""Seconds of each access of the drive."""
COSTS = CacheCosts(search=1 * MS, copy=2 * MS, initiate=4 * MS, level=2)
HIT = 3 * MS
"""Seconds of a hit: search and copy."""
MISS = 5 * MS + DISC + 2 * MS
"""Seconds of a miss: search and initiate, the disc, copy."""
WRITE = 7 * MS
"""Seconds of a write that waits for nothing: search, copy and initiate."""
FILE = Span(0, 64 * KIB)
SETTINGS = CacheSettings(4 * KIB, 24 * KIB)
SERIAL, BLOCKING = WriteMode(serial=True), WriteMode(block=True)

Log = list[tuple[str, float]]


def at(seconds: float) -> float:
    return round(seconds / MS, 6)


class Bench:
    """One cached disc, and people who read and write at given times; *log* says when each was done, in ms."""

    def __init__(self, env: simpy.Environment, memory: int = 1024 * KIB, settings: CacheSettings = SETTINGS,
                 costs: CacheCosts = COSTS) -> None:
        self.env = env
        self.cpu, self.stopped = NotingCpu(env), Stopped()
        self.memory = SharedMemory(env, memory, Lru())
        self.control = Control(env, settings)
        self.costs = costs
        self.caches: list[DiscCache] = []
        self.drive, self.cache = self.disc()
        self.log: Log = []
        self.accounts: dict[str, Account] = {}

    def disc(self) -> tuple[Drive, DiscCache]:
        drive = Drive(self.env, FixedService(DISC, capacity=1024 * KIB))
        self.caches.append(DiscCache(self.env, drive, self.cpu, self.memory, self.costs, self.control,
                                     self.stopped))  # fmt: skip
        return drive, self.caches[-1]

    def access(self, op: Op, first: int, length: int, who: str, within: Span, hint: Hint, durable: bool) -> Access:
        return Access(op, Span(first, length), within, who, hint, durable, self.accounts.setdefault(who, Account(who)))

    def does(self, op: Op, first: int, length: int, who: str, when: float = 0.0, within: Span = FILE,
             hint: Hint = Hint.NONE, durable: bool = False, cache: DiscCache | None = None) -> None:
        self.env.process(self._work(self.access(op, first, length, who, within, hint, durable), when, cache))

    def _work(self, access: Access, when: float, cache: DiscCache | None) -> Wait:
        yield pause(self.env, when)
        device = cache or self.cache
        yield from device.read(access) if access.op is Op.READ else device.write(access)
        self.log.append((access.account.name, at(self.env.now)))

    def reads(self, first: int, length: int, who: str, when: float = 0.0, within: Span = FILE,
              hint: Hint = Hint.NONE) -> None:
        self.does(Op.READ, first, length, who, when, within, hint)

    def writes(self, first: int, length: int, who: str, when: float = 0.0, durable: bool = False,
               cache: DiscCache | None = None) -> None:
        self.does(Op.WRITE, first, length, who, when, durable=durable, cache=cache)

    def run(self) -> Log:
        self.env.run()
        assert (set(self.cpu.asked), self.stopped.now) == ({(2, Phase.CACHE)}, 0)
        assert all(not domain.posts for domain in self.domains())
        assert self.cache._posted._domains == {}
        assert sum(cache.residence.bytes.now for cache in self.caches) == self.memory.used_bytes
        assert all(cache.at_risk.bytes.now == 0 for cache in self.caches)
        assert self.memory._pins == {}
        return self.log

    def domains(self) -> list:
        return self.cache.directory.find(Span(0, 1024 * KIB))

    def places(self) -> list[tuple[int, int]]:
        return [(each.first, each.end) for each in self.domains()]

    def counted(self) -> tuple[int, int, int]:
        return self.cache.hits, self.cache.late_hits, self.cache.misses

    def part(self, who: str, part: Phase) -> float:
        return at(self.accounts[who].seconds[part])


@pytest.fixture
def bench(env: simpy.Environment) -> Bench:
    return Bench(env)


# Costs --------------------------------------------------------------------------------------------


def test_a_hit_is_the_call_the_search_and_the_copy() -> None:
    given = {"read_call": 1 * MS, "miss_search": 2 * MS, "initiate": 3 * MS, "write_call": 5 * MS, "dispatch": 6 * MS}
    costs = cache_costs(change(MpeParameters(), hit_cpu=7 * MS, **given), 2)
    assert costs == CacheCosts(2 * MS, pytest.approx(4 * MS), 3 * MS, 2, 1 * MS, 5 * MS, 6 * MS)
    assert cache_costs(change(MpeParameters(), hit_cpu=3 * MS, **given), 2).copy == 0.0
    with pytest.raises(UserError, match=r"hit_cpu must be at least read_call \+ miss_search, 0.003 s, not 0.0029 s"):
        cache_costs(change(MpeParameters(), hit_cpu=2.9 * MS, **given), 2)


# Reads --------------------------------------------------------------------------------------------


def test_a_miss_fetches_and_then_all_of_it_is_hit(bench: Bench) -> None:
    bench.reads(0, 1024, "first")
    bench.reads(3 * 1024, 1024, "again", when=1.0)
    assert bench.run() == [("first", at(MISS)), ("again", at(1.0 + HIT))]
    assert bench.counted() == (1, 0, 1)
    assert bench.places() == [(0, 4096)]
    assert bench.cache.fetched_bytes == 4096
    assert bench.drive.counts.reading(bench.env.now)["completed"] == 1


def test_a_fetch_and_a_post_are_the_caches_own_and_tell_whose_they_were(bench: Bench) -> None:
    """What is asked of the drive: the whole fetch, in order if its reader is, and the bytes written, durable or not."""
    asked: list[Access] = []
    start = bench.drive.start
    bench.drive.start = lambda access: (asked.append(access), start(access))[1]  # type: ignore[method-assign]
    bench.reads(0, 1024, "reader", hint=Hint.SEQUENTIAL)
    bench.writes(60 * KIB, 512, "writer", when=1.0, durable=True)
    bench.run()
    own = bench.cache._background
    assert asked == [
        Access(Op.READ, Span(0, 24 * KIB), Span(0, 24 * KIB), "reader", Hint.SEQUENTIAL, False, own),
        Access(Op.WRITE, Span(60 * KIB, 512), FILE, "writer", Hint.NONE, True, own),
    ]
    assert own.name == f"cache of {bench.drive.name}"


def test_a_reader_pays_the_cpu_as_cache_and_the_disc_as_itself(bench: Bench) -> None:
    bench.reads(0, 1024, "miss")
    bench.reads(0, 1024, "hit", when=1.0)
    bench.run()
    assert (bench.part("miss", Phase.CACHE), bench.part("miss", Phase.OVERHEAD)) == (7.0, 25.0)
    assert bench.accounts["miss"].total() == pytest.approx(MISS)
    assert (bench.part("hit", Phase.CACHE), bench.part("hit", Phase.OVERHEAD)) == (3.0, 0.0)


def test_who_asks_while_it_arrives_is_late_and_waits_for_the_rest_of_the_fetch(bench: Bench) -> None:
    bench.reads(0, 1024, "miss")
    bench.reads(2048, 1024, "late", when=10 * MS)
    assert bench.run() == [("miss", at(MISS)), ("late", at(MISS + 2 * MS))]
    assert bench.counted() == (0, 1, 1)
    # The fetch is there at 30 ms. The late reader searched until 11 ms, and copies after the first one has.
    assert bench.part("late", Phase.OVERHEAD) == 19.0
    assert bench.part("late", Phase.CPU_WAIT) == 2.0
    assert bench.cache.stops == 2


def test_part_of_it_there_is_a_miss_that_fetches_only_what_is_absent(bench: Bench) -> None:
    bench.reads(0, 1024, "first")
    bench.reads(3072, 2048, "partial", when=1.0)
    bench.run()
    assert bench.counted() == (0, 0, 2)
    assert bench.places() == [(0, 4096), (4096, 8192)]


def test_a_read_of_two_domains_at_rest_is_a_hit(bench: Bench) -> None:
    bench.reads(0, 1024, "first")
    bench.reads(4096, 1024, "second", when=1.0)
    bench.reads(3072, 2048, "both", when=2.0)
    assert bench.run()[-1] == ("both", at(2.0 + HIT))
    assert bench.counted() == (1, 0, 2)
    assert bench.cache.stops == 2


def test_part_arriving_and_part_at_rest_is_late(env: simpy.Environment) -> None:
    bench = Bench(env, costs=replace(COSTS, stop=0.5 * MS))
    bench.reads(4096, 1024, "second")
    bench.reads(0, 1024, "first", when=1.0)
    bench.reads(3072, 2048, "both", when=1.0 + 10 * MS)
    bench.run()
    assert bench.counted() == (0, 1, 2)
    assert bench.part("both", Phase.CACHE) == 3.5


def test_part_arriving_and_part_absent_is_a_miss(bench: Bench) -> None:
    bench.reads(0, 1024, "first")
    bench.reads(3072, 2048, "over the end", when=10 * MS)
    bench.run()
    assert bench.counted() == (0, 0, 2)
    assert bench.places() == [(0, 4096), (4096, 8192)]


def test_a_fetch_ends_with_the_extent(bench: Bench) -> None:
    bench.reads(1024, 1024, "reader", within=Span(0, 2560))
    bench.run()
    assert bench.places() == [(1024, 2560)]


def test_a_fetch_ends_before_the_next_domain(bench: Bench) -> None:
    bench.reads(8192, 1024, "behind")
    bench.reads(6144, 1024, "before", when=1.0)
    bench.run()
    assert bench.places() == [(6144, 8192), (8192, 12288)]


def test_sequential_readers_are_fetched_more(bench: Bench) -> None:
    bench.reads(0, 1024, "random", hint=Hint.RANDOM)
    bench.reads(8192, 1024, "sequential", hint=Hint.SEQUENTIAL)
    bench.run()
    assert bench.places() == [(0, 4096), (8192, 8192 + 24 * KIB)]


def test_more_than_the_fetch_size_is_fetched_whole(env: simpy.Environment) -> None:
    bench = Bench(env, settings=CacheSettings(1024, 1024))
    bench.reads(512, 10 * KIB, "large")
    bench.run()
    assert bench.places() == [(512, 512 + 10 * KIB)]


def test_a_fetch_of_one_sector_brings_whole_sectors_and_no_more(env: simpy.Environment) -> None:
    bench = Bench(env, settings=CacheSettings(256, 256))
    bench.reads(300, 100, "small")
    bench.run()
    assert bench.places() == [(256, 512)]


def test_two_who_ask_for_the_same_at_once_share_one_access(bench: Bench) -> None:
    bench.reads(0, 1024, "one")
    bench.reads(0, 1024, "other")
    assert bench.run() == [("one", at(MISS)), ("other", at(MISS + 2 * MS))]
    assert bench.drive.counts.reading(bench.env.now)["completed"] == 1
    # Both were counted when they asked: neither had anything to find.
    assert bench.counted() == (0, 0, 2)


# Writes -------------------------------------------------------------------------------------------


def test_a_write_makes_a_domain_of_just_the_record_and_nobody_waits(bench: Bench) -> None:
    bench.writes(1024, 512, "writer")
    bench.reads(1024, 512, "reader", when=1.0)
    assert bench.run() == [("writer", at(WRITE)), ("reader", at(1.0 + HIT))]
    assert bench.places() == [(1024, 1536)]
    assert bench.counted() == (1, 0, 0)
    assert bench.cache.fetched_bytes == 0
    assert bench.cache.stops == 0
    assert bench.drive.counts.reading(bench.env.now)["completed"] == 1


def test_a_write_into_a_domain_adds_none(bench: Bench) -> None:
    bench.reads(0, 1024, "reader")
    bench.writes(1024, 512, "writer", when=1.0)
    bench.run()
    assert bench.places() == [(0, 4096)]


def test_a_write_over_the_end_of_a_domain_adds_the_rest(bench: Bench) -> None:
    bench.reads(0, 1024, "reader")
    bench.writes(3840, 1024, "writer", when=1.0)
    bench.run()
    assert bench.places() == [(0, 4096), (4096, 4864)]


def test_who_reads_what_is_being_posted_waits_for_the_post(bench: Bench) -> None:
    bench.writes(1024, 512, "writer")
    bench.reads(1024, 256, "reader", when=10 * MS)
    assert bench.run() == [("writer", at(WRITE)), ("reader", at(WRITE + DISC + 2 * MS))]
    assert bench.part("reader", Phase.WRITE_WAIT) == at(WRITE + DISC - 11 * MS)
    assert bench.cache.write_waits == 1
    assert bench.counted() == (1, 0, 0)  # all its bytes were resident


def test_who_writes_what_is_being_posted_waits_for_the_post(bench: Bench) -> None:
    bench.writes(1024, 512, "one")
    bench.writes(1024, 512, "other", when=10 * MS)
    assert bench.run() == [("one", at(WRITE)), ("other", at(WRITE + DISC))]
    assert bench.part("other", Phase.WRITE_WAIT) == at(WRITE + DISC - 17 * MS)
    assert (bench.cache.write_waits, bench.cache.stops) == (1, 1)


def test_a_write_into_an_arriving_domain_waits_until_it_is_there(bench: Bench) -> None:
    bench.reads(0, 1024, "reader")
    bench.writes(1024, 512, "writer", when=6 * MS)
    assert bench.run()[0] == ("writer", at(5 * MS + DISC))
    assert bench.cache.stops == 2


@pytest.mark.parametrize(("mode", "written", "on_the_medium"), [
    (WRITE_BEHIND, (WRITE, 2 * WRITE), 2 * WRITE + DISC),
    (SERIAL, (WRITE, 2 * WRITE), WRITE + 2 * DISC),
    (BLOCKING, (WRITE + DISC, 2 * WRITE + DISC), 2 * WRITE + DISC),
    (WriteMode(block=True, serial=True), (WRITE + DISC, WRITE + 2 * DISC), WRITE + 2 * DISC),
], ids=["behind", "serial", "block on write", "block on write, serial"])  # fmt: skip
def test_what_a_writer_waits_for_is_up_to_the_mode(
    env: simpy.Environment, mode: WriteMode, written: tuple[float, float], on_the_medium: float,
) -> None:
    """Two discs: the second writer's CPU comes after the first one's, and each disc is free."""
    bench = Bench(env, settings=replace(SETTINGS, mode=mode))
    other_drive, other = bench.disc()
    bench.writes(0, 512, "one")
    bench.writes(0, 512, "other", cache=other)
    assert bench.run() == [("one", at(written[0])), ("other", at(written[1]))]
    assert at(env.now) == at(on_the_medium)
    assert other_drive.counts.reading(env.now)["completed"] == 1


def test_who_wants_it_on_the_medium_waits_for_that(bench: Bench) -> None:
    """And for the drive, if that has a buffer of its own."""
    flushed: list[Span] = []
    bench.drive.flush = lambda span: iter(flushed.append(span) or ())  # type: ignore[method-assign, func-returns-value]
    bench.writes(0, 512, "writer", durable=True)
    assert bench.run() == [("writer", at(WRITE + DISC))]
    assert bench.part("writer", Phase.WRITE_WAIT) == 25.0
    assert (bench.cache.stops, flushed) == (1, [Span(0, 512)])


def test_who_wants_it_on_the_medium_waits_for_his_own_bytes_alone(bench: Bench) -> None:
    """Others of the same file are being posted all the while, as on a drive that serves the nearest first."""
    elsewhere = Domain(8192, 8704, 512)
    bench.cache._posted.enter([elsewhere])
    bench.writes(0, 512, "writer", durable=True)
    bench.env.run()
    assert bench.log == [("writer", at(WRITE + DISC))]
    assert bench.part("writer", Phase.WRITE_WAIT) == 25.0
    bench.cache._posted.leave([elsewhere])


def test_who_wants_it_on_the_medium_waits_for_a_post_that_has_not_begun(env: simpy.Environment) -> None:
    bench = Bench(env, settings=replace(SETTINGS, mode=SERIAL))
    _, other = bench.disc()
    bench.writes(0, 512, "first", cache=other)
    bench.writes(0, 512, "durable", durable=True)
    assert bench.run() == [("first", at(WRITE)), ("durable", at(WRITE + 2 * DISC))]


def test_under_block_on_write_a_reader_waits_for_the_medium_too(env: simpy.Environment) -> None:
    bench = Bench(env, settings=replace(SETTINGS, mode=BLOCKING))
    bench.writes(1024, 512, "writer")
    bench.reads(1024, 256, "reader", when=10 * MS)
    assert bench.run() == [("writer", at(WRITE + DISC)), ("reader", at(WRITE + DISC + 2 * MS))]
    assert bench.cache.write_waits == 1


def test_a_write_is_a_hit_where_all_of_its_place_is_in_memory(bench: Bench) -> None:
    for number, (first, hits) in enumerate([(0, 0), (0, 1), (256, 1), (512, 1), (0, 2)]):
        bench.writes(first, 512, f"{number}")
        bench.env.run(until=number + 1)
        assert bench.cache.write_hits == hits, (number, first)
    assert bench.cache.writes == 5


def test_a_write_wait_is_counted_once_an_access(bench: Bench) -> None:
    """A reader of two domains that are being posted waits twice and is one who waited."""
    bench.writes(0, 256, "one")
    bench.writes(256, 256, "other")
    bench.reads(0, 512, "reader", when=20 * MS)
    bench.run()
    assert bench.cache.write_waits == 1
    assert bench.part("reader", Phase.WRITE_WAIT) > 0


def test_a_domain_that_went_while_a_writer_waited_is_made_anew(env: simpy.Environment) -> None:
    """Else the next fetch might read around the post. The write needs 4 KB and 1 KB more; the 4 KB go for the 1 KB."""
    bench = Bench(env, memory=4096)
    bench.reads(0, 1024, "reader")
    bench.writes(3072, 2048, "writer", when=1.0)
    bench.run()
    assert bench.places() == [(3072, 5120)]
    assert bench.drive.counts.reading(env.now)["writes"] == 1


def test_who_waited_for_a_post_has_waited_though_another_domain_went_meanwhile(env: simpy.Environment) -> None:
    """He waits for the post of the second until 32 ms; a fetch takes the place of the first, and he begins anew."""
    bench = Bench(env, memory=8192)
    bench.reads(0, 1024, "first")
    bench.writes(4096, 512, "second", when=1.0)
    bench.writes(3584, 1024, "both", when=1.0 + 10 * MS)
    bench.reads(8192, 1024, "fetch", when=1.0 + 18 * MS)
    assert ("both", at(1.0 + WRITE + DISC + 1 * MS)) in bench.run()
    assert (bench.cache.write_waits, bench.places()) == (1, [(3584, 4608), (8192, 12288)])


def test_a_domain_has_one_post_at_a_time(bench: Bench) -> None:
    """The writer of both domains settles the first; while he waits for the second somebody writes into the first."""
    bench.writes(0, 256, "first")  # on the disc at 32 ms
    bench.writes(256, 256, "second", when=25 * MS)  # on the disc at 57 ms
    bench.writes(0, 512, "both", when=26 * MS)
    bench.writes(0, 256, "between", when=33 * MS)  # posted at 40 ms, on the disc at 82 ms
    done = dict(bench.run())
    assert done["both"] == at(82 * MS)
    assert bench.drive.counts.reading(bench.env.now)["writes"] == 4


def test_who_is_stopped_pays_for_that_and_who_hits_does_not(env: simpy.Environment) -> None:
    bench = Bench(env, costs=replace(COSTS, stop=0.5 * MS, read_call=0.25 * MS, write_call=0.125 * MS))
    bench.reads(0, 1024, "miss")
    bench.reads(0, 1024, "late", when=10 * MS)
    bench.reads(0, 1024, "hit", when=1.0)
    bench.writes(0, 1024, "write", when=2.0)
    bench.reads(0, 1024, "posted", when=2.01)
    bench.writes(0, 1024, "durable", when=3.0, durable=True)
    bench.reads(4096, 1024, "miss", when=4.0)
    bench.reads(3072, 2048, "both", when=5.0)
    bench.run()
    spent = {who: bench.part(who, Phase.CACHE) for who in bench.accounts}
    assert spent == {"both": 3.0, "miss": 15.0, "late": 3.5, "hit": 3.0, "write": 7.0, "posted": 3.5, "durable": 7.5}
    calls = {who: bench.part(who, Phase.CPU) for who in bench.accounts}  # the system call is the program's own
    assert calls == {**dict.fromkeys(calls, 0.25), "miss": 0.5, "write": 0.125, "durable": 0.125}


# Flush --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("flushed", "last", "left"), [
    (True, Hint.SEQUENTIAL, [(4 * KIB, 8 * KIB)]),
    (True, Hint.NONE, [(0, 4 * KIB), (4 * KIB, 8 * KIB)]),  # somebody else has read the end of it
    (False, Hint.SEQUENTIAL, [(0, 4 * KIB), (4 * KIB, 8 * KIB)]),
])  # fmt: skip
def test_a_domain_that_was_read_through_in_order_is_flushed(
    env: simpy.Environment, flushed: bool, last: Hint, left: list[tuple[int, int]]
) -> None:
    """After its last byte, and not after the last but one."""
    bench = Bench(env, settings=CacheSettings(4 * KIB, 4 * KIB, flushed=flushed))
    bench.reads(0, 4 * KIB - 1, "reader", hint=Hint.SEQUENTIAL)
    bench.reads(4 * KIB, 4 * KIB, "at random", when=1.0)  # read through as well, but not in order
    bench.reads(4 * KIB - 1, 1, "reader", when=2.0, hint=last)
    bench.run()
    assert bench.places() == left


def test_what_somebody_else_still_reads_is_not_flushed(bench: Bench) -> None:
    bench.reads(0, KIB, "reader", within=Span(0, KIB), hint=Hint.SEQUENTIAL)
    bench.reads(0, KIB, "late", when=10 * MS, within=Span(0, KIB))
    assert bench.run() == [("reader", at(MISS)), ("late", at(MISS + 2 * MS))]
    assert bench.counted() == (0, 1, 1)
    assert bench.places() == [(0, KIB)]


def test_what_is_being_posted_is_not_flushed(bench: Bench) -> None:
    bench.reads(0, KIB, "reader", within=Span(0, 2 * KIB), hint=Hint.SEQUENTIAL)
    bench.reads(KIB, KIB, "reader", when=1.0, within=Span(0, 2 * KIB), hint=Hint.SEQUENTIAL)
    bench.writes(0, KIB, "writer", when=0.999)
    bench.run()
    assert bench.places() == [(0, 2 * KIB)]  # the writer came between the reader's look and his copy


# Data at risk -------------------------------------------------------------------------------------


def test_at_risk_is_what_is_acknowledged_and_not_on_the_medium(bench: Bench) -> None:
    bench.writes(0, 512, "one")  # acknowledged at 7 ms, on the disc at 32
    bench.writes(1024, 256, "other", when=10 * MS)  # acknowledged at 17 ms, on the disc at 57
    losses = {}
    for instant in (6, 8, 31, 33, 58):
        bench.env.run(until=instant * MS)
        losses[instant] = [(loss.bytes, at(loss.since)) for loss in bench.cache.at_risk.losses(1)]
    assert losses == {6: [], 8: [(512, 7.0)], 31: [(512, 7.0), (256, 17.0)], 33: [(256, 17.0)], 58: []}
    bench.run()
    assert bench.cache.reading()["at_risk_byte_seconds"] == pytest.approx(512 * 25 * MS + 256 * 40 * MS)


def test_what_a_later_write_on_the_medium_has_overtaken_is_out_of_order(env: simpy.Environment) -> None:
    posts = UnwrittenPosts(env)
    for number in range(3):
        env.run(until=number + 1)
        posts.acknowledge(number, 512)
    assert [loss.overtaken for loss in posts.losses(1, posts.newest)] == [False] * 3
    posts.on_medium(1)
    assert [(loss.since, loss.overtaken) for loss in posts.losses(1, posts.newest)] == [(1, True), (3, False)]
    posts.on_medium("a write that waited for the medium")
    posts.on_medium(0)
    assert posts.newest == 2, "one that was acknowledged before changes nothing"
    posts.acknowledge("beside it", 256)
    posts.on_medium(2)
    assert [loss.overtaken for loss in posts.losses(1, posts.newest)] == [False], "of one instant neither is later"


@pytest.mark.parametrize("durable", [True, False], ids=["durable", "block on write"])
def test_who_waits_for_the_medium_puts_nothing_at_risk(env: simpy.Environment, durable: bool) -> None:
    bench = Bench(env, settings=replace(SETTINGS, mode=WRITE_BEHIND if durable else BLOCKING))
    bench.writes(0, 512, "writer", durable=durable)
    env.run(until=10 * MS)
    assert (bench.cache._posted._domains != {}, bench.cache.at_risk.losses(1)) == (True, [])
    bench.run()
    assert bench.cache.reading()["at_risk_byte_seconds"] == 0.0


def test_what_is_resident_is_integrated_over_time(bench: Bench) -> None:
    bench.reads(0, 1024, "reader")  # room at 5 ms
    bench.run()
    bench.env.run(until=105 * MS)
    reading, levels = bench.cache.reading(), bench.cache.levels()
    assert reading["domain_seconds"] == pytest.approx(0.1)
    assert reading["byte_seconds"] == pytest.approx(4096 * 0.1)
    assert reading["overhead_byte_seconds"] == pytest.approx(3072 * 0.1)
    assert levels == {"resident_domains": 1, "resident_bytes": 4096, "resident_overhead_bytes": 3072,
                      "at_risk_bytes": 0}  # fmt: skip
    bench.cache.discard(FILE)
    assert bench.cache.levels() == dict.fromkeys(levels, 0)


def test_flush_waits_for_posts_into_its_span_and_no_others(bench: Bench) -> None:
    bench.writes(0, 512, "near")
    bench.writes(8192, 512, "far")
    flushed = {}

    def flush(span: Span) -> Wait:
        yield pause(bench.env, 2 * WRITE + 1 * MS)
        yield from bench.cache.flush(span)
        flushed[span.first] = at(bench.env.now)

    for first, length in ((0, 1024), (511, 1), (512, 1024), (4096, 1024), (7168, 1024), (7169, 1024), (8192, 1024)):
        bench.env.process(flush(Span(first, length)))
    bench.run()
    at_once = at(2 * WRITE + 1 * MS)
    near, far = at(WRITE + DISC), at(WRITE + 2 * DISC)
    assert flushed == {0: near, 511: near, 512: at_once, 4096: at_once, 7168: at_once, 7169: far, 8192: far}


# Memory -------------------------------------------------------------------------------------------


def test_a_new_domain_takes_the_place_of_the_least_recently_used(env: simpy.Environment) -> None:
    bench = Bench(env, memory=3 * 4096)
    for number, first in enumerate((0, 8192, 16384)):
        bench.reads(first, 1024, f"{first}", when=float(number))
    bench.reads(0, 1024, "used again", when=4.0)
    bench.reads(32768, 1024, "new", when=5.0)
    bench.run()
    assert [first for first, _ in bench.places()] == [0, 16384, 32768]
    assert bench.memory.used_bytes == 3 * 4096


def test_a_read_of_part_of_a_domain_is_a_use_of_it(env: simpy.Environment) -> None:
    bench = Bench(env, memory=3 * 4096)
    for number, first in enumerate((0, 8192, 16384)):
        bench.reads(first, 1024, f"{first}", when=float(number))
    bench.reads(3072, 2048, "over its end", when=4.0)
    bench.run()
    assert [first for first, _ in bench.places()] == [0, 4096, 16384]


def test_a_domain_that_is_read_or_posted_cannot_go(env: simpy.Environment) -> None:
    bench = Bench(env, memory=4096)
    bench.writes(0, 4096, "writer")
    bench.reads(8192, 1024, "reader", when=1 * MS)
    assert bench.run() == [("writer", at(WRITE)), ("reader", at(WRITE + DISC + DISC + 2 * MS))]
    assert bench.part("reader", Phase.MEMORY) == at(WRITE + DISC - 12 * MS)
    assert bench.places() == [(8192, 12288)]


def test_a_read_larger_than_memory_is_refused_by_nobody_when_it_comes_in_pieces(env: simpy.Environment) -> None:
    """Two domains that do not fit together: each has been here, none is held while room is wanted."""
    bench = Bench(env, memory=4096)
    bench.reads(0, 4096, "small")
    bench.reads(2048, 4096, "large", when=1.0)
    assert [who for who, _ in bench.run()] == ["small", "large"]
    assert bench.counted() == (0, 0, 2)


def test_discard_leaves_what_is_being_posted_and_what_is_on_its_way(bench: Bench) -> None:
    """The write is in its domain after 7 ms, and on the disc after 25 more; the read has its domain after 12 and 25."""
    bench.writes(0, 512, "writer")
    bench.reads(8192, 512, "reader")
    bench.env.run(20 * MS)
    places = bench.places()
    assert len(places) == 2
    bench.cache.discard(FILE)
    assert bench.places() == places
    bench.run()
    bench.cache.discard(FILE)
    assert bench.places() == []


def test_discard_forgets_what_is_at_rest_within_the_span(bench: Bench) -> None:
    bench.reads(0, 1024, "reader")
    bench.reads(8192, 1024, "reader", when=1.0)
    bench.run()
    bench.cache.discard(Span(0, 8192 + 1024))
    assert bench.places() == [(8192, 12288)]
    assert bench.memory.used_bytes == 4096


def test_start_is_a_read_that_others_may_join(bench: Bench) -> None:
    access = bench.access(Op.READ, 0, 1024, "starter", FILE, Hint.NONE, False)
    request = bench.cache.start(access)
    done = []

    def join() -> Wait:
        yield pause(bench.env, 10 * MS)
        yield request
        done.append(at(bench.env.now))
        request.charge(bench.accounts["starter"], 10 * MS)

    bench.env.process(join())
    bench.run()
    assert done == [at(MISS)]
    assert request.ledger.name == f"cache of {bench.drive.name}"
    assert bench.accounts["starter"].total() == pytest.approx(MISS - 10 * MS)


def test_readings_only_grow_and_are_all_counters(bench: Bench) -> None:
    def readings() -> Iterator[dict[str, float]]:
        for step in range(60):
            bench.env.run(until=(step + 1) * 3 * MS)
            yield bench.cache.reading()

    for number in range(8):
        bench.reads(number * 2048, 1024, f"reader {number}", when=number * 9 * MS)
        bench.writes(number * 2048, 1024, f"writer {number}", when=number * 13 * MS)
    before = dict.fromkeys(bench.cache.reading(), 0.0)
    for reading in readings():
        assert all(reading[name] >= before[name] for name in before)
        before = reading
    assert before["hits"] + before["late_hits"] + before["misses"] == 8
    assert before["writes"] == 8


def test_the_counters_of_a_few_accesses(bench: Bench) -> None:
    """A miss, one who is late for it and a hit; a write into its domain, who reads that post, and one beside it."""
    bench.reads(0, 1024, "miss")
    bench.reads(0, 1024, "late", when=10 * MS)
    bench.reads(0, 1024, "hit", when=1.0)
    bench.writes(0, 1024, "write", when=2.0)
    bench.reads(0, 1024, "posted", when=2.01)
    bench.writes(8192, 512, "beside", when=3.0)
    bench.run()
    counted = {name: value for name, value in bench.cache.reading().items() if not name.endswith("_seconds")}
    assert counted == {
        "hits": 2, "late_hits": 1, "misses": 1, "writes": 2, "write_hits": 1, "fetches": 1, "fetched_bytes": 4096,
        "stops": 3, "write_waits": 1,
    }  # fmt: skip
    assert bench.stopped.ever == 3
    bench.cache.check()
    bench.cache.late_hits += 1
    with pytest.raises(LawBroken, match="cache of drive: 2 hits, 2 late hits and 1 misses of 4 requests"):
        bench.cache.check()


# The disc without caching -------------------------------------------------------------------------


def test_a_plain_disc_costs_the_initiation_and_the_access(env: simpy.Environment) -> None:
    drive = Drive(env, FixedService(DISC, capacity=1024 * KIB))
    cpu = NotingCpu(env)
    disc = PlainDisc(drive, cpu, 4 * MS, 2)
    account, log = Account("somebody"), []

    def work() -> Wait:
        yield from disc.read(Access(Op.READ, FILE, FILE, None, Hint.NONE, False, account))
        log.append(at(env.now))
        yield from disc.write(Access(Op.WRITE, FILE, FILE, None, Hint.NONE, False, account))
        log.append(at(env.now))

    env.process(work())
    env.run()
    assert log == [29.0, 58.0]
    assert (at(account.seconds[Phase.CPU]), at(account.seconds[Phase.OVERHEAD])) == (8.0, 50.0)
    assert cpu.asked == [(2, Phase.CPU)] * 2


def test_what_is_in_use_is_not_cleared_away(bench: Bench) -> None:
    """Two domains of 4 KB, of which somebody still copies the first; what begins behind a span is not in it."""
    for first in (0, 4 * KIB):
        bench.reads(first, 4 * KIB, "anna")
    bench.run()
    one, other = bench.domains()
    assert (bench.cache.fetches, bench.cache.fetched_bytes) == (2, 8 * KIB)
    bench.memory.pin(one)
    bench.cache._clear(Span(0, 4 * KIB))
    assert bench.domains() == [one, other]
    bench.cache._clear(Span(4 * KIB - 1, 2))
    assert bench.domains() == [one]
    bench.memory.unpin(one)
    bench.cache._clear(Span(0, 1))
    assert bench.domains() == []
