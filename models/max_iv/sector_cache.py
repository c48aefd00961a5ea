"""The sectors in the cache: found by a division hash over the disc address, replaced by a policy; no clock, no I/O."""

from collections.abc import Callable, Sequence

from sim.cache.eviction.lru import Lru
from sim.cache.eviction.policy import EvictionPolicy, make
from sim.mistake import Mistake

TRACK_BITS = 8
UNIT_BITS = 24
MOST_SECTORS = 65536


def disc_address(unit: int, track: int, sector: int) -> int:
    """The DPI: 4 bits of unit above 24 bits of address, in which the *sector* has the lowest 8 (Jacobson 2.1, 3.2)."""
    return unit << UNIT_BITS | track << TRACK_BITS | sector


class SectorCache:
    """At most *sectors* sectors, each on one of *entries* hash lists, newest first.

    Entries that hold no sector are on list 0 with an impossible address (Jacobson 2.1), behind those that do,
    so a search of that list compares with them too. *counted* says which sectors ``counted`` counts.
    """

    def __init__(
        self, sectors: int, entries: int = 251, policy: Callable[..., EvictionPolicy] = Lru,
        counted: Callable[[int], bool] = lambda _: False,
    ) -> None:
        if not 1 <= sectors <= MOST_SECTORS:
            raise Mistake(f"sectors must be between 1 and {MOST_SECTORS}, or 0 for no cache, not {sectors!r}")
        self.sectors = sectors
        self._policy = make(policy, sectors)
        self._entries = entries
        self._lists: list[list[int]] = [[] for _ in range(entries)]
        self._resident: set[int] = set()
        self._counts = counted
        self.counted = self.searches = self.comparisons = self.installed = self.replaced = self.evicted = 0

    def __contains__(self, dpi: int) -> bool:
        return dpi in self._resident

    def __len__(self) -> int:
        return len(self._resident)

    def bucket(self, dpi: int) -> int:
        return dpi % self._entries

    def queue(self, bucket: int) -> Sequence[int]:
        """The sectors on a hash list, in the order in which a search meets them."""
        return tuple(self._lists[bucket])

    def lengths(self) -> list[int]:
        """The lengths of all hash lists, without the entries that hold no sector."""
        return [len(each) for each in self._lists]

    def search(self, dpi: int) -> int:
        """Look for *dpi*; how many comparisons that took."""
        bucket = dpi % self._entries
        if dpi in self._resident:
            comparisons = self._lists[bucket].index(dpi) + 1
        else:
            comparisons = len(self._lists[bucket])
            if bucket == 0:
                comparisons += self.sectors - len(self._resident)
        self.searches += 1
        self.comparisons += comparisons
        return comparisons

    def touch(self, dpi: int) -> None:
        """*dpi* was asked for, whatever for: it moves to the front of the LRU list."""
        self._policy.touch(dpi)

    def install(self, dpi: int, cost: float = 0.0) -> None:
        """Keep *dpi*, whose access to the disc took *cost* seconds; another makes room for it if it must."""
        self.installed += 1
        if dpi in self._resident:
            return
        if len(self._resident) == self.sectors:
            victim = self._policy.choose(dpi)
            assert isinstance(victim, int), "every sector is at rest, so one of them can go"
            self._forget(victim, True)
            self.replaced += 1
        self._policy.insert(dpi, 1, cost)
        self._resident.add(dpi)
        self._lists[dpi % self._entries].insert(0, dpi)
        self.counted += self._counts(dpi)

    def evict(self, dpi: int) -> None:
        """Forget *dpi* if it is here: the disc has changed without the cache."""
        if dpi in self._resident:
            self._forget(dpi, False)
            self.evicted += 1

    def _forget(self, dpi: int, replaced: bool) -> None:
        self._policy.remove(dpi, replaced)
        self._resident.remove(dpi)
        self._lists[dpi % self._entries].remove(dpi)
        self.counted -= self._counts(dpi)
