"""Tests a flash tier by hand: the drive takes a second for each request, and flash a tenth."""

import pytest
import simpy

from spindle.sim.cache.flash_tier import FlashPlaces, FlashTier
from spindle.sim.cache.write_policy import CacheWriteBack, WritePolicy
from spindle.sim.clock import Account, Phase
from spindle.sim.request import Span
from tests.sim.cache.rig import Logged, Rig

NEVER = 1e9
LAZY = CacheWriteBack(NEVER, NEVER, 10_000, 10_000)


class TierRig(Rig):
    """A tier of *blocks* blocks of 100 bytes."""

    def __init__(
        self, env: simpy.Environment, log: list[object], blocks: int = 10, writing: WritePolicy | None = None
    ) -> None:
        super().__init__(env, log, blocks)
        self.memory.stack._names.clear()  # the cache of the rig is not used
        self.flash = Logged(env, 0.1)
        self.cache = FlashTier(env, self.drive, FlashPlaces(self.flash, 100, blocks), self.memory, writing)

    def counts(self) -> tuple[float, float, float]:
        self.env.run(100.0)  # the daemon of a write-back has no end
        assert self.memory._pins == {}
        reading = self.cache.reading()
        return reading["hits"], reading["late_hits"], reading["misses"]


def test_a_miss_goes_to_flash_in_the_background_and_a_hit_is_read_from_it(
    env: simpy.Environment, log: list[object]
) -> None:
    rig = TierRig(env, log)
    rig.read("miss", 0, 300, 100)
    hit = rig.read("hit", 2, 300, 50)
    assert rig.counts() == (1, 0, 1)
    assert {access.account.name for access in rig.flash.accesses} == {"flash tier background"}
    assert log == [(1, "miss"), (2.1, "hit")]
    assert rig.drive.asked == [(0, "read", 300, 100)]
    assert rig.flash.asked == [(1, "write", 0, 100), (2, "read", 0, 100)]
    assert hit.seconds[Phase.OVERHEAD] == pytest.approx(0.1)


def test_who_joins_a_fetch_reads_from_flash_behind_its_write(env: simpy.Environment, log: list[object]) -> None:
    rig = TierRig(env, log)
    rig.read("first", 0, 0, 100)
    rig.read("joins", 0.5, 0, 100)
    assert rig.counts() == (0, 1, 1)
    assert log == [(1, "first"), (1.2, "joins")]


def test_neighbours_on_flash_are_one_request(env: simpy.Environment, log: list[object]) -> None:
    rig = TierRig(env, log)
    rig.read("apart", 0, 500, 100)
    rig.read("two", 2, 0, 200)
    rig.read("all", 4, 0, 200)
    rig.read("half", 6, 500, 200)
    rig.counts()
    assert rig.flash.asked == [(1, "write", 0, 100), (3, "write", 100, 200), (4, "read", 100, 200),
                               (7, "read", 0, 100), (7, "write", 300, 100)]  # fmt: skip


def test_written_through_takes_the_longer_of_both(env: simpy.Environment, log: list[object]) -> None:
    rig = TierRig(env, log)
    account = rig.write("writer", 0, 200, 100)
    assert rig.counts() == (0, 0, 0)
    assert log == [(1, "writer")]
    assert (rig.drive.asked, rig.flash.asked) == ([(0, "write", 200, 100)], [(0, "write", 0, 100)])
    assert account.total() == pytest.approx(1.0)


def test_slow_flash_is_waited_for(env: simpy.Environment, log: list[object]) -> None:
    rig = TierRig(env, log)
    rig.cache._places.flash = Logged(env, 3.0)
    rig.write("writer", 0, 200, 100)
    rig.counts()
    assert log == [(3, "writer")]


def test_written_back_takes_the_time_of_flash(env: simpy.Environment, log: list[object]) -> None:
    rig = TierRig(env, log, writing=LAZY)
    rig.write("writer", 0, 200, 100)
    rig.counts()
    assert log == [(0.1, "writer")]
    assert (rig.drive.asked, rig.flash.asked) == ([], [(0, "write", 0, 100)])


def test_a_dirty_victim_is_read_from_flash_and_written_below(env: simpy.Environment, log: list[object]) -> None:
    rig = TierRig(env, log, blocks=1, writing=LAZY)
    rig.write("writer", 0, 200, 100)
    rig.read("reader", 1, 500, 100)
    rig.counts()
    assert log == [(0.1, "writer"), (3.1, "reader")]
    assert rig.flash.asked == [(0, "write", 0, 100), (1, "read", 0, 100), (3.1, "write", 0, 100)]
    assert rig.drive.asked == [(1.1, "write", 200, 100), (2.1, "read", 500, 100)]
    assert rig.cache.reading()["written_back"] == 1


@pytest.mark.parametrize("discarded", [False, True])
def test_a_block_is_written_below_once_and_not_if_it_is_discarded_while_it_is_read(
    env: simpy.Environment, log: list[object], discarded: bool
) -> None:
    """Two clean it at once, and one of them finds it clean when it has been read."""
    rig = TierRig(env, log, writing=LAZY)
    rig.write("writer", 0, 200, 100)
    for _ in range(2):
        env.timeout(1).callbacks.append(lambda _: env.process(rig.cache.clean([2], Account("cleaner"))))
    if discarded:
        env.timeout(1.05).callbacks.append(lambda _: rig.cache.discard(Span(200, 100)))
    rig.counts()
    assert rig.flash.asked[1:] == [(1, "read", 0, 100), (1, "read", 0, 100)]
    assert rig.drive.asked == ([] if discarded else [(1.1, "write", 200, 100)])
    assert (rig.cache.reading()["written_back"], rig.cache.blocks.dirty) == (not discarded, {})
    assert {access.account.name for access in rig.flash.accesses} == {"flash tier background"}


def test_a_dirty_victim_that_lies_not_yet_on_flash_is_not_read_from_it(
    env: simpy.Environment, log: list[object]
) -> None:
    rig = TierRig(env, log, blocks=1, writing=LAZY)
    rig.write("two", 0, 0, 200)
    rig.counts()
    assert rig.drive.asked == [(0, "write", 0, 100)]
    assert rig.flash.asked == [(1, "write", 0, 100)]


@pytest.mark.parametrize("write", [False, True])
def test_of_an_access_larger_than_the_tier_the_last_block_is_kept(
    env: simpy.Environment, log: list[object], write: bool
) -> None:
    """There is room for one block of two: the first has gone for the second before it could lie on flash."""
    rig = TierRig(env, log, blocks=1)
    (rig.write if write else rig.read)("two", 0, 0, 200)
    rig.read("last", 50, 100, 100)
    assert rig.counts() == (1, 0, not write)
    assert [(op, first, length) for _, op, first, length in rig.flash.asked] == [("write", 0, 100), ("read", 0, 100)]


def test_places_are_new_while_there_are_any_and_then_those_freed_first(env: simpy.Environment) -> None:
    flash = Logged(env)
    places = FlashPlaces(flash, 25_000, 4)
    assert [places.place(key) for key in "abca"] == [0, 1, 2, 0]
    places.free("b")
    places.free("nobody")
    assert places.place("d") == 3
    places.free("a")
    assert [places.place(key) for key in "ef"] == [1, 0]
    assert "a" not in places
    assert "f" in places


def test_two_tiers_share_a_drive(env: simpy.Environment, log: list[object]) -> None:
    rig = TierRig(env, log)
    other = FlashTier(env, Logged(env), rig.cache._places, rig.memory, name="another")
    rig.read("one", 0, 0, 100)
    rig.read("two", 2, 0, 100)
    rig.env.run(1.5)
    rig.cache = other
    rig.env.run(10.0)
    assert rig.flash.asked == [(1, "write", 0, 100), (3, "write", 100, 100)]


def test_neighbours_are_found_whatever_the_order_in_which_they_came(env: simpy.Environment, log: list[object]) -> None:
    rig = TierRig(env, log)
    rig.read("second", 0, 100, 100)
    rig.read("first", 2, 0, 100)
    rig.read("both", 4, 0, 200)
    rig.counts()
    assert rig.flash.asked[2:] == [(4, "read", 0, 200)]
