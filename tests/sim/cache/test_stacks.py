"""Tests caches above and beside one another: a cache that would wait for its own room is refused when it is built."""

import pytest
import simpy

from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.cache.write_policy import CacheWriteBack, WritePolicy
from spindle.sim.clock import Account, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import BlockDevice, Op, access

OWN_ROOM = "^memory of cache upper: room in it would wait for room in itself"


def memory(env: simpy.Environment, blocks: int = 4) -> SharedMemory:
    return SharedMemory(env, 100 * blocks, Lru())


def drive(env: simpy.Environment) -> Drive:
    return Drive(env, FixedService(1.0, capacity=10_000))


def cache(
    env: simpy.Environment, below: BlockDevice, room: SharedMemory, writing: WritePolicy | None = None,
    name: str = "cache",
) -> BlockCache:  # fmt: skip
    return BlockCache(env, below, 100, room, writing=writing, name=name)


def back() -> CacheWriteBack:
    return CacheWriteBack(5.0, 5.0, 1000, 1000)


@pytest.mark.parametrize("between", [0, 1])
def test_caches_stacked_in_one_memory_are_refused(env: simpy.Environment, between: int) -> None:
    room = memory(env)
    below = cache(env, drive(env), room, back())
    for _ in range(between):
        below = cache(env, below, memory(env))
    with pytest.raises(UserError, match=OWN_ROOM):
        cache(env, below, room, back(), "upper")


def test_two_stacks_in_two_memories_the_other_way_round_are_refused(env: simpy.Environment) -> None:
    one, other = memory(env), memory(env)
    cache(env, cache(env, drive(env), one), other)
    lower = cache(env, drive(env), other, name="lower")
    with pytest.raises(UserError, match=OWN_ROOM):
        cache(env, lower, one, name="upper")


def test_a_name_that_another_cache_in_the_same_memory_has_is_refused(env: simpy.Environment) -> None:
    room = memory(env)
    cache(env, drive(env), room, name="data")
    with pytest.raises(UserError, match="two caches in it are called data"):
        cache(env, drive(env), room, name="data")


def test_caches_side_by_side_may_share_a_memory(env: simpy.Environment, log: list[object]) -> None:
    room = memory(env, 3)
    caches = [cache(env, drive(env), room, back(), name) for name in ("one", "other")]

    def user(number: int) -> Wait:
        for first in (0, 100, 200, 0):
            yield from caches[number].write(access(Op.WRITE, first, 100, Account("user")))
            log.append((env.now, number, first))

    env.process(user(0))
    env.process(user(1))
    env.run(30)
    # There is room for three blocks: the other's blocks of the same numbers wait a second each for who must go.
    assert log == [
        (0, 0, 0), (0, 0, 100), (0, 0, 200), (0, 0, 0), (1, 1, 0), (2, 1, 100), (3, 1, 200), (3, 1, 0),
    ]
    assert [each.written_back for each in caches] == [3, 3]
