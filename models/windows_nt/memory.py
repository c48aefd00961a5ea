"""Memory of Windows NT: the memory manager, which serves page faults, and the threads that trim working sets, write
modified pages and zero free ones."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

import simpy

from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.working_set import PAGE, FileSection, Page, PageLists, WorkingSet
from spindle.sim.clock import CPU, Account, Daemon, Gate, Phase, Wait, pause
from spindle.sim.cpu import Cpu
from spindle.sim.parts import LawBroken
from spindle.sim.request import READ, Access, BlockDevice, Hint, Request, wait_for

# The caller of a function: its account, and the priority of its thread.

PRIORITIES = 32


class Caller(NamedTuple):
    """A thread as the parts of the system see it; *level* as a Cpu takes it, 0 for interrupts."""

    cpu: Cpu
    account: Account
    level: int

    def burst(self, seconds: float) -> simpy.Event:
        """Start *seconds* of computing by the thread."""
        return self.cpu.burst(seconds, self.level, CPU, self.account)


def thread(cpu: Cpu, name: str, priority: int) -> Caller:
    """Make a thread of Windows NT's *priority*, 0 to 31, the larger the more urgent."""
    return Caller(cpu, Account(name), PRIORITIES - priority)


# The memory manager: page faults, soft and hard, and the lists of pages that leave a working set.

class MemoryManager:
    """Manager of *frames* page frames for all working sets, and of the lists of frames that no set holds.

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
        """Serve a demand zero fault: create a page that need not be read, because it is new or will be written whole.
        """
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
        """Enter pages that are there from the start: no fault, no time."""
        for number in numbers:
            self.lists.take()
            page = section.pages[number] = Page(section, number)
            page.dirty = dirty
            self.enter(holder, page)

    def bring(self, holder: WorkingSet, section: FileSection, numbers: range, caller: Caller) -> Wait:
        """Wait until *holder* has had each of the pages, which are read in as few accesses as they allow.

        The value tells if anything had to be waited for.
        """
        number, waited = numbers.start, False
        while number < numbers.stop:
            page = section.pages.get(number)
            if page is None:
                waited = True
                yield caller.burst(self.fault_call(section.absent(number, numbers.stop - number)))
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

    def fetch(
        self, holder: WorkingSet, section: FileSection, number: int, most: int, caller: Caller
    ) -> Request | None:
        """Begin to read absent pages from *number* on for *holder* in one access; None if there are none."""
        count = min(section.absent(number, min(most, self._parameters.cluster)), self.lists.available)
        if not count:
            return None
        pages = []
        for each in range(number, number + count):
            self.lists.take()
            page = section.pages[each] = Page(section, each)
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
        """Discard *page*, clean bytes and all: a cache with fixed memory keeps nothing on standby."""
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
        """Tell if a claim waits for a frame."""
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


# Rules of the pages that a working set gives up when it is trimmed: a share, oldest first, or those not used of late.

class TrimRule(Protocol):
    """Rule of the pages that a working set loses when it is trimmed; made anew for each run, with its parameters."""

    def __init__(self, parameters: NtParameters) -> None: ...

    def give_up(self, each: WorkingSet, wanted: int, inactive: bool) -> Sequence[Page]:
        """Return the pages that *each* loses in this look, at most *wanted* and its excess above the minimum."""


class ByShare:
    """Take a share of a set's excess above its minimum, used or not, first in first out.

    If the set has since had half as many page faults as pages were taken from it, it is in use, and the share is
    halved. With fewer faults the share is doubled again. Each step of favour halves it as well.
    """

    def __init__(self, parameters: NtParameters) -> None:
        self._parameters = parameters

    def give_up(self, each: WorkingSet, wanted: int, inactive: bool) -> Sequence[Page]:
        self._judge(each)
        each.trimmed = max(0, min(wanted, self._portion(each, inactive)))
        each.faults_before = each.faults
        return list(islice(each.pages, each.trimmed))

    def _portion(self, each: WorkingSet, inactive: bool) -> int:
        spare = len(each) - each.minimum
        share = each.share if inactive else each.share / 2**each.favour
        return min(spare, max(1, round(share * spare))) if spare > 0 else 0

    def _judge(self, each: WorkingSet) -> None:
        if each.trimmed:
            share = each.share / 2 if (each.faults - each.faults_before) * 2 > each.trimmed else each.share * 2
            each.share = min(max(share, self._parameters.trim_least), self._parameters.trim_share)


class ByReference:
    """Take the pages that were not used since the last pass; all pages then count as unused until they are used."""

    def __init__(self, parameters: NtParameters) -> None:
        pass

    def give_up(self, each: WorkingSet, wanted: int, inactive: bool) -> Sequence[Page]:
        most = max(0, min(wanted, len(each) - each.minimum))
        unused = [page for page, used in each.pages.items() if not used]
        for page in each.pages:
            each.pages[page] = False
        return unused[:most]


WRITER_PRIORITY, LOWEST = 17, 0
"""Priorities of the page writer, and of the zero page thread, which runs when no other thread is ready."""


class WriterPages(NamedTuple):
    """The pages that a page writer takes: those of the page file, of mapped files, or of both; *whole* clusters only,
    unless it must, or as many as lie in a row.
    """

    name: str
    private: bool
    mapped: bool
    whole: bool = True

    def have(self, page: Page) -> bool:
        return self.private if page.section.private else self.mapped


ALL_PAGES = WriterPages("modified page writer", True, True)
PAGE_FILE = WriterPages("modified page writer", True, False)
MAPPED_FILES = WriterPages("mapped page writer", False, True, whole=False)
PAGE_WRITERS: Mapping[str, tuple[WriterPages, ...]] = {"two": (PAGE_FILE, MAPPED_FILES), "one": (ALL_PAGES,)}
"""By their number. Two: Blake, chapter 6, has the mapped page writer among what flushes data, where memory is tight or
too many mapped pages are modified. Windows Internals, sixth edition, chapter 10, "Modified Page Writer": one thread
writes to the page file, the mapped page writer to mapped files, as many pages as lie in a row. So neither waits while
the other's request is at the disc."""


class PageWriter:
    """A page writer: woken where memory is tight or the modified list long, it writes its *pages* of it in clusters.

    *written* is called with each.
    """

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, memory: MemoryManager, parameters: NtParameters,
        pages: WriterPages, written: Callable[[Sequence[Page]], None] | None = None,
    ) -> None:  # fmt: skip
        self._env = env
        self._memory = memory
        self._parameters = parameters
        self._mine = pages
        self._written = written or self._count
        self._caller = thread(cpu, f"System: {pages.name}", WRITER_PRIORITY)
        self.account = self._caller.account
        self._work: Gate | None = None
        # No daemon, for others wait for what it does.
        env.process(self._live())

    def look(self) -> None:
        """Wake the writer if it has pages to write."""
        if self._work is not None and self._next():
            self._work.succeed()
            self._work = None

    def _live(self) -> Wait:
        memory = self._memory
        while True:
            self._work = Gate(self._env, "modified pages")
            yield self._work
            while pages := self._next():
                yield from memory.write(pages, self._caller)
                self._written(pages)

    def _count(self, pages: Sequence[Page]) -> None:
        """Count the memory manager's own write."""
        self._memory.page_writes += 1
        self._memory.pages_output += len(pages)

    def _next(self) -> list[Page]:
        """Return the pages to write next, if any: whole clusters, and less only if it must be."""
        memory, parameters = self._memory, self._parameters
        lists, available = memory.lists, memory.lists.available
        must = memory.has_waiter or available < parameters.cluster or len(lists.modified) > parameters.modified_most
        if not must and lists.available_bytes >= parameters.trim_below + parameters.trim_goal:
            return []
        for page in filter(self._mine.have, lists.modified):
            cluster = self._cluster(page)
            if must or not self._mine.whole or len(cluster) == parameters.cluster:
                return cluster
        return []

    def _cluster(self, page: Page) -> list[Page]:
        """Return the pages of the modified list that can be written with *page*, up to a cluster.

        Those of the page file get places in a row; those of a file must lie in a row there, before the page or behind
        it (Windows Internals: the mapped page writer gathers contiguous pages of the list, as many as it can).
        """
        modified, most = self._memory.lists.modified, self._parameters.cluster
        if page.section.private:
            return list(islice((each for each in modified if each.section.private), most))
        pages, first = page.section.pages, page.number
        while page.number - first < most - 1 and pages.get(first - 1) in modified:
            first -= 1
        cluster: list[Page] = []
        while len(cluster) < most and (following := pages.get(first + len(cluster))) in modified:
            assert following is not None
            cluster.append(following)
        return cluster


class PageWriters:
    """The page writers of a machine, woken together; what one writes for the cache is a data flush, by *flushed*.

    Blake, chapter 6: the cache is flushed by the lazy writer, by the mapped page writer, and where a program asks.
    """

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, memory: MemoryManager, parameters: NtParameters,
        kinds: Sequence[WriterPages], flushed: Callable[[Sequence[Page]], None],
    ) -> None:  # fmt: skip
        self._writers = [
            PageWriter(env, cpu, memory, parameters, each, flushed if each == MAPPED_FILES else None) for each in kinds
        ]
        self.accounts = [each.account for each in self._writers]
        memory.on_short = self.look

    def look(self) -> None:
        """Wake each writer that has pages to write."""
        for each in self._writers:
            each.look()


class Zeroing:
    """The zero page thread: it zeroes free pages in batches at the lowest priority."""

    def __init__(self, env: simpy.Environment, cpu: Cpu, lists: PageLists, parameters: NtParameters) -> None:
        self._env = env
        self._lists = lists
        self._parameters = parameters
        self._caller = thread(cpu, "System: zero page thread", LOWEST)
        self.account = self._caller.account
        Daemon(env, self._live())

    def _live(self) -> Wait:
        lists, parameters = self._lists, self._parameters
        batch = parameters.zero_batch
        while True:
            yield pause(self._env, parameters.zero_period)
            while lists.free >= batch:
                yield self._caller.burst(batch * parameters.zero_page)
                done = min(batch, lists.free)
                lists.free -= done
                lists.zeroed += done


# The working set manager: takes pages from working sets that may not use them.

TRIMMER_PRIORITY = 16


class Trimmer:
    """The working set manager: it trims sets once a period while too few bytes are available, inactive ones first.

    Each gives up pages by the *rule*; one with a fixed size gives none. *wake* wakes the page writers behind a pass.
    """

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, memory: MemoryManager, wake: Callable[[], None], rule: TrimRule,
        parameters: NtParameters,
    ) -> None:  # fmt: skip
        self._env = env
        self._memory = memory
        self._wake = wake
        self._rule = rule
        self._parameters = parameters
        self._caller = thread(cpu, "System: working set manager", TRIMMER_PRIORITY)
        self.account = self._caller.account
        self.passes = self.trimmed = 0
        Daemon(env, self._live())

    def _live(self) -> Wait:
        parameters = self._parameters
        while True:
            yield pause(self._env, parameters.trim_period)
            if self._memory.lists.available_bytes < parameters.trim_below:
                self.passes += 1
                count = self._pass()
                self.trimmed += count
                self._wake()
                yield self._caller.burst(count * parameters.trim_page)

    def _pass(self) -> int:
        """Trim each working set once; return the number of pages taken."""
        parameters, memory, count = self._parameters, self._memory, 0
        goal = (parameters.trim_below + parameters.trim_goal) // PAGE
        for each in sorted((each for each in memory.sets if each.maximum is None), key=self._turn):
            pages = self._rule.give_up(each, max(0, goal - memory.lists.available), self._is_inactive(each))
            for page in pages:
                memory.remove(each, page)
            count += len(pages)
        return count

    def _turn(self, each: WorkingSet) -> tuple[bool, int, float]:
        """Sort working sets for trimming: inactive ones, longest inactive first; then by favour."""
        inactive = self._is_inactive(each)
        return not inactive, 0 if inactive else each.favour, each.active_at if inactive else 0.0

    def _is_inactive(self, each: WorkingSet) -> bool:
        return self._env.now - each.active_at > self._parameters.inactive_after

    def reading(self) -> dict[str, float]:
        return {"passes": float(self.passes), "trimmed": float(self.trimmed)}


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
