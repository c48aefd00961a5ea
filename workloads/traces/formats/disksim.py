"""DiskSim's ASCII: ``ms device block blocks flags`` between spaces; blocks of 512 bytes, flags in hex, 1 for a read.

Source: iotrace_ascii_get_ioreq_event of DiskSim 4.0, which takes lines below 200 characters in the order of time.
"""

from collections.abc import Iterable, Iterator

from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.sim.units import MS
from spindle.workloads.traces.operations import Kind
from spindle.workloads.traces.record import Record
from spindle.workloads.traces.rows import Rows
from spindle.workloads.traces.shape import SPACE, Field, number, whole
from spindle.workloads.traces.text import TextFormat
from spindle.workloads.traces.writing import Numbers, sectors, steps

SECTOR = 512
IS_READ = 1
MOST_BLOCKS = 1 << 31
"""What DiskSim itself reads them into is a C int; a reader need not mind."""


FIELDS = (number("arrival time", "time", MS), whole("device number", "device"), whole("block number", "first", SECTOR),
          whole("number of blocks", "length", SECTOR),
          Field("flags", r"(?:0[xX])?[0-9a-fA-F]{1,8}", "a hexadecimal number", "op"))  # fmt: skip


class Flags:
    """Hexadecimal numbers as operations."""

    def of(self, word: str) -> Kind:
        return Kind.READ if int(word, 16) & IS_READ else Kind.WRITE


DISKSIM = TextFormat("disksim", (".disksim", ".trace", ".ascii"), "a request is a line of five numbers",
                     lambda: Rows(FIELDS, SPACE, ops=Flags()))


def written(records: Iterable[Record]) -> Iterator[bytes]:
    """The lines for *records*: times in nanoseconds that never fall, devices by number."""
    numbers = Numbers(lambda name: int(name) if name.isdecimal() and len(name) < 10 else None, lambda place: place)
    for time, record in steps(records, 10**9):
        block, blocks = sectors(record, SECTOR)
        if block + blocks > MOST_BLOCKS:
            raise UserError(f"DiskSim counts {MOST_BLOCKS} blocks of {SECTOR} bytes, and block {block} is beyond them")
        ms, rest = divmod(time, 10**6)
        flags = IS_READ if record.op is READ else 0
        yield f"{ms}.{rest:06} {numbers[record.device]} {block} {blocks} {flags:x}\n".encode()
