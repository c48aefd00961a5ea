"""Derives from an LRU curve: its knee, the size that is enough, working sets, misses by cause, hits over time."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

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

    @property
    def most_hits(self) -> float:
        """The hit ratio of a cache with room for everything."""
        return self.curve.ratio_at(len(self.curve.hits) - 1)

    @property
    def enough(self) -> int:
        return max(1, self.curve.size_for(ENOUGH_HITS))

    @property
    def knee(self) -> int:
        """The knee; a curve nowhere above its chord needs all blocks, since less is not worth having."""
        return _knee(self.curve)

    def data(self) -> dict[str, Any]:
        """Return the answers by name: sizes in blocks or objects, hits and misses by cause as shares of references."""
        causes = [{"size": size, **{name: getattr(split, name) / split.references for name in CAUSES}}
                  for size, split in self.splits.items() if split.references]  # fmt: skip
        return {"most_hits": self.most_hits, "enough": self.enough, "knee": self.knee, "causes": causes,
                "working_sets": [{"references": span, "size": size} for span, size in self.sets.items()]}  # fmt: skip


CAUSES = ("hits", "compulsory", "capacity", "policy")
"""Shares of all references: those that hit, and those that miss by what would have avoided it."""


class PartHits(NamedTuple):
    """The hits of LRU of the *references* of a part of a trace, as shares, at each size; *told* says which part."""

    label: str
    told: dict[str, Any]
    references: int
    hits: dict[int, float]

    def rows(self) -> list[dict[str, Any]]:
        return [{**self.told, "references": self.references, "size": size, "hit_ratio": ratio}
                for size, ratio in self.hits.items()]  # fmt: skip


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
    return max(1, curve.knee or curve.size_for(1.0))


def sentences(answers: CurveAnswer, block: int | None) -> list[str]:
    """Return the answers as lines of 80 columns; *block* is its size in bytes, None for objects."""
    if not answers.curve.references:
        return []
    knee = answers.knee
    working = [f"{size:,.0f} in {plural(span, 'reference')}" for span, size in answers.sets.items()]
    lines = ["", f"at most {answers.most_hits:.1%} can hit: the rest are first uses",
             f"lru has {ENOUGH_HITS:.0%} of that with {_amount(answers.enough, block)}",
             f"its knee is at {_amount(knee, block)}, where {answers.curve.ratio_at(knee):.1%} hit",
             f"working set: {', '.join(working)}",
             "", f"{'of all references':<20}{'hit':>12}{'compulsory':>12}{'capacity':>12}{'policy':>12}"]
    for size, split in answers.splits.items():
        shares = (getattr(split, name) / split.references for name in CAUSES)
        lines.append(f"{size:>20,}" + "".join(f"{share:>12.2%}" for share in shares))
    size, split = next(iter(answers.splits.items()))
    more, better = (count / split.references for count in (split.capacity, split.policy))
    return [*lines, f"at {size:,}, lru can win {more:.1%} by more memory, and at most {better:.1%} by a better policy"]


def _amount(size: int, block: int | None) -> str:
    return plural(size, "object") if block is None else f"{plural(size, 'block')} ({size * block / MIB:,.4g} MiB)"


def over_time(answers: CurveAnswer, string: TraceReferences) -> list[PartHits]:
    """The hit ratio of LRU in INTERVALS with as many references each, fewer if these are few, at the splits' sizes."""
    count = len(answers.distances)
    ends = sorted({round(count * end / INTERVALS) for end in range(INTERVALS + 1)})
    times = np.repeat(string.times, string.counts)
    parts = []
    for begin, end in pairwise(ends):
        time = None if np.isnan(times[begin]) else float(times[begin])
        label = f"from {begin:,}" if time is None else f"from {time:,.6g} s"
        parts.append(_part(answers, label, {"first": begin, "time": time}, np.arange(begin, end)))
    return parts


def by_device(answers: CurveAnswer, string: TraceReferences) -> list[PartHits]:
    """The hit ratio of LRU of the references of each device or tenant, of reads and of writes, all in one cache."""
    whose = string.repeat_for_references(string.whose)[answers.early :]
    order = np.argsort(-np.bincount(whose, minlength=len(string.owners)), kind="stable")
    parts = [_part(answers, string.owners[owner] or "(no name)", {"device": string.owners[owner]},
                   np.flatnonzero(whose == owner) + answers.early) for owner in order[:MAX_OWNERS]]  # fmt: skip
    if len(order) > MAX_OWNERS:
        label = plural(len(order) - MAX_OWNERS, "other")
        rest = np.flatnonzero(np.isin(whose, order[MAX_OWNERS:])) + answers.early
        parts.append(_part(answers, label, {"others": len(order) - MAX_OWNERS}, rest))
    writes = string.repeat_for_references(string.writes)[answers.early :]
    for op, chosen in (("read", ~writes), ("write", writes)) if 0 < writes.sum() < len(writes) else ():
        parts.append(_part(answers, f"{op}s", {"op": op}, np.flatnonzero(chosen) + answers.early))
    return parts


def _part(answers: CurveAnswer, label: str, told: dict[str, Any], places: NDArray[np.int64]) -> PartHits:
    distances = answers.distances[places]
    return PartHits(label, told, len(places), {
        size: float(np.mean((distances >= 0) & (distances < size))) if len(places) else 0.0
        for size in answers.sizes})  # fmt: skip


def part_lines(what: str, parts: Sequence[PartHits]) -> list[str]:
    """Return *parts* as lines, below a heading that says *what* they are; none for none."""
    heads = [f"{what:<20}{'references':>12}" + "".join(f"{size:>9,}" for size in part.hits) for part in parts[:1]]
    return ["", *heads, *(f"{part.label[:20]:<20}{part.references:>12,}"
                          + "".join(f"{ratio:>9.2%}" for ratio in part.hits.values()) for part in parts)]  # fmt: skip


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
