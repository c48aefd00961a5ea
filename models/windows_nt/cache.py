"""Simulates the cache manager of Windows NT: it copies between buffers and pages that the memory manager brings."""

import simpy

from spindle.models.windows_nt.caller import Caller, thread
from spindle.models.windows_nt.lazy_writer import DirtyPages, Flushing, LazyWriter, Unmapping, Waking
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.read_ahead import CachedFile, NtReadAhead
from spindle.models.windows_nt.views import VIEW_PAGES, Views
from spindle.models.windows_nt.working_set import PAGE, PAGE_SHIFT, FileSection, WorkingSet, pages_of, runs
from spindle.sim.clock import Wait
from spindle.sim.cpu import Cpu


class CopyReadCounts:
    """Counts of one kind of request. A hit is a request that waits neither for the disc nor for a read under way."""

    __slots__ = ("sync", "asynchronous", "sync_hits", "asynchronous_hits")

    def __init__(self) -> None:
        self.sync = self.asynchronous = 0
        self.sync_hits = self.asynchronous_hits = 0

    def count(self, hit: bool, waits: bool) -> None:
        """Count one request, of a caller that *waits* for the disc or does not."""
        if waits:
            self.sync += 1
            self.sync_hits += hit
        else:
            self.asynchronous += 1
            self.asynchronous_hits += hit

    def reading(self, name: str) -> dict[str, float]:
        return {
            f"sync_{name}": float(self.sync), f"async_{name}": float(self.asynchronous),
            name: float(self.sync + self.asynchronous), f"{name}_hits": float(self.sync_hits + self.asynchronous_hits),
        }


READ_KINDS = ("copy_reads", "fast_reads", "mdl_reads", "pin_reads", "data_maps")


class CacheManager:
    """The cache manager. Its cache is the working set *holder*, and has no fixed size.

    ``read_now`` and ``write_now`` perform at once a request that need not wait, and return its CPU time; if they return
    None nothing was done, and ``read`` and ``write`` perform the request with waiting.
    """

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, memory: MemoryManager, holder: WorkingSet, parameters: NtParameters,
        flushing: Flushing, waking: Waking, unmapping: Unmapping,
    ) -> None:  # fmt: skip
        self.env = env
        self._memory = memory
        self._parameters = parameters
        self._copy = parameters.copy
        self._fast, self._request = bool(parameters.fast_reads), parameters.request_call
        self.set = holder
        self.views = Views(parameters.views)
        self.dirty = DirtyPages(env, memory, parameters.throttle)
        self.ahead = NtReadAhead(memory, holder, parameters, thread(cpu, "System: read-ahead", 13))
        self.lazy = LazyWriter(env, cpu, self.dirty, parameters, self._finish_flush, waking)
        self.copy, self.fast, self.mdl, self.pin, self.map = (CopyReadCounts() for _ in READ_KINDS)
        self.data_map_pins = self.fast_not_possible = 0
        self._flushing = flushing
        self._unmapping = unmapping
        self._behind: set[tuple[FileSection, int]] = set()

    def read_now(self, file: CachedFile, first: int, size: int, waits: bool = True) -> float | None:
        """Do a copy read on the fast path: return its seconds beyond the call, or None if it has to wait."""
        number, last = first >> PAGE_SHIFT, (first + size - 1) >> PAGE_SHIFT
        pages, held, trimmed = file.section.pages, self.set.pages, []
        for place in range(number, last + 1):
            page = pages.get(place)
            if page is None or page.coming is not None:
                return None
            if page in held:
                held[page] = True
            else:
                trimmed.append(page)
        if not file.cached or self.ahead.due(file, first, size):
            return None
        seconds = size * self._copy
        if number // VIEW_PAGES != file.view:
            seconds += self._look_at(file, number // VIEW_PAGES)
        for page in trimmed:
            seconds += self._memory.recover(self.set, page)
        file.step, file.first = first - file.first, first
        if not (waits and self._fast):
            return seconds + self._count_hit(waits)
        copy, fast = self.copy, self.fast
        copy.sync += 1
        copy.sync_hits += 1
        fast.sync += 1
        fast.sync_hits += 1
        return seconds

    def _count_hit(self, waits: bool) -> float:
        """Count a copy read that hits; return the seconds of its request to the file system, 0 for a fast read."""
        self.copy.count(True, waits)
        if self._fast:
            self.fast.count(True, waits)
            return 0.0
        self.fast_not_possible += 1
        return self._request

    def read(self, file: CachedFile, first: int, size: int, caller: Caller, waits: bool = True) -> Wait:
        """Do a copy read with waiting; the value is the seconds that the copying takes the caller."""
        waited = yield from self._bring(file.section, first, size, caller)
        self.copy.count(not waited, waits)
        if file.cached and self._fast:
            self.fast.count(not waited, waits)
        else:
            self.fast_not_possible += 1
            file.cached = True
        self._read_ahead(file, first, size)
        request = 0.0 if self._fast else self._request
        return self._look_at(file, first // PAGE // VIEW_PAGES) + size * self._copy + request

    def read_by_list(self, file: CachedFile, first: int, size: int, caller: Caller, waits: bool = True) -> Wait:
        """Do an MDL read: the pages themselves are handed over, nothing is copied."""
        waited = yield from self._bring(file.section, first, size, caller)
        self.mdl.count(not waited, waits)
        self._read_ahead(file, first, size)
        return 0.0

    def read_pinned(self, section: FileSection, first: int, size: int, caller: Caller) -> Wait:
        """Do a pin read, of data that will be written to."""
        waited = yield from self._bring(section, first, size, caller)
        self.pin.count(not waited, True)

    def map_data(self, section: FileSection, first: int, size: int, caller: Caller, pins: bool = False) -> Wait:
        """Map the file system's data for it to read; with *pins* it will change them."""
        waited = yield from self._bring(section, first, size, caller)
        self.map.count(not waited, True)
        if pins:
            self.data_map_pins += 1
            self._mark(section, first, size)

    def write_now(self, file: CachedFile, first: int, size: int) -> float | None:
        """Do a copy write on the fast path: return its seconds beyond the call, or None if it has to wait."""
        if self.dirty.count >= self.dirty.most or not file.cached:
            return None
        section, held = file.section, self.set.pages
        pages, unwritten = section.pages, section.unwritten
        number, last = first >> PAGE_SHIFT, (first + size - 1) >> PAGE_SHIFT
        for place in range(number, last + 1):
            page = pages.get(place)
            if page is None or page.coming is not None:
                return None
        seconds = size * self._copy
        if number // VIEW_PAGES != file.view:
            seconds += self._look_at(file, number // VIEW_PAGES)
        for place in range(number, last + 1):
            page = pages[place]
            if page in held:
                held[page] = True
            else:
                seconds += self._memory.recover(self.set, page)
            page.dirty = True
            if place not in unwritten:
                self.dirty.add(section, place)
        return seconds

    def write(self, file: CachedFile, first: int, size: int, caller: Caller, through: bool = False) -> Wait:
        """Do a copy write with waiting, *through* to the disc if wanted. The value is the seconds of copying."""
        section, file.cached = file.section, True
        yield from self.dirty.throttle(caller)
        for number in pages_of(first, size):
            whole = first <= number * PAGE and (number + 1) * PAGE <= first + size
            if number not in section.pages and (whole or number * PAGE >= section.valid):
                yield from self._memory.create(self.set, section, number, caller)
            else:
                begin = max(first, number * PAGE)
                yield from self.read_pinned(section, begin, min(first + size, (number + 1) * PAGE) - begin, caller)
        self._mark(section, first, size)
        section.valid = max(section.valid, first + size)
        if through:
            yield from self.flush(section, first, size, caller)
        return self._look_at(file, first // PAGE // VIEW_PAGES) + size * self._copy

    def flush(self, section: FileSection, first: int, size: int, caller: Caller) -> Wait:
        """Write the dirty pages of these bytes, and wait until they are on the disc."""
        due = [number for number in pages_of(first, size) if number in section.unwritten]
        while due:
            first, count = next(runs(due, self._parameters.flush))
            yield from self.dirty.flush(section, first, count, caller)
            due = [number for number in due if number in section.unwritten]

    def start_read(self, file: CachedFile, first: int, size: int, caller: Caller) -> simpy.Process:
        """Start an asynchronous copy read, which goes on by itself while the caller waits for it or does other work."""
        return self.env.process(self._read_by_itself(file, first, size, caller))

    def _read_by_itself(self, file: CachedFile, first: int, size: int, caller: Caller) -> Wait:
        seconds = yield from self.read(file, first, size, caller, waits=False)
        yield caller.burst(seconds)

    def _bring(self, section: FileSection, first: int, size: int, caller: Caller) -> Wait:
        return self._memory.bring(self.set, section, pages_of(first, size), caller)

    def _mark(self, section: FileSection, first: int, size: int) -> None:
        """Mark these bytes as written to; a page that was trimmed during a wait for others is recovered."""
        for number in pages_of(first, size):
            page = section.pages.get(number)
            if page is not None:
                if not self.set.uses(page):
                    self._memory.recover(self.set, page)
                page.dirty = True
                self.dirty.add(section, number)

    def _look_at(self, file: CachedFile, view: int) -> float:
        """Use *view*, and map it if necessary; unmap views far behind a sequential reader."""
        if view == file.view:
            return 0.0
        file.view = view
        section = file.section
        new, gone = self.views.use(section, view)
        self._behind.discard((section, view))
        if gone is not None:
            self._let_go(*gone)
        if file.sequential:
            if view in file.trail:
                file.trail.remove(view)
            file.trail.append(view)
            if len(file.trail) > self._parameters.kept_views:
                self._let_go(section, file.trail.pop(0))
        return self._parameters.map_view if new else 0.0

    def _let_go(self, section: FileSection, view: int) -> None:
        """Unmap a *view*: its pages leave the cache, dirty ones by the rule of unmapping."""
        self.views.unmap((section, view))
        self._behind.add((section, view))
        self._leave(section, view * VIEW_PAGES, VIEW_PAGES)

    def _leave(self, section: FileSection, first: int, count: int) -> None:
        for number in range(first, first + count):
            page = section.pages.get(number)
            if page is None or page not in self.set.pages:
                continue
            if self._unmapping.lets_go(number in section.unwritten):
                self._memory.remove(self.set, page)

    def _finish_flush(self, section: FileSection, first: int, count: int) -> None:
        """Remove written pages from the cache if the flushing rule requires it."""
        if self._flushing.lets_go((section, first // VIEW_PAGES) in self._behind):
            self._leave(section, first, count)

    def _read_ahead(self, file: CachedFile, first: int, size: int) -> None:
        self.ahead.go(file, first, size)
        file.step, file.first = first - file.first, first

    def reading(self) -> dict[str, float]:
        counts = zip(READ_KINDS, (self.copy, self.fast, self.mdl, self.pin, self.map), strict=True)
        return {
            **{name: value for kind, each in counts for name, value in each.reading(kind).items()},
            **self.dirty.reading(),
            "data_map_pins": float(self.data_map_pins), "fast_read_not_possibles": float(self.fast_not_possible),
            "cache_faults": float(self.set.faults), "cache_bytes": float(len(self.set) * PAGE),
            "views_mapped": float(self.views.mapped), "read_aheads": float(self.ahead.started),
        }
