"""A cache of another system in Windows NT's page frames: regions are claimed, pinned, trimmed, surrendered and lost."""

from collections.abc import Hashable
from typing import cast

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from models.windows_nt.identities import check_frames
from models.windows_nt.memory.memory_manager import MemoryManager
from models.windows_nt.memory.page import PAGE
from models.windows_nt.memory.page_writer import PageWriter
from models.windows_nt.memory.regions import Regions
from models.windows_nt.parameters import Parameters
from sim.account import Account, Phase
from sim.cache.block_cache import BlockCache
from sim.cache.write_policy import WriteBack
from sim.clock import Wait
from sim.cpu import PreemptiveCpu
from sim.disc.drive import Drive
from sim.disc.virtual import FixedService
from sim.measure.stuck import advance
from sim.memory import Memory, SharedMemory
from sim.request import Op, access

DISC = 0.010
FREE = Parameters(paging_call=0.0, clean_page=0.0, local_pages=0, trim_below=0, trim_goal=0)


class Owner:
    """Keeps regions, some of which take a second to write."""

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self.dirty: set[Hashable] = set()
        self.lost: list[Hashable] = []

    def surrender(self, key: Hashable) -> Wait | None:
        return self._write(key) if key in self.dirty else None

    def _write(self, key: Hashable) -> Wait:
        yield self._env.timeout(1.0)
        self.dirty.discard(key)

    def forget(self, key: Hashable) -> None:
        self.lost.append(key)


class Rig:
    def __init__(self, frames: int) -> None:
        self.env = simpy.Environment()
        self.drive = Drive(self.env, FixedService(DISC))
        self.manager = MemoryManager(self.env, self.drive, frames, FREE)
        self.holder = self.manager.working_set("regions", 0, 0)
        self.regions = Regions(self.manager, self.holder)
        self.writer = PageWriter(self.env, PreemptiveCpu(self.env), self.manager, FREE)
        self.owner = Owner(self.env)
        self.account = Account("somebody")

    def claim(self, key: Hashable, size: int = PAGE) -> float:
        """Claim and unpin; the seconds that it took."""
        began = self.env.now
        self.env.run(self.env.process(self.regions.claim(self.owner, key, size, self.account)))
        self.regions.unpin(key)
        return float(self.env.now) - began


def test_it_is_a_memory() -> None:
    memory: Memory = Rig(4).regions
    assert memory.capacity == 4 * PAGE


def test_a_region_takes_whole_pages() -> None:
    rig = Rig(4)
    rig.claim("a", PAGE + 1)
    assert len(rig.holder) == 2
    assert rig.manager.lists.available == 2


def test_the_oldest_goes_where_there_is_no_room() -> None:
    rig = Rig(3)
    waited = [rig.claim(key) for key in "abcd"]
    assert waited == [0.0] * 4
    assert rig.owner.lost == ["a"]
    assert "a" not in rig.regions
    assert [key for key in "abcd" if key in rig.regions] == ["b", "c", "d"]


def test_a_region_is_lost_as_a_whole() -> None:
    rig = Rig(4)
    rig.claim("a", 3 * PAGE)
    rig.claim("b", 2 * PAGE)
    assert rig.owner.lost == ["a"]
    assert rig.manager.lists.available == 2


def test_what_was_trimmed_comes_back_by_touching_it() -> None:
    rig = Rig(3)
    for key in "ab":
        rig.claim(key)
    rig.manager.remove(rig.holder, rig.holder.oldest())
    assert len(rig.manager.lists.standby) == 1
    rig.regions.touch("a")
    assert rig.holder.soft_faults == 1
    for key in "cd":
        rig.claim(key)
    assert rig.owner.lost == ["b"], "a has been used since"


def test_a_dirty_region_is_written_by_its_owner_before_it_is_lost() -> None:
    rig = Rig(2)
    rig.claim("a")
    rig.owner.dirty.add("a")
    rig.claim("b")
    assert rig.claim("c") == pytest.approx(1.0)
    assert rig.owner.lost == ["a"]
    assert rig.account.seconds[Phase.MEMORY] == pytest.approx(1.0)
    assert rig.drive.reading()["issued"] == 0, "the page writer does not know where it belongs"


def test_what_is_pinned_stays() -> None:
    rig = Rig(2)
    rig.claim("a")
    rig.regions.pin("a")
    rig.claim("b")
    rig.claim("c")
    assert rig.owner.lost == ["b"]
    claim = rig.env.process(rig.regions.claim_all(rig.owner, ["d", "e"], PAGE, rig.account))
    rig.env.run(rig.env.now + 1.0)
    assert claim.is_alive, "there are not two frames as long as one is pinned"
    rig.regions.unpin("a")
    rig.env.run(claim)
    assert rig.owner.lost == ["b", "c", "a"]


def test_a_region_that_is_released_is_free_at_once() -> None:
    rig = Rig(2)
    rig.claim("a", 2 * PAGE)
    rig.regions.release("a")
    assert (rig.manager.lists.free, rig.owner.lost, len(rig.holder)) == (2, [], 0)


def test_mistakes_of_a_caller() -> None:
    rig = Rig(2)
    rig.claim("a")
    with pytest.raises(ValueError, match="already"):
        rig.claim("a")
    with pytest.raises(ValueError, match="do not fit"):
        rig.claim("b", 3 * PAGE)


@given(st.lists(st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.integers(1, 3)), max_size=8), min_size=3,
                max_size=3))
def test_a_block_cache_lives_in_page_frames(plans: list[list[tuple[bool, int, int]]]) -> None:
    """Three processes read and write ten blocks through a cache of five frames; no frame and no byte is lost."""
    rig = Rig(5)
    memory = cast(SharedMemory, rig.regions)
    cache = BlockCache(rig.env, rig.drive, PAGE, memory, writing=WriteBack(0.05, 0.1, 2 * PAGE, 3 * PAGE))
    written = set()

    def process(plan: list[tuple[bool, int, int]]) -> Wait:
        for writes, first, count in plan:
            account = Account("process")
            asked = access(Op.WRITE if writes else Op.READ, first * PAGE, count * PAGE, account)
            yield from cache.write(asked) if writes else cache.read(asked)
            if writes:
                written.update(range(first, first + count))
            check_frames(rig.manager, rig.regions.sections())

    processes = [rig.env.process(process(plan)) for plan in plans]
    advance(rig.env, 30.0)
    assert not any(each.is_alive for each in processes), "somebody is stuck"
    assert not cache.blocks.dirty
    assert rig.drive.reading()["bytes_written"] >= len(written) * PAGE
