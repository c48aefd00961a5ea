"""Which references come too late: to objects whose time to live is over since they were written, or first asked for."""

from math import isnan

import numpy as np
from numpy.typing import NDArray

from sim.error import UserError

Seconds = NDArray[np.float64]


def out_of_date(keys: NDArray[np.int64], times: Seconds, ttls: Seconds, writes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of each reference whether no cache can answer it, because what it has of the object is no longer valid.

    An object is valid for *ttls* seconds, nan if for ever, from a write on, or where it is not written, from the first
    reference on and from each that comes too late; one that says nothing of it leaves it as it was. So validity is of
    the object, and the same in every cache: when a cache fetched its copy does not matter. UserError without times.
    """
    if not np.isnan(ttls).all() and np.isnan(times).any():
        raise UserError("times to live need a time of each request, and the trace has none of some")
    late = np.zeros(len(keys), dtype=np.bool_)
    until: dict[int, float] = {}
    spans: dict[int, float] = {}
    lines = zip(keys.tolist(), times.tolist(), ttls.tolist(), writes.tolist(), strict=True)
    for place, (key, now, ttl, write) in enumerate(lines):
        end = until.get(key)
        if end is not None and now >= end:
            late[place] = True
        elif end is not None and not write:
            continue
        if not isnan(ttl):
            spans[key] = ttl
        elif write:
            spans.pop(key, None)
        if key in spans:
            until[key] = now + spans[key]
        else:
            until.pop(key, None)
    return late


def lives(keys: NDArray[np.int64], late: NDArray[np.bool_]) -> NDArray[np.int64]:
    """*keys* by number, and by another one from each reference on that comes too *late*: as if it were another object.

    That is what the best policy makes of it, which has no use for what will not be valid.
    """
    life: dict[int, int] = {}
    numbers: dict[tuple[int, int], int] = {}
    answer = np.empty(len(keys), dtype=np.int64)
    for place, (key, too_late) in enumerate(zip(keys.tolist(), late.tolist(), strict=True)):
        life[key] = life.get(key, 0) + too_late
        answer[place] = numbers.setdefault((key, life[key]), len(numbers))
    return answer
