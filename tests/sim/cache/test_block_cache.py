"""Tests the block cache by hand: hits, misses, joined fetches, writes, discards, read-ahead, caches above caches."""

import pytest
import simpy

from spindle.sim.cache.block_cache import BlockCache, CpuOverhead, FetchSize, Sequential
from spindle.sim.cache.write_policy import CacheWriteBack
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.parts import parts_on
from spindle.sim.request import Access, Hint, Op, Span, ledger_of, wait_for
from tests.sim.cache.rig import EXTENT, Logged, Make, Rig


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


def test_what_arrives_before_what_is_here_makes_a_late_hit(make: Make, log: list[object]) -> None:
    rig = make()
    rig.read("second", 0, 100, 100)
    rig.read("first", 2, 0, 100)
    rig.read("both", 2.5, 0, 200)
    assert rig.counts() == (0, 1, 2)
    assert log[-1] == (3, "both")


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


def test_what_is_discarded_on_its_way_is_brought_again_for_a_writer(make: Make, log: list[object]) -> None:
    rig = make(writing=CacheWriteBack(1000.0, 1e9, 1000, 1000))
    rig.read("reader", 0, 0, 100)
    rig.write("a part", 0.25, 50, 10)
    rig.env.timeout(0.5).callbacks.append(lambda _: rig.cache.discard(Span(0, 100)))
    rig.env.run(10)
    assert rig.drive.asked == [(0, "read", 0, 100), (1, "read", 0, 100)]
    assert log == [(1, "reader"), (2, "a part")]
    assert rig.cache.blocks.dirty == {0: 2}


def test_bytes_are_copied_before_they_are_passed_on(make: Make, env: simpy.Environment, log: list[object]) -> None:
    rig = make(overhead=CpuOverhead(FcfsCpu(env), 0.5, 0.0))
    rig.write("writer", 0, 0, 100)
    assert rig.counts() == (0, 0, 0)
    assert (rig.drive.asked, log) == ([(0.5, "write", 0, 100)], [(1.5, "writer")])
    assert parts_on(env)[-1] is rig.cache, "every run checks its laws"
    for op in Op:
        request = rig.cache.start(Access(op, Span(0, 100), EXTENT, None, Hint.NONE, False, Account("")))
        assert ledger_of(request).name == f"cache {op.value}"


def test_only_dirty_blocks_are_cleaned_and_none_goes_meanwhile(make: Make, log: list[object]) -> None:
    rig = make(blocks=2, writing=CacheWriteBack(1000.0, 1e9, 1000, 1000))
    rig.write("dirty", 0, 0, 100)
    rig.read("clean", 1, 100, 100)
    account = Account("cleaner")
    rig.env.timeout(5).callbacks.append(lambda _: rig.env.process(rig.cache.clean([1, 0, 7], account)))
    rig.read("two others", 5.25, 500, 200)
    rig.env.run(10)
    assert rig.drive.asked[1:] == [(5, "write", 0, 100), (6, "read", 500, 200)]
    assert (log[2:], account.total()) == ([(7, "two others")], 1.0)
    assert {access.account.name for access in rig.drive.accesses} == {"cache background"}
    assert rig.drive.accesses[1][:-1] == (Op.WRITE, Span(0, 100), Span(0, 100), None, Hint.NONE, False)


def test_who_joins_a_writer_that_waits_for_room_has_the_block_when_it_is_there(make: Make, log: list[object]) -> None:
    rig = make(blocks=1, writing=CacheWriteBack(1000.0, 1e9, 1000, 1000))
    rig.write("dirty", 0, 0, 100)
    rig.write("writer", 1, 100, 100)
    rig.read("reader", 1.5, 100, 100)
    rig.env.run(10)
    assert log == [(0, "dirty"), (2, "writer"), (2, "reader")]
    assert rig.cache._writing_out == {}


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


def test_fetch_size_brings_neighbours_up_to_what_is_here(make: Make, log: list[object]) -> None:
    rig = make(read_ahead=FetchSize(400, 800))
    rig.read("d", 0, 300, 50)
    rig.read("a", 5, 0, 50)
    rig.read("b and c", 10, 100, 200)
    rig.read("near the end", 15, 900, 50, within=Span(0, 960))
    rig.read("from the middle of a block on", 20, 1250, 10)
    assert rig.counts() == (1, 0, 4)
    assert rig.drive.asked == [
        (0, "read", 300, 400), (5, "read", 0, 300), (15, "read", 900, 60), (20, "read", 1200, 500)]  # fmt: skip
    assert rig.cache.reading()["fetches"] == 4


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
