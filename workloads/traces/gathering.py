"""All references of a trace at once, in arrays: the blocks, and whose request each is of, when, and how large."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from sim.error import UserError
from sim.request import WRITE
from workloads.traces.blocks import Blocks, BlockString
from workloads.traces.record import Record, small_enough

MOST = 1 << 28
"""References that are held, 2 GiB of them."""


@dataclass(frozen=True)
class TraceReferences:
    """*blocks* in turn, of which each request has *counts*; of each request its time, nan if unknown, and whose it is.

    *sizes* are the bytes of the objects that requests ask for where these are *keyed*, *ttls* for how many seconds they
    are valid from then on, nan if for ever, *writes* who brings them anew; *owners* are the devices or tenants that
    *whose* counts.
    """

    blocks: Blocks
    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    times: NDArray[np.float64]
    whose: NDArray[np.int64]
    ttls: NDArray[np.float64]
    writes: NDArray[np.bool_]
    owners: Sequence[str]
    keyed: bool

    def of_each(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """*values* of the requests as those of their references."""
        return np.repeat(values, self.counts)


def gathered(records: Iterable[Record], block: int) -> TraceReferences:
    """The references of *records* to blocks of *block* bytes, or to objects; UserError where they are more than fit."""
    string = BlockString(block)
    pieces, held, keyed = [], 0, False
    counts, sizes, times, whose = array("q"), array("q"), array("d"), array("q")
    ttls, writes = array("d"), array("b")
    owners: dict[str, int] = {}
    for record in records:
        if record.keys:
            keyed = True
            counts.append(string.add_keys(record.keys))
        else:
            counts.append(string.add(record.device, record.first, record.length))
            small_enough(held + counts[-1], len(counts), block)
        sizes.append(record.length)
        times.append(nan if record.time is None else record.time)
        ttls.append(nan if record.ttl is None else record.ttl)
        writes.append(record.op is WRITE)
        whose.append(owners.setdefault(record.device, len(owners)))
        held += counts[-1]
        few_enough(held)
        if string.full:
            pieces.append(string.take())
    pieces.append(string.take())
    return TraceReferences(np.concatenate(pieces), np.array(counts), np.array(sizes), np.array(times), np.array(whose),
                           np.array(ttls), np.array(writes, dtype=np.bool_), list(owners), keyed)


def few_enough(references: int) -> None:
    """UserError where there are more *references* than are held."""
    if references > MOST:
        raise UserError(f"the trace has more than {MOST:,} references, which are not held; --sample takes a share")
