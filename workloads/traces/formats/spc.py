"""SPC-1 and UMass: ``ASU,LBA,Size,Opcode,Timestamp`` and perhaps more; sectors of 512 bytes, size in bytes, seconds.

Source: SPC Trace File Format Specification 1.0.1 (2002).
"""

from sim.request import READ, WRITE
from workloads.traces.record import Record
from workloads.traces.shape import COMMA, Shape, choice, number, whole
from workloads.traces.text import TextFormat

SECTOR = 512
OPS = {"R": READ, "r": READ, "W": WRITE, "w": WRITE}


class SpcLines:
    shape = Shape([whole("ASU", "device"), whole("LBA", "first"), whole("Size", "length"), choice("Opcode", OPS),
                   number("Timestamp", "time")], COMMA, longer=True)

    def parse(self, line: str) -> Record:
        match = self.shape.match(line)
        if match is None:
            raise self.shape.wrong(line)
        unit, sector, length, op, time = match.groups()
        return Record(float(time), unit, OPS[op], int(sector) * SECTOR, int(length))


SPC = TextFormat("spc", (".spc",), "a request is a line of at least five cells", SpcLines)
