"""The cache manager's dirty pages: their number, the writers that it throttles, and flushing."""

import simpy

from models.windows_nt.caller import Caller
from models.windows_nt.memory.memory_manager import MemoryManager
from models.windows_nt.memory.page import FileSection, runs
from sim.account import Phase
from sim.clock import Gate, Wait


class DirtyPages:
    """*count* pages of all files. Writers wait while there are *most* of them (write throttling).

    Flushes count the pages of their requests; those that the memory manager has written meanwhile are
    *already_clean*.
    """

    def __init__(self, env: simpy.Environment, memory: MemoryManager, most: int, flush: int) -> None:
        self._env = env
        self._memory = memory
        self._flush = flush
        self.most = most
        self.count = 0
        self.sections: dict[FileSection, None] = {}
        self.first: Gate | None = None
        self._fewer: Gate | None = None
        self.flushes = self.flush_pages = self.lazy_flushes = self.lazy_pages = self.already_clean = 0
        self.throttled = 0

    def add(self, section: FileSection, number: int) -> None:
        """A page has been written to."""
        if number in section.unwritten:
            return
        section.unwritten[number] = None
        self.sections[section] = None
        self.count += 1
        if self.first is not None:
            self.first.succeed()
            self.first = None

    def put_last(self, section: FileSection) -> None:
        """*section* has had its turn."""
        if section in self.sections:
            del self.sections[section]
            self.sections[section] = None

    def throttle(self, caller: Caller) -> Wait:
        """Wait until something may be written."""
        while self.count >= self.most:
            self.throttled += 1
            if self._fewer is None:
                self._fewer = Gate(self._env, "fewer dirty pages")
            began = self._env.now
            yield self._fewer
            caller.account.charge(Phase.WRITE_WAIT, began, self._env.now)

    def flush(self, section: FileSection, first: int, count: int, caller: Caller, lazy: bool = False) -> Wait:
        """One data flush: write *count* dirty pages that lie in a row."""
        for number in range(first, first + count):
            del section.unwritten[number]
        self.count -= count
        if not section.unwritten:
            del self.sections[section]
        numbers = range(first, first + count)
        dirty = [number for number in numbers if (page := section.pages.get(number)) is not None and page.dirty]
        for begin, length in runs(dirty, self._flush):
            yield from self._memory.write([section.pages[n] for n in range(begin, begin + length)], caller)
            self._flushed(length, lazy)
        self.already_clean += count - len(dirty)
        self._flushed(count - len(dirty), lazy)
        self.flushes += 1
        self.lazy_flushes += lazy
        if self._fewer is not None and self.count < self.most:
            self._fewer.succeed()
            self._fewer = None

    def _flushed(self, pages: int, lazy: bool) -> None:
        self.flush_pages += pages
        if lazy:
            self.lazy_pages += pages

    def reading(self) -> dict[str, float]:
        return {
            "data_flushes": float(self.flushes), "data_flush_pages": float(self.flush_pages),
            "lazy_write_flushes": float(self.lazy_flushes), "lazy_write_pages": float(self.lazy_pages),
            "already_clean": float(self.already_clean), "throttled": float(self.throttled),
            "dirty_pages": float(self.count),
        }
