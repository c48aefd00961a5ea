"""The block cache by hand: blocks of 100 bytes above a drive that takes a second for whatever it is asked."""

from collections.abc import Callable, Hashable, Sequence

import pytest
import simpy

from sim.account import Account, Phase
from sim.cache.block_cache import BlockCache
from sim.cache.overhead import CpuOverhead
from sim.cache.read_ahead import FetchSize, Sequential
from sim.cache.write_policy import CacheWriteBack
from sim.clock import Wait
from sim.cpu import FcfsCpu
from sim.disc.drive import Drive
from sim.disc.virtual import FixedService
from sim.eviction.arc import Arc
from sim.eviction.clock import Clock
from sim.eviction.lru import Lru
from sim.eviction.policy import Traffic
from sim.memory import SharedMemory
from sim.request import Access, BlockDevice, Hint, Op, Request, Span, wait_for

EXTENT = Span(0, 100_000)


class Logged(Drive):
    """A drive that writes down what it is asked."""

    def __init__(self, env: simpy.Environment, seconds: float = 1.0) -> None:
        super().__init__(env, FixedService(seconds, capacity=EXTENT.end))
        self.asked: list[tuple[float, str, int, int]] = []
        self.accesses: list[Access] = []
        self.discarded: list[Span] = []

    def start(self, access: Access) -> Request:
        self.asked.append((round(self.env.now, 6), access.op.value, *access.span))
        self.accesses.append(access)
        return super().start(access)

    def discard(self, span: Span) -> None:
        self.discarded.append(span)


class Rig:
    """A cache of so many *blocks*, and processes that use it at given times."""

    def __init__(
        self, env: simpy.Environment, log: list[object], blocks: int = 10, below: BlockDevice | None = None,
        **parts: object,
    ) -> None:
        self.env = env
        self.log = log
        self.drive = Logged(env)
        self.memory = SharedMemory(env, blocks * 100, Lru())
        self.cache = BlockCache(env, below or self.drive, 100, self.memory, **parts)  # type: ignore[arg-type]

    def use(self, who: str, at: float, op: Op, first: int, length: int, within: Span = EXTENT,
            hint: Hint = Hint.NONE, durable: bool = False) -> Account:
        account = Account(who)

        def process() -> Wait:
            yield self.env.timeout(at)
            access = Access(op, Span(first, length), within, "file", hint, durable, account)
            yield from self.cache.read(access) if op is Op.READ else self.cache.write(access)
            assert account.total() == pytest.approx(self.env.now - at), "charged is not elapsed"
            self.log.append((round(self.env.now, 6), who))

        self.env.process(process())
        return account

    def read(self, who: str, at: float, first: int, length: int, **others: object) -> Account:
        return self.use(who, at, Op.READ, first, length, **others)  # type: ignore[arg-type]

    def write(self, who: str, at: float, first: int, length: int, **others: object) -> Account:
        return self.use(who, at, Op.WRITE, first, length, **others)  # type: ignore[arg-type]

    def counts(self) -> tuple[float, float, float]:
        """Hits, late hits, misses; nothing is pinned when all is over, and memory holds what the cache says."""
        self.env.run()
        assert self.memory._pins == {}
        assert self.memory.used <= self.memory.capacity
        assert self.memory.used == 100 * len(self.cache.blocks._entries)
        reading = self.cache.reading()
        return reading["hits"], reading["late_hits"], reading["misses"]


Make = Callable[..., Rig]


@pytest.fixture
def make(env: simpy.Environment, log: list[object]) -> Make:
    return lambda **parts: Rig(env, log, **parts)


def test_a_miss_then_a_hit(make: Make, log: list[object]) -> None:
    rig = make()
    rig.read("miss", 0, 150, 100)
    rig.read("hit", 2, 100, 200)
    assert rig.counts() == (1, 0, 1)
    assert log == [(1, "miss"), (2, "hit")]
    assert rig.drive.asked == [(0, "read", 100, 200)]


def test_the_first_byte_of_a_block_brings_the_block(make: Make) -> None:
    rig = make()
    rig.read("reader", 0, 0, 101)
    assert rig.counts() == (0, 0, 1)
    assert rig.drive.asked == [(0, "read", 0, 200)]


def test_accesses_and_fetches_are_counted_as_they_come(make: Make) -> None:
    rig = make()
    for when, first in enumerate((0, 200, 0)):
        rig.read("reader", 2 * when, first, 100)
        rig.write("writer", 2 * when, first, 100)
    assert rig.counts() == (1, 0, 2)
    assert (rig.cache.reads, rig.cache.reading()["writes"], rig.cache.reading()["fetches"]) == (3, 3, 2)


def test_a_fetch_is_no_durable_access_and_nobodys_but_the_caches(make: Make) -> None:
    rig = make(name="upper")
    rig.write("a part of a block", 0, 0, 50, durable=True)
    rig.counts()
    fetch, write = rig.drive.accesses
    assert (fetch.op, fetch.durable, fetch.account.name) == (Op.READ, False, "upper background")
    assert (write.op, write.durable, write.account.name) == (Op.WRITE, True, "a part of a block")


def test_a_late_hit_joins(make: Make, log: list[object]) -> None:
    rig = make()
    rig.read("first", 0, 0, 100)
    account = rig.read("joins", 0.75, 0, 50)
    assert rig.counts() == (0, 1, 1)
    assert log == [(1, "first"), (1, "joins")]
    assert account.seconds[Phase.OVERHEAD] == pytest.approx(0.25)
    assert len(rig.drive.asked) == 1


def test_partly_at_rest_partly_arriving_partly_absent(make: Make, log: list[object]) -> None:
    rig = make()
    rig.read("a", 0, 0, 100)
    rig.read("b", 2, 100, 100)
    rig.read("rest and arriving", 2.5, 0, 200)
    rig.read("all three", 2.75, 0, 300)
    assert rig.counts() == (0, 1, 3)
    assert log == [(1, "a"), (3, "b"), (3, "rest and arriving"), (4, "all three")]
    assert rig.drive.asked == [(0, "read", 0, 100), (2, "read", 100, 100), (2.75, "read", 200, 100)]


def test_absent_on_both_sides_of_what_is_here(make: Make, log: list[object]) -> None:
    rig = make()
    rig.read("middle", 0, 200, 100)
    rig.read("all", 2, 0, 500)
    assert rig.counts() == (0, 0, 2)
    assert rig.drive.asked[1:] == [(2, "read", 0, 200), (2, "read", 300, 200)]
    assert log[1] == (4, "all")


def test_hit_or_miss_is_told_when_it_is_asked(make: Make, log: list[object]) -> None:
    """Asked for while it is at rest: a hit, though it is gone when the CPU gets round to copying."""
    env = simpy.Environment()
    cpu = FcfsCpu(env)
    rig = Rig(env, log, blocks=1, overhead=CpuOverhead(cpu, 0.25, 0.0))
    rig.read("a", 0, 0, 100)
    rig.read("hit", 2, 0, 100)
    rig.read("other", 2.125, 100, 100)
    assert rig.counts() == (1, 0, 2)
    # other waits for the block that is being copied, from 2.125 to 2.25, then for the disc and the CPU
    assert log == [(1.25, "a"), (2.25, "hit"), (3.5, "other")]


def test_nobody_fetches_twice_while_room_is_made(make: Make, log: list[object]) -> None:
    rig = make(blocks=1, writing=CacheWriteBack(1000.0, 1e9, 100, 100))
    rig.write("dirty", 0, 0, 100)
    first = rig.read("first", 1, 100, 100)
    joins = rig.read("joins", 1.5, 100, 100)
    rig.env.run(20)
    assert log == [(0, "dirty"), (3, "first"), (3, "joins")]
    assert rig.drive.asked == [(1, "write", 0, 100), (2, "read", 100, 100)]
    for account, room in ((first, 1.0), (joins, 0.5)):
        assert (account.seconds[Phase.MEMORY], account.seconds[Phase.OVERHEAD]) == (room, 1.0)
    assert rig.cache.late_hits == 1


def test_a_whole_write_needs_no_fetch_and_a_partial_one_does(make: Make, log: list[object]) -> None:
    rig = make()
    rig.write("whole", 0, 0, 200)
    rig.write("partial", 10, 350, 100)
    assert rig.counts() == (0, 0, 0)
    assert rig.drive.asked == [
        (0, "write", 0, 200),
        (10, "read", 300, 100), (11, "read", 400, 100), (12, "write", 350, 100),
    ]
    assert log == [(1, "whole"), (13, "partial")]


def test_a_write_to_the_end_of_its_extent_is_whole(make: Make) -> None:
    rig = make()
    rig.write("end", 0, 300, 50, within=Span(0, 350))
    rig.counts()
    assert rig.drive.asked == [(0, "write", 300, 50)]


def test_a_write_into_an_arriving_block_waits(make: Make, log: list[object]) -> None:
    rig = make()
    rig.read("reads", 0, 0, 200)
    account = rig.write("writes", 0.5, 0, 100)
    assert rig.counts() == (0, 0, 1)
    assert log == [(1, "reads"), (2, "writes")]
    assert account.seconds[Phase.OVERHEAD] == 1.5
    assert rig.drive.asked[1] == (1, "write", 0, 100)


def test_discard_at_rest_and_on_the_way(make: Make, log: list[object]) -> None:
    rig = make()
    rig.read("a", 0, 0, 100)
    rig.read("b", 2, 100, 100)
    rig.env.timeout(2.5).callbacks.append(lambda _: rig.cache.discard(Span(0, 200)))
    rig.read("joins what is to be forgotten", 2.75, 100, 100)
    rig.read("a again", 4, 0, 100)
    rig.read("b again", 6, 100, 100)
    assert rig.counts() == (0, 1, 4)
    assert [when for when, _ in log] == [1, 3, 3, 5, 7]  # type: ignore[misc]


def test_discard_of_what_is_being_copied(make: Make, log: list[object]) -> None:
    env = simpy.Environment()
    rig = Rig(env, log, overhead=CpuOverhead(FcfsCpu(env), 0.5, 0.0))
    rig.read("a", 0, 0, 100)
    env.timeout(1.25).callbacks.append(lambda _: rig.cache.discard(Span(0, 100)))
    rig.read("again", 1.3, 0, 100)
    assert rig.counts() == (0, 0, 2)
    assert log == [(1.5, "a"), (2.8, "again")]


def test_a_discard_is_passed_on(make: Make) -> None:
    rig = make()
    rig.cache.discard(Span(50, 300))
    assert rig.drive.discarded == [Span(50, 300)]


def test_a_discarded_dirty_block_is_never_written(make: Make) -> None:
    rig = make(writing=CacheWriteBack(5.0, 0.0, 1000, 1000))
    rig.write("a", 0, 0, 300)
    rig.env.timeout(1).callbacks.append(lambda _: rig.cache.discard(Span(0, 250)))
    rig.env.run(20)
    assert rig.drive.asked == [(5, "write", 200, 100)]


def test_an_access_larger_than_memory(make: Make, log: list[object]) -> None:
    rig = make(blocks=3)
    rig.read("large", 0, 0, 1000)
    rig.write("write", 20, 0, 1000)
    assert rig.counts() == (0, 0, 1)
    assert log == [(4, "large"), (21, "write")]
    reads = [(first, length) for _, op, first, length in rig.drive.asked if op == "read"]
    assert reads == [(0, 300), (300, 300), (600, 300), (900, 100)]


def test_two_who_need_more_than_half_of_memory_each(make: Make, log: list[object]) -> None:
    """Each run is claimed in one go, and nobody holds what he has while he waits for more."""
    rig = make(blocks=4)
    for who, first in (("a", 0), ("b", 10_000), ("c", 20_000)):
        rig.read(who, 0, first, 300)
        rig.write(f"{who} writes", 0.25, first + 50, 300)
    rig.counts()
    assert len(log) == 6


def test_who_holds_one_block_and_waits_for_another(make: Make, log: list[object]) -> None:
    """Two blocks of room: each has one at rest and needs the other's."""
    rig = make(blocks=2)
    rig.read("x", 0, 0, 100)
    rig.read("y", 0, 500, 100)
    rig.read("x and more", 5, 0, 200)
    rig.read("y and more", 5, 500, 200)
    rig.counts()
    assert len(log) == 4


def test_fetch_size_brings_neighbours_up_to_what_is_here(make: Make, log: list[object]) -> None:
    rig = make(read_ahead=FetchSize(400, 800))
    rig.read("d", 0, 300, 50)
    rig.read("a", 5, 0, 50)
    rig.read("b and c", 10, 100, 200)
    rig.read("near the end", 15, 900, 50, within=Span(0, 1000))
    assert rig.counts() == (1, 0, 3)
    assert rig.drive.asked == [(0, "read", 300, 400), (5, "read", 0, 300), (15, "read", 900, 100)]


def test_read_ahead_is_begun_without_waiting_and_joined(make: Make, log: list[object]) -> None:
    rig = make(read_ahead=Sequential(200))
    for number, at in enumerate((0, 1.5, 3.0)):
        rig.read(f"block {number}", at, number * 100, 100)
    account = rig.read("block 3", 3.25, 300, 100)
    assert rig.counts() == (0, 2, 2)
    # 0 at 1; 1 at 2.5, and with it 2 and 3 are asked for
    assert log == [(1, "block 0"), (2.5, "block 1"), (3.5, "block 2"), (3.5, "block 3")]
    assert account.seconds[Phase.OVERHEAD] == 0.25
    assert rig.drive.asked == [
        (0, "read", 0, 100), (1.5, "read", 100, 100), (1.5, "read", 200, 200), (3.0, "read", 400, 100),
        (3.25, "read", 500, 100),
    ]
    assert rig.cache.fetched_ahead == 4


def test_read_ahead_waits_for_room_at_nobodys_cost(make: Make, log: list[object]) -> None:
    """Memory holds one block: what lies ahead is fetched when the reader's own block is here and may go."""
    rig = make(blocks=1, read_ahead=Sequential(window=100, after=0))
    account = rig.read("reader", 0, 0, 100)
    assert rig.counts() == (0, 0, 1)
    assert rig.drive.asked == [(0, "read", 0, 100), (1, "read", 100, 100)]
    assert (log, account.seconds[Phase.MEMORY]) == ([(1, "reader")], 0)


def test_start_is_joined_by_others(make: Make, env: simpy.Environment, log: list[object]) -> None:
    rig = make(overhead=CpuOverhead(FcfsCpu(env), 0.5, 0.0))
    started = []

    def begin() -> Wait:
        yield env.timeout(1)
        access = Access(Op.READ, Span(0, 100), EXTENT, None, Hint.NONE, False, Account("nobody"))
        started.append(rig.cache.start(access))

    def join() -> Wait:
        yield env.timeout(1.75)
        account = Account("join")
        yield from wait_for(started[0], account)
        log.append((env.now, account.seconds[Phase.OVERHEAD], account.seconds[Phase.CACHE], account.total()))

    env.process(begin())
    env.process(join())
    rig.read("other", 2.25, 0, 100)
    rig.counts()
    # the disc until 2, the CPU until 2.5; then other copies too
    assert log == [(2.5, 0.25, 0.5, 0.75), (3, "other")]


def test_stacked_caches(make: Make, env: simpy.Environment, log: list[object]) -> None:
    lower = BlockCache(env, Logged(env), 200, SharedMemory(env, 2000, Lru()), name="lower")
    rig = make(below=lower, blocks=2)
    rig.read("miss in both", 0, 0, 100)
    rig.read("miss above, hit below", 2, 100, 100)
    rig.read("push out", 4, 200, 100)
    rig.read("below again", 6, 0, 100)
    account = rig.read("joins a fetch of both", 6, 600, 100)
    joins = rig.read("joins", 6.5, 600, 50)
    assert rig.counts() == (0, 1, 5)
    assert (lower.hits, lower.late_hits, lower.misses) == (2, 0, 3)
    assert log == [
        (1, "miss in both"), (2, "miss above, hit below"), (5, "push out"), (6, "below again"),
        (7, "joins a fetch of both"), (7, "joins"),
    ]
    assert (account.seconds[Phase.OVERHEAD], joins.seconds[Phase.OVERHEAD]) == (1.0, 0.5)


@pytest.mark.parametrize("policy", [Lru, Clock, lambda: Arc(3)])
def test_any_policy(env: simpy.Environment, log: list[object], policy: Callable[[], Lru]) -> None:
    rig = Rig(env, log)
    rig.memory = SharedMemory(env, 300, policy(), uniform=100)
    rig.cache = BlockCache(env, rig.drive, 100, rig.memory)
    for number in range(40):
        rig.read(f"r{number}", number % 7, number * 37 % 11 * 100, 100 + 50 * (number % 4))
    rig.counts()
    assert len(log) == 40


def test_the_least_recently_used_block_goes(make: Make) -> None:
    rig = make(blocks=2)
    for at, block in enumerate((0, 1, 0, 2, 0, 1)):
        rig.read(f"{block}", 2 * at, block * 100, 100)
    assert rig.counts() == (2, 0, 4)
    assert [first for _, _, first, _ in rig.drive.asked] == [0, 100, 200, 100]


class Weigher(Lru):
    """LRU that writes down what accesses cost."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[object] = []

    def accessed(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
        self.told.append(([key[1] for key in keys if isinstance(key, tuple)], round(seconds, 6), traffic.value))


def test_a_policy_that_weighs_accesses_hears_what_each_took_without_its_queue(env: simpy.Environment) -> None:
    policy = Weigher()
    memory, writing = SharedMemory(env, 1000, policy), CacheWriteBack(1000.0, 1e9, 1000, 1000)
    cache = BlockCache(env, Logged(env), 100, memory, writing=writing)

    def read(first: int, length: int) -> Wait:
        yield from cache.read(Access(Op.READ, Span(first, length), EXTENT, "file", Hint.NONE, False, Account("a")))

    def write(first: int, length: int) -> Wait:
        yield env.timeout(10.0)
        yield from cache.write(Access(Op.WRITE, Span(first, length), EXTENT, "file", Hint.NONE, False, Account("b")))
        yield from cache.flush(Span(0, 1000))

    for work in (read(0, 250), read(500, 10), write(100, 200)):
        env.process(work)
    env.run(60.0)
    assert policy.told == [([0, 1, 2], 1.0, "fetch"), ([5], 1.0, "fetch"), ([1, 2], 1.0, "write-back")]
