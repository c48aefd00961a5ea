"""IMAGE's log file: the changes of a data base, written in order to a file of their own before its blocks change.

McBride & Boles 1983, "Looking for the Holes": IMAGE logging is one of the things that a data base's manager may enable.
"""

from models.hp3000.discs.volumes import SECTOR
from sim.account import Account
from sim.clock import Wait
from sim.file import File, OpenFile
from sim.machine import Machine
from sim.population import Population
from sim.units import MIB

LOG_FILE_BYTES = 2 * MIB
"""A log that is full goes on in another file (CHANGELOG), which here lies in the place of the full one."""


class ImageLog:
    """The log in *file*: each change adds a record of *record* bytes, in whole sectors, to a buffer in memory.

    The caller whose record leaves no room in the *buffer* for another writes all that is in it and waits for that,
    with the control block or without it as for any disc access of a call; others go on. A buffer smaller than a
    record is written with each of them. MPE has a process for each log that does so: that its callers wait only
    for full buffers is from the User Logging Programmer's Guide, that one of them writes is assumed.
    """

    def __init__(self, machine: Machine, file: File, record: int, buffer: int) -> None:
        self._machine = machine
        self._file = OpenFile(file)
        self._record = -(-record // SECTOR) * SECTOR
        self._most = max(1, buffer // self._record)
        self._gathered = 0
        self._next = 0
        self.records = 0
        self.writing = Population(machine.env)

    def add(self, account: Account) -> Wait | None:
        """Add the record of a change; the wait for the disc, where the buffer is full with it."""
        self.records += 1
        self._gathered += 1
        return self._write(account) if self._gathered == self._most else None

    def _write(self, account: Account) -> Wait:
        length, self._gathered = self._gathered * self._record, 0
        first = self._next if self._next + length <= self._file.file.size else 0
        self._next = first + length
        self.writing.enter()
        yield from self._machine.write(self._file, first, length, account)
        self.writing.leave()

    def reading(self) -> dict[str, float]:
        """*wait_seconds* are those in which callers waited for the file, the CPU time of the write among them."""
        return {
            "records": float(self.records), "writes": float(self.writing.entered),
            "wait_seconds": self.writing.seconds(),
        }  # fmt: skip
