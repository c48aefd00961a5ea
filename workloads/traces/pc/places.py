"""The places of a personal computer's drive that are used: how often, in runs of how many clusters, and where."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count as counting
from math import floor, gcd, log
from typing import NamedTuple

from sim.error import UserError
from workloads.traces.pc.load import PcLoad

GOLDEN = 0.6180339887498949
SILVER = 0.4142135623730950
"""Two walks in steps of so much of the whole are spread evenly, and know nothing of each other."""
LONGEST = 64
"""Clusters of a run."""


class ClusterRun(NamedTuple):
    """*uses* of a run of *length* clusters from byte *first* on."""

    uses: int
    length: int
    first: int


@lru_cache(maxsize=8)
def places(load: PcLoad, requests: int) -> Sequence[ClusterRun]:
    """Those that together have at least so many *requests*, hottest first: Zipf's law, each used at least once."""
    count = max(1, round(requests * load.random * (1.0 - load.skew)))
    while True:
        if count > load.span // load.cluster:
            raise UserError(f"span of a PC's trace must have room for {count} places of {load.cluster} bytes, which "
                            f"{requests} requests have at least, not be {load.span!r}")  # fmt: skip
        found = tuple(_places(load, count))
        total = sum(place.uses * place.length for place in found)
        if total >= requests:
            return found
        count += max(1, count * (requests - total) // (2 * requests))


def _places(load: PcLoad, count: int) -> Iterator[ClusterRun]:
    apart = load.span // load.cluster // count
    step = next(step for step in counting(max(1, round(SILVER * count))) if gcd(step, count) == 1)
    uses_so_far = requests_so_far = 0
    for rank in range(count):
        uses = max(1, round((count / (rank + 0.5)) ** load.skew))
        # Geometric as if each request went on with the same chance; steered where few places have most of the uses.
        even = rank * GOLDEN % 1.0
        behind = uses_so_far > load.random * requests_so_far
        length = 1 + floor(log(1.0 - even) / log(1.0 - load.random)) if load.random < 1.0 else 1
        if uses >= 20:
            length = 2 if behind else 1
        uses_so_far, requests_so_far = uses_so_far + uses, requests_so_far + uses * min(LONGEST, length)
        yield ClusterRun(uses, min(LONGEST, length), rank * step % count * apart * load.cluster)
