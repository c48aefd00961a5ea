"""libCacheSim's lcs, versions 1 to 8: a header, and records of objects with their sizes, tenants and times to live.

Source: lcs.h of libCacheSim. All is little-endian and packed. Version 1 is oracleGeneral behind a header; 2 adds who
did what; 3 has longer sizes and times to live; 4 to 8 have 1, 2, 4, 8 or 16 numbers more, which are passed over.
"""

import struct
from struct import Struct

from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.binary import BinaryFormat
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.formats.oracle_general import follows
from spindle.workloads.traces.record import Record

HEADER = 8192
MAGIC = (0x123456789ABCDEF0).to_bytes(8, "little")
ENDS = Struct("<8sQ8168x8s")
"""Of the header: its mark, the version, statistics, and the mark again."""
LAYOUTS = {1: Struct("<IQIq"), 2: Struct("<IQIIq"),
           **{version: Struct(f"<IQqIIq{4 * more}x") for version, more in enumerate((0, 1, 2, 4, 8, 16), 3)}}
"""By version: second, object, size, then operation and tenant in one number, time to live, and the next use."""
WRITES = frozenset({3, 4, 5, 6, 7, 8, 10, 11, 13, 14})
"""set, add, cas, replace, append, prepend, incr, decr, write and update; what is none of them is a reference, too."""
DELETE = 9
TENANT = 8
"""Bits below it are the operation."""


class LcsRecords:
    """The object's next use must come after this one, as in oracleGeneral."""

    least = LAYOUTS[1].size

    def __init__(self) -> None:
        self._version = 0
        self._layout = Struct("")
        self._began: int | None = None
        self._place = 0

    def decode(self, buffer: bytes, at: int) -> tuple[int, Record | None]:
        if not self._version:
            return self._begin(buffer, at)
        try:
            time, item, length, *more = self._layout.unpack_from(buffer, at)
        except struct.error:  # it reaches beyond the buffer
            return self._layout.size, None
        place = self._place
        self._place = place + 1
        follows(place, more[-1])
        if self._began is None:
            self._began = time
        what = more[0] if self._version > 1 else 0
        if what & 0xFF == DELETE:
            return self._layout.size, None
        ttl = float(more[1]) if self._version > 2 and more[1] else None
        tenant = str(what >> TENANT) if what >> TENANT else ""
        op = WRITE if what & 0xFF in WRITES else READ
        since = float(time - self._began)
        return self._layout.size, Record(since, tenant, op, 0, length, keys=(str(item),), ttl=ttl)

    def _begin(self, buffer: bytes, at: int) -> tuple[int, None]:
        """Take the version from the header, which is no request."""
        begins = buffer[at : at + len(MAGIC)]
        if begins != MAGIC:
            raise Wrong(f"lcs begins with {MAGIC.hex(' ')}, not {begins.hex(' ')}")
        if len(buffer) - at < HEADER:
            return HEADER, None
        _, version, ends = ENDS.unpack_from(buffer, at)
        if ends != MAGIC or version not in LAYOUTS:
            raise Wrong(f"lcs has a header that ends as it begins, and version 1 to {max(LAYOUTS)}, not {version}")
        self._version, self._layout = version, LAYOUTS[version]
        return HEADER, None

    def resume(self, buffer: bytes, at: int) -> int:
        return min(at + (self._layout.size or LAYOUTS[1].size), len(buffer))


LCS = BinaryFormat("lcs", (".lcs",), "a request is a record behind the header", LcsRecords)
