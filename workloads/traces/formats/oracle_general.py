"""libCacheSim's oracleGeneral: second, object, size and the object's next use, in 24 bytes, little-endian.

Source: oracleGeneralBin.h of libCacheSim. There are no operations: all are read. An object is taken for a sector of
512 bytes, as in files made of block traces; hashes of names go beyond any device, and are refused.
"""

from struct import Struct

from sim.request import READ
from workloads.traces.binary import BinaryFormat
from workloads.traces.faults import Wrong
from workloads.traces.record import Record

SECTOR = 512
LAYOUT = Struct("<IQIq")
NEVER = (-1, (1 << 63) - 1)


class OracleRecords:
    """There is nothing that says what the file is, so what can be checked is: no object is next used before now.

    Some writers number the uses from 0, some from 1.
    """

    least = LAYOUT.size

    def __init__(self) -> None:
        self._began: int | None = None
        self._place = 0

    def decode(self, buffer: bytes, at: int) -> tuple[int, Record | None]:
        time, item, length, following = LAYOUT.unpack_from(buffer, at)
        place = self._place
        self._place = place + 1
        if following <= place and following not in NEVER:
            raise Wrong(f"the object's next use, {following}, must come after this one")
        if self._began is None:
            self._began = time
        return LAYOUT.size, Record(float(time - self._began), "", READ, item * SECTOR, length)

    def resume(self, buffer: bytes, at: int) -> int:
        return at + LAYOUT.size


ORACLE_GENERAL = BinaryFormat("oracleGeneral", (".oraclegeneral", ".oraclegeneral.bin"),
                              "a request is a record of 24 bytes", OracleRecords)
