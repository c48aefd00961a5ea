"""Simulates write-back by the cache of Windows NT: dirty pages, throttled writers, flushes, and the lazy writer."""

from collections.abc import Callable, Sequence
from typing import Protocol

import simpy

from spindle.models.windows_nt.caller import Caller, thread
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.working_set import FileSection, Page, runs
from spindle.sim.clock import Gate, Phase, Wait, pause
from spindle.sim.cpu import Cpu


class DirtyPages:
    """The dirty pages of all files, *count* of them. Writers wait while there are *most* (write throttling).

    Flushes count the pages of their requests; those that the memory manager has written are *already_clean*.
    """

    def __init__(self, env: simpy.Environment, memory: MemoryManager, most: int) -> None:
        self._env = env
        self._memory = memory
        self.most = most
        self.count = 0
        self.sections: dict[FileSection, None] = {}
        self.first: Gate | None = None
        self._fewer: Gate | None = None
        self._waiting: Gate | None = None
        self.flushes = self.flush_pages = self.lazy_flushes = self.lazy_pages = self.already_clean = 0
        self.throttled = 0

    def add(self, section: FileSection, number: int) -> None:
        """Note that page *number* of *section* has been written to."""
        if number in section.unwritten:
            return
        section.unwritten[number] = None
        self.sections[section] = None
        self.count += 1
        if self.first is not None:
            self.first.succeed()
            self.first = None

    def put_last(self, section: FileSection) -> None:
        """Move *section*, whose turn to be written is over, behind the others."""
        if section in self.sections:
            del self.sections[section]
            self.sections[section] = None

    def throttle(self, caller: Caller) -> Wait:
        """Wait until fewer pages are dirty than the most that may be."""
        while self.count >= self.most:
            self.throttled += 1
            if self._fewer is None:
                self._fewer = Gate(self._env, "fewer dirty pages")
                if self._waiting is not None:
                    self._waiting.succeed()
                    self._waiting = None
            began = self._env.now
            yield self._fewer
            caller.account.charge(Phase.WRITE_WAIT, began, self._env.now)

    def waiting(self) -> Gate | None:
        """Return the event that a writer begins to wait; None if one waits."""
        if self._fewer is None and self._waiting is None:
            self._waiting = Gate(self._env, "a writer that waits")
        return self._waiting

    def flush(self, section: FileSection, first: int, count: int, caller: Caller, lazy: bool = False) -> Wait:
        """Make one data flush: write *count* dirty pages that lie in a row."""
        for number in range(first, first + count):
            del section.unwritten[number]
        self.count -= count
        if not section.unwritten:
            del self.sections[section]
        numbers = range(first, first + count)
        dirty = [number for number in numbers if (page := section.pages.get(number)) is not None and page.dirty]
        for begin, length in runs(dirty, count):
            yield from self._memory.write([section.pages[n] for n in range(begin, begin + length)], caller)
            self._count_flush(length, lazy)
        self.already_clean += count - len(dirty)
        self._count_flush(count - len(dirty), lazy)
        self.flushes += 1
        self.lazy_flushes += lazy
        if self._fewer is not None and self.count < self.most:
            self._fewer.succeed()
            self._fewer = None

    def count_mapped(self, pages: Sequence[Page]) -> None:
        """Count a data flush by the mapped page writer; its pages stay due, and the lazy writer finds them clean."""
        self.flushes += 1
        self.flush_pages += len(pages)

    def _count_flush(self, pages: int, lazy: bool) -> None:
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


LAZY_WRITER_PRIORITY = 12
"""Priority of the lazy writer's thread."""


class Flushing(Protocol):
    """Rule of whether a flushed page leaves the cache's working set; *behind*: its view was unmapped."""

    def lets_go(self, behind: bool) -> bool: ...


class KeepsPages:
    """A rule by which flushed pages stay in the cache until they are trimmed."""

    def lets_go(self, behind: bool) -> bool:
        return behind


class MakesRoom:
    """A rule by which flushed pages become standby.

    Blake: data are flushed "when the cache manager is told to make room".
    """

    def lets_go(self, behind: bool) -> bool:
        return True


class Unmapping(Protocol):
    """Rule of whether a page that has yet to be written leaves the cache's working set when its view is unmapped."""

    def lets_go(self, unwritten: bool) -> bool: ...


class DirtyPagesLeave:
    """A rule by which all pages leave, dirty ones to the modified list, where the page writer may write them first.

    Windows Internals, seventh edition, part 2, chapter 11: pages of unmapped views go to the standby or the modified
    list, as they have been changed or not.
    """

    def lets_go(self, unwritten: bool) -> bool:
        return True


class DirtyPagesStay:
    """A rule by which dirty pages stay until the lazy writer has written them."""

    def lets_go(self, unwritten: bool) -> bool:
        return not unwritten


class Waking(Protocol):
    """Rule of the lazy writer's pause: at most *seconds* until it looks at the *dirty* pages again."""

    def rest(self, env: simpy.Environment, dirty: DirtyPages, seconds: float) -> Wait: ...


class EachPeriod:
    """A rule by which the lazy writer looks once a period, also while writers wait."""

    def rest(self, env: simpy.Environment, dirty: DirtyPages, seconds: float) -> Wait:
        if seconds > 0.0:
            yield pause(env, seconds)


class WhileWritersWait:
    """A rule by which it looks again at once while a writer waits (as ReactOS). Blake: it "is launched frequently"."""

    def rest(self, env: simpy.Environment, dirty: DirtyPages, seconds: float) -> Wait:
        waiting = dirty.waiting()
        if seconds > 0.0 and waiting is not None:
            yield pause(env, seconds) | waiting


class LazyWriter:
    """The thread that writes dirty pages.

    It wakes some seconds after a first page is dirty, then once a second, or by its rule *waking*, until none is dirty.

    It writes the pages of a file in the order in which they became dirty, those that lie in a row together: so
    sequential writes have large flushes, and random writes small ones. *flushed* is called for every flush.
    """

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, dirty: DirtyPages, parameters: NtParameters,
        flushed: Callable[[FileSection, int, int], None], waking: Waking,
    ) -> None:  # fmt: skip
        self._env = env
        self._dirty = dirty
        self._parameters = parameters
        self._flushed = flushed
        self._waking = waking
        self._caller = thread(cpu, "System: lazy writer", LAZY_WRITER_PRIORITY)
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
            yield from self._waking.rest(self._env, dirty, parameters.lazy_period - (self._env.now - began))

    def _scan(self) -> Wait:
        """Write a share of each file's dirty pages; if that is less than a page of each, one flush of one file."""
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
        """Return the number of these pages, from the first on, that have not been flushed meanwhile."""
        for number in range(first, first + count):
            if number not in section.unwritten:
                return number - first
        return count
