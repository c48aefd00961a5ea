"""Derives from an LRU curve: its knee, the size that is enough, working sets, misses by cause, hits over time."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.output.text import plural
from spindle.sim.error import UserError
from spindle.sim.units import MIB
from spindle.traces.blocks import TraceReferences
from spindle.traces.curve.fastest import MissSplit, miss_splits, next_uses, stack_distances
from spindle.traces.curve.lru import Distances, LruCurve, curve_of
from spindle.traces.curves import distances_with
from spindle.workloads.traces.block_uses import working_set

ENOUGH_HITS = 0.9
"""A size is enough if it has this share of the hits of a cache with room for every block."""
WINDOWS = (0.01, 0.1)
"""Windows of working sets, as shares of the references."""
INTERVALS = 10
"""Parts of the trace, of equal numbers of references, whose hit ratios are shown."""
MAX_SPLITS = 5
"""Most sizes at which misses are split by cause: each takes a pass with Belady's policy."""
MAX_OWNERS = 20
"""Most devices that are shown, those with the most references; the rest are one line."""
SETTLING = 1000
"""Parts of the trace whose hit ratios are compared to find when the cache has settled."""


class CurveAnswer(NamedTuple):
    """Answers for one trace: the exact LRU *curve* after *early* references, and what follows from it.

    *splits* are the misses by cause for each size, *sets* the mean working sets in blocks for each window.
    """

    curve: LruCurve
    splits: dict[int, MissSplit]
    sets: dict[int, float]
    distances: Distances
    early: int

    @property
    def sizes(self) -> list[int]:
        return list(self.splits)


def curve_answer(string: TraceReferences, sizes: Sequence[int], early: int = 0) -> CurveAnswer:
    """Answer at the first MAX_SPLITS of *sizes*, or at the knee if there are none."""
    distances = distances_with(string.blocks, string.drops)
    curve = curve_of(distances, early)
    at = list(sizes)[:MAX_SPLITS] or [_knee(curve)]
    windows = sorted({max(1, round(share * len(string.blocks))) for share in WINDOWS})
    after = next_uses(string.blocks)
    sets = {window: working_set(after, window) for window in windows}
    del after
    return CurveAnswer(curve, miss_splits(string.blocks, curve, at, early), sets, distances, early)


def _knee(curve: LruCurve) -> int:
    """Return the knee; a curve nowhere above its chord needs all blocks, since less is not worth having."""
    return max(1, curve.knee or curve.size_for(1.0))


def sentences(answers: CurveAnswer, block: int | None) -> list[str]:
    """Return the answers as lines of 80 columns; *block* is its size in bytes, None for objects."""
    curve, ceiling = answers.curve, answers.curve.ratio_at(len(answers.curve.hits) - 1)
    if not curve.references:
        return []
    enough, knee = max(1, curve.size_for(ENOUGH_HITS)), _knee(curve)
    working = [f"{size:,.0f} in {plural(span, 'reference')}" for span, size in answers.sets.items()]
    lines = ["", f"at most {ceiling:.1%} can hit: the rest are first uses",
             f"lru has {ENOUGH_HITS:.0%} of that with {_amount(enough, block)}",
             f"its knee is at {_amount(knee, block)}, where {curve.ratio_at(knee):.1%} hit",
             f"working set: {', '.join(working)}",
             "", f"{'of all references':<20}{'hit':>12}{'compulsory':>12}{'capacity':>12}{'policy':>12}"]
    for size, split in answers.splits.items():
        counts = (split.hits, split.compulsory, split.capacity, split.policy)
        lines.append(f"{size:>20,}" + "".join(f"{count / split.references:>12.2%}" for count in counts))
    size, split = next(iter(answers.splits.items()))
    more, better = (count / split.references for count in (split.capacity, split.policy))
    return [*lines, f"at {size:,}, lru can win {more:.1%} by more memory, and at most {better:.1%} by a better policy"]


def _amount(size: int, block: int | None) -> str:
    return plural(size, "object") if block is None else f"{plural(size, 'block')} ({size * block / MIB:,.4g} MiB)"


def over_time(answers: CurveAnswer, string: TraceReferences) -> list[str]:
    """The hit ratio of LRU in INTERVALS with as many references each, fewer if these are few, at the splits' sizes."""
    count = len(answers.distances)
    ends = sorted({round(count * end / INTERVALS) for end in range(INTERVALS + 1)})
    times = np.repeat(string.times, string.counts)
    labels = []
    for begin in ends[:-1]:
        time = times[begin]
        labels.append(f"from {begin:,}" if np.isnan(time) else f"from {time:,.6g} s")
    masks = [np.arange(begin, end) for begin, end in pairwise(ends)]
    return _table("lru over time", answers, labels, masks)


def by_device(answers: CurveAnswer, string: TraceReferences) -> list[str]:
    """The hit ratio of LRU of the references of each device or tenant, of reads and of writes, all in one cache."""
    whose = string.repeat_for_references(string.whose)[answers.early :]
    counts = np.bincount(whose, minlength=len(string.owners))
    order = np.argsort(-counts, kind="stable")
    masks = [np.flatnonzero(whose == owner) + answers.early for owner in order[:MAX_OWNERS]]
    labels = [string.owners[owner] or "(no name)" for owner in order[:MAX_OWNERS]]
    if len(order) > MAX_OWNERS:
        masks.append(np.flatnonzero(np.isin(whose, order[MAX_OWNERS:])) + answers.early)
        labels.append(plural(len(order) - MAX_OWNERS, "other"))
    writes = string.repeat_for_references(string.writes)[answers.early :]
    for label, chosen in (("reads", ~writes), ("writes", writes)) if 0 < writes.sum() < len(writes) else ():
        labels.append(label)
        masks.append(np.flatnonzero(chosen) + answers.early)
    return _table("lru by device", answers, labels, masks)


def _table(what: str, answers: CurveAnswer, labels: Sequence[str], masks: Sequence[NDArray[np.int64]]) -> list[str]:
    lines = ["", f"{what:<20}{'references':>12}" + "".join(f"{size:>9,}" for size in answers.sizes)]
    for label, mask in zip(labels, masks, strict=True):
        distances = answers.distances[mask]
        ratios = [float(np.mean((distances >= 0) & (distances < size))) if len(mask) else 0.0 for size in answers.sizes]
        lines.append(f"{label[:20]:<20}{len(mask):>12,}" + "".join(f"{ratio:>9.2%}" for ratio in ratios))
    return lines


def settling_end(blocks: NDArray[np.int64]) -> int:
    """Return the number of references until the hits of LRU at its knee have settled, by MSER-5 of hit ratios.

    0 if there are too few references; UserError if they do not settle within the first half.
    """
    from spindle.studies.sweep.precision import MIN_OBSERVATIONS, truncation  # takes a second

    size = len(blocks) // SETTLING or 1
    if len(blocks) // size < MIN_OBSERVATIONS:
        return 0
    distances = stack_distances(blocks)
    knee = max(1, curve_of(distances).knee)
    hits = ((distances >= 0) & (distances < knee))[: len(blocks) // size * size]
    try:
        return truncation(hits.reshape(-1, size).mean(axis=1)) * size
    except UserError:
        raise UserError(f"the hits of LRU have not settled within the first half of the {len(blocks):,} references: "
                        "--warm-up takes a share of them as well") from None
