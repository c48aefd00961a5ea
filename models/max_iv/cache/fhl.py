"""FHL as Jacobson built it: sectors in memory, searched and copied at interrupt level, written through."""


import simpy

from models.max_iv.cache.cache_code import CacheCodeCosts, CachedDisc, Cpus, Io
from models.max_iv.cache.eligibility import AS_BUILT, Eligibility
from models.max_iv.cache.sector_cache import SectorCache
from models.max_iv.requests import RequestKind
from sim.account import CACHE, Account
from sim.cache.arrival import Arrival
from sim.clock import Wait
from sim.cpu import INTERRUPT
from sim.request import Request, wait_for


class Fhl:
    """The cache code on *machine*, with a *cache* of sectors, at such *costs*, for such requests as *rules* allow.

    The lists change at the instant of the interrupt and the CPU works it off; interrupt routines follow one
    another, so no list is read before its time. A sector is in the cache only from its termination on, so none
    that is on its way can be replaced. A read of a sector that is on its way for another request waits for it: it
    would stand behind the other in the handler's queue and find the sector at its turn. That is a late hit.
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
        """To the disc, after *seconds* of search."""
        arrival = Arrival()
        if self.rules.keeps(io.kind, io.words, io.position):
            self.arriving[io.dpi] = arrival
        if seconds > 0.0:
            yield self.work(seconds, io.account)
        request = self.fetch(io, disc)
        arrival.started(request)
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
        """Keep the sector, or forget what the request spoilt; seconds of work."""
        cache, compare = self.cache, self.costs.compare
        if not failed and self.rules.keeps(io.kind, io.words, io.position):
            comparisons = cache.search(io.dpi)
            self.keep(io.dpi, self.env.now - request.submitted)
            return comparisons * compare + self.costs.copy
        if self.rules.spoils(io.kind, io.words) or (failed and io.kind in (RequestKind.WRITE, RequestKind.WEOF)):
            return cache.forget(disc.dpis(io)) * compare
        return 0.0

    def keep(self, dpi: int, cost: float) -> None:
        """Into the cache with it; *cost* are the seconds of its access to the disc."""
        self.cache.install(dpi, cost)

    def work(self, seconds: float, account: Account) -> simpy.Event:
        """The event at which *seconds* at interrupt level are over."""
        return self._cpu.burst(seconds, INTERRUPT, CACHE, account)

    def levels(self) -> dict[str, float]:
        return {"resident_sectors": float(len(self.cache))}

    def reading(self) -> dict[str, float]:
        cache = self.cache
        said = {
            "hits": self.hits, "late_hits": self.late_hits, "failures": self.failures,
            "oversize_reads": self.oversize_reads, "searches": cache.searches, "comparisons": cache.comparisons,
            "installed": cache.installed, "replaced": cache.replaced, "evicted": cache.evicted,
        }
        missed = {f"misses_{kind.name.lower()}": self.misses[kind] for kind in RequestKind}
        return {name: float(value) for name, value in {**said, **missed}.items()}
