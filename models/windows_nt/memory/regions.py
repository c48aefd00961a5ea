"""A Memory, as any cache may ask for one, in page frames: regions of whole pages that are trimmed like all others."""

from collections.abc import Hashable, Sequence

from models.windows_nt.memory.memory_manager import MemoryManager
from models.windows_nt.memory.page import PAGE, Section
from models.windows_nt.memory.working_set import WorkingSet
from sim.account import Account
from sim.clock import Wait
from sim.eviction.policy import Traffic
from sim.memory import Owner
from sim.request import BlockDevice, Span


class Region(Section):
    """A region of so many pages that its *owner* alone can write. Where one page is lost, all of it is."""

    def __init__(self, key: Hashable, owner: Owner, count: int, lost: "Regions") -> None:
        super().__init__(str(key), Span(0, count * PAGE))
        self.key = key
        self.owner = owner
        self.pins = 1
        self._lost = lost

    def write(self, device: BlockDevice, first: int, count: int, account: Account) -> Wait:
        yield from self.owner.surrender(self.key) or ()

    def unsafe(self) -> bool:
        return self.owner.surrender(self.key) is not None

    def lose(self, number: int) -> None:
        super().lose(number)
        self._lost.forget(self)


class Regions:
    """Regions live in *holder*, a working set, and while they are pinned also in another that is never trimmed.

    Which region goes is up to the memory manager: there is no policy to choose, and none hears what accesses took.
    """

    weighs = False

    def __init__(self, memory: MemoryManager, holder: WorkingSet) -> None:
        self._memory = memory
        self._set = holder
        self._pinned = memory.working_set(f"{holder.name}, pinned", memory.frames, holder.favour)
        self._regions: dict[Hashable, Region] = {}
        self.capacity = memory.frames * PAGE

    def __contains__(self, key: Hashable) -> bool:
        return key in self._regions

    def sections(self) -> list[Region]:
        """All regions that there are."""
        return list(self._regions.values())

    def claim(self, owner: Owner, key: Hashable, size: int, account: Account) -> Wait:
        return self.claim_all(owner, (key,), size, account)

    def claim_all(self, owner: Owner, keys: Sequence[Hashable], size: int, account: Account) -> Wait:
        yield from self.take(owner, keys, size, account) or ()

    def take(self, owner: Owner, keys: Sequence[Hashable], size: int, account: Account) -> Wait | None:
        """Enter regions, pinned once, at once or after the wait that is the value."""
        pages = -(-size // PAGE)
        if not 0 < pages * len(keys) <= self._memory.frames:
            raise ValueError(f"{len(keys)} regions of {size!r} bytes do not fit {self._memory.frames} pages")
        if not self._has_room(pages * len(keys)):
            return self._take_after(owner, keys, pages, account)
        for key in keys:
            self._enter(owner, key, pages)
        return None

    def _take_after(self, owner: Owner, keys: Sequence[Hashable], pages: int, account: Account) -> Wait:
        while not self._has_room(pages * len(keys)):
            yield from self._memory.wait_for_room(account)
        for key in keys:
            self._enter(owner, key, pages)

    def _has_room(self, pages: int) -> bool:
        """Whether so many frames can be had, if need be for regions that nobody has pinned."""
        memory = self._memory
        while memory.lists.available + len(memory.lists.modified) < pages and len(self._set):
            memory.remove(self._set, self._set.oldest())
        return memory.lists.available >= pages

    def _enter(self, owner: Owner, key: Hashable, pages: int) -> None:
        if key in self._regions:
            raise ValueError(f"region {key!r} is in memory already")
        region = self._regions[key] = Region(key, owner, pages, self)
        self._memory.populate(self._pinned, region, range(pages), dirty=False)

    def touch(self, key: Hashable) -> None:
        """Soft faults are counted, but cost nobody time: whoever owns the region says what a hit takes."""
        for page in self._regions[key].pages.values():
            if page not in self._set.pages:
                self._memory.recover(self._set, page)

    def accessed(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic) -> None:
        """Nothing: no policy would like to know."""

    def pin(self, key: Hashable) -> None:
        region = self._regions[key]
        region.pins += 1
        if region.pins == 1:
            self.touch(key)
            for page in region.pages.values():
                self._memory.enter(self._pinned, page)

    def unpin(self, key: Hashable) -> None:
        region = self._regions[key]
        region.pins -= 1
        if not region.pins:
            for page in list(region.pages.values()):
                if page not in self._set.pages:
                    self._memory.enter(self._set, page)
                self._memory.remove(self._pinned, page)
            self._memory.make_known()

    def release(self, key: Hashable) -> None:
        """Its owner no longer wants region *key*, pinned or not."""
        self._give_up(self._regions.pop(key))

    def forget(self, region: Region) -> None:
        """The memory manager has taken a page of *region*."""
        del self._regions[region.key]
        self._give_up(region)
        region.owner.forget(region.key)

    def _give_up(self, region: Region) -> None:
        for page in list(region.pages.values()):
            for each in (self._set, self._pinned):
                if each.pages.pop(page, self) is not self:
                    page.users -= 1
            self._memory.lists.delete(page)
        self._memory.make_known()
