"""Tests write-through and write-back by hand, above a drive that takes a second for each request."""

from collections.abc import Callable, Sequence
from math import inf, nan

import pytest
import simpy

from spindle.sim.cache.block_cache import BlockCache, CpuOverhead, Overhead
from spindle.sim.cache.blocks import Entry
from spindle.sim.cache.flash_tier import FlashPlaces, FlashTier
from spindle.sim.cache.write_policy import Cached, CacheWriteBack, WritePolicy, WriteThrough
from spindle.sim.clock import Account, Daemon, Phase, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Access, Hint, Op, Request, Span

EXTENT = Span(0, 100_000)
NEVER = 1e9


class Logged(Drive):
    def __init__(self, env: simpy.Environment, seconds: float = 1.0) -> None:
        super().__init__(env, FixedService(seconds, capacity=EXTENT.end))
        self.asked: list[tuple[float, str, int, int]] = []
        self.accounts: list[str] = []

    def start(self, access: Access) -> Request:
        self.accounts.append(access.account.name)
        self.asked.append((round(self.env.now, 6), access.op.value, *access.span))
        return super().start(access)


class Rig:
    def __init__(
        self, env: simpy.Environment, writing: WritePolicy, blocks: int = 10, overhead: Overhead | None = None
    ) -> None:
        self.env = env
        self.log: list[tuple[float, str]] = []
        self.drive = Logged(env)
        self.memory = SharedMemory(env, 100 * blocks, Lru())
        self.cache = BlockCache(env, self.drive, 100, self.memory, writing=writing, overhead=overhead)

    def at(self, when: float, who: str, make: Callable[[Account], Wait]) -> Account:
        account = Account(who)

        def process() -> Wait:
            yield self.env.timeout(when)
            yield from make(account)
            self.log.append((round(self.env.now, 6), who))

        self.env.process(process())
        return account

    def write(self, when: float, who: str, first: int, length: int = 100, durable: bool = False) -> Account:
        span = Span(first, length)
        return self.at(when, who, lambda account: self.cache.write(
            Access(Op.WRITE, span, EXTENT, None, Hint.NONE, durable, account)
        ))

    def read(self, when: float, who: str, first: int, length: int = 100) -> Account:
        span = Span(first, length)
        return self.at(when, who, lambda account: self.cache.read(
            Access(Op.READ, span, EXTENT, None, Hint.NONE, False, account)
        ))

    def flush(self, when: float, who: str, first: int, length: int) -> None:
        self.at(when, who, lambda _: self.cache.flush(Span(first, length)))


def test_through(env: simpy.Environment) -> None:
    rig = Rig(env, WriteThrough())
    account = rig.write(0, "writer", 50, 100)
    rig.read(5, "reader", 100, 50)
    rig.flush(6, "flush", 0, 1000)
    env.run()
    assert rig.log == [(3, "writer"), (5, "reader"), (6, "flush")]
    assert rig.drive.asked == [(0, "read", 0, 100), (1, "read", 100, 100), (2, "write", 50, 100)]
    assert account.seconds[Phase.OVERHEAD] == 3


class Noting(WriteThrough):
    """A policy that notes the blocks that are passed on."""

    def __init__(self) -> None:
        self.passed_on: list[int] = []

    def propagate(self, cache: Cached, access: Access, entries: Sequence[Entry]) -> Wait:
        self.passed_on += [entry.block for entry in entries]
        return super().propagate(cache, access, entries)


@pytest.mark.parametrize("tier", [False, True])
def test_a_policy_is_told_the_blocks_that_are_passed_on(env: simpy.Environment, tier: bool) -> None:
    drive, memory, noting = Logged(env), SharedMemory(env, 1000, Lru()), Noting()
    cache = (FlashTier(env, drive, FlashPlaces(Logged(env), 100, 10), memory, noting) if tier
             else BlockCache(env, drive, 100, memory, writing=noting))  # fmt: skip
    env.run(cache.start(Access(Op.WRITE, Span(150, 200), EXTENT, None, Hint.NONE, False, Account("writer"))))
    assert noting.passed_on == [1, 2, 3]


def back(period: float = 5.0, expiry: float = NEVER, background: int = 10_000, limit: int = 10_000) -> CacheWriteBack:
    return CacheWriteBack(period, expiry, background, limit)


def test_back_nobody_waits_and_the_daemon_writes_what_is_old(env: simpy.Environment) -> None:
    rig = Rig(env, back(expiry=6.0))
    for when, first in ((0, 300), (1, 100), (3, 200), (4.5, 300)):
        rig.write(when, "writer", first)
    env.run(8)
    assert [when for when, _ in rig.log] == [0, 1, 3, 4.5]
    assert rig.drive.asked == []
    waiting = [callback.__self__ for *_, event in env._queue for callback in event.callbacks]
    assert [type(process) for process in waiting] == [Daemon], "that it goes on is no progress"
    env.run(30)
    # looks at 5 (nothing is 6 s old), at 10 (all are; 100 to 400 are neighbours), and so on
    assert rig.drive.asked == [(10, "write", 100, 300)]
    assert (rig.cache.written_back, dict(rig.cache.blocks.dirty)) == (3, {})


def test_back_a_block_is_written_when_it_is_just_as_old_as_it_may_be(env: simpy.Environment) -> None:
    rig = Rig(env, back(expiry=5.0))
    rig.write(0, "writer", 0)
    env.run(20)
    assert rig.drive.asked == [(5, "write", 0, 100)]


def test_back_a_block_ages_from_its_first_write(env: simpy.Environment) -> None:
    rig = Rig(env, back(period=1.0, expiry=4.5))
    for when in (0, 2, 4, 6):
        rig.write(when, "writer", 0)
    env.run(20)
    # dirty from 0, out at 5 (done at 6, before that second's write), dirty from 6 again, out at 11
    assert rig.drive.asked == [(5, "write", 0, 100), (11, "write", 0, 100)]


def test_back_the_daemon_writes_the_oldest_above_the_background_limit(env: simpy.Environment) -> None:
    rig = Rig(env, back(background=250))
    for when, block in enumerate((7, 1, 5, 3)):
        rig.write(when / 10, "writer", block * 100)
    env.run(20)
    assert rig.drive.asked == [(5, "write", 100, 100), (5, "write", 700, 100)]
    assert sorted(rig.cache.blocks.dirty) == [3, 5]


def test_back_a_writer_above_the_hard_limit_cleans_the_oldest(env: simpy.Environment) -> None:
    rig = Rig(env, back(background=200, limit=200))
    accounts = [rig.write(when, f"w{when}", when * 100) for when in (0, 1, 2)]
    account = rig.write(2.5, "again", 200)
    rig.write(2.75, "two blocks", 400, 200)
    env.run(20)
    # w2 has 0 written until 3, and then finds 2, 4 and 5 dirty: whoever wakes to too much cleans on
    assert rig.drive.asked == [(2, "write", 0, 100), (2.75, "write", 100, 100), (3, "write", 200, 100)]
    assert rig.log == [(0, "w0"), (1, "w1"), (2.5, "again"), (4, "two blocks"), (5, "w2")]
    assert [each.total() for each in accounts] == [0, 0, 3]
    assert account.total() == 0
    assert set(rig.drive.accounts) == {"cache background"}


def test_back_no_dirty_block_at_all(env: simpy.Environment) -> None:
    rig = Rig(env, back(background=0, limit=0))
    rig.write(0, "writer", 0, 300)
    rig.write(0.5, "other", 500)
    env.run(20)
    assert rig.log == [(3, "writer"), (4, "other")]
    assert sorted(asked[1:] for asked in rig.drive.asked) == [
        ("write", 0, 100), ("write", 100, 100), ("write", 200, 100), ("write", 500, 100),
    ]


def test_back_durable_waits_for_the_medium(env: simpy.Environment) -> None:
    rig = Rig(env, back())
    rig.write(0, "lazy", 0)
    account = rig.write(1, "durable", 100, durable=True)
    env.run(20)
    assert rig.log == [(0, "lazy"), (2, "durable")]
    assert (rig.drive.asked, account.seconds[Phase.WRITE_WAIT]) == ([(1, "write", 100, 100)], 1)
    assert list(rig.cache.blocks.dirty) == [0]


def test_back_flush_waits_for_what_is_being_written_already(env: simpy.Environment) -> None:
    rig = Rig(env, back(expiry=0.0))
    rig.write(0, "writer", 0, 200)
    rig.flush(5.25, "of what was never written", 200, 100)
    rig.flush(5.5, "flush", 100, 10)
    env.run(20)
    assert rig.drive.asked == [(5, "write", 0, 200)]
    assert rig.log == [(0, "writer"), (5.25, "of what was never written"), (6, "flush")]


def test_back_flush_through_two_caches_waits_for_the_medium(env: simpy.Environment) -> None:
    """The block is on its way from one cache to the other, whose CPU is slow: in neither of them is it dirty."""
    rig = Rig(env, back(expiry=0.0))
    lower = BlockCache(env, rig.drive, 100, SharedMemory(env, 1000, Lru()), name="lower",
                       writing=back(NEVER), overhead=CpuOverhead(FcfsCpu(env), 3.0, 0.0))
    rig.cache.below = lower
    rig.write(0, "writer", 0)
    rig.flush(6, "flush", 0, 100)
    env.run(20)
    assert rig.drive.asked == [(8, "write", 0, 100)]
    assert rig.log == [(0, "writer"), (9, "flush")]


def test_back_what_is_written_into_meanwhile_is_dirty_again(env: simpy.Environment) -> None:
    rig = Rig(env, back(expiry=0.0))
    rig.write(0, "writer", 0)
    rig.write(5.5, "meanwhile", 0)
    env.run(10)
    assert rig.drive.asked == [(5, "write", 0, 100)]
    assert rig.cache.blocks.dirty == {0: 5.5}
    env.run(20)
    assert rig.drive.asked[1:] == [(11, "write", 0, 100)]


def test_back_a_dirty_victim_written_into_stays(env: simpy.Environment) -> None:
    rig = Rig(env, back(period=NEVER), blocks=2)
    rig.write(0, "zero", 0)
    rig.write(1, "one", 100)
    rig.read(2, "reader", 500)
    rig.write(2.5, "zero again", 0)
    env.run(20)
    # block 0 is written from 2 to 3 and rescued; block 1 is written from 3 to 4 and goes
    assert rig.drive.asked == [(2, "write", 0, 100), (3, "write", 100, 100), (4, "read", 500, 100)]
    assert rig.log == [(0, "zero"), (1, "one"), (2.5, "zero again"), (5, "reader")]
    assert rig.cache.blocks.dirty == {0: 2.5}
    assert rig.memory.rescues == 1


def test_back_a_write_larger_than_memory_is_written_as_it_is_pushed_out(env: simpy.Environment) -> None:
    rig = Rig(env, back(period=NEVER), blocks=3)
    account = rig.write(0, "writer", 0, 500)
    env.run(20)
    assert rig.drive.asked == [(0, "write", 0, 100), (1, "write", 100, 100)]
    assert sorted(rig.cache.blocks.dirty) == [2, 3, 4]
    assert (rig.log, account.seconds[Phase.MEMORY]) == ([(2, "writer")], 2)


def test_back_a_clean_that_is_pinned_by_readers_ends(env: simpy.Environment) -> None:
    """All dirty blocks are being copied by slow readers, and being written already: nobody goes round in no time."""
    cpu = FcfsCpu(env)
    rig = Rig(env, back(period=1.0, expiry=0.0, background=0, limit=100), overhead=CpuOverhead(cpu, 0.5, 0.0))
    for number in range(5):
        rig.write(0, f"w{number}", number * 100)
        rig.read(0.1, f"r{number}", number * 100)
    env.run(60)
    assert len(rig.log) == 10
    assert rig.cache.blocks.dirty == {}
    assert rig.memory._pins == {}


def test_back_the_last_block_of_a_disc_is_written_as_far_as_the_disc_goes(env: simpy.Environment) -> None:
    """The disc has 1050 bytes, and block 10 is half on it."""
    disc = Drive(env, FixedService(1.0, capacity=1050))
    cache = BlockCache(env, disc, 100, SharedMemory(env, 1000, Lru()), writing=back())

    def writer() -> Wait:
        yield from cache.write(Access(Op.WRITE, Span(950, 100), Span(0, 1050), None, Hint.NONE, True, Account("")))

    env.process(writer())
    env.run(20)
    assert (disc.counts.bytes_read, disc.counts.bytes_written) == (100, 150)


@pytest.mark.parametrize(("background", "limit"), [(-1, 5), (6, 5), (0, -1)])
def test_limits_must_make_sense(background: int, limit: int) -> None:
    with pytest.raises(ValueError, match="must lie between 0 and the limit"):
        CacheWriteBack(1.0, 1.0, background, limit)


@pytest.mark.parametrize("period", [0.0, -1.0, nan, inf])
def test_the_daemon_needs_a_period(period: float) -> None:
    with pytest.raises(ValueError, match="period must be positive and finite"):
        CacheWriteBack(period, 1.0, 0, 0)
