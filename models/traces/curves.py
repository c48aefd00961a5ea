"""Hit ratios of a trace against the size of a cache: LRU exactly at every size, other policies by replay."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from models.parts import POLICIES
from sim.curve.belady import belady_hits
from sim.curve.lru import lru_curve
from sim.curve.references import CacheReferences
from sim.curve.replay import CHUNK, replay_at
from sim.error import UserError
from workloads.traces.blocks import Blocks

LRU, BELADY = "lru", "belady"
NAMES = (*POLICIES, BELADY)
"""Every policy, and the bound of all."""
MANY, SOME = 120, 12
"""Sizes where there is LRU alone, for which they cost nothing, and where each is a replay."""
REACH = 1 << 11
"""The smallest of the usual sizes is so much below the largest, which holds every block: SOME double each time."""
MOST = 1 << 28
"""References that are held, 2 GiB of them."""

Told = Callable[[int], object]
"""A progress callback: of a number of references processed."""


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


def gathered(pieces: Iterable[Blocks]) -> Blocks:
    """All references in one string; UserError where they are more than fit."""
    held, count = [], 0
    for piece in pieces:
        held.append(piece)
        count += len(piece)
        if count > MOST:
            raise UserError(f"the trace has more than {MOST:,} references, which are not held; --sample takes a share")
    return np.concatenate(held)


def usual_sizes(policies: Sequence[str], unique: int) -> list[int]:
    """Sizes spread by logarithm, up to one that holds all *unique* blocks."""
    count = MANY if set(policies) <= {LRU} else SOME
    return sorted({round(size) for size in np.geomspace(max(1, unique / REACH), max(1, unique), count)})


def hit_curves(
    references: Blocks, policies: Iterable[str], sizes: Sequence[int], progress: Told = lambda _: None
) -> Iterator[CurveRow]:
    """A row for each of *policies*, in this order, and for each of the ascending *sizes*."""
    for policy in policies:
        hits = _hits(policy, references, sizes, progress)
        yield from (CurveRow(policy, size, len(references), hits[size]) for size in sizes)


def _hits(policy: str, references: Blocks, sizes: Sequence[int], progress: Told) -> Mapping[int, int]:
    if policy == LRU:
        curve = lru_curve(references)
        progress(len(references))
        return {size: curve.hits_at(size) for size in sizes}
    if policy == BELADY:
        hits = belady_hits(references, sizes)
        progress(len(references))
        return hits
    return replay_at(POLICIES[policy], _gone_through(references, progress), sizes)


def _gone_through(references: Blocks, progress: Told) -> Iterator[int]:
    for begin in range(0, len(references), CHUNK):
        chunk = references[begin : begin + CHUNK].tolist()
        yield from chunk
        progress(len(chunk))


def che(references: Blocks, sizes: Iterable[int]) -> dict[int, float]:
    """Che's approximation of the hit ratio of LRU at each of *sizes*; none where there are no references."""
    if not len(references):
        return {}
    string = CacheReferences.of(references)
    return {size: string.che_hits(size) / len(references) for size in sizes}
