"""Simulates FHL, Jacobson's write-through cache of disc sectors: a hash table over disc addresses.

Its code runs at interrupt level, in the disc handlers of Max-IV, the operating system of a Modcomp minicomputer.
"""

from collections.abc import Callable, Sequence

import simpy

from spindle.models.max_iv.cache_code import CacheCodeCosts, CachedDisc, Cpus, Io
from spindle.models.max_iv.disc_address import Order, sector_low
from spindle.models.max_iv.eligibility import AS_BUILT, Eligibility
from spindle.models.max_iv.requests import RequestKind
from spindle.sim.clock import CACHE, Account, Wait
from spindle.sim.cpu import INTERRUPT
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy, chose_nothing, make
from spindle.sim.request import Arrival, Request, wait_for

MAX_SECTORS = 65536
"""Most sectors of a cache."""


class Buckets(dict[int, int]):
    """The hash list of each disc address, computed on first use."""

    def __init__(self, entries: int, order: Order) -> None:
        super().__init__()
        self.entries, self._order = entries, order

    def __missing__(self, dpi: int) -> int:
        self[dpi] = bucket = self._order(dpi) % self.entries
        return bucket


class SectorCache:
    """The cached sectors: at most *sectors* disc addresses, each on one of *entries* hash lists, newest first.

    Entries without a sector are on list 0 with an impossible address (Jacobson 2.1), behind those with one, so a search
    of that list compares with them too. ``counted`` is the number of cached sectors for which *counted* returns true.
    """

    def __init__(
        self, sectors: int, entries: int = 251, policy: Callable[..., EvictionPolicy] = Lru,
        counted: Callable[[int], bool] = lambda _: False, order: Order = sector_low,
    ) -> None:
        if not 1 <= sectors <= MAX_SECTORS:
            raise UserError(f"sectors must be between 1 and {MAX_SECTORS}, or 0 for no cache, not {sectors!r}")
        self.sectors = sectors
        self._made = entries, policy, counted, order
        self.policy = make(policy, sectors)
        self._buckets = Buckets(entries, order)
        self._lists: list[list[int]] = [[] for _ in range(entries)]
        self.resident: set[int] = set()
        self._counts = counted
        self.counted = self.searches = self.comparisons = self.installed = self.replaced = self.evicted = 0

    def resize(self, sectors: int) -> "SectorCache":
        """Return an empty cache of the same kind with *sectors* sectors."""
        return SectorCache(sectors, *self._made)

    def __contains__(self, dpi: int) -> bool:
        return dpi in self.resident

    def __len__(self) -> int:
        return len(self.resident)

    def queue(self, bucket: int) -> Sequence[int]:
        """The sectors on a hash list, in the order in which a search meets them."""
        return tuple(self._lists[bucket])

    def lengths(self) -> list[int]:
        """The lengths of all hash lists, without the entries that hold no sector."""
        return [len(each) for each in self._lists]

    def search(self, dpi: int) -> int:
        """Search for *dpi*; return the number of comparisons."""
        comparisons = self.comparisons_to(dpi)
        self.searches += 1
        self.comparisons += comparisons
        return comparisons

    def comparisons_to(self, dpi: int) -> int:
        """Return the number of comparisons that a search for *dpi* would take."""
        bucket = self._buckets[dpi]
        if dpi in self.resident:
            return self._lists[bucket].index(dpi) + 1
        return len(self._lists[bucket]) + (0 if bucket else self.sectors - len(self.resident))

    def touch(self, dpi: int) -> None:
        """Note a request for *dpi*, which moves to the front of the LRU list."""
        self.policy.touch(dpi)

    def install(self, dpi: int, cost: float = 0.0) -> int | None:
        """Cache *dpi*, whose access to the disc took *cost* seconds; return the sector evicted for it, if any."""
        self.installed += 1
        if dpi in self.resident:
            return None
        victim = self._make_room(dpi) if len(self.resident) == self.sectors else None
        self.policy.insert(dpi, 1, cost)
        self.resident.add(dpi)
        self._lists[self._buckets[dpi]].insert(0, dpi)
        self.counted += self._counts(dpi)
        return victim

    def forget(self, dpis: Sequence[int]) -> int:
        """Remove all of *dpis*; return the number of comparisons."""
        buckets, lists, resident, comparisons = self._buckets, self._lists, self.resident, 0
        for dpi in dpis:
            bucket = buckets[dpi]
            if dpi in resident or not bucket:
                comparisons += self.comparisons_to(dpi)
                self.evict(dpi)
            else:
                comparisons += len(lists[bucket])
        self.searches += len(dpis)
        self.comparisons += comparisons
        return comparisons

    def _make_room(self, dpi: int) -> int:
        victim = self.policy.choose(dpi)
        if not isinstance(victim, int):  # every sector is at rest, so one of them can go
            raise chose_nothing(self.policy)
        self._forget(victim, True)
        self.replaced += 1
        return victim

    def evict(self, dpi: int) -> None:
        """Remove *dpi* if it is cached: the sector on the disc is newer."""
        if dpi in self.resident:
            self._forget(dpi, False)
            self.evicted += 1

    def _forget(self, dpi: int, replaced: bool) -> None:
        self.policy.remove(dpi, replaced)
        self.resident.remove(dpi)
        self._lists[self._buckets[dpi]].remove(dpi)
        self.counted -= self._counts(dpi)


class Fhl:
    """The cache code on *machine*: a *cache* of sectors, CPU *costs*, and *rules* for the requests that it serves.

    The hash lists change at the instant of the interrupt, and the CPU time follows; interrupt routines run one after
    another, so no list is read too early. A sector enters the cache when its request terminates, so none that is being
    read can be evicted. A read of a sector that another request is reading waits for it, and is a late hit: in the
    handler's queue it would follow the other request, and find the sector cached.
    """

    def __init__(self, machine: Cpus, cache: SectorCache, costs: CacheCodeCosts, rules: Eligibility = AS_BUILT) -> None:
        self.env, self._cpu = machine
        self.cache = cache
        self.costs = costs
        self.rules = rules
        self.arriving: dict[int, Arrival] = {}
        self.hits = self.late_hits = self.failures = self.waiting = 0
        self.misses = [0] * len(RequestKind)
        self.oversize_reads = 0

    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        kind, words, _, dpi, _, account = io
        cache, late = self.cache, False
        answerable = self.rules.answers(kind, words)
        if answerable and dpi in self.arriving:
            late = True
            self.waiting += 1
            yield from self.arriving[dpi].wait(self.env, account)
            self.waiting -= 1
        seconds = cache.search(dpi) * self.costs.compare
        if dpi in cache.resident:
            cache.touch(dpi)
            if answerable:
                self.hits += not late
                self.late_hits += late
                yield self.work(seconds + self.costs.copy, account)
                return False
        self.misses[kind] += 1
        self.oversize_reads += kind == RequestKind.READ and not answerable
        return (yield from self.miss(io, disc, seconds))

    def miss(self, io: Io, disc: CachedDisc, seconds: float) -> Wait:
        """Go to the disc, after *seconds* of search."""
        arrival = Arrival()
        if self.rules.keeps(io.kind, io.words, io.position):
            self.arriving[io.dpi] = arrival
        if seconds > 0.0:
            yield self.work(seconds, io.account)
        request = self.fetch(io, disc)
        arrival.start(request)
        yield from wait_for(request, io.account)
        if self.arriving.get(io.dpi) is arrival:
            del self.arriving[io.dpi]
        failed = disc.errors.strike()
        self.failures += failed
        seconds = self.terminate(io, disc, request, failed)
        if seconds > 0.0:
            yield self.work(seconds, io.account)
        return failed

    def fetch(self, io: Io, disc: CachedDisc) -> Request:
        return disc.begin(io)

    def terminate(self, io: Io, disc: CachedDisc, request: Request, failed: bool) -> float:
        """Cache the sector, or remove sectors that the request made stale; return the CPU seconds."""
        cache, compare = self.cache, self.costs.compare
        if not failed and self.rules.keeps(io.kind, io.words, io.position):
            comparisons = cache.search(io.dpi)
            self.keep(io.dpi, self.env.now - request.submitted)
            return comparisons * compare + self.costs.copy
        if self.rules.spoils(io.kind, io.words) or (failed and io.kind in (RequestKind.WRITE, RequestKind.WEOF)):
            return cache.forget(disc.dpis(io)) * compare
        return 0.0

    def keep(self, dpi: int, cost: float) -> None:
        """Put *dpi* into the cache; *cost* is the seconds of its access to the disc."""
        self.cache.install(dpi, cost)

    def work(self, seconds: float, account: Account) -> simpy.Event:
        """Return the event at which *seconds* of CPU time at interrupt level are over."""
        return self._cpu.burst(seconds, INTERRUPT, CACHE, account)

    def levels(self) -> dict[str, float]:
        return {"resident_sectors": float(len(self.cache))}

    def reading(self) -> dict[str, float]:
        cache = self.cache
        counted = {
            "hits": self.hits, "late_hits": self.late_hits, "failures": self.failures,
            "oversize_reads": self.oversize_reads, "searches": cache.searches, "comparisons": cache.comparisons,
            "installed": cache.installed, "replaced": cache.replaced, "evicted": cache.evicted,
        }
        missed = {f"misses_{kind.name.lower()}": self.misses[kind] for kind in RequestKind}
        return {name: float(value) for name, value in {**counted, **missed}.items()}
