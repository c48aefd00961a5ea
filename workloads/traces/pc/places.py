"""The places of a personal computer's drive that are used: how often, in runs of how many clusters, and where."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count as counting
from math import gcd
from typing import NamedTuple

from sim.error import UserError
from workloads.traces.pc.load import PcLoad

SILVER = 0.4142135623730950
"""A walk in steps of so much of the whole is spread evenly."""


class ClusterRun(NamedTuple):
    """*uses* of a run of *length* clusters from byte *first* on."""

    uses: int
    length: int
    first: int


@lru_cache(maxsize=8)
def places(load: PcLoad, requests: int) -> Sequence[ClusterRun]:
    """Those that together have so many *requests*, hottest first: files read again and files read once, which are
    runs, and single clusters of both kinds.
    """
    sequential = (1.0 - load.random) / (1.0 - 1.0 / load.run)
    files = _popular(load, requests * sequential / load.run)
    singles = _popular(load, requests * (1.0 - sequential))
    streams = round(load.once * requests * sequential / load.run)
    cold = requests - sum(singles) - load.run * (sum(files) + streams)
    kinds = [(files, load.run), (singles, 1), ([1] * streams, load.run), ([1] * cold, 1)]
    runs = sorted(((uses, length) for each, length in kinds for uses in each), key=lambda run: -run[0])
    return tuple(ClusterRun(uses, length, first * load.cluster)
                 for (uses, length), first in zip(runs, _strewn(load, requests, runs), strict=True))


def _popular(load: PcLoad, uses: float) -> list[int]:
    """How often each place is used that is used again, of those that have so many *uses* with those used once."""
    count = max(1, round(load.again * uses))
    again = (1.0 - load.once) * uses
    if again < 2 * count:
        return []
    scale, so_far, given = again / sum((rank + 0.5) ** -load.skew for rank in range(count)), 0.0, 0
    counts = []
    for rank in range(count):
        so_far += scale * (rank + 0.5) ** -load.skew
        counts.append(round(so_far) - given)
        given += counts[-1]
    return counts


def _strewn(load: PcLoad, requests: int, runs: Sequence[tuple[int, int]]) -> Iterator[int]:
    """The first cluster of each of *runs*, over the whole span, in an order independent of their uses."""
    count = len(runs)
    apart = load.span // load.cluster // count
    if apart < max(length for _, length in runs):
        raise UserError(f"span of a PC's trace must have room for {count} places of {load.cluster} bytes, which "
                        f"{requests} requests have at least, not be {load.span!r}")  # fmt: skip
    step = next(step for step in counting(max(1, round(SILVER * count))) if gcd(step, count) == 1)
    return (rank * step % count * apart for rank in range(count))
