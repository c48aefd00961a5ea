"""libCacheSim's oracleGeneral: second, object, size and the object's next use, in 24 bytes, little-endian.

Source: oracleGeneralBin.h of libCacheSim. There are no operations: all are read. An object is taken for a sector of
512 bytes, as in files made of block traces; where hashes of names go beyond any device, or with ``-objects``, it is
an object of that size.
"""

from functools import partial
from struct import Struct

from spindle.sim.request import READ
from spindle.workloads.traces.binary import BinaryFormat
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.record import Record

SECTOR = 512
LAYOUT = Struct("<IQIq")
NEVER = (-1, (1 << 63) - 1)
MOST = 1 << 48
"""No trace has as many requests; text that is taken for this format would have."""


def follows(place: int, following: int) -> None:
    """Wrong if the object of the request at *place* is next used, as *following* says, before that."""
    if not place < following < MOST and following not in NEVER:
        raise Wrong(f"the object's next use, {following}, must come after this one")


class OracleRecords:
    """The file has no identification, so what can be checked is: no object is next used before now.

    Some writers number the uses from 0, some from 1. With *objects* they are that, and no sectors.
    """

    least = LAYOUT.size

    def __init__(self, objects: bool = False) -> None:
        self.objects = objects
        self._began: int | None = None
        self._place = 0

    def decode(self, buffer: bytes, at: int) -> tuple[int, Record | None]:
        time, item, length, following = LAYOUT.unpack_from(buffer, at)
        place = self._place
        self._place = place + 1
        follows(place, following)
        if self._began is None:
            self._began = time
        since = float(time - self._began)
        if self.objects:
            return LAYOUT.size, Record(since, "", READ, 0, length, keys=(str(item),))
        return LAYOUT.size, Record(since, "", READ, item * SECTOR, length)

    def resume(self, buffer: bytes, at: int) -> int:
        return at + LAYOUT.size


_NEEDS = "a request is a record of 24 bytes"
ORACLE_GENERAL = BinaryFormat("oracleGeneral", (".oraclegeneral", ".oraclegeneral.bin"), _NEEDS, OracleRecords)
OBJECTS = BinaryFormat("oracleGeneral-objects", (), _NEEDS, partial(OracleRecords, True))
