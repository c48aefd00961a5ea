"""MPE disc caching: domains of any length, of one disc, that compete for main memory with the programs' segments.

McBride & Boles 1983, "The Mechanics". Decided here: a domain is clipped at the file's extent and its neighbours; a
write to an absent place makes a domain of just the record; a write is posted at once, one at a time.
"""

from collections.abc import Hashable

import simpy

from models.hp3000.caching.at_risk import UnwrittenPosts
from models.hp3000.caching.control import Control
from models.hp3000.caching.costs import CacheCosts
from models.hp3000.caching.domains import Domain, DomainDirectory, at_rest, covers, fetched, ready
from models.hp3000.caching.posted import Posted
from models.hp3000.caching.residence import Residence
from models.hp3000.dispatcher import Stopped
from sim.account import CACHE, Account, Ledger, Phase
from sim.cache.arrival import arrived, hold, let_go
from sim.clock import Wait, begin
from sim.cpu import Cpu
from sim.disc.drive import Drive
from sim.measure.laws import check_hits
from sim.memory import SharedMemory
from sim.request import READ, SEQUENTIAL, WRITE, Access, Request, Span


class DiscCache:
    """The cache of one *drive*, itself a BlockDevice: a read or write is a hit when all of it is resident, a late
    hit when all is resident or on its way, else a miss. To touch what is being posted is to wait: a write wait. A stop
    waited for anything but the CPU. No domain is held while its user waits for room or for another.
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
            hold(self._memory, domain, domain)
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
            hold(self._memory, domain, domain)
        yield self._cpu.burst(costs.copy, costs.level, CACHE, account)
        for domain in domains:
            self._leave(domain, access)

    def write(self, access: Access) -> Wait:
        """Copy the bytes into their domains and post them; a write that is or must be durable waits for the medium."""
        costs, account, control = self._costs, access.account, self.control
        found = self.directory.find(access.span)
        self.writes += 1
        self.write_hits += covers(found, access.span) and at_rest(found)
        waits = access.durable or control.settings.mode.block
        seconds = costs.write_call + costs.search + costs.copy + costs.initiate + costs.stop * waits
        yield self._cpu.burst(seconds, costs.level, CACHE, account, costs.write_call)
        asked: float = self._env._now
        domains = yield from self._places(access)
        for domain in domains:
            hold(self._memory, domain, domain)
        self._posted.enter(domains)
        if not waits:
            self.at_risk.acknowledged(domains[0], access.span.length)
        post = Access(WRITE, access.span, access.within, access.stream, access.hint, access.durable, self._background)
        control.posting.post(self.drive, post, lambda: self._on_disc(domains))
        if waits:
            posted = self._env.now
            yield from self.flush(access.span)
            account.charge(Phase.WRITE_WAIT, posted, self._env.now)
        self.stops += self._env._now > asked

    def _places(self, access: Access) -> Wait:
        """The domains of a write, all of them resident and unposted at the instant of return."""
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
            if any(domain.gone for domain in domains):  # to look anew takes time, in which others may let go
                yield self._cpu.burst(self._costs.search, self._costs.level, CACHE, access.account)
                self._clear(access.span)  # so that what is needed together comes together

    def start(self, access: Access) -> Request:
        ledger = Ledger(f"cache of {self.drive.name}")
        request = Request(self._env, access, ledger)
        begin(self._env, self._work(request, access._replace(account=ledger)))
        return request

    def _work(self, request: Request, access: Access) -> Wait:
        yield from self.read(access) if access.op is READ else self.write(access)
        request.succeed()

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
            if domain.arrival is None and not domain.users:
                self._release(domain)

    def _leave(self, domain: Domain, access: Access) -> None:
        """The reader of *access* is done with *domain*, which is flushed if it was read through."""
        let_go(self._memory, domain, domain)
        if domain.passing and domain.passed(access) and self.control.settings.flushed:
            self._release(domain)

    def _release(self, domain: Domain) -> None:
        self._memory.release(domain)
        self.forget(domain)

    def surrender(self, key: Hashable) -> Wait | None:
        """At once: posts start when bytes are written, so a resident domain is never dirty."""
        return None

    def forget(self, key: Hashable) -> None:
        assert isinstance(key, Domain)
        self.directory.remove(key)
        self.residence.leave(key)

    def _count(self, span: Span) -> float:
        """Count a read that no single resident domain holds; the CPU seconds that it takes before it waits."""
        costs, found = self._costs, self.directory.find(span)
        if not covers(found, span):
            self.misses += 1
            return costs.search + costs.initiate + costs.stop
        late = not at_rest(found)
        self.late_hits += late
        self.hits += not late
        return costs.search + costs.stop * (late or any(domain.posts for domain in found))

    def _find(self, access: Access) -> tuple[list[Domain], list[Domain]]:
        """All domains of the access, and those of them that it entered because they were absent."""
        domains, absent = [], []
        for piece in self.directory.pieces(access.span):
            if isinstance(piece, Span):
                wanted = self.control.fetch(access, piece) if access.op is READ else piece
                piece = self.directory.enter(wanted, piece)
                absent.append(piece)
            elif piece.arrival is None:
                self._memory.touch(piece)
            domains.append(piece)
        return domains, absent

    def _make(self, domain: Domain) -> None:
        """There is room for *domain*, which will be written: nothing need be fetched."""
        arrival = domain.arrival
        assert arrival is not None
        self.residence.enter(domain)
        arrived(self._memory, domain, domain)
        arrival.started(None)

    def _bring(self, domain: Domain, access: Access) -> None:
        """There is room for *domain*: start the disc."""
        size = domain.end - domain.first
        span = Span(domain.first, size)
        request = self.drive.start(Access(READ, span, span, access.stream, access.hint, False, self._background))
        assert request.callbacks is not None
        assert domain.arrival is not None
        request.callbacks.append(lambda _: fetched(self._memory, domain, request))
        self.residence.enter(domain)
        domain.passing = access.hint is SEQUENTIAL
        self.fetches += 1
        self.fetched_bytes += size
        domain.arrival.started(request)

    def _settle(self, domains: list[Domain], account: Account) -> Wait:
        """Wait for each of *domains* in turn until it is resident and unposted; whether a post was waited for."""
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
            let_go(self._memory, domain, domain)
        self._posted.leave(domains)

    def check(self) -> None:
        """Each read was a hit, a late hit or a miss."""
        check_hits(f"cache of {self.drive.name}", self.reads, self.hits, self.late_hits, self.misses)

    def levels(self) -> dict[str, float]:
        return {**self.residence.levels(), "at_risk_bytes": float(self.at_risk.bytes.now)}

    def reading(self) -> dict[str, float]:
        names = ("hits", "late_hits", "misses", "writes", "write_hits", "fetches", "fetched_bytes", "stops",
                 "write_waits")  # fmt: skip
        counted = {name: float(getattr(self, name)) for name in names}
        return {**counted, **self.residence.reading(), "at_risk_byte_seconds": self.at_risk.bytes.seconds()}
