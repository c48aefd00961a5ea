"""A process of Response Probe: its working set, its own pages and those of its code."""

from models.windows_nt.caller import Caller
from models.windows_nt.memory.memory_manager import MemoryManager
from models.windows_nt.memory.page import FileSection
from models.windows_nt.memory.working_set import WorkingSet
from sim.clock import Wait


class ProbeProcess:
    """*data* and *code* are None where it has no such pages; all of its threads share them."""

    def __init__(
        self, memory: MemoryManager, holder: WorkingSet, data: FileSection | None, code: FileSection | None
    ) -> None:
        self._memory = memory
        self.set = holder
        self.data = data
        self.code = code
        self._started = False

    def start(self, caller: Caller) -> Wait:
        """The first thread makes the process's own pages, which are zero."""
        if self._started or self.data is None:
            return
        self._started = True
        for number in range(self.data.count):
            yield from self._memory.create(self.set, self.data, number, caller)

    def touch(self, section: FileSection, number: int) -> float | None:
        """Seconds to get at a page at once; None where the disc must be waited for."""
        page = section.pages.get(number)
        if page is not None and self.set.uses(page):
            return 0.0
        return self._memory.touch(self.set, section, min(number, section.count - 1), write=section is self.data)

    def bring(self, section: FileSection, number: int, caller: Caller) -> Wait:
        """The same with waiting."""
        number = min(number, section.count - 1)
        yield from self._memory.bring(self.set, section, range(number, number + 1), caller)
