"""Reads vscsi traces, versions 1 and 2: the SCSI commands of virtual machines, recorded by VMware's hosts.

Numbers are little-endian, times in microseconds, blocks of 512 bytes. Source: the structures in libCacheSim's vscsi.h.
That version 2's last number is the response time, in microseconds like the time before it, follows only from its name
there, *rt*.
"""

from dataclasses import dataclass, field
from functools import partial
from struct import Struct
from typing import ClassVar

from spindle.sim.request import READ, WRITE, Op
from spindle.workloads.traces.binary import BinaryFormat
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.record import SECTOR, Record

TICKS = 1e6
"""Units of time in a second."""
OPS: dict[int, Op] = {
    0x08: READ, 0x28: READ, 0xA8: READ, 0x88: READ, 0x0A: WRITE, 0x2A: WRITE, 0xAA: WRITE, 0x8A: WRITE,
}  # fmt: skip
"""Codes of SCSI's reads and writes, commands of 6, 10, 12 and 16 bytes; other commands move no data of the disc."""


@dataclass
class VscsiRecords:
    """Decodes records of a *version*; *fields* are the places in *layout* of command, version, length, block, time and
    response time."""

    columns: ClassVar[None] = None
    version: int
    layout: Struct
    fields: tuple[int, ...]
    began: float | None = field(default=None, init=False)

    @property
    def min_bytes(self) -> int:
        return self.layout.size

    def decode(self, buffer: bytes, at: int) -> tuple[int, Record | None]:
        values = self.layout.unpack_from(buffer, at)
        command, version, length, block, time, *response = [values[place] for place in self.fields]
        if version >> 8 != self.version:
            turned = " (the bytes of its numbers stand in the other order)" if version == self.version else ""
            raise Wrong(f"version {version >> 8} must be {self.version}{turned}")
        if self.began is None:
            self.began = time
        op = OPS.get(command)
        if op is None:
            return self.layout.size, None
        since = (time - self.began) / TICKS
        seconds = response[0] / TICKS if response else None
        return self.layout.size, Record(since, "", op, block * SECTOR, length, seconds)

    def resume(self, buffer: bytes, at: int) -> int:
        return at + self.layout.size


_NEEDS = "a request is a SCSI read or write"
VSCSI_1 = BinaryFormat("vscsi1", (".vscsi", ".vscsi1"), _NEEDS,
                       partial(VscsiRecords, 1, Struct("<IIIHHQQ"), (3, 4, 1, 5, 6)))
VSCSI_2 = BinaryFormat("vscsi2", (".vscsi2",), _NEEDS,
                       partial(VscsiRecords, 2, Struct("<HHIIIQQQ"), (0, 1, 3, 5, 6, 7)))
