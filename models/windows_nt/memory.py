"""Simulates the memory manager of Windows NT: soft and hard page faults, and pages that leave a working set."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import simpy

from spindle.models.windows_nt.caller import Caller
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.working_set import FileSection, Page, PageLists, WorkingSet
from spindle.sim.clock import Account, Gate, Phase, Wait
from spindle.sim.parts import LawBroken
from spindle.sim.request import READ, Access, BlockDevice, Hint, Request, wait_for


class MemoryManager:
    """Manager of *frames* page frames for all working sets, and of the lists of frames that are in none.

    A page that a working set loses stays where it is until its frame is needed, and comes back without the disc.
    """

    def __init__(self, env: simpy.Environment, disc: BlockDevice, frames: int, parameters: NtParameters) -> None:
        self._env = env
        self._disc = disc
        self._parameters = parameters
        self.lists = PageLists(frames)
        self.frames = frames
        self.sets: list[WorkingSet] = []
        self._room: Gate | None = None
        self.on_short: Callable[[], None] = lambda: None
        self.page_reads = self.pages_input = 0
        self.page_writes = self.pages_output = 0
        self.transition_faults = self.demand_zero_faults = 0

    def working_set(self, name: str, minimum: int, favour: int, maximum: int | None = None) -> WorkingSet:
        """Make a working set, empty."""
        made = WorkingSet(name, minimum, favour, maximum)
        made.share = self._parameters.trim_share
        self.sets.append(made)
        return made

    def touch(self, holder: WorkingSet, section: FileSection, number: int, write: bool = False) -> float | None:
        """Return the CPU seconds until *holder* has the page, 0 if it had; None where the disc must be waited for."""
        page = section.pages.get(number)
        if page is None or page.coming is not None:
            return None
        seconds = 0.0 if holder.uses(page) else self.recover(holder, page)
        if write:
            page.dirty = True
        return seconds

    def recover(self, holder: WorkingSet, page: Page) -> float:
        """Serve a soft fault: *page* is in memory but not in the working set. Return the CPU seconds."""
        holder.faults += 1
        holder.soft_faults += 1
        if not page.users:
            self.transition_faults += page.writing
            self.lists.return_from(page)
        self.enter(holder, page)
        return self._parameters.soft_fault

    def create(self, holder: WorkingSet, section: FileSection, number: int, caller: Caller) -> Wait:
        """Serve a demand zero fault: create a page that need not be read, as it is new or will be written whole."""
        while not self.lists.available:
            yield from self.wait_for_room(caller.account)
        if number in section.pages:
            return
        holder.faults += 1
        self.demand_zero_faults += 1
        zero = self.lists.take_zeroed()
        page = section.pages[number] = Page(section, number)
        page.dirty = True
        self.enter(holder, page)
        yield caller.burst(self._parameters.soft_fault + (self._parameters.zero_page if zero else 0.0))

    def populate(self, holder: WorkingSet, section: FileSection, numbers: Sequence[int], dirty: bool) -> None:
        """Enter pages that are in memory from the start, without faults or time."""
        for number in numbers:
            self.lists.take()
            page = section.pages[number] = Page(section, number)
            page.dirty = dirty
            self.enter(holder, page)

    def bring(self, holder: WorkingSet, section: FileSection, numbers: range, caller: Caller) -> Wait:
        """Wait until *holder* has had each of the pages, which are read in as few accesses as they allow.

        The value is true if it waited for anything.
        """
        number, waited = numbers.start, False
        while number < numbers.stop:
            page = section.pages.get(number)
            if page is None:
                waited = True
                yield caller.burst(self.fault_call(self.within_reach(section, number, numbers.stop - number)))
                request = self.fetch(holder, section, number, numbers.stop - number, caller)
                if request is not None:
                    yield from wait_for(request, caller.account)
                elif number not in section.pages:
                    yield from self.wait_for_room(caller.account)
            elif page.coming is not None:
                waited = True
                holder.faults += 1
                yield from wait_for(page.coming, caller.account)
            else:
                if not holder.uses(page):
                    yield caller.burst(self.recover(holder, page))
                number += 1
        return waited

    def fault_call(self, pages: int) -> float:
        """Return the CPU seconds of a hard fault that brings *pages* pages in one access."""
        return self._parameters.paging_call + pages * self._parameters.soft_fault

    def within_reach(self, section: FileSection, number: int, most: int) -> int:
        """Return how many absent pages from *number* on one access may bring: up to *most*, or a cluster."""
        return section.absent(number, min(most, self._parameters.cluster))

    def fetch(
        self, holder: WorkingSet, section: FileSection, number: int, most: int, caller: Caller
    ) -> Request | None:
        """Begin to read absent pages from *number* on for *holder* in one access; None if there are none."""
        count = min(self.within_reach(section, number, most), self.lists.available)
        if not count:
            return None
        pages = []
        for place in range(number, number + count):
            self.lists.take()
            page = section.pages[place] = Page(section, place)
            pages.append(page)
        access = Access(READ, section.span(number, count), section.extent, section, Hint.NONE, False, caller.account)
        request = self._disc.start(access)
        for page in pages:
            page.coming = request
        holder.faults += count
        request.callbacks.append(lambda _: self._finish_arrival(holder, pages))
        return request

    def _finish_arrival(self, holder: WorkingSet, pages: Sequence[Page]) -> None:
        self.page_reads += 1
        self.pages_input += len(pages)
        for page in pages:
            page.coming = None
            self.enter(holder, page)

    def enter(self, holder: WorkingSet, page: Page) -> None:
        """Add *page* to the working set of *holder*; if memory is short or the set is limited, in place of another."""
        page.users += 1
        holder.pages[page] = True
        size = len(holder.pages)
        if holder.maximum is not None:
            if size > holder.maximum:
                self._discard(holder, holder.oldest())
        elif size > holder.minimum and self.lists.available < self._parameters.local_pages:
            self.remove(holder, holder.oldest())

    def remove(self, holder: WorkingSet, page: Page) -> None:
        """Remove *page* from the working set of *holder*; it stays in memory until its frame is needed."""
        del holder.pages[page]
        page.users -= 1
        if not page.users:
            self.lists.leave(page)
            self.make_known()
            if len(self.lists.modified) > self._parameters.modified_most:
                self.on_short()

    def _discard(self, holder: WorkingSet, page: Page) -> None:
        """Discard *page*: a cache with fixed memory has no pages on standby."""
        self.remove(holder, page)
        if page in self.lists.standby:
            self.lists.delete(page)

    def write(self, pages: Sequence[Page], caller: Caller) -> Wait:
        """Write *pages*, which lie in a row; they can be used meanwhile."""
        for page in pages:
            page.dirty = False
            page.writing = True
            self.lists.modified.pop(page, None)
        section, first = pages[0].section, pages[0].number
        yield caller.burst(self._parameters.paging_call + len(pages) * self._parameters.clean_page)
        yield from section.write(self._disc, first, len(pages), caller.account)
        for page in pages:
            self.lists.finish_write(page)
        self.make_known()

    @property
    def has_waiter(self) -> bool:
        """Return whether a claim waits for a frame."""
        return self._room is not None

    def wait_for_room(self, account: Account) -> Wait:
        """Wait until a frame may be had that could not be had before; the wait is charged to *account*."""
        if self._room is None:
            self._room = Gate(self._env, "a page frame")
        room, began = self._room, self._env.now
        self.on_short()
        yield room
        account.charge(Phase.MEMORY, began, self._env.now)

    def make_known(self) -> None:
        """Wake the claims that wait for a frame."""
        if self._room is not None:
            self._room.succeed()
            self._room = None

    def reading(self) -> dict[str, float]:
        """Return counters, and levels, which ``counters.LEVELS`` names."""
        lists = self.lists
        names = ("page_reads", "pages_input", "page_writes", "pages_output", "transition_faults", "demand_zero_faults")
        return {
            **{name: float(getattr(self, name)) for name in names},
            "page_faults": float(sum(each.faults for each in self.sets)),
            "soft_faults": float(sum(each.soft_faults for each in self.sets)),
            "available_bytes": float(lists.available_bytes),
            "zeroed_pages": float(lists.zeroed), "free_pages": float(lists.free),
            "standby_pages": float(len(lists.standby)), "modified_pages": float(len(lists.modified)),
        }


def check_frames(memory: MemoryManager, sections: Iterable[FileSection]) -> None:
    """Raise LawBroken where a page frame is lost or is in two places; *sections* are all sections."""
    present = [page for section in sections for page in section.pages.values()]
    held = Counter(page for each in memory.sets for page in each.pages)
    lists = memory.lists
    if lists.zeroed + lists.free + len(present) != memory.frames:
        raise LawBroken(f"{lists.zeroed} zeroed, {lists.free} free and {len(present)} pages are not {memory.frames}")
    for page in present:
        idle = (page in lists.standby) + (page in lists.modified)
        if page.users != held[page] or idle > (page.users == 0 and page.coming is None):
            raise LawBroken(f"page {page.number} of {page.section.name} is in the wrong place")
