"""Estimates hit ratios from a share of the blocks, for traces beyond memory, with confidence intervals.

A block's hash determines its sample. A cache of that share of the size has the hit ratio of the whole, as far as
blocks are alike (SHARDS, Waldspurger et al., FAST 2015). A sample with more references than its share has hot blocks in
it, which hit almost always: as many hits are subtracted, or added where it has fewer (their SHARDS_adj). Several
disjoint samples give the interval.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spindle.sim.error import UserError
from spindle.studies.confidence import confidence
from spindle.traces.blocks import NO_DROPS, Blocks, Drops, mix_bits, split_deletes
from spindle.traces.curve.fastest import Progress
from spindle.traces.curves import LARGEST_TO_SMALLEST, LRU_SIZES, CurveRow, hit_curves

SAMPLES = 8
"""Number of disjoint samples."""
MIN_SAMPLE_BLOCKS = 4
"""Least blocks in the cache of a sample, so that rounding to whole blocks changes little."""
MAX_SAMPLE_REFERENCES = 1 << 27
"""Most references that are kept: 1 GiB of memory, and below 2 GiB with the replay of a sample."""


@dataclass(frozen=True)
class Samples:
    """References of disjoint samples, each of a *share* of the blocks; *total* counts all references of the trace.

    *drops* has the deletions by the number of their sample, *deletes* counts all of the trace.
    """

    references: Sequence[Blocks]
    share: float
    total: int
    drops: Mapping[int, Drops] = field(default_factory=dict)
    deletes: int = 0

    @property
    def unique(self) -> int:
        """Estimated number of blocks of the trace."""
        return round(sum(len(np.unique(sample)) for sample in self.references) / (self.share * len(self.references)))


def take_samples(pieces: Iterable[Blocks], share: float) -> Samples:
    """Sample *share* of the blocks in all, in SAMPLES disjoint samples; one pass, which keeps only these.

    In *pieces*, ``~block`` deletes a block. UserError if they are more than MAX_SAMPLE_REFERENCES.
    """
    if not 0.0 < share < 1.0:
        raise UserError(f"a sample has a share of the blocks between 0 and 1, not {share!r}")
    each = share / SAMPLES
    kept: list[list[Blocks]] = [[] for _ in range(SAMPLES)]
    total = held = deletes = 0
    for piece in pieces:
        gone = piece < 0
        total, deletes = total + int((~gone).sum()), deletes + int(gone.sum())
        places = _place(np.where(gone, ~piece, piece)) / each
        chosen = np.flatnonzero(places < SAMPLES)
        held += len(chosen)
        if held > MAX_SAMPLE_REFERENCES:
            raise UserError(f"the sample has more than {MAX_SAMPLE_REFERENCES:,} references, which are not held; "
                            "take a smaller share")  # fmt: skip
        numbers, found = places[chosen].astype(np.uint8), piece[chosen]
        for number, part in enumerate(kept):
            part.append(found[numbers == number])
    samples = [_join(sample) for sample in kept]
    drops = {number: drops for number, (_, drops) in enumerate(samples) if drops}
    return Samples([sample for sample, _ in samples], each, total, drops, deletes)


def _join(pieces: list[Blocks]) -> tuple[Blocks, Drops]:
    """Join *pieces* into one array, and drop them; return its references and its deletions."""
    whole = np.concatenate(pieces)
    pieces.clear()
    gone = whole < 0
    return split_deletes(np.where(gone, ~whole, whole), gone) if gone.any() else (whole, NO_DROPS)


def sampled_curves(
    samples: Samples, policies: Iterable[str], sizes: Sequence[int], progress: Progress = lambda _: None
) -> Iterator[CurveRow]:
    """Yield rows as hit_curves does, with bounds that hold the mean of all samples with probability 0.95."""
    least = least_size(samples.share)
    if not samples.total:
        raise UserError("there are deletes alone in the trace, and nothing to sample")
    if sizes and sizes[0] < least:
        raise UserError(f"a cache of {sizes[0]} blocks is too small for this sample: {least} is the least")
    scaled = {size: round(size * samples.share) for size in sizes}
    wanted, expected = sorted(set(scaled.values())), samples.total * samples.share
    for policy in policies:
        samples_hits = [
            {row.cache_blocks: row.hits + expected - row.refs for row in hit_curves(
                sample, [policy], wanted, progress, drops=samples.drops.get(number, NO_DROPS))}
            for number, sample in enumerate(samples.references)
        ]  # fmt: skip
        for size in sizes:
            ratios = [min(1.0, max(0.0, hits[scaled[size]] / expected)) for hits in samples_hits]
            interval = confidence(ratios)
            yield CurveRow(policy, size, samples.total, round(interval.mean * samples.total),
                      max(0.0, interval.low), min(1.0, interval.high))


def least_size(share: float) -> int:
    return int(np.ceil(MIN_SAMPLE_BLOCKS / share))


def sampled_sizes(samples: Samples, count: int) -> list[int]:
    """Return sizes spread by logarithm up to all blocks, at most *count*, or as many as the samples resolve."""
    unique, least = samples.unique, least_size(samples.share)
    if unique <= least:
        size = f"{samples.share * SAMPLES:g} of about {unique} blocks or objects"
        raise UserError(f"a sample of {size} is too small: take more")
    low = max(least, unique / LARGEST_TO_SMALLEST)
    return sorted({round(size) for size in np.geomspace(low, unique, min(count, LRU_SIZES))})


def _place(blocks: Blocks) -> NDArray[np.float64]:
    """Map each block to the interval from 0 to 1 by splitmix64 (Steele et al., 2014) of its number."""
    bits = mix_bits(blocks.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15))
    places: NDArray[np.float64] = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return places
