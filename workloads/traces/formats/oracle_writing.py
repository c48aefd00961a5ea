"""Requests written as libCacheSim's oracleGeneral, whose records hold the object's next use."""

from array import array
from collections.abc import Iterable, Iterator

import numpy as np

from spindle.sim.error import UserError, shown
from spindle.workloads.traces.formats.oracle_general import LAYOUT, NEVER, SECTOR
from spindle.workloads.traces.record import Record, number_of
from spindle.workloads.traces.uses import next_uses
from spindle.workloads.traces.writing import steps


def written(records: Iterable[Record]) -> Iterator[bytes]:
    """A record for each reference to an object, or for each request to its first sector; 24 bytes of each are held.

    The next use is known when all are, as its number from 0 on. Times are whole seconds.
    """
    times, items, lengths = array("I"), array("Q"), array("I")
    device: str | None = None
    for time, record in steps(records, 1):
        device = record.device if device is None else device
        if not record.keys and record.device != device:
            raise UserError(f"oracleGeneral knows one device, and {shown(record.device)} is another")
        for item in map(number_of, record.keys) if record.keys else (record.first // SECTOR,):
            times.append(time)
            items.append(item)
            lengths.append(record.length)
    following = next_uses(np.array(items, dtype=np.int64))
    for place, then in enumerate(following.tolist()):
        yield LAYOUT.pack(times[place], items[place], lengths[place], then if then < len(items) else NEVER[0])
