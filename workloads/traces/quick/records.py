"""Records of oracleGeneral and lcs, read by columns of the bytes that they are."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spindle.workloads.traces.formats.lcs import DELETE, ENDS, HEADER, LAYOUTS, MAGIC, TENANT, WRITES
from spindle.workloads.traces.formats.oracle_general import MOST, NEVER, SECTOR
from spindle.workloads.traces.quick.batch import Integers, QuickBatch, Words, blocks_of, held, never, nobody
from spindle.workloads.traces.record import TraceLimits

ORACLE = np.dtype([("time", "<u4"), ("item", "<u8"), ("size", "<u4"), ("next", "<i8")])
ACTION, TTL = ("what", "<u4"), ("ttl", "<u4")
SECOND = np.dtype([("time", "<u4"), ("item", "<u8"), ("size", "<u4"), ACTION, ("next", "<i8")])


def layout_of(version: int) -> np.dtype[Any]:
    """A record of lcs."""
    if version < 3:
        return (ORACLE, SECOND)[version - 1]
    known = 3 * 4 + 3 * 8
    more = ("more", "V", LAYOUTS[version].size - known)
    return np.dtype([("time", "<u4"), ("item", "<u8"), ("size", "<i8"), ACTION, TTL, ("next", "<i8"),
                     (more[0], f"V{more[2]}")])  # fmt: skip


class QuickRecords:
    """Records of *layout* behind *skip* bytes; each asks for an object, or, if not *keyed*, for a sector."""

    def __init__(self, layout: np.dtype[Any], skip: int, keyed: bool, limits: TraceLimits) -> None:
        self.keyed = keyed
        self._layout = layout
        self._skip = skip
        self._limits = limits
        self._began: int | None = None
        self._place = 0

    def batches(self, pieces: Iterator[bytes]) -> Iterator[QuickBatch]:
        size = self._layout.itemsize
        records = chain([next(pieces, b"")[self._skip :]], pieces)
        for block in blocks_of(records, lambda block: len(block) // size * size):
            held(len(block) % size == 0)
            rows = np.frombuffer(block, dtype=self._layout)
            self._follows(rows["next"])
            if self._began is None:
                self._began = int(rows["time"][0])
            rows, writes, owners = self._asking(rows)
            held(bool((rows["size"].astype(np.uint64) <= np.uint64(self._limits.end)).all()))
            batch = QuickBatch((rows["time"].astype(np.int64) - self._began).astype(np.float64), _ttls(rows), writes,
                               owners, rows["size"].astype(np.int64))  # fmt: skip
            yield self._asked(batch, rows["item"])

    def _follows(self, following: NDArray[np.int64]) -> None:
        places = np.arange(self._place, self._place + len(following))
        later = (places < following) & (following < MOST)
        held(bool((later | np.isin(following, NEVER)).all()))
        self._place += len(following)

    @staticmethod
    def _asking(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_], Words]:
        """The rows that are no deletes, which of them write, and whose they are."""
        if "what" not in (rows.dtype.names or ()):
            return rows, np.zeros(len(rows), dtype=np.bool_), nobody(len(rows))
        rows = rows[rows["what"] & 0xFF != DELETE]
        tenants, codes = np.unique(rows["what"] >> TENANT, return_inverse=True)
        owners = Words(codes.astype(np.int64), [str(tenant) if tenant else "" for tenant in tenants.tolist()])
        return rows, np.isin(rows["what"] & 0xFF, list(WRITES)), owners

    def _asked(self, batch: QuickBatch, items: NDArray[np.uint64]) -> QuickBatch:
        if not self.keyed:
            held(bool((items <= np.uint64(self._limits.end // SECTOR)).all()))
            return batch._replace(firsts=items.astype(np.int64) * SECTOR)
        unique, codes = np.unique(items, return_inverse=True)
        keys = Words(codes.astype(np.int64), list(map(str, unique.tolist())))
        return batch._replace(keys=keys, counts=np.ones(len(items), dtype=np.int64))


def lcs_records(head: bytes, limits: TraceLimits) -> QuickRecords:
    """Those of a file of lcs with that *head*."""
    held(head.startswith(MAGIC) and len(head) >= HEADER)
    _, version, ends = ENDS.unpack_from(head)
    held(ends == MAGIC and version in LAYOUTS)
    return QuickRecords(layout_of(version), HEADER, True, limits)


def _ttls(rows: NDArray[Any]) -> NDArray[np.float64]:
    if "ttl" not in (rows.dtype.names or ()):
        return never(len(rows))
    ttls: Integers = rows["ttl"]
    return np.where(ttls > 0, ttls.astype(np.float64), np.nan)
