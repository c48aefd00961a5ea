"""Reads and writes blktrace's binary files, version 7, of either byte order.

Events of one kind are taken for the requests: those queued, else those issued, else those completed. Source:
blktrace_api.h of the Linux kernel. Times are in nanoseconds, places in sectors of 512 bytes, lengths in bytes. blktrace
makes a file for each CPU; ``blkparse -d`` merges them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from struct import Struct

from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.binary import BinaryFormat
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.formats.issued import IssuedRequests
from spindle.workloads.traces.record import SECTOR, Record
from spindle.workloads.traces.writing import DeviceNumbers, sectors, with_ticks

TICKS = 10**9
"""Units of time in a second."""
MAGIC = b"\x07tae"
"""First bytes of a record; reversed where a big-endian machine wrote it."""
LAYOUT = "IIQQIIIIIHH"
LENGTH = 48
"""Bytes of a record without its payload."""
QUEUED, ISSUED, COMPLETED = 1, 7, 8
"""Kinds of events."""
_ACTION = 0xFF
"""Mask of the kind of an event; a bit above it means that the event's payload names a control group."""
_READ, _WRITE, _QUEUE = (1 << 16 + bit for bit in (0, 1, 4))
_OTHER = sum(1 << 16 + bit for bit in (9, 10, 13))
"""Bits of commands, messages and discards, which move no data."""
MINORS = 20
"""Bits of the minor number in the number of a device."""


class BlktraceRecords:
    """Decodes records of events; those of the kind *wanted* are the requests."""

    min_bytes = LENGTH
    columns = None

    def __init__(self, wanted: int = QUEUED) -> None:
        self._wanted = wanted
        self._begun = IssuedRequests()
        self.began: float | None = None
        self._magic = b""
        self._layout: Struct
        """That of the first good record's byte order."""

    def decode(self, buffer: bytes, at: int) -> tuple[int, Record | None]:
        if buffer[at : at + 4] != self._magic:
            self._begin(buffer[at : at + 4])
        _, _, time, sector, length, action, _, device, _, _, carried = self._layout.unpack_from(buffer, at)
        size = LENGTH + carried
        kind, name = action & _ACTION, f"{device >> MINORS},{device & (1 << MINORS) - 1}"
        notes = kind == ISSUED and self._wanted == COMPLETED
        if not (notes or kind == self._wanted) or action & _OTHER or not length:
            return size, None
        if self.began is None:
            self.began = time
        now, first = (time - self.began) / TICKS, sector * SECTOR
        if notes:
            self._begun.begin(name, first, now)
            return size, None
        came = self._begun.end(name, first)
        if came is None and self._begun.any:
            return size, None
        op = WRITE if action & _WRITE else READ
        response = None if came is None else now - came
        return size, Record(now if came is None else came, name, op, first, length, response)

    def _begin(self, magic: bytes) -> None:
        """Take the byte order from the first good record."""
        if self._magic or magic not in (MAGIC, MAGIC[::-1]):
            raise Wrong(f"a record of version 7 begins with {(self._magic or MAGIC).hex(' ')}, not {magic.hex(' ')}")
        self._magic = magic
        self._layout = Struct("<>"[magic != MAGIC] + LAYOUT)

    def resume(self, buffer: bytes, at: int) -> int:
        """Return where the next record may begin."""
        place = buffer.find(self._magic or MAGIC, at + 1)
        return place if place > at else max(at + 1, len(buffer) - 3)


NONE_QUEUED = "it has no event that a request was queued: requests are taken from the events that one was {}"
_QUEUED = BinaryFormat("blktrace", (".blktrace", ".blktrace.0", ".blktrace.bin"),
                       "a request is an event that one was queued", BlktraceRecords)
BLKTRACE = replace(_QUEUED, alternatives=tuple(
    replace(_QUEUED, decoder=partial(BlktraceRecords, wanted), note=NONE_QUEUED.format(done))
    for wanted, done in ((ISSUED, "issued"), (COMPLETED, "completed"))))  # fmt: skip
"""By the kind of event, the best first: ``blktrace -a issue`` records issued events, and none queued."""
COMPLETED_EVENTS = replace(
    _QUEUED, name="blktrace-completed", suffixes=(), decoder=partial(BlktraceRecords, COMPLETED),
    needs="a request is an event that one was completed, and came when it was issued")  # fmt: skip


def encode(records: Iterable[Record]) -> Iterator[bytes]:
    """Encode each request as a queued event, which fio replays and blkparse prints; for one CPU, in order of time."""
    layout = Struct("<" + LAYOUT)
    magic = int.from_bytes(MAGIC, "little")
    numbers = DeviceNumbers(_own, lambda place: 8 << MINORS | 16 * place)
    for number, (time, record) in enumerate(with_ticks(records, TICKS), 1):
        sector, _ = sectors(record, SECTOR)
        action = QUEUED | _QUEUE | (_READ if record.op is READ else _WRITE)
        yield layout.pack(magic, number & 0xFFFFFFFF, time, sector, record.length, action, 1,
                          numbers[record.device], 0, 0, 0)


_OWN = re.compile(r"(\d{1,6}),(\d{1,6})", re.ASCII).fullmatch


def _own(name: str) -> int | None:
    """Return the number of a device that is called by its major and minor, as ``8,16``; None of others."""
    found = _OWN(name)
    if found is None:
        return None
    major, minor = map(int, found.groups())
    return major << MINORS | minor if major < 1 << 32 - MINORS else None  # a minor of six digits has MINORS bits
