"""IMAGE's log file: the changes of a data base, written in order to a file of their own before its blocks change.

McBride & Boles 1983, "Looking for the Holes": IMAGE logging is what a data base's manager may enable.
"""

from spindle.models.hp3000.caching.alignment import SECTOR
from spindle.sim.clock import Account, Population, Wait
from spindle.sim.machine import File, Machine, OpenFile
from spindle.sim.units import MIB

LOG_FILE_BYTES = 2 * MIB
"""A full log goes on in another file (MPE's CHANGELOG), which here lies in the place of the full one."""


class ImageLog:
    """The log in *file*: each change adds a record of *record* bytes, in whole sectors, to a buffer in memory.

    The caller whose record leaves no room in the *buffer* for another writes all that is in it and waits for that,
    with the control block or without it as for any disc access of a call; others go on. A buffer smaller than a
    record is written with each of them. In MPE a process for each log writes: that callers wait only for full buffers
    is from the User Logging Programmer's Guide, that a caller writes is assumed. A *durable* log is on the medium,
    whatever is cached, before its caller goes on.
    """

    def __init__(self, machine: Machine, file: File, record: int, buffer: int, durable: bool = False) -> None:
        self._machine = machine
        self._file = OpenFile(file)
        self._record = -(-record // SECTOR) * SECTOR
        self._most = max(1, buffer // self._record)
        self._durable = durable
        self._gathered = 0
        self._next = 0
        self.records = 0
        self.writing = Population(machine.env)

    def add(self, account: Account) -> Wait | None:
        """Add the record of a change; return the wait for the disc if the buffer is full with it."""
        self.records += 1
        self._gathered += 1
        return self._write(account) if self._gathered == self._most else None

    def _write(self, account: Account) -> Wait:
        length, self._gathered = self._gathered * self._record, 0
        first = self._next if self._next + length <= self._file.file.size else 0
        self._next = first + length
        self.writing.enter()
        yield from self._machine.write(self._file, first, length, account, self._durable)
        self.writing.leave()

    def reading(self) -> dict[str, float]:
        """*wait_seconds* are those in which callers waited for the file, the CPU time of the write among them."""
        return {
            "records": float(self.records), "writes": float(self.writing.entered),
            "wait_seconds": self.writing.seconds(),
        }  # fmt: skip
