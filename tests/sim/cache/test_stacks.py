"""Caches above and beside one another: what would wait for its own room is refused when it is built, the rest works."""

import pytest
import simpy

from spindle.sim.account import Account
from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.cache.write_policy import CacheWriteBack, FreePosts, Posts, SerialPosts, WriteBehind, WritePolicy
from spindle.sim.clock import Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import BlockDevice, Op, access

OWN_ROOM = "^memory of cache upper: room in it would wait for room in itself"
OWN_POSTS = "^serial posts: one of them would wait for room that others hold until it is done"


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


@pytest.mark.parametrize("between", [0, 1])
def test_a_serial_queue_at_two_levels_is_refused(env: simpy.Environment, between: int) -> None:
    """A post of the upper cache waits for room that posts behind it hold, or for one of them if it is durable."""
    posts = SerialPosts(env)
    below: BlockDevice = cache(env, drive(env), memory(env), WriteBehind(posts))
    for _ in range(between):
        below = cache(env, below, memory(env), back())
    with pytest.raises(UserError, match=OWN_POSTS):
        cache(env, below, memory(env), WriteBehind(posts))


@pytest.mark.parametrize("upper_first", [True, False])
def test_a_serial_queue_whose_posts_need_the_room_that_others_of_them_hold_is_refused(
    env: simpy.Environment, upper_first: bool
) -> None:
    """The two caches lie side by side, but what is below the one shares the other's memory."""
    posts, shared = SerialPosts(env), memory(env)
    lower = cache(env, drive(env), shared, back(), "lower")
    builds = [lambda: cache(env, lower, memory(env), WriteBehind(posts), "above"),
              lambda: cache(env, drive(env), shared, WriteBehind(posts), "beside")]
    first, then = builds if upper_first else reversed(builds)
    first()
    with pytest.raises(UserError, match=OWN_POSTS):
        then()


@pytest.mark.parametrize("kind", [FreePosts, SerialPosts])
def test_posts_through_two_levels_reach_the_disc(env: simpy.Environment, kind: type[FreePosts]) -> None:
    """With a queue for each level, whatever is smaller: three writes, the last of them durable."""
    queues: list[Posts] = [kind(env), kind(env)]
    disc = drive(env)
    lower = cache(env, disc, memory(env, 1), WriteBehind(queues[0]), "lower")
    upper = cache(env, lower, memory(env, 2), WriteBehind(queues[1]), "upper")
    done = []

    def writer() -> Wait:
        for first in (0, 100, 200):
            each = access(Op.WRITE, first, 100, Account("writer"))
            yield from upper.write(each._replace(durable=first == 200))
        done.append(env.now)

    env.process(writer())
    env.run()
    assert done == [3]
    assert disc.counts.writes == 3
    assert [posts.stalled() for posts in queues] == [0, 0]


@pytest.mark.parametrize("kind", [FreePosts, SerialPosts])
def test_posts_that_are_under_way_are_not_stalled(env: simpy.Environment, kind: type[FreePosts]) -> None:
    posts = kind(env)
    posts.post(drive(env), access(Op.WRITE, 0, 100, Account("post")), lambda: None)
    assert posts.stalled() == 0


def test_posts_that_wait_for_none_are_stalled(env: simpy.Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    posts, disc = SerialPosts(env), drive(env)
    for _ in range(3):
        posts.post(disc, access(Op.WRITE, 0, 100, Account("post")), lambda: None)
    env.run(0.5)
    assert posts.stalled() == 0
    monkeypatch.setattr(posts, "_next", lambda: None)  # the fault that is looked for: who is done wakes none
    env.run()
    assert (posts.stalled(), disc.counts.writes) == (2, 1)
