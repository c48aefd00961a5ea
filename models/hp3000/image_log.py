"""Writes the log of an IMAGE data base (HP's own): each change is recorded before the blocks change.

McBride & Boles 1983, "Looking for the Holes": the manager of a data base may enable IMAGE logging.
"""

from spindle.models.hp3000.caching.alignment import SECTOR
from spindle.sim.clock import Account, Population, Wait
from spindle.sim.machine import File, Machine, OpenFile
from spindle.sim.units import MIB

LOG_FILE_BYTES = 2 * MIB
"""Size of a log file. A full log continues in another file (MPE's CHANGELOG), here at the place of the full one."""


class ImageLog:
    """A log in *file*: each change adds a record of *record* bytes, in whole sectors, to a buffer in memory.

    The caller whose record fills the *buffer* writes all of it and waits for that; other callers do not wait. Whether
    it holds the control block meanwhile is decided as for any disc access of a call. A buffer smaller than a record is
    written with each record. A *durable* log is on the medium, even if the disc is cached, before its caller continues.

    That callers wait only for full buffers is from MPE's User Logging Programmer's Guide. In MPE a process of the log
    writes; that a caller does is assumed.
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
