"""Hits and responses of a trace against the size of a cache: LRU exactly at every size, other policies by replay."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import simpy

from models import own
from models.parts import POLICIES
from models.replay.drives import StoragePlan
from models.shown import counted, spaced
from sim.curve.fastest import Told, belady_hits, lru_curve, replay_at
from sim.curve.references import CacheReferences
from sim.eviction.policy import EvictionPolicy
from sim.units import KIB, MIB, MS
from workloads.traces.blocks import Blocks
from workloads.traces.record import Record
from workloads.traces.replay.caching import CachePlan
from workloads.traces.replay.hosts import Closed
from workloads.traces.replay.replay import replay_trace
from workloads.traces.replay.storage import Storage

LRU, BELADY = "lru", "belady"
NAMES = (*POLICIES, BELADY)
"""Every policy, and the bound of all."""
MANY, SOME = 120, 12
"""Sizes where there is LRU alone, for which they cost nothing, and where each is a replay."""
REACH = 1 << 11
"""The smallest of the usual sizes is so much below the largest, which holds every block: SOME double each time."""
MOST_SIMULATED = 6
"""Sizes at which a policy is simulated."""
LINES = 16
"""Sizes that are shown; a file has all."""
ACROSS = 5
"""Columns that fit beside the size; more go below."""


class CurveRow(NamedTuple):
    """The *hits* of *refs* references in a cache of so many blocks; bounds where they are of samples."""

    policy: str
    cache_blocks: int
    refs: int
    hits: int
    low: float | None = None
    high: float | None = None

    @property
    def hit_ratio(self) -> float:
        return self.hits / self.refs if self.refs else 0.0


class Curves(NamedTuple):
    """*rows* for each policy at each of *sizes*, and *che*, the ratios of LRU as Che's approximation has them."""

    rows: Sequence[CurveRow]
    sizes: Sequence[int]
    che: Mapping[int, float]


def usual_sizes(policies: Sequence[str], unique: int) -> list[int]:
    """Sizes spread by logarithm, up to one that holds all *unique* blocks."""
    count = MANY if set(policies) <= {LRU} else SOME
    return sorted({round(size) for size in np.geomspace(max(1, unique / REACH), max(1, unique), count)})


def policy_of(name: str) -> Callable[..., EvictionPolicy]:
    """The policy that *name* is, one of a user's own included; the bound, BELADY, is none to be made."""
    chosen: Callable[..., EvictionPolicy] = own.part("policy", name, {**POLICIES, BELADY: None})
    return chosen


def hit_curves(
    references: Blocks, policies: Iterable[str], sizes: Sequence[int], progress: Told = lambda _: None, early: int = 0
) -> Iterator[CurveRow]:
    """A row for each of *policies*, in this order, and for each of the ascending *sizes*; the first *early* warm up."""
    for policy in policies:
        hits = _hits(policy, references, sizes, progress, early)
        yield from (CurveRow(policy, size, len(references) - early, hits[size]) for size in sizes)


def _hits(policy: str, references: Blocks, sizes: Sequence[int], progress: Told, early: int) -> Mapping[int, int]:
    if policy == LRU:
        curve = lru_curve(references, early)
        progress(len(references))
        return {size: curve.hits_at(size) for size in sizes}
    if policy == BELADY:
        hits = belady_hits(references, sizes, early)
        progress(len(references))
        return hits
    return replay_at(policy_of(policy), references, sizes, early, progress)


def che(references: Blocks, sizes: Iterable[int], early: int = 0) -> dict[int, float]:
    """Che's approximation of the hit ratio of LRU at each of *sizes*; none where there are no references."""
    if len(references) == early:
        return {}
    string = CacheReferences.of(references, early=early)
    return {size: string.che_hits(size) / (len(references) - early) for size in sizes}


def mean_responses(
    records: Callable[[], Iterable[Record]], below: StoragePlan,
    cache: Callable[[int, Callable[..., EvictionPolicy]], CachePlan], policies: Iterable[str], sizes: Sequence[int],
) -> Iterator[tuple[str, int, float]]:  # fmt: skip
    """Policy, blocks, and the mean response in seconds of one request after another; Belady's bound has none.

    *cache* plans one of so many blocks under a policy of such a class.
    """
    for policy in policies:
        for blocks in spaced(sizes, MOST_SIMULATED) if policy != BELADY else ():
            plan = replace(below, cache=cache(blocks, policy_of(policy)))
            times = replay_trace(records(), Storage(simpy.Environment(), plan), Closed).tally.all
            yield policy, blocks, times.sum / times.count


def curve_page(curves: Curves, block: int | None, responses: Mapping[tuple[str, int], float]) -> list[str]:
    """Ratios in percent; mean responses in a table of their own. *block* is the size of one, None for objects."""
    policies = list(dict.fromkeys(row.policy for row in curves.rows))
    by_place = {(row.policy, row.cache_blocks): row for row in curves.rows}
    shown = spaced(curves.sizes, LINES)
    ratios = {name: {size: _ratio(by_place[name, size]) for size in shown} for name in policies}
    if curves.che:
        ratios["lru, Che"] = {size: f"{curves.che[size]:.2%}" for size in shown}
    what = "objects" if block is None else "blocks"
    lines = [f"{counted(curves.rows[0].refs, 'reference')} to {what}" + (f" of {block / KIB:g} KiB" if block else "")]
    lines += _tables("hit ratio", ratios, shown, block)
    if curves.rows[0].low is not None:
        lines += ["", f"of samples of the {what}, with half of the 95 % interval; samples keep hit ratios, not queues"]
    if responses:
        simulated = sorted({size for _, size in responses})
        times = {name: {size: f"{responses[name, size] / MS:.3f}" for size in simulated}
                 for name in policies if (name, simulated[0]) in responses}
        lines += _tables("mean response, ms", times, simulated, block)
    return lines


def _ratio(row: CurveRow) -> str:
    if row.low is None or row.high is None:
        return f"{row.hit_ratio:.2%}"
    return f"{100 * row.hit_ratio:.1f} ±{50 * (row.high - row.low):.1f}"


def _tables(what: str, cells: Mapping[str, Mapping[int, str]], sizes: list[int], block: int | None) -> list[str]:
    lines = []
    names = list(cells)
    head = f"{'objects':>20}" if block is None else f"{'blocks':>10}{'MiB':>10}"
    for begin in range(0, len(names), ACROSS):
        group = names[begin : begin + ACROSS]
        lines += ["", f"{what:<20}" + "".join(f"{name:>12}" for name in group), head]
        lines += [_size(size, block) + "".join(f"{cells[name][size]:>12}" for name in group) for size in sizes]
    return lines


def _size(size: int, block: int | None) -> str:
    return f"{size:>20}" if block is None else f"{size:>10}{size * block / MIB:>10,.4g}"
