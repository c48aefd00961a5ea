"""What a cache of bytes could hit that knew the future: of a sample, the largest and longest unused goes."""

from collections.abc import Iterable, Sequence

import numpy as np

from sim.curve.sized import SizedHits
from sim.curve.uses import next_uses
from sim.error import UserError

SAMPLE = 128


def belady_size_hits(
    keys: Sequence[int], sizes: Sequence[int], capacities: Iterable[int], early: int = 0, sample: int = SAMPLE
) -> dict[int, SizedHits]:
    """The hits at each of *capacities* in bytes; a yardstick, and no bound: the best choice is NP-hard.

    Of as many objects as *sample*, taken in turn, that one goes whose size times the references until its next use is
    most (Belady-Size of libCacheSim, which takes its sample at random). An object that is not used again does not come.
    """
    after = next_uses(np.asarray(keys, dtype=np.int64)).tolist()
    return {capacity: _hits(keys, sizes, after, capacity, early, sample) for capacity in capacities}


def _hits(
    keys: Sequence[int], sizes: Sequence[int], after: Sequence[int], capacity: int, early: int, sample: int
) -> SizedHits:
    if capacity < 1:
        raise UserError(f"a cache of {capacity!r} bytes has no hits: it must have at least one")
    there: dict[int, tuple[int, int]] = {}  # its size and its next use
    order: list[int] = []
    places: dict[int, int] = {}
    used, hand, total = 0, 0, SizedHits()

    def leave(key: int) -> int:
        place, last = places.pop(key), order.pop()
        if last != key:
            order[place], places[last] = last, place
        return there.pop(key)[0]

    for now, (key, size, then) in enumerate(zip(keys, sizes, after, strict=True)):
        if key in there:
            total.hits += now >= early
            total.bytes += size if now >= early else 0
            there[key] = there[key][0], then
            if then == len(after):
                used -= leave(key)
            continue
        if size > capacity or then == len(after):
            continue
        while used + size > capacity:
            looked = [order[(hand + step) % len(order)] for step in range(min(sample, len(order)))]
            hand += len(looked)
            used -= leave(max(looked, key=lambda key: there[key][0] * (there[key][1] - now)))
        there[key] = size, then
        places[key] = len(order)
        order.append(key)
        used += size
    return total
