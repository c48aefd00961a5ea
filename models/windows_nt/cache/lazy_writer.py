"""The lazy writer: a part of the dirty pages once a second, in their order; and what becomes of pages then."""

from collections.abc import Callable
from typing import Protocol

import simpy

from models.windows_nt.cache.dirty_pages import DirtyPages
from models.windows_nt.caller import thread
from models.windows_nt.memory.page import FileSection, runs
from models.windows_nt.parameters import NtParameters
from sim.clock import Gate, Wait, pause
from sim.cpu import Cpu

PRIORITY = 12


class Flushing(Protocol):
    """Whether a page that was written leaves the cache's working set; *behind*: its view was unmapped."""

    def lets_go(self, behind: bool) -> bool: ...


class KeepsPages:
    """A flush makes pages clean, no more: they stay until they are trimmed."""

    def lets_go(self, behind: bool) -> bool:
        return behind


class MakesRoom:
    """Blake: data are flushed "when the cache manager is told to make room", so what was written stands by."""

    def lets_go(self, behind: bool) -> bool:
        return True


class LazyWriter:
    """Wakes some seconds after a first page is dirty, and then once a second until none is.

    It writes the pages of a file in the order in which they became dirty, those that lie in a row together: so
    sequential writes have large flushes, and random writes small ones. *flushed* is called for every flush.
    """

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, dirty: DirtyPages, parameters: NtParameters,
        flushed: Callable[[FileSection, int, int], None],
    ) -> None:  # fmt: skip
        self._env = env
        self._dirty = dirty
        self._parameters = parameters
        self._flushed = flushed
        self._caller = thread(cpu, "System: lazy writer", PRIORITY)
        self.account = self._caller.account
        # No daemon, for others wait for what it does.
        env.process(self._live())

    def _live(self) -> Wait:
        dirty, parameters = self._dirty, self._parameters
        while True:
            if not dirty.count:
                dirty.first = Gate(self._env, "a dirty page")
                yield dirty.first
                yield pause(self._env, parameters.lazy_first)
            began = self._env.now
            yield from self._scan()
            rest = parameters.lazy_period - (self._env.now - began)
            if rest > 0.0:
                yield pause(self._env, rest)

    def _scan(self) -> Wait:
        """One look: a share of each file's dirty pages; where that is nowhere a page, one flush of one file."""
        dirty, part = self._dirty, self._parameters.lazy_part
        yield self._caller.burst(self._parameters.lazy_scan)
        due = {section: len(section.unwritten) // part for section in dirty.sections}
        turns = [section for section, pages in due.items() if pages] or list(due)[:1]
        for section in turns:
            yield from self._write(section, due[section])
            dirty.put_last(section)

    def _write(self, section: FileSection, due: int) -> Wait:
        """Flush pages of *section* until none is *due*, one flush at least; a flush that has begun is ended."""
        for first, count in list(runs(section.unwritten, self._parameters.flush)):
            count = self._still(section, first, count)
            if not count:
                continue
            yield from self._dirty.flush(section, first, count, self._caller, lazy=True)
            self._flushed(section, first, count)
            due -= count
            if due <= 0:
                return

    def _still(self, section: FileSection, first: int, count: int) -> int:
        """How many of these pages, from the first on, have not been flushed meanwhile."""
        for number in range(first, first + count):
            if number not in section.unwritten:
                return number - first
        return count
