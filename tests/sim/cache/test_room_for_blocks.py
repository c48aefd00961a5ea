"""Tests room for blocks by hand: waits for room, accesses larger than memory, victims, and calls of policies."""

from collections.abc import Callable, Hashable, Sequence

import pytest
import simpy

from spindle.sim.cache.block_cache import BlockCache, Sequential
from spindle.sim.cache.write_policy import CacheWriteBack
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import Traffic
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Access, Hint, Op, Span
from tests.sim.cache.rig import EXTENT, Logged, Make, Rig


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


def test_read_ahead_waits_for_room_at_nobodys_cost(make: Make, log: list[object]) -> None:
    """Memory holds one block: what lies ahead is fetched when the reader's own block is here and may go."""
    rig = make(blocks=1, read_ahead=Sequential(window=100, after=0))
    account = rig.read("reader", 0, 0, 100)
    assert rig.counts() == (0, 0, 1)
    assert rig.drive.asked == [(0, "read", 0, 100), (1, "read", 100, 100)]
    assert (log, account.seconds[Phase.MEMORY]) == ([(1, "reader")], 0)


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

    def weigh(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
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
