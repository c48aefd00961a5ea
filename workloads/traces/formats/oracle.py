"""Reads libCacheSim's binary traces of objects, oracleGeneral and lcs (versions 1 to 8), and writes oracleGeneral.

Sources: oracleGeneralBin.h and lcs.h of libCacheSim. A record, little-endian and packed, has second, object, size and
the object's next use; lcs 1 has the same after a header; 2 adds tenant and operation; 3 has longer sizes and times to
live; 4 to 8 have 1, 2, 4, 8 or 16 more numbers, which are ignored. oracleGeneral has no operations: all are reads. An
object is taken for a sector of 512 bytes, as in files made of block traces; if hashes of names go beyond any device, if
sizes are no whole sectors, or with ``-objects``, it is an object of its size.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spindle.sim.error import UserError, quote
from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.batch import Batch, Words, no_owners, no_time, require
from spindle.workloads.traces.binary import BinaryFormat
from spindle.workloads.traces.block_uses import next_uses
from spindle.workloads.traces.faults import Checks, Wrong
from spindle.workloads.traces.record import SECTOR, Record, number_of
from spindle.workloads.traces.writing import sectors, with_ticks

LCS_HEADER_BYTES = 8192
LCS_MAGIC = (0x123456789ABCDEF0).to_bytes(8, "little")
LCS_HEADER = Struct("<8sQ8168x8s")
"""The header of lcs: LCS_MAGIC, the version, statistics, and LCS_MAGIC again."""
NOT_USED_AGAIN = (-1, (1 << 63) - 1)
"""Next uses of an object that is not used again."""
SECTORS = (1 << 63) // SECTOR
"""Sectors of which each byte has a number of 63 bits."""
MAX_REQUESTS = 1 << 48
"""More requests than any trace has; the next uses in text that is mistaken for one of these formats are larger."""
MAX_WRITTEN = (1 << 32) - 1
"""Most seconds since the begin, and most bytes, that oracleGeneral's numbers hold."""
WRITE_CODES = (3, 4, 5, 6, 7, 8, 10, 11, 13, 14)
"""Codes of set, add, cas, replace, append, prepend, incr, decr, write and update; all others count as references."""
DELETE_CODE = 9
TENANT_SHIFT = 8
"""Bits of the operation's code, which is below the number of the tenant."""
_TIME, _ITEM, _ACTION, _TTL, _NEXT = ("time", "<u4"), ("item", "<u8"), ("what", "<u4"), ("ttl", "<u4"), ("next", "<i8")
ORACLE = np.dtype([_TIME, _ITEM, ("size", "<u4"), _NEXT])
LAYOUTS: dict[int, np.dtype[Any]] = {
    1: ORACLE, 2: np.dtype([_TIME, _ITEM, ("size", "<u4"), _ACTION, _NEXT]),
    3: np.dtype([_TIME, _ITEM, ("size", "<i8"), _ACTION, _TTL, _NEXT]),
}  # fmt: skip
"""Layout of a record by version of lcs."""
LAYOUTS |= {version: np.dtype([*LAYOUTS[3].descr, ("more", f"V{4 * more}")])
            for version, more in enumerate((1, 2, 4, 8, 16), 4)}  # fmt: skip


class ObjectRecords:
    """Requests for *objects*, or else for sectors; with no *layout* it is found in the header.

    oracleGeneral has no mark by which to know it; so each object's next use must come after this one. Some writers
    number the uses from 0, some from 1.
    """

    min_bytes = ORACLE.itemsize

    def __init__(self, layout: np.dtype[Any] | None, objects: bool) -> None:
        self._layout = layout
        self._objects = objects
        self.began: float | None = None
        self._place = 0

    @property
    def columns(self) -> "ObjectRecords | None":
        return None if self._layout is None else self

    @property
    def size(self) -> int:
        """Return the bytes of a record."""
        return self.min_bytes if self._layout is None else self._layout.itemsize

    # One record.

    def decode(self, buffer: bytes, at: int) -> tuple[int, Record | None]:
        if self._layout is None:
            return self._begin(buffer, at)
        if at + self.size > len(buffer):
            return self.size, None
        row = np.frombuffer(buffer, self._layout, 1, at)[0]
        time, item, length, following, what, ttl = [
            int(row[name]) if name in (self._layout.names or ()) else 0
            for name in ("time", "item", "size", "next", "what", "ttl")]  # fmt: skip
        place = self._place
        self._place = place + 1
        if not place < following < MAX_REQUESTS and following not in NOT_USED_AGAIN:
            raise Wrong(f"the object's next use, {following}, must come after this one")
        if self.began is None:
            self.began = time
        since = float(time - self.began)
        if not self._objects:
            return self.size, Record(since, "", READ, item * SECTOR, length)
        tenant = str(what >> TENANT_SHIFT) if what >> TENANT_SHIFT else ""
        op = WRITE if what & 0xFF in WRITE_CODES else READ
        return self.size, Record(since, tenant, op, 0, length, keys=(str(item),), ttl=float(ttl) if ttl else None,
                                 delete=what & 0xFF == DELETE_CODE)  # fmt: skip

    def _begin(self, buffer: bytes, at: int) -> tuple[int, None]:
        """Take the version from the header, which is no request."""
        begins = buffer[at : at + len(LCS_MAGIC)]
        if begins != LCS_MAGIC:
            raise Wrong(f"lcs begins with {LCS_MAGIC.hex(' ')}, not {begins.hex(' ')}")
        if len(buffer) - at < LCS_HEADER_BYTES:
            return LCS_HEADER_BYTES, None
        _, version, ends = LCS_HEADER.unpack_from(buffer, at)
        if ends != LCS_MAGIC or version not in LAYOUTS:
            raise Wrong(f"lcs has a header that ends as it begins, and version 1 to {max(LAYOUTS)}, not {version}")
        self._layout = LAYOUTS[version]
        return LCS_HEADER_BYTES, None

    def resume(self, buffer: bytes, at: int) -> int:
        return min(at + self.size, len(buffer))

    # Many records.

    def batch(self, block: bytes, check: Checks) -> Batch:
        rows = np.frombuffer(block, self._layout)
        places = np.arange(self._place, self._place + len(rows))
        following: NDArray[np.int64] = rows["next"]
        later = (places < following) & (following < MAX_REQUESTS)
        require(bool((later | np.isin(following, NOT_USED_AGAIN)).all()))
        began = int(rows["time"][0]) if self.began is None else int(self.began)
        found = self._requests(rows, began)
        check.batch(found)
        self._place, self.began = self._place + len(rows), began
        return found

    def _requests(self, rows: NDArray[Any], began: int) -> Batch:
        require(self._objects or bool((rows["item"] < SECTORS).all()))
        names = rows.dtype.names or ()
        count = len(rows)
        batch = Batch((rows["time"].astype(np.int64) - began).astype(np.float64), np.zeros(count, np.bool_),
                      no_owners(count), np.zeros(count, np.int64), rows["size"].astype(np.int64), no_time(count))
        if not self._objects:
            return batch._replace(firsts=rows["item"].astype(np.int64) * SECTOR)
        unique, codes = np.unique(rows["item"], return_inverse=True)
        keys = Words(codes.astype(np.int64), list(map(str, unique.tolist())))
        batch = batch._replace(keys=keys, counts=np.ones(count, dtype=np.int64))
        if "what" in names:
            deletes = rows["what"] & 0xFF == DELETE_CODE
            batch = batch._replace(deletes=deletes if deletes.any() else None)
            batch = batch._replace(writes=np.isin(rows["what"] & 0xFF, WRITE_CODES),
                                   owners=_tenants(rows["what"] >> TENANT_SHIFT))  # fmt: skip
        return batch._replace(ttls=np.where(rows["ttl"] > 0, rows["ttl"].astype(np.float64), np.nan)
                              if "ttl" in names else batch.ttls)  # fmt: skip


def _tenants(numbers: NDArray[Any]) -> Words:
    tenants, codes = np.unique(numbers, return_inverse=True)
    return Words(codes.astype(np.int64), [str(tenant) if tenant else "" for tenant in tenants.tolist()])


_NEEDS = "a request is a record of 24 bytes"
OBJECTS = BinaryFormat("oracleGeneral-objects", (), _NEEDS, partial(ObjectRecords, ORACLE, True))
NOTES = ("each object is taken for a sector of 512 bytes, as in block traces; --format oracleGeneral-objects takes it "
         "for an object", "sizes are no whole sectors: each object is taken for one, and not for a sector")  # fmt: skip


def _of_sectors_or_objects(head: bytes) -> BinaryFormat:
    """Return the format of sectors where all sizes in *head* are whole ones, or else of objects, with a note."""
    rows = np.frombuffer(head[: len(head) // ORACLE.itemsize * ORACLE.itemsize], ORACLE)
    whole = bool((rows["size"] % SECTOR == 0).all())
    return replace(ORACLE_GENERAL if whole else OBJECTS, note=NOTES[not whole])


ORACLE_GENERAL = BinaryFormat("oracleGeneral", (".oraclegeneral", ".oraclegeneral.bin"), _NEEDS,
                              partial(ObjectRecords, ORACLE, False), choose=_of_sectors_or_objects)  # fmt: skip
LCS = BinaryFormat("lcs", (".lcs",), "a request is a record behind the header", partial(ObjectRecords, None, True))


def encode(records: Iterable[Record]) -> Iterator[bytes]:
    """Encode a record for each reference to an object, or for each request to its first sector; each takes 24 bytes.

    The next use, as its number from 0 on, is known at the end only. Times are whole seconds.
    """
    times, items, lengths = array("I"), array("Q"), array("I")
    device: str | None = None
    for time, record in with_ticks(records, 1):
        if record.delete:  # it has no operations
            continue
        if (most := max(time, record.length)) > MAX_WRITTEN:
            raise UserError(f"oracleGeneral has 32 bits for seconds and for bytes, and {most} are more than they hold")
        device = record.device if device is None else device
        if not record.keys and record.device != device:
            raise UserError(f"oracleGeneral knows one device, and {quote(record.device)} is another")
        for item in map(number_of, record.keys) if record.keys else (sectors(record, SECTOR)[0],):
            times.append(time)
            items.append(item)
            lengths.append(record.length)
    following = next_uses(np.array(items, dtype=np.int64))
    layout = Struct("<IQIq")
    for place, then in enumerate(following.tolist()):
        yield layout.pack(times[place], items[place], lengths[place], then if then < len(items) else NOT_USED_AGAIN[0])
