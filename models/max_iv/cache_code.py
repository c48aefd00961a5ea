"""The code that disc handlers call when a request is initiated and when it terminates: FHL, or nothing.

Jacobson 3: "The 2 disc handlers had to be modified to call the cache code at request initiation and
termination"; all of it runs at interrupt level, so it is indivisible.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import simpy

from models.max_iv.eligibility import Kind, is_kept, may_be_answered, spoils
from models.max_iv.sector_cache import SectorCache
from sim.account import Account, Part
from sim.cache.arrival import Arrival
from sim.clock import Wait
from sim.cpu import INTERRUPT, Cpu
from sim.request import Request, wait_for


class Io(NamedTuple):
    """An I/O request: *words* from or to the sectors whose disc addresses are *dpis*."""

    kind: Kind
    words: int
    dpis: tuple[int, ...]
    account: Account


Start = Callable[[], Request]
"""Sets the disc to work for a request."""


class CacheCode(Protocol):
    def perform(self, io: Io, start: Start) -> Wait:
        """Do *io*, with the disc where it must be."""
        ...

    def discard(self, dpi: int) -> None: ...


class NoCache:
    """A system without FHL."""

    def perform(self, io: Io, start: Start) -> Wait:
        yield from wait_for(start(), io.account)

    def discard(self, dpi: int) -> None:
        pass


class Fhl:
    """The cache as built. *compare* seconds a comparison, *copy* seconds a sector, at interrupt level.

    The lists change at the instant of the interrupt and the CPU works it off; interrupt routines follow one
    another, so nobody sees a list before its time. A sector is in the cache only from its termination on,
    so none that is on its way can be replaced. Who reads a sector that is on its way for another request waits
    for it: his own request would stand behind the other in the handler's queue and find the sector at its
    turn. That is a late hit.
    """

    def __init__(self, env: simpy.Environment, cache: SectorCache, cpu: Cpu, compare: float, copy: float) -> None:
        self._env = env
        self.cache = cache
        self._cpu = cpu
        self._compare = compare
        self._copy = copy
        self._arriving: dict[int, Arrival] = {}
        self.hits = self.late_hits = 0
        self.misses = [0] * len(Kind)
        self.oversize_reads = 0

    def perform(self, io: Io, start: Start) -> Wait:
        kind, words, dpis, account = io
        dpi, cache = dpis[0], self.cache
        answerable = may_be_answered(kind, words)
        late = answerable and dpi in self._arriving
        if late:
            yield from self._arriving[dpi].wait(self._env, account)
        seconds = cache.search(dpi) * self._compare
        found = dpi in cache
        if found:
            cache.touch(dpi)
        if found and answerable:
            self.hits += not late
            self.late_hits += late
            yield from self._work(seconds + self._copy, account)
            return
        self.misses[kind] += 1
        self.oversize_reads += kind == Kind.READ and not answerable
        arrival = Arrival()
        if is_kept(kind, words):
            self._arriving[dpi] = arrival
        yield from self._work(seconds, account)
        request = start()
        arrival.started(request)
        yield from wait_for(request, account)
        yield from self._terminate(io, request, arrival)

    def _terminate(self, io: Io, request: Request, arrival: Arrival) -> Wait:
        """Keep the sector, or forget what the request spoilt."""
        cache, dpi = self.cache, io.dpis[0]
        if is_kept(io.kind, io.words):
            if self._arriving.get(dpi) is arrival:
                del self._arriving[dpi]
            comparisons = cache.search(dpi)
            cache.install(dpi, self._env.now - request.submitted)
            yield from self._work(comparisons * self._compare + self._copy, io.account)
        elif spoils(io.kind, io.words):
            comparisons = 0
            for each in io.dpis:
                comparisons += cache.search(each)
                cache.evict(each)
            yield from self._work(comparisons * self._compare, io.account)

    def _work(self, seconds: float, account: Account) -> Wait:
        if seconds > 0.0:
            yield self._cpu.burst(seconds, INTERRUPT, Part.CACHE, account)

    def discard(self, dpi: int) -> None:
        self.cache.evict(dpi)

    def levels(self) -> dict[str, float]:
        return {"resident_sectors": float(len(self.cache))}

    def reading(self) -> dict[str, float]:
        cache = self.cache
        said = {
            "hits": self.hits, "late_hits": self.late_hits,
            "oversize_reads": self.oversize_reads, "searches": cache.searches, "comparisons": cache.comparisons,
            "installed": cache.installed, "replaced": cache.replaced, "evicted": cache.evicted,
        }
        missed = {f"misses_{kind.name.lower()}": self.misses[kind] for kind in Kind}
        return {name: float(value) for name, value in {**said, **missed}.items()}
