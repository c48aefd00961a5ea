"""How access times vary, and how evenly they fall into the partitions of Kim's algorithm, by what the maximum is."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from math import fsum, log2
from statistics import fmean, pvariance
from typing import Any

from models.sata_ncq.access_times import Taken, access_times
from models.sata_ncq.machine import TAGS, NcqOptions
from models.sata_ncq.parameters import NcqParameters
from sim.disc.mechanism import DiscType
from sim.eviction.partitions import DynamicMaximum, Maximum, Partitions, StaticMaximum, go_on
from sim.parameter import changed

PARTITIONS = 10
LOW = 3
"""Partitions up to this are the small ones, of ten."""
OFTEN = 5
"""Uses of a block from which on its access times vary about a mean."""


def longest(disc: DiscType) -> float:
    """The longest time in which the head reaches a block: a full stroke and a whole revolution."""
    return disc.overhead + disc.seek(disc.layout.cylinders - 1) + disc.revolution


def maxima(disc: DiscType) -> Mapping[str, Callable[[], Maximum]]:
    """Kim's static maximum, his dynamic one, and that without a new beginning."""
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
    return -fsum(count / total * log2(count / total) for count in counts.values() if count)


def low_share(counts: Mapping[int, int]) -> float:
    return sum(counts.get(number, 0) for number in range(1, LOW + 1)) / sum(counts.values())


def spread(load: str, depth: int, requests: int, seed: object, **parameters: Any) -> dict[str, object]:
    """How responses and services of a block vary, without a cache and always 32 under way, and their partitions.

    By each maximum there are the shares of the partitions of the services, a list, and their ``_entropy``.
    """
    taken = access_times(changed(NcqParameters(), **parameters), load, seed, requests, depth, TAGS)
    row: dict[str, object] = dict(zip(("variance", "service_variance"), variances(taken), strict=True))
    for name, maximum in maxima(NcqOptions().drive).items():
        counts = numbers((each.service for each in taken), maximum())
        row[name] = [counts[number] / len(taken) for number in range(1, PARTITIONS + 1)]
        row |= {f"{name}_entropy": entropy(counts), f"{name}_low": low_share(counts)}
    return row


def variances(taken: Iterable[Taken]) -> tuple[float, float]:
    """Of the responses, and of the services, of each block about its own mean."""
    blocks: dict[int, list[Taken]] = defaultdict(list)
    for each in taken:
        blocks[each.block].append(each)
    often = [block for block in blocks.values() if len(block) >= OFTEN]
    return (fmean(pvariance([each.response for each in block]) for block in often),
            fmean(pvariance([each.service for each in block]) for block in often))
