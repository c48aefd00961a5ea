"""Why references miss: compulsory misses, misses of capacity, and misses of the policy.

Hill's compulsory and capacity misses (Hill and Smith, "Evaluating associativity in CPU caches", IEEE ToC 38(12), 1989),
with the optimal cache in place of their LRU: what LRU misses beyond it another policy could hit.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from sim.curve.fastest import belady_hits
from sim.curve.lru import LruCurve


@dataclass(frozen=True)
class MissSplit:
    """Of the *references* those that LRU hits, and those that it misses, apart by what would have been a hit.

    *compulsory* are first uses. *capacity* is what Belady's policy misses beyond them, and *policy* what LRU misses
    beyond Belady's. Where references warmed the cache up that do not count, that may be a few below 0: the best policy
    for the whole string need not be the best for the rest of it.
    """

    references: int
    hits: int
    compulsory: int
    capacity: int
    policy: int


def miss_splits(
    references: ArrayLike, curve: LruCurve, capacities: Iterable[int], early: int = 0
) -> dict[int, MissSplit]:
    """The split of the misses of LRU, whose *curve* that is, at each of *capacities* of at least one block."""
    best = belady_hits(references, capacities, early)
    return {
        capacity: MissSplit(curve.references, hits := curve.hits_at(capacity), curve.compulsory,
                            curve.references - most - curve.compulsory, most - hits)
        for capacity, most in best.items()
    }  # fmt: skip
