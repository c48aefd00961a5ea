"""Reads and writes DiskSim's ASCII traces, lines ``ms device block blocks flags``, and reads MQSim's, which look alike.

Blocks have 512 bytes; flags are hexadecimal, with 1 for a read. MQSim's traces are recognised by their times.
Source: iotrace_ascii_get_ioreq_event of DiskSim 4.0, which takes lines below 200 characters in the order of time.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.sim.units import MS
from spindle.workloads.traces.operations import Meaning
from spindle.workloads.traces.record import SECTOR, Record
from spindle.workloads.traces.rows import Rows
from spindle.workloads.traces.shape import SPACE, Field, clock, integer, number
from spindle.workloads.traces.text import TextFormat, whole_lines
from spindle.workloads.traces.writing import DeviceNumbers, sectors, with_ticks

IS_READ = 1
"""The flag of a read."""
MAX_BLOCKS = 1 << 31
"""Limit of the block numbers that are written, as DiskSim reads them into a C int; the reader has no such limit."""

FIELDS = (number("arrival time", "time", MS), integer("device number", "device"),
          integer("block number", "first", SECTOR),
          integer("number of blocks", "length", SECTOR),
          Field("flags", r"(?:0[xX])?[0-9a-fA-F]{1,8}", "a hexadecimal number", "op"))  # fmt: skip


class Flags:
    """Reads hexadecimal flags as operations."""

    def meaning(self, word: str) -> Meaning:
        return Meaning.READ if int(word, 16) & IS_READ else Meaning.WRITE


MQSIM_FIELDS = (clock("arrival time", 1e-9), integer("device number"), *FIELDS[2:])
"""MQSim's fields: nanoseconds, and a device number that means a channel; 0 is a write, as in DiskSim's flags."""
MQSIM = TextFormat("mqsim", (), "a request is a line of five whole numbers",
                   lambda: Rows(MQSIM_FIELDS, SPACE, ops=Flags()))
MAX_GAP_MS = 1000.0
"""Largest mean gap of DiskSim's times, in milliseconds; whole times farther apart are taken for MQSim's nanoseconds."""
MQSIM_NOTE = "its times are taken for nanoseconds, as MQSim's: as DiskSim's milliseconds they would be seconds " \
             "apart; --format disksim takes them for those"  # fmt: skip

NOTE = "five numbers a line are taken for DiskSim's: ms, device, first block and blocks of 512 bytes, flags with 1 " \
       "for a read; {}"
OTHERS = "--format mqsim takes the times for ns, and --columns with --separator space anything"
IN_BYTES = "as all blocks and their numbers divide by {}, they may be bytes: --columns " \
           "time_ms=1,device=2,offset=3,size=4,op=5 --separator space --ops 0=write,1=read"  # fmt: skip
OF_BYTES = (4096, 512)
_WHOLE = re.compile(rb"\d{1,19}").fullmatch


def _of_ms_or_ns(head: bytes, name: str) -> TextFormat:
    """Return DiskSim's format, or MQSim's where all times are whole and would be far apart as milliseconds.

    Both are guesses, which the format notes.
    """
    lines = [cells for line in whole_lines(head).splitlines() if (cells := line.split())]
    times = [int(cells[0]) for cells in lines if _WHOLE(cells[0])]
    whole = len(times) == len(lines) > 1
    if whole and abs(times[-1] - times[0]) / (len(times) - 1) > MAX_GAP_MS:
        return replace(MQSIM, note=MQSIM_NOTE)
    places = [int(cell) for cells in lines for cell in cells[2:4] if _WHOLE(cell)]
    unit = next((unit for unit in OF_BYTES if places and not any(place % unit for place in places)), 0)
    return replace(DISKSIM, note=NOTE.format(IN_BYTES.format(unit) if unit else OTHERS))


DISKSIM = TextFormat("disksim", (".disksim", ".ascii"), "a request is a line of five numbers",
                     lambda: Rows(FIELDS, SPACE, ops=Flags()), choose=_of_ms_or_ns)  # fmt: skip


def encode(records: Iterable[Record]) -> Iterator[bytes]:
    """Encode *records* as lines: times in nanoseconds that never fall, devices by number."""
    numbers = DeviceNumbers(
        lambda name: int(name) if name.isdecimal() and len(name) < 10 else None, lambda place: place)
    for time, record in with_ticks(records, 10**9):
        block, blocks = sectors(record, SECTOR)
        if block + blocks > MAX_BLOCKS:
            raise UserError(f"DiskSim counts {MAX_BLOCKS} blocks of {SECTOR} bytes, and block {block} is beyond them")
        ms, rest = divmod(time, 10**6)
        flags = IS_READ if record.op is READ else 0
        yield f"{ms}.{rest:06} {numbers[record.device]} {block} {blocks} {flags:x}\n".encode()
