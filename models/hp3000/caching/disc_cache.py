"""MPE disc caching: the cache of a disc, whose domains (cached spans of any length) compete with programs' segments for
main memory, and LDEVs, the logical devices for which caching is switched on and off while the system runs.

McBride & Boles 1983, "The Mechanics". Decided here: a domain is clipped at the file's extent and its neighbours; a
write to an absent place makes a domain of just the record; a write is posted (written back) at once, and a domain has
one post at a time.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import simpy

from spindle.models.hp3000.caching.control import (
    SECTOR,
    CacheCosts,
    Control,
    Loss,
    UnwrittenPosts,
)
from spindle.models.hp3000.discs import PlainDisc
from spindle.sim.clock import CACHE, Account, Gate, Phase, TimeWeighted, Wait
from spindle.sim.cpu import Cpu, Stopped
from spindle.sim.disc.drive import Drive
from spindle.sim.error import UserError
from spindle.sim.eviction.policy import Traffic
from spindle.sim.measure.laws import check_hits
from spindle.sim.memory import SharedMemory
from spindle.sim.request import READ, SEQUENTIAL, WRITE, Access, Arrival, BlockDevice, Request, Span, work_behind

# Domains: which bytes of the disc are in memory or on their way.

@dataclass(slots=True, eq=False)
class Domain:
    """Bytes *first* to *end* of a disc in memory: arriving or resident, and being posted while it has *posts*.

    *asked* of them were requested when it was made; the others were brought along. It is *passing* if it was fetched
    for a sequential reader, which will not come back to it.
    """

    first: int
    end: int
    asked: int
    arrival: Arrival | None = field(default_factory=Arrival)
    passing: bool = False
    posts: int = 0
    gone: bool = False
    gate: Gate | None = None


class DomainDirectory:
    """The domains of a disc, in order; they do not overlap."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._domains: list[Domain] = []

    def __len__(self) -> int:
        return len(self._domains)

    def holder(self, span: Span) -> Domain | None:
        """The domain in which all of *span* can be read without waiting, or None."""
        index = bisect_right(self._starts, span[0])
        if not index:
            return None
        domain = self._domains[index - 1]
        readable = domain.arrival is None and not domain.posts
        return domain if readable and span[0] + span[1] <= domain.end else None

    def find(self, span: Span) -> list[Domain]:
        """The domains that overlap *span*, in order."""
        return [piece for piece in self.pieces(span) if isinstance(piece, Domain)]

    def pieces(self, span: Span) -> list[Domain | Span]:
        """Divide *span* into domains and, in whole sectors, absent spans; in order."""
        first, length = span
        position, end = first - first % SECTOR, first + length + -(first + length) % SECTOR
        index, domains = bisect_right(self._starts, first), self._domains
        if index and first < domains[index - 1].end:
            index -= 1
        pieces: list[Domain | Span] = []
        while index < len(domains) and domains[index].first < end:
            domain, index = domains[index], index + 1
            if position < domain.first:
                pieces.append(Span(position, domain.first - position))
            pieces.append(domain)
            position = domain.end
        if position < end:
            pieces.append(Span(position, end - position))
        return pieces

    def enter(self, wanted: Span, absent: Span, within: Span) -> Domain:
        """Enter a domain around *absent*: *wanted*, clipped to whole sectors *within* and to its neighbours."""
        starts, domains = self._starts, self._domains
        (missing, asked), (first, length), (lowest, room) = absent, wanted, within
        index = bisect_left(starts, missing)
        end = min(first + length, lowest + room) // SECTOR * SECTOR
        first = max(first, lowest)
        first += -first % SECTOR
        if index and domains[index - 1].end > first:
            first = domains[index - 1].end
        if index < len(starts) and starts[index] < end:
            end = starts[index]
        domain = Domain(min(first, missing), max(end, missing + asked), asked)
        starts.insert(index, domain.first)
        domains.insert(index, domain)
        return domain

    def remove(self, domain: Domain) -> None:
        index = bisect_left(self._starts, domain.first)
        assert self._domains[index] is domain, "the directory has lost a domain"
        del self._starts[index], self._domains[index]
        domain.gone = True


def are_resident(pieces: Iterable[Domain | Span]) -> bool:
    """Tell if *pieces* of the disc are all resident."""
    return all(isinstance(each, Domain) and each.arrival is None for each in pieces)


def ready(domains: Iterable[Domain]) -> bool:
    """Tell if all of *domains*, which have been resident, are still here and not being posted."""
    return not any(domain.gone or domain.posts for domain in domains)


# Domains of one disc in main memory: their number, their bytes, and the bytes that were not requested.

class Residence:
    """The memory that the domains of one disc take, from the claim of their room on."""

    def __init__(self, env: simpy.Environment) -> None:
        self.domains = TimeWeighted(env)
        self.bytes = TimeWeighted(env)
        self.overhead = TimeWeighted(env)

    def change(self, domain: Domain, by: int) -> None:
        """Count *domain* in, *by* 1, or out, *by* -1."""
        size = domain.end - domain.first
        self.domains.change(by)
        self.bytes.change(by * size)
        self.overhead.change(by * (size - domain.asked))

    def levels(self) -> dict[str, float]:
        amounts = {"domains": self.domains, "bytes": self.bytes, "overhead_bytes": self.overhead}
        return {f"resident_{name}": float(amount.now) for name, amount in amounts.items()}

    def reading(self) -> dict[str, float]:
        amounts = {"domain": self.domains, "byte": self.bytes, "overhead_byte": self.overhead}
        return {f"{name}_seconds": amount.seconds() for name, amount in amounts.items()}


# The domains of one disc that are being posted, and the waits for them.

class Posted:
    """Domains, each from the copy of a writer's bytes until these are on the medium. *stopped* counts who waits."""

    def __init__(self, env: simpy.Environment, name: str, stopped: Stopped) -> None:
        self._env = env
        self._name = name
        self.stopped = stopped
        self._domains: dict[Domain, None] = {}

    def enter(self, domains: Sequence[Domain]) -> None:
        for domain in domains:
            domain.posts += 1
            self._domains[domain] = None

    def leave(self, domains: Sequence[Domain]) -> None:
        """Note that one post of all *domains* is done."""
        for domain in domains:
            domain.posts -= 1
            if not domain.posts:
                del self._domains[domain]
                if domain.gate is not None:
                    gate, domain.gate = domain.gate, None
                    gate.succeed()

    def wait(self, domain: Domain, account: Account) -> Wait:
        """Wait until no post of *domain* is under way."""
        joined = self._env.now
        yield from self._wait_for_posts(domain)
        account.charge(Phase.WRITE_WAIT, joined, self._env.now)

    def flush(self, span: Span) -> Wait:
        """Wait until every post into *span* is on the disc."""
        for domain in [each for each in self._domains if each.first < span.end and span.first < each.end]:
            yield from self._wait_for_posts(domain)

    def _wait_for_posts(self, domain: Domain) -> Wait:
        self.stopped.enter()
        while domain.posts:
            if domain.gate is None:
                domain.gate = Gate(self._env, f"a post to {self._name}")
            yield domain.gate
        self.stopped.leave()


# The cache of one drive.

class DiscCache:
    """The cache of one *drive*, itself a BlockDevice: a read or write is a hit when all of it is resident, a late
    hit when all is resident or on its way, else a miss. An access to bytes that are being posted waits: a write wait.
    One that waits for anything but the CPU is a stop. No domain is held while its user waits for room or for another.
    """

    def __init__(
        self, env: simpy.Environment, drive: Drive, cpu: Cpu, memory: SharedMemory, costs: CacheCosts,
        control: Control, stopped: Stopped | None = None,
    ) -> None:
        self._env = env
        self.drive = drive
        self._cpu = cpu
        self._memory = memory
        self._costs = costs
        self._hit = costs.read_call + costs.search + costs.copy
        self.control = control
        self.directory = DomainDirectory()
        self.residence = Residence(env)
        self.at_risk = UnwrittenPosts(env)
        self._background = Account(f"cache of {drive.name}")
        self._posted = Posted(env, drive.name, stopped or Stopped())
        self.reads = self.hits = self.late_hits = self.misses = self.writes = self.write_hits = 0
        self.fetches = self.fetched_bytes = self.stops = self.write_waits = 0

    def read(self, access: Access) -> Wait:
        """A hit takes one burst of the CPU; a miss one to search, the disc, and one to copy."""
        costs, account = self._costs, access.account
        self.reads += 1
        domain = self.directory.holder(access.span)
        if domain is not None:
            self.hits += 1
            self._memory.touch(domain)
            self._memory.pin(domain)
            yield self._cpu.burst(self._hit, costs.level, CACHE, account, costs.read_call)
            self._leave(domain, access)
            return
        seconds = costs.read_call + self._count(access.span)
        yield self._cpu.burst(seconds, costs.level, CACHE, account, costs.read_call)
        asked: float = self._env._now
        domains, absent = self._find(access)
        for domain in absent:
            yield from self._memory.take(self, (domain,), domain.end - domain.first, account) or ()
            self._bring(domain, access)
        waited = yield from self._settle(domains, account)
        self.write_waits += waited
        self.stops += self._env._now > asked
        for domain in domains:
            if not domain.gone:
                self._memory.pin(domain)
        yield self._cpu.burst(costs.copy, costs.level, CACHE, account)
        for domain in domains:
            self._leave(domain, access)

    def write(self, access: Access) -> Wait:
        """Copy the bytes into their domains and post them; a write that is or must be durable waits for the medium."""
        costs, account, control = self._costs, access.account, self.control
        self.writes += 1
        self.write_hits += are_resident(self.directory.pieces(access.span))
        waits = access.durable or control.settings.mode.block
        seconds = costs.write_call + costs.search + costs.copy + costs.initiate + costs.stop * waits
        yield self._cpu.burst(seconds, costs.level, CACHE, account, costs.write_call)
        asked: float = self._env._now
        domains = yield from self._places(access)
        for domain in domains:
            if not domain.gone:
                self._memory.pin(domain)
        self._posted.enter(domains)
        if not waits:
            self.at_risk.acknowledge(domains[0], access.span.length)
        post = Access(WRITE, access.span, access.within, access.stream, access.hint, access.durable, self._background)
        control.posting.post(self.drive, post, lambda: self._on_disc(domains))
        if waits:
            posted = self._env.now
            yield from self.flush(access.span)
            account.charge(Phase.WRITE_WAIT, posted, self._env.now)
        self.stops += self._env._now > asked

    def _places(self, access: Access) -> Wait:
        """Return the domains of a write, all of them resident and unposted at the instant of return."""
        waited = False
        while True:
            domains, absent = self._find(access)
            for domain in absent:
                yield from self._memory.take(self, (domain,), domain.end - domain.first, access.account) or ()
                self._make(domain)
            waited |= yield from self._settle(domains, access.account)
            if ready(domains):
                self.write_waits += waited
                return domains
            if any(domain.gone for domain in domains):  # another search takes time, in which other users may finish
                yield self._cpu.burst(self._costs.search, self._costs.level, CACHE, access.account)
                self._clear(access.span)  # so that the whole span is brought in together

    def start(self, access: Access) -> Request:
        return work_behind(self, self._env, f"cache of {self.drive.name}", access)

    def flush(self, span: Span) -> Wait:
        """Wait until every post into *span* is on the disc."""
        yield from self._posted.flush(span)
        yield from self.drive.flush(span)

    def discard(self, span: Span) -> None:
        """Forget the resident domains that lie wholly in *span*."""
        for domain in self.directory.find(span):
            if span.first <= domain.first and domain.end <= span.end and domain.arrival is None and not domain.posts:
                self._release(domain)

    def _clear(self, span: Span) -> None:
        """Discard the domains that overlap *span* and are not in use."""
        for domain in self.directory.find(span):
            if domain.arrival is None and not self._memory.is_pinned(domain):
                self._release(domain)

    def _leave(self, domain: Domain, access: Access) -> None:
        """Note that the reader of *access* is done with *domain*, which is flushed if it was read through."""
        if domain.gone:
            return
        self._memory.unpin(domain)
        if domain.passing and self._read_through(domain, access) and self.control.settings.flushed:
            self._release(domain)

    def _read_through(self, domain: Domain, access: Access) -> bool:
        """Tell if *access* is the last of the sequential reader of *domain*, which nothing else needs."""
        if access.hint is not SEQUENTIAL or access.span.end < domain.end:
            return False
        return domain.arrival is None and not (domain.posts or self._memory.is_pinned(domain))

    def _release(self, domain: Domain) -> None:
        self._memory.release(domain)
        self.forget(domain)

    def surrender(self, key: Hashable) -> Wait | None:
        """Return nothing to wait for: posts start when bytes are written, so a resident domain is never dirty."""
        return None

    def forget(self, key: Hashable) -> None:
        assert isinstance(key, Domain)
        self.directory.remove(key)
        self.residence.change(key, -1)

    def _count(self, span: Span) -> float:
        """Count a read that no single resident domain holds; return the CPU seconds that it takes before it waits."""
        costs, late, posted = self._costs, False, False
        for piece in self.directory.pieces(span):
            if isinstance(piece, Span):
                self.misses += 1
                return costs.search + costs.initiate + costs.stop
            late = late or piece.arrival is not None
            posted = posted or piece.posts > 0
        self.late_hits += late
        self.hits += not late
        return costs.search + costs.stop * (late or posted)

    def _find(self, access: Access) -> tuple[list[Domain], list[Domain]]:
        """Return all domains of the access, and those of them that were absent and are entered here."""
        domains, absent = [], []
        for piece in self.directory.pieces(access.span):
            if isinstance(piece, Span):
                if access.op is READ:
                    piece = self.directory.enter(self.control.fetch(access, piece), piece, access.within)
                else:
                    piece = self.directory.enter(piece, piece, piece)
                absent.append(piece)
            elif piece.arrival is None:
                self._memory.touch(piece)
            domains.append(piece)
        return domains, absent

    def _make(self, domain: Domain) -> None:
        """Make *domain*, for which there is room, resident without a fetch: it will be written."""
        arrival = domain.arrival
        assert arrival is not None
        self.residence.change(domain, 1)
        domain.arrival = None
        self._memory.unpin(domain)
        arrival.start(None)

    def _bring(self, domain: Domain, access: Access) -> None:
        """Start the fetch of *domain*, for which there is room."""
        size = domain.end - domain.first
        span = Span(domain.first, size)
        request = self.drive.start(Access(READ, span, span, access.stream, access.hint, False, self._background))
        assert request.callbacks is not None
        assert domain.arrival is not None
        request.callbacks.append(partial(self._finish_fetch, domain))
        self.residence.change(domain, 1)
        domain.passing = access.hint is SEQUENTIAL
        self.fetches += 1
        self.fetched_bytes += size
        domain.arrival.start(request)

    def _finish_fetch(self, domain: Domain, request: Request) -> None:
        """Make *domain*, brought by *request*, resident, and pass its seconds to a policy that weighs accesses."""
        if self._memory.weighs:
            self._memory.weigh((domain,), request.cost(), Traffic.FETCH)
        domain.arrival = None
        self._memory.unpin(domain)

    def _settle(self, domains: list[Domain], account: Account) -> Wait:
        """Wait for each of *domains* in turn until it is resident and unposted; tell if any wait was for a post."""
        waited = False
        for domain in domains:
            if domain.arrival is not None:
                self._posted.stopped.enter()
                yield from domain.arrival.wait(self._env, account)
                self._posted.stopped.leave()
            if domain.posts:
                waited = True
                yield from self._posted.wait(domain, account)
        return waited

    def _on_disc(self, domains: list[Domain]) -> None:
        self.at_risk.on_medium(domains[0])
        for domain in domains:
            if not domain.gone:
                self._memory.unpin(domain)
        self._posted.leave(domains)

    def check(self) -> None:
        """Check that each read was a hit, a late hit or a miss."""
        check_hits(f"cache of {self.drive.name}", self.reads, self.hits, self.late_hits, self.misses)

    def levels(self) -> dict[str, float]:
        return {**self.residence.levels(), "at_risk_bytes": float(self.at_risk.bytes.now)}

    def reading(self) -> dict[str, float]:
        names = ("hits", "late_hits", "misses", "writes", "write_hits", "fetches", "fetched_bytes", "stops",
                 "write_waits")  # fmt: skip
        counted = {name: float(getattr(self, name)) for name in names}
        return {**counted, **self.residence.reading(), "at_risk_byte_seconds": self.at_risk.bytes.seconds()}


# A logical device: what the file system sees of one drive, cached or not, switched while the system runs.

class Ldev:
    """LDEV *number*: a BlockDevice that hands every access to its cache or to the plain driver.

    A switch waits until the accesses under way are done and all that was written is on the medium. Later accesses are
    held back, so that none reads from the disc before a post, or leaves a domain that another makes stale on the disc.
    Without a switch no event and no CPU time is spent here.
    """

    def __init__(
        self, env: simpy.Environment, number: int, plain: PlainDisc, cache: DiscCache, cached: bool = True
    ) -> None:
        self._env = env
        self.number = number
        self.cache = cache
        self._plain = plain
        self._device: BlockDevice = cache if cached else plain
        self._under_way = 0
        self._quiet: Gate | None = None
        self._switched: Gate | None = None

    @property
    def is_cached(self) -> bool:
        return self._device is self.cache

    def start_cache(self) -> Wait:
        yield from self._switch(self.cache)

    def stop_cache(self) -> Wait:
        yield from self._switch(self._plain)

    def _switch(self, device: BlockDevice) -> Wait:
        while self._switched is not None:
            yield self._switched
        if device is self._device:
            return
        self._switched = Gate(self._env, f"LDEV {self.number} to be switched")
        if self._under_way:
            self._quiet = Gate(self._env, f"accesses to LDEV {self.number}")
            yield self._quiet
            self._quiet = None
        whole = Span(0, self.cache.drive.capacity)
        yield from self._device.flush(whole)
        self._device.discard(whole)
        self._device = device
        switched, self._switched = self._switched, None
        switched.succeed()

    def read(self, access: Access) -> Wait:
        if self._switched is not None:
            yield from self._wait_for_switch(access.account)
        self._under_way += 1
        yield from self._device.read(access)
        self._under_way -= 1
        if self._quiet is not None and not self._under_way:
            self._quiet.succeed()

    def write(self, access: Access) -> Wait:
        if self._switched is not None:
            yield from self._wait_for_switch(access.account)
        self._under_way += 1
        yield from self._device.write(access)
        self._under_way -= 1
        if self._quiet is not None and not self._under_way:
            self._quiet.succeed()

    def _wait_for_switch(self, account: Account) -> Wait:
        """Wait for the switch, which mainly waits for posts: a write wait."""
        asked = self._env.now
        while self._switched is not None:
            yield self._switched
        account.charge(Phase.WRITE_WAIT, asked, self._env.now)

    def start(self, access: Access) -> Request:
        return work_behind(self, self._env, f"LDEV {self.number}", access)

    def flush(self, span: Span) -> Wait:
        yield from self._device.flush(span)

    def discard(self, span: Span) -> None:
        self._device.discard(span)


def losses(ldevs: Iterable[Ldev]) -> list[Loss]:
    """List the acknowledged writes of all LDEVs that would be lost if the power failed now."""
    all_ldevs = list(ldevs)
    newest = max(ldev.cache.at_risk.newest for ldev in all_ldevs)
    return [loss for ldev in all_ldevs for loss in ldev.cache.at_risk.losses(ldev.number, newest)]


# Disc caching built into a machine: an LDEV before each drive, and what all of them have in common.

class Caching:
    """The *ldevs*, numbered from 1, one before each of the *discs*; those *cached* have caching on, or all.

    Their caches have one *control*, *costs* and *memory* in common.
    """

    def __init__(
        self, env: simpy.Environment, discs: Sequence[PlainDisc], cpu: Cpu, memory: SharedMemory, costs: CacheCosts,
        control: Control, stopped: Stopped, cached: Collection[int] | None = None,
    ) -> None:
        unknown = sorted(set(cached or ()) - set(range(1, len(discs) + 1)))
        if unknown:
            raise UserError(f"cached_ldevs: there is no LDEV {unknown[0]!r}; there are 1 to {len(discs)}")
        self.control = control
        self.ldevs: list[Ldev] = []
        for number, plain in enumerate(discs, 1):
            cache = DiscCache(env, plain.drive, cpu, memory, costs, control, stopped)
            self.ldevs.append(Ldev(env, number, plain, cache, cached is None or number in cached))

    @property
    def caches(self) -> list[DiscCache]:
        return [ldev.cache for ldev in self.ldevs]
