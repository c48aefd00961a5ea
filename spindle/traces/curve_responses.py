"""Simulates a trace in caches above drives: mean responses for each policy at a few cache sizes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import simpy

from spindle.output.text import thin_out
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.traces.curve.question import BOUNDS, CurveQuestion
from spindle.traces.curves import policy_of
from spindle.traces.replay.answer import storage_plan
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed
from spindle.traces.replay.question import ReplayQuestion
from spindle.traces.replay.replay import replay_trace
from spindle.traces.replay.storage import WRITING, CachePlan, Storage, check_used
from spindle.workloads.traces.record import Record

MAX_SIMULATED = 6
"""Most cache sizes at which a policy is simulated."""
CacheMaker = Callable[[int, Callable[..., EvictionPolicy]], CachePlan]
"""Plans a cache from its number of blocks and the class of its policy."""


def storage_below(question: CurveQuestion) -> tuple[StoragePlan, CacheMaker]:
    """Return the storage that *question* asks for, and the maker of the cache above it."""
    block, writing = int(question.block), WRITING[question.write]
    below = storage_plan(ReplayQuestion(device=question.device, array=question.array))
    return below, lambda blocks, kind: CachePlan(blocks * block, block, kind, writing)


def mean_responses(
    records: Callable[[], Iterable[Record]], below: StoragePlan, cache: CacheMaker, policies: Iterable[str],
    sizes: Sequence[int],
) -> Iterator[tuple[str, int, float]]:  # fmt: skip
    """Replay each policy and size; yield policy, blocks, and the mean response in seconds; Belady's bound has none.

    Requests come one after another.
    """
    for policy in policies:
        for blocks in thin_out(sizes, MAX_SIMULATED) if policy not in BOUNDS else ():
            plan = replace(below, cache=cache(blocks, policy_of(policy)))
            replayed = replay_trace(records(), Storage(simpy.Environment(), plan), Closed)
            check_used(plan, len(replayed.storage.drives))
            times = replayed.tally.all_times
            yield policy, blocks, times.sum / times.count
