"""MSR Cambridge CSV: ``Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime``; times in 100 ns, the rest bytes.

Source: the README of the traces (SNIA IOTTA 388); Narayanan, Donnelly and Rowstron, FAST 2008.
"""

from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.shape import COMMA, Shape, choice, whole, word
from spindle.workloads.traces.text import TextFormat

TICKS = 1e7
"""Of Windows' file time a second; it counts from 1601, too far back for a float, so ours counts from the first line."""
OPS = {"Read": READ, "Write": WRITE}
HEADER = "timestamp,hostname,disknumber,type,offset,size,responsetime"


class MsrLines:
    shape = Shape(
        [whole("Timestamp", "time"), word("Hostname", "device"), whole("DiskNumber"), choice("Type", OPS),
         whole("Offset", "first"), whole("Size", "length"), whole("ResponseTime", "response")], COMMA,
    )  # fmt: skip

    def __init__(self) -> None:
        self._began: int | None = None

    def parse(self, line: str) -> Record | None:
        match = self.shape.match(line)
        if match is None:
            if line.strip().lower() == HEADER:
                return None
            raise self.shape.wrong(line)
        time, host, disc, op, first, length, response = match.groups()
        if self._began is None:
            self._began = int(time)
        since = (int(time) - self._began) / TICKS
        return Record(since, f"{host}.{disc}", OPS[op], int(first), int(length), int(response) / TICKS)


MSR = TextFormat("msr", (".msr",), "a request is a line of seven cells", MsrLines)
