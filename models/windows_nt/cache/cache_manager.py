"""The cache manager: copies between files and buffers by way of pages that the memory manager brings."""

import simpy

from models.windows_nt.cache.cached_file import CachedFile
from models.windows_nt.cache.dirty_pages import DirtyPages
from models.windows_nt.cache.lazy_writer import Flushing, LazyWriter
from models.windows_nt.cache.read_ahead import NtReadAhead
from models.windows_nt.cache.views import PAGES, CopyReadCounts, Views
from models.windows_nt.caller import Caller, thread
from models.windows_nt.memory.memory_manager import MemoryManager
from models.windows_nt.memory.page import PAGE, SHIFT, FileSection, pages_of
from models.windows_nt.memory.working_set import WorkingSet
from models.windows_nt.parameters import NtParameters
from sim.clock import Wait
from sim.cpu import Cpu

KINDS = ("copy_reads", "fast_reads", "mdl_reads", "pin_reads", "data_maps")


class CacheManager:
    """The cache is the working set *set*: it has no size of its own.

    ``read_now`` and ``write_now`` do at once what needs no waiting, and return its CPU time; where they
    return None nothing has been done, and ``read`` and ``write`` do the same with waiting.
    """

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, memory: MemoryManager, holder: WorkingSet, parameters: NtParameters,
        flushing: Flushing,
    ) -> None:  # fmt: skip
        self.env = env
        self._memory = memory
        self._parameters = parameters
        self._copy = parameters.copy
        self.set = holder
        self.views = Views(parameters.views)
        self.dirty = DirtyPages(env, memory, parameters.throttle, parameters.flush)
        self.ahead = NtReadAhead(memory, holder, parameters, thread(cpu, "System: read-ahead", 13))
        self.lazy = LazyWriter(env, cpu, self.dirty, parameters, self._flushed)
        self.copy, self.fast, self.mdl, self.pin, self.map = (CopyReadCounts() for _ in KINDS)
        self.data_map_pins = self.fast_not_possible = 0
        self._flushing = flushing
        self._behind: set[tuple[FileSection, int]] = set()

    def read_now(self, file: CachedFile, first: int, size: int) -> float | None:
        """A copy read on the fast path: seconds beyond the call itself, or None where something must be waited for."""
        number, last = first >> SHIFT, (first + size - 1) >> SHIFT
        pages, held, trimmed = file.section.pages, self.set.pages, []
        for each in range(number, last + 1):
            page = pages.get(each)
            if page is None or page.coming is not None:
                return None
            if page in held:
                held[page] = True
            else:
                trimmed.append(page)
        if not file.cached or self.ahead.due(file, first, size):
            return None
        seconds = size * self._copy
        if number // PAGES != file.view:
            seconds += self._look_at(file, number // PAGES)
        for page in trimmed:
            seconds += self._memory.recover(self.set, page)
        file.step, file.first = first - file.first, first
        copy, fast = self.copy, self.fast
        copy.sync += 1
        copy.sync_hits += 1
        fast.sync += 1
        fast.sync_hits += 1
        return seconds

    def read(self, file: CachedFile, first: int, size: int, caller: Caller, waits: bool = True) -> Wait:
        """The same with waiting; the value is seconds that the copying takes the caller."""
        waited = yield from self._bring(file.section, first, size, caller)
        self.copy.count(not waited, waits)
        if file.cached:
            self.fast.count(not waited, waits)
        else:
            self.fast_not_possible += 1
            file.cached = True
        self._read_ahead(file, first, size)
        return self._look_at(file, first // PAGE // PAGES) + size * self._copy

    def read_by_list(self, file: CachedFile, first: int, size: int, caller: Caller, waits: bool = True) -> Wait:
        """An MDL read: the pages themselves are handed over, nothing is copied."""
        waited = yield from self._bring(file.section, first, size, caller)
        self.mdl.count(not waited, waits)
        self._read_ahead(file, first, size)
        return 0.0

    def read_pinned(self, section: FileSection, first: int, size: int, caller: Caller, waits: bool = True) -> Wait:
        """A pin read: in order to write to what is read."""
        waited = yield from self._bring(section, first, size, caller)
        self.pin.count(not waited, waits)

    def map_data(self, section: FileSection, first: int, size: int, caller: Caller, pins: bool = False) -> Wait:
        """A data map: the file system looks at its own data, and *pins* what it is going to change."""
        waited = yield from self._bring(section, first, size, caller)
        self.map.count(not waited, True)
        if pins:
            self.data_map_pins += 1
            self._mark(section, first, size)

    def write_now(self, file: CachedFile, first: int, size: int) -> float | None:
        """A copy write on the fast path: seconds beyond the call itself, or None where something must be waited for."""
        if self.dirty.count >= self.dirty.most or not file.cached:
            return None
        section, held = file.section, self.set.pages
        pages, unwritten = section.pages, section.unwritten
        number, last = first >> SHIFT, (first + size - 1) >> SHIFT
        for each in range(number, last + 1):
            page = pages.get(each)
            if page is None or page.coming is not None:
                return None
        seconds = size * self._copy
        if number // PAGES != file.view:
            seconds += self._look_at(file, number // PAGES)
        for each in range(number, last + 1):
            page = pages[each]
            if page in held:
                held[page] = True
            else:
                seconds += self._memory.recover(self.set, page)
            page.dirty = True
            if each not in unwritten:
                self.dirty.add(section, each)
        return seconds

    def write(self, file: CachedFile, first: int, size: int, caller: Caller, through: bool = False) -> Wait:
        """The same with waiting; *through* to the disc if wanted. The value is seconds of copying."""
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
        return self._look_at(file, first // PAGE // PAGES) + size * self._copy

    def flush(self, section: FileSection, first: int, size: int, caller: Caller) -> Wait:
        """Write what is dirty of these bytes, and wait until it is on the disc."""
        due = [number for number in pages_of(first, size) if number in section.unwritten]
        while due:
            stop = next(n for n in range(due[0], due[-1] + 2) if n not in section.unwritten)
            yield from self.dirty.flush(section, due[0], min(stop - due[0], self._parameters.flush), caller)
            due = [number for number in due if number in section.unwritten]

    def start_read(self, file: CachedFile, first: int, size: int, caller: Caller) -> simpy.Process:
        """Asynchronous I/O: the copy read goes on by itself, and the caller may wait for it or do something else."""
        return self.env.process(self._read_by_itself(file, first, size, caller))

    def _read_by_itself(self, file: CachedFile, first: int, size: int, caller: Caller) -> Wait:
        seconds = yield from self.read(file, first, size, caller, waits=False)
        yield caller.burst(seconds)

    def _bring(self, section: FileSection, first: int, size: int, caller: Caller) -> Wait:
        return self._memory.bring(self.set, section, pages_of(first, size), caller)

    def _mark(self, section: FileSection, first: int, size: int) -> None:
        """These bytes have been written to; a page that was trimmed while others were waited for is taken back."""
        for number in pages_of(first, size):
            page = section.pages.get(number)
            if page is not None:
                if not self.set.uses(page):
                    self._memory.recover(self.set, page)
                page.dirty = True
                self.dirty.add(section, number)

    def _look_at(self, file: CachedFile, view: int) -> float:
        """Go on in another view: map it if it is not; views far behind a sequential reader are unmapped."""
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
        """The pages of a *view* leave the cache; where they are dirty, once they have been written."""
        self.views.unmap((section, view))
        self._behind.add((section, view))
        self._leave(section, view * PAGES, PAGES)

    def _leave(self, section: FileSection, first: int, count: int) -> None:
        for number in range(first, first + count):
            page = section.pages.get(number)
            if page is not None and page in self.set.pages and number not in section.unwritten:
                self._memory.remove(self.set, page)

    def _flushed(self, section: FileSection, first: int, count: int) -> None:
        """Pages have been written; what is let go leaves."""
        if self._flushing.lets_go((section, first // PAGES) in self._behind):
            self._leave(section, first, count)

    def _read_ahead(self, file: CachedFile, first: int, size: int) -> None:
        self.ahead.go(file, first, size)
        file.step, file.first = first - file.first, first

    def reading(self) -> dict[str, float]:
        counts = zip(KINDS, (self.copy, self.fast, self.mdl, self.pin, self.map), strict=True)
        return {
            **{name: value for kind, each in counts for name, value in each.reading(kind).items()},
            **self.dirty.reading(),
            "data_map_pins": float(self.data_map_pins), "fast_read_not_possibles": float(self.fast_not_possible),
            "cache_faults": float(self.set.faults), "cache_bytes": float(len(self.set) * PAGE),
            "views_mapped": float(self.views.mapped), "read_aheads": float(self.ahead.started),
        }
