"""How evenly access times fall into the partitions of Kim's algorithm, by what the maximum is."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import log2

from sim.disc.mechanism import DiscType
from sim.eviction.partitions import DynamicMaximum, Maximum, Partitions, StaticMaximum, go_on

LOW = 3
"""Partitions up to this are the small ones, of ten."""


def longest(disc: DiscType) -> float:
    """The longest time in which the head reaches a block: a full stroke and a whole revolution."""
    return disc.overhead + disc.seek(disc.layout.cylinders - 1) + disc.revolution


def maxima(disc: DiscType) -> Mapping[str, Callable[[], Maximum]]:
    """What Kim tried first, what he came to, and that with a maximum that is never begun anew."""
    most = longest(disc)
    return {"static": lambda: StaticMaximum(most), "dynamic": DynamicMaximum,
            "dynamic, of all": lambda: DynamicMaximum(go_on)}


def numbers(times: Iterable[float], maximum: Maximum) -> Counter[int]:
    """How many of access *times* fall into each partition."""
    partitions, found = Partitions(maximum), Counter[int]()
    for seconds in times:
        found[int(partitions.number(seconds))] += 1
        partitions.note(seconds)
    return found


def entropy(counts: Mapping[int, int]) -> float:
    """Bits; ten partitions that are all alike have log2(10) = 3.32."""
    total = sum(counts.values())
    return -sum(count / total * log2(count / total) for count in counts.values() if count)


def low_share(counts: Mapping[int, int]) -> float:
    return sum(counts.get(number, 0) for number in range(1, LOW + 1)) / sum(counts.values())
