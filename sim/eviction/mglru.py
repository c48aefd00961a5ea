"""MGLRU, Linux's multi-generational LRU, evicts from the oldest generation, except tiers of use that refault more."""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from spindle.sim.eviction.policy import MayGo, first_that_may_go, refuse_twice

MAX_GENERATIONS, MIN_GENERATIONS = 4, 2
TIERS = 4
MAX_USES = 1 << TIERS - 1
"""Uses that are counted at most; pages with so many are of the last tier."""
MIN_REFAULTS = 64
"""Refaults (pages wanted again after their eviction) below which a tier of pages is not protected."""
BASE_GAIN, TIER_GAIN = 2, 3
"""Weights of the refaults of the first tier and of another, where the two are compared."""


@dataclass(slots=True)
class _Tier:
    """Counts of pages of a tier: evicted or protected (*total*), and wanted again (*refaulted*); later halved."""

    total: float = 0.0
    refaulted: float = 0.0

    def halve(self) -> None:
        self.total /= 2
        self.refaulted /= 2

    def is_missed_more(self, base: "_Tier") -> bool:
        enough = self.refaulted >= MIN_REFAULTS
        more = self.refaulted * (base.total + MIN_REFAULTS) * BASE_GAIN > (base.refaulted + 1) * self.total * TIER_GAIN
        return enough and more


@dataclass(slots=True)
class _Generation:
    """A generation of pages with their uses, oldest first; and the tiers of pages evicted while it was the oldest."""

    pages: OrderedDict[Hashable, int] = field(default_factory=OrderedDict)
    ghosts: dict[Hashable, int] = field(default_factory=dict)


class Mglru:
    """Linux's Documentation/mm/multigen_lru.rst, for pages that are read and written by calls and never mapped.

    A new page comes to the second oldest generation, or to the oldest where there are few (lru_gen_folio_seq). Used N
    times it is in tier order_base_2(N), of four. Victims are of the oldest generation; when it is empty the next is
    the oldest, and a new one is begun where fewer than two would be left. A page of a tier that refaults more than the
    first tier moves to the next generation instead, and its uses begin anew. Ghosts are kept for the last four
    generations; counts of earlier ones are halved again and again. A ghost of the last tier returns to that tier.
    """

    def __init__(self) -> None:
        self._oldest, self._youngest = 0, MIN_GENERATIONS + 1
        self._generations = {number: _Generation() for number in range(self._youngest + 1)}
        self._generation_of: dict[Hashable, int] = {}
        self._tiers = [_Tier() for _ in range(TIERS)]

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._generation_of:
            raise refuse_twice(key)
        few_generations = self._oldest + MIN_GENERATIONS >= self._youngest
        uses = 1
        for generation in self._generations.values():
            if key in generation.ghosts:
                tier = generation.ghosts.pop(key)
                self._tiers[tier].refaulted += 1
                uses = MAX_USES if tier == TIERS - 1 else 1
        self._enter(key, self._oldest if few_generations else self._oldest + 1, uses)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        pages = self._generations[self._generation_of[key]].pages
        pages[key] = min(MAX_USES, pages[key] + 1)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        """Sort the oldest generation until a page comes up that is not protected."""
        if not self._generation_of:
            return None
        while True:
            pages = self._generations[self._oldest].pages
            if not pages:
                self._grow_older()
                continue
            key, uses = next(iter(pages.items()))
            tier = _tier_of(uses)
            if tier <= self._evicted_tiers():
                return first_that_may_go(chain.from_iterable(self._in_order()), may_go)
            self._tiers[tier].total += 1
            del pages[key]
            self._enter(key, self._oldest + 1, 0)

    def remove(self, key: Hashable, evicted: bool) -> None:
        generation = self._generations[self._generation_of.pop(key)]
        tier = _tier_of(generation.pages.pop(key))
        if evicted:
            self._tiers[tier].total += 1
            self._generations[self._oldest].ghosts[key] = tier

    def __len__(self) -> int:
        return len(self._generation_of)

    def _in_order(self) -> Iterator[OrderedDict[Hashable, int]]:
        return (self._generations[number].pages for number in range(self._oldest, self._youngest + 1))

    def _enter(self, key: Hashable, number: int, uses: int) -> None:
        self._generations[number].pages[key] = uses
        self._generation_of[key] = number

    def _grow_older(self) -> None:
        """Leave the oldest generation, which is empty; ghosts of one that is too old are forgotten."""
        if self._oldest + MIN_GENERATIONS > self._youngest:
            self._youngest += 1
            self._generations[self._youngest] = _Generation()
        self._oldest += 1
        self._generations.pop(self._oldest - MAX_GENERATIONS, None)
        for tier in self._tiers:
            tier.halve()

    def _evicted_tiers(self) -> int:
        """Return the last tier that is evicted: none up to it refaults more than the first."""
        for number in range(1, TIERS):
            if self._tiers[number].is_missed_more(self._tiers[0]):
                return number - 1
        return TIERS - 1


def _tier_of(uses: int) -> int:
    return max(0, uses - 1).bit_length()
