"""Caches one drive in main memory, in domains (spans of any length), which compete with programs' segments for it.

McBride & Boles 1983, "The Mechanics". Decided here: a write to absent bytes makes a domain of just the record; a
write is posted (written back) at once, and a domain has one post at a time.
"""

from collections.abc import Hashable
from functools import partial

import simpy

from spindle.models.hp3000.caching.at_risk import UnwrittenPosts
from spindle.models.hp3000.caching.control import Control
from spindle.models.hp3000.caching.costs import CacheCosts
from spindle.models.hp3000.caching.domains import Domain, DomainDirectory, Residence, are_resident, ready
from spindle.models.hp3000.caching.posted import Posted
from spindle.sim.clock import CACHE, Account, Phase, Wait
from spindle.sim.cpu import Cpu, Stopped
from spindle.sim.disc.drive import Drive
from spindle.sim.eviction.policy import Traffic
from spindle.sim.measure.laws import check_hits
from spindle.sim.memory import SharedMemory
from spindle.sim.request import READ, SEQUENTIAL, WRITE, Access, Request, Span, work_behind


class DiscCache:
    """The cache of one *drive*, itself a BlockDevice.

    A read or write is a hit when all of it is resident, a late hit when all is resident or on its way, else a miss. An
    access to bytes that are being posted waits for that (a write wait). An access that waits for anything but the CPU
    is a stop. While it waits for memory or for a domain, it keeps no domain from eviction.
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
        """Read: a hit takes one CPU burst; a miss takes one to search, the disc access, and one to copy."""
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
        """Tell if *access* is the last of the sequential reader of *domain*, which no reader and no post needs."""
        return access.hint is SEQUENTIAL and access.span.end >= domain.end and not self._memory.is_pinned(domain)

    def _release(self, domain: Domain) -> None:
        self._memory.release(domain)
        self.forget(domain)

    def write_back_victim(self, key: Hashable) -> Wait | None:
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
