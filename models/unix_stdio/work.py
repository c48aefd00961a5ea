"""The CPU time that a program owes: added up call by call, and spent in one burst before it could have an effect."""

from spindle.models.unix_stdio.parameters import UnixParameters
from spindle.models.unix_stdio.strace import SystemCallList
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import Cpu

LEVEL = 1


class ProgramWork:
    """Counts the calls of a program, and what they cost its *account*: the library's and the kernel's own time.

    The first of them are *listed*.
    """

    def __init__(self, cpu: Cpu, parameters: UnixParameters, listed: SystemCallList) -> None:
        self.account = Account("program")
        self.parameters = parameters
        self.listed = listed
        self.library_calls = self.reads = self.writes = self.seeks = 0
        self.bytes_read = self.bytes_written = 0
        self.library = self.calls = self.copying = self.pages = 0.0
        self._cpu = cpu
        self._call = self._cache = 0.0

    @property
    def owed(self) -> float:
        return self._call + self._cache

    def pay(self) -> Wait:
        """Spend what is owed; the clock is then where the program is."""
        if self.owed:
            call, cache = self._call, self._cache
            self._call = self._cache = 0.0
            yield self._cpu.burst(call + cache, LEVEL, Phase.CACHE, self.account, call)

    def called_library(self, calls: int = 1) -> None:
        self.listed.end(self.owed)
        self.library_calls += calls
        self.library += self._calling(calls * self.parameters.library_call)

    def called_seek(self, calls: int = 1, first: int = 0) -> None:
        """*calls* of lseek, of which one goes to byte *first*."""
        self.listed.begin("lseek", 0, self.owed, first)
        self.seeks += calls
        self.calls += self._calling(calls * self.parameters.seek_call)

    def called_read(self, length: int, calls: int = 1) -> None:
        """*calls* reads of *length* bytes each."""
        self.listed.begin("read", length, self.owed)
        self.reads += calls
        self.bytes_read += calls * length
        self.calls += self._calling(calls * self.parameters.read_call)

    def called_write(self, length: int, calls: int = 1) -> None:
        self.listed.begin("write", length, self.owed)
        self.writes += calls
        self.bytes_written += calls * length
        self.calls += self._calling(calls * self.parameters.write_call)

    def copied(self, length: int) -> None:
        """Between the program and the page cache."""
        self.copying += self._caching(length * self.parameters.copy)

    def allocated(self, pages: int, folios: int) -> None:
        self.pages += self._caching(pages * self.parameters.new_page + folios * self.parameters.new_folio)

    def kernel(self, seconds: float) -> None:
        """Other work of the kernel for this program."""
        self.pages += self._caching(seconds)

    def _calling(self, seconds: float) -> float:
        self._call += seconds
        return seconds

    def _caching(self, seconds: float) -> float:
        self._cache += seconds
        return seconds

    def reading(self) -> dict[str, float]:
        names = ("library_calls", "reads", "writes", "seeks", "bytes_read", "bytes_written",
                 "library", "calls", "copying", "pages")  # fmt: skip
        return {name: float(getattr(self, name)) for name in names}
