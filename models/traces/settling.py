"""The warm-up of a trace, estimated: how many references pass before the hits of LRU have settled."""

import numpy as np
from numpy.typing import NDArray

from sim.curve.fastest import stack_distances
from sim.curve.lru import curve_of
from sim.error import UserError

PARTS = 1000


def settled_after(blocks: NDArray[np.int64]) -> int:
    """Until when the hits of LRU at its knee have not settled, by MSER-5 of the hit ratios of PARTS of the references.

    None where there are too few references; UserError where they do not settle within the first half.
    """
    from sim.sweep.warm_up import LEAST, truncation  # takes a second

    size = len(blocks) // PARTS or 1
    if len(blocks) // size < LEAST:
        return 0
    distances = stack_distances(blocks)
    knee = max(1, curve_of(distances).knee)
    hits = ((distances >= 0) & (distances < knee))[: len(blocks) // size * size]
    try:
        return truncation(hits.reshape(-1, size).mean(axis=1)) * size
    except UserError:
        raise UserError(f"the hits of LRU have not settled within the first half of the {len(blocks):,} references: "
                        "--warm-up takes a share of them as well") from None
