"""The sectors in the cache: a division hash over the disc address, replacement by a policy; no clock, no I/O."""

from collections.abc import Callable, Sequence

from models.max_iv.cache.disc_address import Order, sector_low
from sim.error import UserError
from sim.eviction.lru import Lru
from sim.eviction.policy import EvictionPolicy, make

MOST_SECTORS = 65536


class Buckets(dict[int, int]):
    """The hash list of each disc address, computed on first use."""

    def __init__(self, entries: int, order: Order) -> None:
        super().__init__()
        self.entries, self._order = entries, order

    def __missing__(self, dpi: int) -> int:
        self[dpi] = bucket = self._order(dpi) % self.entries
        return bucket


class SectorCache:
    """At most *sectors* sectors, each on one of *entries* hash lists, newest first.

    Entries that hold no sector are on list 0 with an impossible address (Jacobson 2.1), behind those that do,
    so a search of that list compares with them too. *counted* selects the sectors that ``counted`` counts.
    """

    def __init__(
        self, sectors: int, entries: int = 251, policy: Callable[..., EvictionPolicy] = Lru,
        counted: Callable[[int], bool] = lambda _: False, order: Order = sector_low,
    ) -> None:
        if not 1 <= sectors <= MOST_SECTORS:
            raise UserError(f"sectors must be between 1 and {MOST_SECTORS}, or 0 for no cache, not {sectors!r}")
        self.sectors = sectors
        self._made = entries, policy, counted, order
        self._policy = make(policy, sectors)
        self._buckets = Buckets(entries, order)
        self._lists: list[list[int]] = [[] for _ in range(entries)]
        self.resident: set[int] = set()
        self._counts = counted
        self.counted = self.searches = self.comparisons = self.installed = self.replaced = self.evicted = 0

    def resized(self, sectors: int) -> "SectorCache":
        """Another like it, empty, of so many *sectors*."""
        return SectorCache(sectors, *self._made)

    def __contains__(self, dpi: int) -> bool:
        return dpi in self.resident

    def __len__(self) -> int:
        return len(self.resident)

    def bucket(self, dpi: int) -> int:
        return self._buckets[dpi]

    def queue(self, bucket: int) -> Sequence[int]:
        """The sectors on a hash list, in the order in which a search meets them."""
        return tuple(self._lists[bucket])

    def lengths(self) -> list[int]:
        """The lengths of all hash lists, without the entries that hold no sector."""
        return [len(each) for each in self._lists]

    def search(self, dpi: int) -> int:
        """Look for *dpi*; how many comparisons that took."""
        comparisons = self.comparisons_to(dpi)
        self.searches += 1
        self.comparisons += comparisons
        return comparisons

    def comparisons_to(self, dpi: int) -> int:
        """How many comparisons it would take to look for *dpi*."""
        bucket = self._buckets[dpi]
        if dpi in self.resident:
            return self._lists[bucket].index(dpi) + 1
        return len(self._lists[bucket]) + (0 if bucket else self.sectors - len(self.resident))

    def touch(self, dpi: int) -> None:
        """*dpi* was requested: it moves to the front of the LRU list."""
        self._policy.touch(dpi)

    def install(self, dpi: int, cost: float = 0.0) -> int | None:
        """Keep *dpi*, whose access to the disc took *cost* seconds; which sector made room for it, if one must."""
        self.installed += 1
        if dpi in self.resident:
            return None
        victim = self._make_room(dpi) if len(self.resident) == self.sectors else None
        self._policy.insert(dpi, 1, cost)
        self.resident.add(dpi)
        self._lists[self._buckets[dpi]].insert(0, dpi)
        self.counted += self._counts(dpi)
        return victim

    def forget(self, dpis: Sequence[int]) -> int:
        """All of *dpis* leave; how many comparisons that took."""
        buckets, lists, resident, comparisons = self._buckets, self._lists, self.resident, 0
        unused = self.sectors - len(resident)
        for dpi in dpis:
            bucket = buckets[dpi]
            if dpi in resident or (unused and not bucket):
                comparisons += self.comparisons_to(dpi)
                self.evict(dpi)
            else:
                comparisons += len(lists[bucket])
        self.searches += len(dpis)
        self.comparisons += comparisons
        return comparisons

    def _make_room(self, dpi: int) -> int:
        victim = self._policy.choose(dpi)
        assert isinstance(victim, int), "every sector is at rest, so one of them can go"
        self._forget(victim, True)
        self.replaced += 1
        return victim

    def evict(self, dpi: int) -> None:
        """Forget *dpi* if it is here: the disc has changed without the cache."""
        if dpi in self.resident:
            self._forget(dpi, False)
            self.evicted += 1

    def _forget(self, dpi: int, replaced: bool) -> None:
        self._policy.remove(dpi, replaced)
        self.resident.remove(dpi)
        self._lists[self._buckets[dpi]].remove(dpi)
        self.counted -= self._counts(dpi)
