"""Counts hits of a trace at many cache sizes, by one pass for LRU and by replay for other policies, as text or rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np

from spindle.measures import within_bounds
from spindle.output.text import plural, thin_out
from spindle.sim import user_parts
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.parts import LawBroken
from spindle.sim.units import KIB, MIB, MS
from spindle.traces.blocks import NO_DROPS, Blocks, Drops
from spindle.traces.curve.fastest import Progress, belady_hits, replay_at, stack_distances
from spindle.traces.curve.lru import Distances, LruCurve, curve_of
from spindle.traces.curve.question import BOUNDS, LRU
from spindle.traces.curve.references import AlikeBlocks

LRU_SIZES, REPLAYED_SIZES = 120, 12
"""Number of sizes of a curve: if LRU is alone, which needs one pass, and if policies need a replay for each size."""
LARGEST_TO_SMALLEST = 1 << 11
"""Ratio of the largest usual cache size, which has room for every block, to the smallest."""
PRINTED_SIZES = 16
"""Most sizes that are printed; a file has all."""
POLICIES_A_TABLE = 5
"""Most policies side by side in a printed table."""


class CurveRow(NamedTuple):
    """Hits of *refs* references in a cache of *cache_blocks* blocks; *low* and *high* bound the ratio of samples."""

    policy: str
    cache_blocks: int
    refs: int
    hits: int
    low: float | None = None
    high: float | None = None

    @property
    def hit_ratio(self) -> float:
        return self.hits / self.refs if self.refs else 0.0


Row = TypeVar("Row")
BOUNDED_COLUMNS = ("refs", "hits", "hit_ratio", "byte_hit_ratio")
"""Columns of a row whose values are checked against the bounds of their measures."""


def rows_within_bounds(rows: Iterable[Row]) -> list[Row]:
    """List *rows* of curves; LawBroken where one has more hits than references, or fewer than none.

    More memory never has fewer hits under the policies that are stacks: LRU and the bounds.
    """
    found = list(rows)
    for row in found:
        within_bounds({name: getattr(row, name) for name in BOUNDED_COLUMNS if hasattr(row, name)})
    for policy in (LRU, *BOUNDS):
        curve = sorted((row.cache_blocks, row.hits) for row in found
                       if isinstance(row, CurveRow) and row.policy == policy)
        for (small, few), (large, many) in pairwise(curve):
            if few > many:
                raise LawBroken(f"{policy}: {few} hits of {small} blocks, and {many} of {large}")
    return found


ONE_BY_ONE = "of requests one after another; with the queues of the trace's own times: spindle replay --cache"
"""What a response above a drive is, below the table of these."""


class Curves(NamedTuple):
    """*rows* for each policy at each of *sizes*, and *che*, the hit ratios of LRU by Che's approximation."""

    rows: Sequence[CurveRow]
    sizes: Sequence[int]
    che: Mapping[int, float]


def usual_sizes(policies: Sequence[str], unique: int) -> list[int]:
    """Return sizes spread by logarithm, up to one that holds all *unique* blocks."""
    count = LRU_SIZES if set(policies) <= {LRU} else REPLAYED_SIZES
    return sorted({round(size) for size in np.geomspace(max(1, unique / LARGEST_TO_SMALLEST), max(1, unique), count)})


def policy_of(name: str) -> Callable[..., EvictionPolicy]:
    """Return the policy *name*, which may be a user's; the bounds are no policies that can be made."""
    chosen: Callable[..., EvictionPolicy] = user_parts.part("policy", name, POLICIES | dict.fromkeys(BOUNDS))
    return chosen


def hit_curves(
    references: Blocks, policies: Iterable[str], sizes: Sequence[int], progress: Progress = lambda _: None,
    early: int = 0, drops: Drops = NO_DROPS, lru: LruCurve | None = None,
) -> Iterator[CurveRow]:  # fmt: skip
    """Yield a row for each of *policies* and each of the ascending *sizes*; the first *early* references warm up.

    The curve of *lru* is taken if it is there already.
    """
    for policy in policies:
        if policy == LRU and lru is not None:
            hits: Mapping[int, int] = {size: lru.hits_at(size) for size in sizes}
            progress(len(references))
        else:
            hits = _hits(policy, references, sizes, progress, early, drops)
        yield from (CurveRow(policy, size, len(references) - early, hits[size]) for size in sizes)


def _hits(
    policy: str, references: Blocks, sizes: Sequence[int], progress: Progress, early: int, drops: Drops
) -> Mapping[int, int]:
    if policy == LRU:
        curve = curve_of(distances_with(references, drops), early)
        progress(len(references))
        return {size: curve.hits_at(size) for size in sizes}
    if policy in BOUNDS:
        hits = belady_hits(references, sizes, early, BOUNDS[policy])
        progress(len(references))
        return hits
    if drops:
        from spindle.traces.curve.object_hits import SizedString, replay_sized

        string = SizedString(references.tolist(), [1] * len(references), drops=drops.by_reference())
        found = replay_sized(policy_of(policy), string, sizes, early, in_bytes=False)
        progress(len(references))
        return {size: each.hits for size, each in found.items()}
    return replay_at(policy_of(policy), references, sizes, early, progress)


def distances_with(references: Blocks, drops: Drops) -> Distances:
    """Return the stack distances under LRU, with the deletions *drops*."""
    if not drops:
        return stack_distances(references)
    from spindle.traces.curve.compiled.distances import distances_with_holes

    return distances_with_holes(references, drops.places, drops.blocks)


def che(references: Blocks, sizes: Iterable[int], early: int = 0) -> dict[int, float]:
    """Return Che's approximation of the hit ratio of LRU at each of *sizes*; none without references."""
    if len(references) == early:
        return {}
    alike = AlikeBlocks.among(references, early)
    return {size: alike.hits(size) / (len(references) - early) for size in sizes}


def curve_page(curves: Curves, block: int | None, responses: Mapping[tuple[str, int], float]) -> list[str]:
    """Format the curves: hit ratios in percent, then mean responses. *block* is in bytes, None for objects."""
    policies = list(dict.fromkeys(row.policy for row in curves.rows))
    by_place = {(row.policy, row.cache_blocks): row for row in curves.rows}
    shown = thin_out(curves.sizes, PRINTED_SIZES)
    ratios = {name: {size: _ratio(by_place[name, size]) for size in shown} for name in policies}
    if curves.che:
        ratios["lru, Che"] = {size: f"{curves.che[size]:.2%}" for size in shown}
    what = "objects" if block is None else "blocks"
    lines = [f"{plural(curves.rows[0].refs, 'reference')} to {what}" + (f" of {block / KIB:g} KiB" if block else "")]
    lines += _tables("hit ratio", ratios, shown, block)
    if curves.rows[0].low is not None:
        lines += ["", f"of samples of the {what}, with half of the 95 % interval; samples keep hit ratios, not queues"]
    if responses:
        simulated = sorted({size for _, size in responses})
        times = {name: {size: f"{responses[name, size] / MS:.3f}" for size in simulated}
                 for name in policies if (name, simulated[0]) in responses}
        lines += _tables("mean response, ms", times, simulated, block)
        lines += [ONE_BY_ONE]
    return lines


def _ratio(row: CurveRow) -> str:
    if row.low is None or row.high is None:
        return f"{row.hit_ratio:.2%}"
    return f"{100 * row.hit_ratio:.1f} ±{50 * (row.high - row.low):.1f}"


def _tables(what: str, cells: Mapping[str, Mapping[int, str]], sizes: list[int], block: int | None) -> list[str]:
    lines = []
    names = list(cells)
    head = f"{'objects':>20}" if block is None else f"{'blocks':>10}{'MiB':>10}"
    for begin in range(0, len(names), POLICIES_A_TABLE):
        group = names[begin : begin + POLICIES_A_TABLE]
        lines += ["", f"{what:<20}" + "".join(f"{name:>12}" for name in group), head]
        lines += [_size(size, block) + "".join(f"{cells[name][size]:>12}" for name in group) for size in sizes]
    return lines


def _size(size: int, block: int | None) -> str:
    return f"{size:>20}" if block is None else f"{size:>10}{size * block / MIB:>10,.4g}"


def curve_rows(
    curves: Curves, responses: Mapping[tuple[str, int], float], size: str = "cache_blocks"
) -> list[dict[str, Any]]:
    """A row for each policy and *size*, with bounds and responses where there are any."""
    bounded = any(row.low is not None for row in curves.rows)
    return [{
        "policy": row.policy, size: row.cache_blocks, "refs": row.refs, "hits": row.hits, "hit_ratio": row.hit_ratio,
        **({"hit_ratio_low": row.low, "hit_ratio_high": row.high} if bounded else {}),
        **({"response_mean": responses.get((row.policy, row.cache_blocks))} if responses else {}),
    } for row in curves.rows]  # fmt: skip
