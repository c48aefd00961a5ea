"""Simulates the threads of Windows NT that make pages available: they write modified pages, and zero free ones."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import simpy

from spindle.models.windows_nt.caller import LOWEST_PRIORITY, WRITER_PRIORITY, thread
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.working_set import Page, PageLists
from spindle.sim.clock import Daemon, Gate, Wait, pause
from spindle.sim.cpu import Cpu


class WriterPages(NamedTuple):
    """The pages that a page writer writes: of the page file, of mapped files, or of both.

    With *whole* it writes whole clusters only, unless it must write; else as many pages as are in a row.
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
"""Page writers by their number.

Two: Blake, chapter 6, names the mapped page writer among what flushes data, where memory is short or too many mapped
pages are modified. Windows Internals, sixth edition, chapter 10, "Modified Page Writer": one thread writes to the page
file, the mapped page writer to mapped files, as many pages as are in a row. So neither waits for the other's request.
"""


class PageWriter:
    """A page writer: woken if memory is short or the modified list long, it writes *pages* of that list in clusters.

    *written* is called with each cluster.
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
        self._caller = thread(cpu, "System: zero page thread", LOWEST_PRIORITY)
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
