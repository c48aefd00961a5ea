"""Performs accesses to a file in one of four ways: through the cache, asynchronously through it, unbuffered, mapped."""

from typing import Protocol

import simpy

from spindle.models.windows_nt.cache import CacheManager
from spindle.models.windows_nt.caller import Caller
from spindle.models.windows_nt.disc import LogicalDisc
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.read_ahead import CachedFile
from spindle.models.windows_nt.working_set import PAGE_SHIFT, FileSection, WorkingSet, pages_of
from spindle.sim.clock import Ledger, Wait
from spindle.sim.request import READ, Access, Hint, Op, Span


class FileAccess(Protocol):
    """One way to access a file.

    ``try_now`` performs at once an access that need not wait, and returns its CPU time; else it returns None. ``wait``
    performs it with waiting, and returns the CPU time that the caller has yet to spend.
    """

    calls: int

    def try_now(self, op: Op, first: int, size: int) -> float | None: ...

    def wait(self, op: Op, first: int, size: int, caller: Caller) -> Wait: ...


class Buffered:
    """Access through the cache; writes go *through* to the disc if wanted. A call to seek precedes each call."""

    def __init__(self, cache: CacheManager, file: CachedFile, parameters: NtParameters, through: bool = False) -> None:
        self._cache = cache
        self._file = file
        self._read = parameters.seek_call + parameters.read_call
        self._write = parameters.seek_call + parameters.write_call
        self._through = through
        self.calls = 0

    def try_now(self, op: Op, first: int, size: int) -> float | None:
        if op is READ:
            seconds, call = self._cache.read_now(self._file, first, size), self._read
        else:
            seconds = None if self._through else self._cache.write_now(self._file, first, size)
            call = self._write
        if seconds is None:
            return None
        self.calls += 2
        return call + seconds

    def wait(self, op: Op, first: int, size: int, caller: Caller) -> Wait:
        self.calls += 2
        if op is READ:
            seconds = yield from self._cache.read(self._file, first, size, caller)
            return self._read + seconds
        seconds = yield from self._cache.write(self._file, first, size, caller, self._through)
        return self._write + seconds


class AsynchronousAccess(Buffered):
    """Access through the cache with one read under way while the thread continues, until its next access."""

    def __init__(self, cache: CacheManager, file: CachedFile, parameters: NtParameters) -> None:
        super().__init__(cache, file, parameters)
        self._under_way: simpy.Process | None = None
        self._ledger: Ledger

    def try_now(self, op: Op, first: int, size: int) -> float | None:
        if self._under_way is not None and self._under_way.is_alive:
            return None
        if op is not READ:
            return super().try_now(op, first, size)
        seconds = self._cache.read_now(self._file, first, size, waits=False)
        if seconds is None:
            return None
        self.calls += 2
        return self._read + seconds

    def wait(self, op: Op, first: int, size: int, caller: Caller) -> Wait:
        yield from self._finish(caller)
        if op is not READ:
            return (yield from super().wait(op, first, size, caller))
        self.calls += 2
        self._ledger = Ledger(caller.account.name)
        # The disc is asked within the call, before the thread goes on: one level more urgent than the thread itself.
        system = caller._replace(account=self._ledger, level=caller.level - 1)
        self._under_way = self._cache.start_read(self._file, first, size, system)
        return self._read

    def _finish(self, caller: Caller) -> Wait:
        """Wait for the read that is under way; the caller is charged the part of it that falls into the wait."""
        if self._under_way is not None and self._under_way.is_alive:
            env = self._under_way.env
            joined = env.now
            yield self._under_way
            caller.account.share(self._ledger.pieces, joined, env.now)


class UnbufferedAccess:
    """Access straight between the disc and the caller's buffer."""

    def __init__(self, disc: LogicalDisc, section: FileSection, parameters: NtParameters) -> None:
        self._disc = disc
        self._section = section
        self._parameters = parameters
        self.calls = 0
        self.bytes_read = self.bytes_written = 0

    def try_now(self, op: Op, first: int, size: int) -> float | None:
        return None

    def wait(self, op: Op, first: int, size: int, caller: Caller) -> Wait:
        self.calls += 2
        yield caller.burst(self._parameters.seek_call + self._parameters.disc_call)
        extent = self._section.extent
        access = Access(op, Span(extent.first + first, size), extent, self, Hint.NONE, False, caller.account)
        if op is READ:
            yield from self._disc.read(access)
            self.bytes_read += size
        else:
            yield from self._disc.write(access)
            self.bytes_written += size
        return 0.0


class Mapped:
    """Access to a mapped file, as memory of the process: no system call, but a page fault for a page not in its set."""

    def __init__(
        self, memory: MemoryManager, holder: WorkingSet, section: FileSection, parameters: NtParameters
    ) -> None:
        self._memory = memory
        self._holder = holder
        self._section = section
        self._place, self._load, self._store = parameters.place, parameters.load, parameters.store
        self._where = -1
        self.calls = 0

    def try_now(self, op: Op, first: int, size: int) -> float | None:
        section, held = self._section, self._holder.pages
        numbers = range(first >> PAGE_SHIFT, (first + size - 1 >> PAGE_SHIFT) + 1)
        for number in numbers:
            page = section.pages.get(number)
            if page is None or page.coming is not None:
                return None
        seconds = self._cost(op, first, size)
        for number in numbers:
            page = section.pages[number]
            if page in held:
                held[page] = True
            else:
                seconds += self._memory.recover(self._holder, page)
            if op is not READ:
                page.dirty = True
        return seconds

    def _cost(self, op: Op, first: int, size: int) -> float:
        """Return the CPU time of an access; a write at the place of the last read needs no look-up."""
        place = 0.0 if first == self._where and op is not READ else self._place
        self._where = first
        return place + size * (self._load if op is READ else self._store)

    def wait(self, op: Op, first: int, size: int, caller: Caller) -> Wait:
        numbers = pages_of(first, size)
        yield from self._memory.bring(self._holder, self._section, numbers, caller)
        if op is not READ:
            for number in numbers:
                self._memory.touch(self._holder, self._section, number, write=True)
        return self._cost(op, first, size)
