"""The mean response over the size of a cache, from simulating the cache above a drive."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import simpy

from models.replay.drives import StoragePlan
from models.traces.curves import BELADY, policy_of
from sim.eviction.policy import EvictionPolicy
from workloads.traces.record import Record
from workloads.traces.replay.caching import CachePlan
from workloads.traces.replay.hosts import Closed
from workloads.traces.replay.replay import replay_trace
from workloads.traces.replay.storage import Storage

MOST = 6
"""Sizes at which a policy is simulated."""


def spaced(sizes: Sequence[int]) -> list[int]:
    """At most MOST of *sizes*, the smallest and the largest among them."""
    if len(sizes) <= MOST:
        return list(sizes)
    return [sizes[round(place * (len(sizes) - 1) / (MOST - 1))] for place in range(MOST)]


def mean_responses(
    records: Callable[[], Iterable[Record]], below: StoragePlan,
    cache: Callable[[int, Callable[..., EvictionPolicy]], CachePlan], policies: Iterable[str], sizes: Sequence[int],
) -> Iterator[tuple[str, int, float]]:  # fmt: skip
    """Policy, blocks, and the mean response in seconds of one request after another; Belady's bound has none.

    *cache* plans one of so many blocks under a policy of such a class.
    """
    for policy in policies:
        for blocks in spaced(sizes) if policy != BELADY else ():
            plan = replace(below, cache=cache(blocks, policy_of(policy)))
            times = replay_trace(records(), Storage(simpy.Environment(), plan), Closed).tally.all
            yield policy, blocks, times.sum / times.count
