"""FHL, as Jacobson named his cache of disc sectors: a hash table over disc addresses, rules for the requests that it
answers and keeps, the code that disc handlers call, with its CPU times, and a sampler of its contents.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import NamedTuple, Protocol

import simpy

from spindle.models.max_iv.requests import SECTOR_WORDS, Errors, RequestKind
from spindle.sim.clock import CACHE, Account, Daemon, Wait, pause
from spindle.sim.cpu import INTERRUPT, Cpu
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy, make
from spindle.sim.request import Arrival, Request, wait_for

# The code that disc handlers call when a request is initiated and when it terminates.
#
# Jacobson 3: "The 2 disc handlers had to be modified to call the cache code at request initiation and
# termination"; all of it runs at interrupt level, so it is indivisible.

class Io(NamedTuple):
    """An I/O request for *words* from *sector* of a track on; *dpi* is its disc address: unit, track and sector.

    *position* is its place in the requestor's file, which Jacobson calls FPI.
    """

    kind: RequestKind
    words: int
    sector: int
    dpi: int
    position: int
    account: Account


class CachedDisc(Protocol):
    """Operations of a disc handler that the cache code uses."""

    errors: Errors
    track_sectors: int

    def begin(self, io: Io) -> Request:
        """Set the drive to work for *io*."""

    def read_on(self, io: Io, sectors: int) -> Request:
        """Set the drive to work for *io*, but read *sectors* sectors."""

    def write_sector(self, dpi: int, account: Account) -> Request:
        """Write one sector from memory, charged to *account* alone."""

    def dpis(self, io: Io) -> Sequence[int]:
        """Return the addresses of all sectors that *io* touches."""

    def left_on_track(self, io: Io) -> int:
        """Return the number of sectors from that of *io* to the end of its track."""


class CacheCodeCosts(NamedTuple):
    """Seconds at interrupt level: *compare* a comparison, *copy* a sector."""

    compare: float
    copy: float


class CacheCode(Protocol):
    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        """Perform *io*, from the cache or from *disc*; return whether the disc has failed."""


class Cpus(NamedTuple):
    """The clock and the processor for cache code."""

    env: simpy.Environment
    cpu: Cpu


class NoCache:
    """A system without FHL."""

    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        yield from wait_for(disc.begin(io), io.account)
        return disc.errors.strike()


# The disc address that identifies a sector in FHL (its DPI), and the orders of its bits that may go into the hash.

TRACK_BITS = 8
UNIT_BITS = 24
_SECTOR = (1 << TRACK_BITS) - 1
_TRACKS = (1 << UNIT_BITS - TRACK_BITS) - 1

Order = Callable[[int], int]
"""Gives a disc address with its bits in the order in which it is divided by the number of hash lists."""


def disc_address(unit: int, track: int, sector: int) -> int:
    """4 bits of unit above 24 bits of address, in which the *sector* has the lowest 8 (Jacobson 2.1, 3.2)."""
    return unit << UNIT_BITS | track << TRACK_BITS | sector


def unit_of(dpi: int) -> int:
    return dpi >> UNIT_BITS


def track_of(dpi: int) -> int:
    return dpi >> TRACK_BITS & _TRACKS


def sector_low(dpi: int) -> int:
    """The address as it is, which is what Jacobson divided."""
    return dpi


def track_low(dpi: int) -> int:
    """The track in the lowest bits, the sector above it: the change that Jacobson did not think worth the trouble."""
    return dpi >> UNIT_BITS << UNIT_BITS | (dpi & _SECTOR) << UNIT_BITS - TRACK_BITS | track_of(dpi)


def reversed_bits(dpi: int) -> int:
    """All 28 bits the other way round, so that the bits that vary most come last."""
    return int(f"{dpi:028b}"[::-1], 2)


# Rules for the I/O requests that the cache answers, keeps, and loses sectors by: an object for each design.

class Eligibility(Protocol):
    """Rules of the cache. *words* is a request's word count, *position* the sector's place in its file (FPI)."""

    def answers(self, kind: RequestKind, words: int) -> bool:
        """Tell, at initiation, if the cache may answer instead of the disc."""

    def keeps(self, kind: RequestKind, words: int, position: int) -> bool:
        """Tell, at termination without an error, if the sector goes into the cache."""

    def spoils(self, kind: RequestKind, words: int) -> bool:
        """Tell, at termination, if the disc has changed without the cache, which must forget the sectors."""


@dataclass(frozen=True)
class AsBuilt:
    """Jacobson 2.2 as changed by 3.1: end-of-file marks (WEOF, AVR, BKR) pass the cache by, and the FPI is ignored.

    A short write is padded to a sector by the disc, so that it can be kept. The code of section 2.2 forgets on a WEOF
    only after an error, because it meant to cache it; as built nothing is cached on a WEOF, so the cache's copy of the
    sector would be stale.
    """

    def answers(self, kind: RequestKind, words: int) -> bool:
        return kind == 0 and words <= SECTOR_WORDS

    def keeps(self, kind: RequestKind, words: int, position: int) -> bool:
        return words == SECTOR_WORDS if kind == 0 else kind == 1 and words <= SECTOR_WORDS

    def spoils(self, kind: RequestKind, words: int) -> bool:
        return kind == RequestKind.WEOF or (kind == RequestKind.WRITE and words > SECTOR_WORDS)


@dataclass(frozen=True)
class MarksCached:
    """Jacobson 2.2 as meant: the mark is a 129th word, so a WEOF is kept, and AVR and BKR are answered.

    It could not stay: LIB and EDI want the words that belong to a mark, which a WEOF does not have (3.1).
    """

    def answers(self, kind: RequestKind, words: int) -> bool:
        return words <= SECTOR_WORDS and kind in (RequestKind.READ, RequestKind.AVR, RequestKind.BKR)

    def keeps(self, kind: RequestKind, words: int, position: int) -> bool:
        return kind == RequestKind.WEOF or AsBuilt().keeps(kind, words, position)

    def spoils(self, kind: RequestKind, words: int) -> bool:
        return kind == RequestKind.WRITE and words > SECTOR_WORDS


@dataclass(frozen=True)
class FpiFilter:
    """Sectors at position *limit* of their file or beyond are not kept, whatever the *rules* (Jacobson 2.1).

    A write that is not kept changes the disc without the cache, which must then forget the sector.
    """

    limit: float = inf
    rules: Eligibility = AsBuilt()

    def answers(self, kind: RequestKind, words: int) -> bool:
        return self.rules.answers(kind, words)

    def keeps(self, kind: RequestKind, words: int, position: int) -> bool:
        return position < self.limit and self.rules.keeps(kind, words, position)

    def spoils(self, kind: RequestKind, words: int) -> bool:
        return kind in (RequestKind.WRITE, RequestKind.WEOF) or self.rules.spoils(kind, words)


@dataclass(frozen=True)
class ReadsAlone:
    """Written sectors do not enter the cache, which drops its copies of them."""

    def answers(self, kind: RequestKind, words: int) -> bool:
        return AsBuilt().answers(kind, words)

    def keeps(self, kind: RequestKind, words: int, position: int) -> bool:
        return kind == RequestKind.READ and words == SECTOR_WORDS

    def spoils(self, kind: RequestKind, words: int) -> bool:
        return kind in (RequestKind.WRITE, RequestKind.WEOF)


AS_BUILT = AsBuilt()


MAX_SECTORS = 65536


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
    so a search of that list compares with them too. *counted* selects the sectors whose number ``counted`` holds.
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

    def bucket(self, dpi: int) -> int:
        return self._buckets[dpi]

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
        """Keep *dpi*, whose access to the disc took *cost* seconds; return the sector that made room, if one had to."""
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
        victim = self.policy.choose(dpi)
        assert isinstance(victim, int), "every sector is at rest, so one of them can go"
        self._forget(victim, True)
        self.replaced += 1
        return victim

    def evict(self, dpi: int) -> None:
        """Forget *dpi* if it is resident: the disc has changed without the cache."""
        if dpi in self.resident:
            self._forget(dpi, False)
            self.evicted += 1

    def _forget(self, dpi: int, replaced: bool) -> None:
        self.policy.remove(dpi, replaced)
        self.resident.remove(dpi)
        self._lists[self._buckets[dpi]].remove(dpi)
        self.counted -= self._counts(dpi)


# FHL as Jacobson built it: sectors in memory, searched and copied at interrupt level, written through.

class Fhl:
    """The cache code on *machine*: a *cache* of sectors, CPU *costs*, and *rules* for the requests that it serves.

    Lists change at the instant of the interrupt, and the CPU's time follows; interrupt routines run one after
    another, so no list is read too early. A sector is in the cache only from its termination on, so none that is on
    its way can be replaced. A read of a sector that is on its way for another request waits for it: in the handler's
    queue it would come behind the other, and find the sector at its turn. That is a late hit.
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
        """Keep the sector, or forget what the request spoilt; return the seconds of work."""
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
        """The event at which *seconds* at interrupt level are over."""
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


# Samples of the cache every ten seconds, as in Jacobson's statistics: lengths of its queues, and its contents.

SAMPLING = 10.0
"""Seconds (Jacobson, fig. 4: "10 sec. sampling")."""
SHORT_CHAIN = 3
"""Jacobson 3.2 counts the queues with at most this many entries."""


class Sampler:
    """Sums over samples; those of a cache that is not full yet belong into the warm-up.

    ``neighbours`` and ``squares`` give the correlation of the lengths of neighbouring lists.
    """

    NAMES = ("samples", "queues", "short_queues", "longest", "resident", "management", "neighbours", "squares",
             "probes")  # fmt: skip

    def __init__(self, env: simpy.Environment, cache: SectorCache) -> None:
        self._env = env
        self._cache = cache
        self.samples = self.queues = self.short_queues = self.longest = 0
        self.resident = self.management = self.neighbours = self.squares = self.probes = 0
        Daemon(env, self._live())

    def _live(self) -> Wait:
        while True:
            yield pause(self._env, SAMPLING)
            self._sample()

    def _sample(self) -> None:
        lengths = self._cache.lengths()
        self.samples += 1
        self.queues += len(lengths)
        self.short_queues += sum(length <= SHORT_CHAIN for length in lengths)
        self.longest += max(lengths)
        self.resident += len(self._cache)
        self.management += self._cache.counted
        self.squares += sum(length * length for length in lengths)
        self.neighbours += sum(one * two for one, two in pairwise(lengths))
        self.probes += sum(length * (length + 1) // 2 for length in lengths)

    def reading(self) -> dict[str, float]:
        return {name: float(getattr(self, name)) for name in self.NAMES}
