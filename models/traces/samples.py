"""Hit ratios from a share of the blocks, for traces beyond memory; disjoint samples give the confidence interval.

A block's hash determines its sample; a cache of that share of the size has the hit ratio of the whole, as far as
blocks are alike (SHARDS, Waldspurger et al., FAST 2015). A sample that has more references than its share has
hot blocks in it, which hit almost always: as many hits are taken off, or added where it has fewer (their SHARDS_adj).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.traces.curves import MANY, REACH, CurveRow, hit_curves
from sim.curve.fastest import Told
from sim.error import UserError
from sim.statistics.confidence import confidence
from workloads.traces.blocks import Blocks

SAMPLES = 8
LEAST = 4
"""Blocks in the cache of a sample, so that rounding them to whole ones does little."""
MOST = 1 << 27
"""References that are kept, 1 GiB of them: with what replays a sample it stays below 2."""


@dataclass(frozen=True)
class Samples:
    """The references to blocks of each sample, of which each has *share* of the blocks; *total* is that of all."""

    parts: Sequence[Blocks]
    share: float
    total: int

    @property
    def unique(self) -> int:
        """About how many blocks there are."""
        return round(sum(len(np.unique(part)) for part in self.parts) / (self.share * len(self.parts)))


def sampled(pieces: Iterable[Blocks], share: float) -> Samples:
    """*share* of the blocks in all, in SAMPLES that are disjoint; one pass, which keeps no more than them.

    UserError where they are more than MOST.
    """
    if not 0.0 < share < 1.0:
        raise UserError(f"a sample has a share of the blocks between 0 and 1, not {share!r}")
    each = share / SAMPLES
    kept: list[list[Blocks]] = [[] for _ in range(SAMPLES)]
    total = held = 0
    for piece in pieces:
        total += len(piece)
        places = _place(piece) / each
        chosen = np.flatnonzero(places < SAMPLES)
        held += len(chosen)
        if held > MOST:
            raise UserError(f"the sample has more than {MOST:,} references, which are not held; take a smaller share")
        numbers, found = places[chosen].astype(np.uint8), piece[chosen]
        for number, part in enumerate(kept):
            part.append(found[numbers == number])
    return Samples([_joined(part) for part in kept], each, total)


def _joined(pieces: list[Blocks]) -> Blocks:
    """*pieces* in one, which are let go."""
    whole = np.concatenate(pieces)
    pieces.clear()
    return whole


def sampled_curves(
    samples: Samples, policies: Iterable[str], sizes: Sequence[int], progress: Told = lambda _: None
) -> Iterator[CurveRow]:
    """As hit_curves has them, with bounds that hold the mean of all samples with probability 0.95."""
    least = least_size(samples.share)
    if sizes and sizes[0] < least:
        raise UserError(f"a cache of {sizes[0]} blocks is too small for this sample: {least} is the least")
    scaled = {size: round(size * samples.share) for size in sizes}
    wanted, expected = sorted(set(scaled.values())), samples.total * samples.share
    for policy in policies:
        samples_hits = [
            {row.cache_blocks: row.hits + expected - row.refs for row in hit_curves(part, [policy], wanted, progress)}
            for part in samples.parts
        ]  # fmt: skip
        for size in sizes:
            ratios = [min(1.0, max(0.0, hits[scaled[size]] / expected)) for hits in samples_hits]
            interval = confidence(ratios)
            yield CurveRow(policy, size, samples.total, round(interval.mean * samples.total),
                      max(0.0, interval.low), min(1.0, interval.high))


def least_size(share: float) -> int:
    return int(np.ceil(LEAST / share))


def sampled_sizes(samples: Samples, count: int) -> list[int]:
    """Sizes spread by logarithm, as many as *count* or as the samples resolve, up to all blocks."""
    unique, least = samples.unique, least_size(samples.share)
    if unique <= least:
        size = f"{samples.share * SAMPLES:g} of about {unique} blocks or objects"
        raise UserError(f"a sample of {size} is too small: take more")
    low = max(least, unique / REACH)
    return sorted({round(size) for size in np.geomspace(low, unique, min(count, MANY))})


def _place(blocks: Blocks) -> NDArray[np.float64]:
    """Where in the interval from 0 to 1 each block falls: splitmix64 (Steele et al., 2014) of its number."""
    bits = blocks.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    places: NDArray[np.float64] = ((bits ^ (bits >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return places
