"""Simulates read-ahead of an open file by the rule of three reads, further if it was opened for sequential reads."""

from spindle.models.windows_nt.caller import Caller
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.working_set import PAGE, PAGE_SHIFT, FileSection, WorkingSet, pages_of


class CachedFile:
    """An open file, *section*; *sequential* if it was opened with that hint.

    *first* and *step* are the history of the last two reads, so that a third at the same distance shows a
    pattern; pages before *ahead* have been requested. *view* is the reader's, *trail* the views before it.
    """

    __slots__ = ("section", "sequential", "first", "step", "ahead", "cached", "view", "trail")

    def __init__(self, section: FileSection, sequential: bool = False) -> None:
        self.section = section
        self.sequential = sequential
        self.first = -1
        self.step = 0
        self.ahead = 0
        self.cached = False
        self.view = -1
        self.trail: list[int] = []


class NtReadAhead:
    """Reads ahead for *holder* in the background: a granule at a time, two if the file is read in sequence.

    A third read that is as far from the second as that was from the first is expected to be followed by a fourth.
    """

    def __init__(self, memory: MemoryManager, holder: WorkingSet, parameters: NtParameters, caller: Caller) -> None:
        self._memory = memory
        self._holder = holder
        self._granule = parameters.read_ahead // PAGE
        self._caller = caller
        self.account = caller.account
        self.started = 0

    def due(self, file: CachedFile, first: int, size: int) -> bool:
        """Return whether a read of *size* bytes from *first* on calls for read-ahead."""
        if file.sequential:
            last = (first + size - 1) >> PAGE_SHIFT
            return self._has_strayed(file, last) or last + 2 * self._granule >= file.ahead < file.section.count
        return first - file.first == file.step and bool(self._next_pages(file, first, size))

    def go(self, file: CachedFile, first: int, size: int) -> None:
        """Start the read-ahead that is due."""
        if not file.sequential:
            if first - file.first == file.step:
                self._read(file, self._next_pages(file, first, size))
            return
        last = (first + size - 1) >> PAGE_SHIFT
        if self._has_strayed(file, last):
            file.ahead = last + 1
        stop = min(file.ahead + self._granule, file.section.count)
        self._read(file, range(file.ahead, stop))
        file.ahead = max(file.ahead, stop)

    def _has_strayed(self, file: CachedFile, last: int) -> bool:
        """Return whether the reader is not at the expected place, perhaps at the beginning again."""
        return not last < file.ahead <= last + 1 + 3 * self._granule

    def _next_pages(self, file: CachedFile, first: int, size: int) -> range:
        """Return the pages that come next in this pattern, if the first of them is absent.

        A sequential reader gets a granule; one with a stride, forwards or backwards, the next record.
        """
        step, section = file.step, file.section
        if step == size:
            begin = ((first + size - 1) >> PAGE_SHIFT) + 1
            wanted = range(begin, min(begin + self._granule, section.count))
        else:
            place = first + step
            inside = step and 0 <= place <= section.size - size
            wanted = pages_of(place, size) if inside else range(0)
        return wanted if wanted and wanted[0] not in section.pages else range(0)

    def _read(self, file: CachedFile, wanted: range) -> None:
        number = wanted.start
        while number < wanted.stop:
            absent = self._memory.within_reach(file.section, number, wanted.stop - number)
            if absent:
                if self._memory.fetch(self._holder, file.section, number, absent, self._caller) is None:
                    return
                self.started += 1
                self._caller.burst(self._memory.fault_call(absent))
            number += absent or 1
