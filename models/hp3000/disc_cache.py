"""MPE disc caching: domains of any length, of one disc, that compete for main memory with the programs' segments.

McBride & Boles 1983, "The Mechanics" and "Not a Pyrrhic Victory". What they leave open is decided here: a
domain starts at the first absent sector, is as long as the fetch size, and is clipped at the file's extent and
at the next domain; a write to an absent place makes a domain of just the record written.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import simpy

from models.hp3000.domains import Directory, Domain, covers
from models.hp3000.posting import Posting
from sim.account import CACHE, Account, Ledger, Part
from sim.cache.arrival import arrived, hold, let_go
from sim.cache.read_ahead import ReadAhead
from sim.clock import Gate, Wait, begin
from sim.cpu import Cpu
from sim.disc.drive import Drive
from sim.memory import Memory
from sim.request import READ, Access, Request, Span


@dataclass(frozen=True)
class CacheCosts:
    """CPU seconds: to *search* the directory, to *copy* the bytes, and to *initiate* a physical I/O."""

    search: float
    copy: float
    initiate: float
    level: int


class DiscCache:
    """The cache of one *drive*, itself a BlockDevice.

    A read is a hit when all of it is at rest in memory when it is asked for, a late hit when all is at
    rest or on its way, else a miss. Who touches a domain that is being posted waits for the post. A stop is
    a read or write that had to wait for anything but the CPU.

    Nobody holds a domain while he waits for room or for another domain, or two could wait for each other; what
    came by and went again meanwhile had its bytes copied.
    """

    def __init__(
        self, env: simpy.Environment, drive: Drive, cpu: Cpu, memory: Memory, costs: CacheCosts,
        fetch: ReadAhead, posting: Posting,
    ) -> None:
        self._env = env
        self.drive = drive
        self._cpu = cpu
        self._memory = memory
        self._costs = costs
        self._fetch = fetch
        self._posting = posting
        self.directory = Directory()
        self._background = Account(f"cache of {drive.name}")
        self._posted: dict[Domain, None] = {}
        self.hits = self.late_hits = self.misses = self.writes = 0
        self.fetched_bytes = self.stops = self.write_waits = 0

    def read(self, access: Access) -> Wait:
        """A hit costs one burst of the CPU; a miss one to search, the disc, and one to copy."""
        costs, account = self._costs, access.account
        domain = self.directory.holder(access.span)
        if domain is not None:
            self.hits += 1
            self._memory.touch(domain)
            hold(self._memory, domain, domain)
            yield self._cpu.burst(costs.search + costs.copy, costs.level, CACHE, account)
            let_go(self._memory, domain, domain)
            return
        self._count(access.span)
        yield self._cpu.burst(costs.search + costs.initiate, costs.level, CACHE, account)
        asked: float = self._env._now
        domains, absent = self._find(access)
        for domain in absent:
            yield from self._room(domain, account) or ()
            self._bring(domain, access)
        yield from self._settle(domains, account)
        self.stops += self._env._now > asked
        self._hold(domains)
        yield self._cpu.burst(costs.copy, costs.level, CACHE, account)
        for domain in domains:
            let_go(self._memory, domain, domain)

    def write(self, access: Access) -> Wait:
        """Copy the bytes into their domains and post them; how long the writer waits is up to the posting.

        Whoever wants the bytes on the medium waits for that in any case.
        """
        costs = self._costs
        self.writes += 1
        seconds = costs.search + costs.copy + costs.initiate
        yield self._cpu.burst(seconds, costs.level, CACHE, access.account)
        asked = self._env.now
        domains, absent = self._find(access)
        for domain in absent:
            yield from self._room(domain, access.account) or ()
            self._make(domain)
        yield from self._settle(domains, access.account)
        self._hold(domains)
        for domain in domains:
            domain.posts += 1
            self._posted[domain] = None
        yield from self._posting.post(self.drive, access, lambda: self._on_disc(domains))
        if access.durable:
            posted = self._env.now
            yield from self.flush(access.span)
            access.account.charge(Part.WRITE_WAIT, posted, self._env.now)
        self.stops += self._env.now > asked

    def _hold(self, domains: list[Domain]) -> None:
        for domain in domains:
            hold(self._memory, domain, domain)

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
        for domain in [each for each in self._posted if each.first < span.end and span.first < each.end]:
            while domain.posts:
                yield self._gate(domain)
        yield from self.drive.flush(span)

    def discard(self, span: Span) -> None:
        """Forget the domains at rest that lie wholly in *span*."""
        for domain in self.directory.find(span):
            inside = span.first <= domain.first and domain.end <= span.end
            if inside and domain.arrival is None and not domain.posts:
                self._memory.release(domain)
                self.directory.remove(domain)

    # As an owner of memory: posts start when bytes are written, so a domain at rest is never dirty ----

    def surrender(self, key: Hashable) -> Wait | None:
        return None

    def forget(self, key: Hashable) -> None:
        assert isinstance(key, Domain)
        self.directory.remove(key)

    # Bringing domains in ----------------------------------------------------------------------------

    def _count(self, span: Span) -> None:
        found = self.directory.find(span)
        if not covers(found, span):
            self.misses += 1
        elif any(domain.arrival is not None for domain in found):
            self.late_hits += 1
        else:
            self.hits += 1

    def _find(self, access: Access) -> tuple[list[Domain], list[Domain]]:
        """All domains of the access, and those of them that it entered because they were absent."""
        domains: list[Domain] = []
        absent: list[Domain] = []
        for piece in self.directory.pieces(access.span):
            if isinstance(piece, Span):
                wanted = self._fetch.fetch(access, piece) if access.op is READ else piece
                piece = self.directory.enter(wanted, piece)
                absent.append(piece)
            elif piece.arrival is None:
                self._memory.touch(piece)
            domains.append(piece)
        return domains, absent

    def _room(self, domain: Domain, account: Account) -> Wait | None:
        """Claim the memory of *domain*; None where it is there at once."""
        return self._memory.take(self, (domain,), domain.end - domain.first, account)

    def _make(self, domain: Domain) -> None:
        """There is room for *domain*, which will be written: nothing need be fetched."""
        arrival = domain.arrival
        assert arrival is not None
        arrived(self._memory, domain, domain)
        arrival.started(None)

    def _bring(self, domain: Domain, access: Access) -> None:
        """There is room for *domain*: start the disc."""
        size = domain.end - domain.first
        span = Span(domain.first, size)
        request = self.drive.start(Access(READ, span, span, access.stream, access.hint, False, self._background))
        assert request.callbacks is not None
        assert domain.arrival is not None
        request.callbacks.append(lambda _: arrived(self._memory, domain, domain))
        self.fetched_bytes += size
        domain.arrival.started(request)

    def _settle(self, domains: list[Domain], account: Account) -> Wait:
        """Wait for each of *domains* in turn until it is at rest and no post of it is under way."""
        for domain in domains:
            if domain.arrival is not None:
                yield from domain.arrival.wait(self._env, account)
            self.write_waits += domain.posts > 0
            while domain.posts:
                joined = self._env.now
                yield self._gate(domain)
                account.charge(Part.WRITE_WAIT, joined, self._env.now)

    def _gate(self, domain: Domain) -> Gate:
        if domain.gate is None:
            domain.gate = Gate(self._env, f"a post to {self.drive.name}")
        return domain.gate

    def _on_disc(self, domains: list[Domain]) -> None:
        for domain in domains:
            domain.posts -= 1
            if not domain.posts:
                del self._posted[domain]
            let_go(self._memory, domain, domain)
            if domain.gate is not None and not domain.posts:
                gate, domain.gate = domain.gate, None
                gate.succeed()

    def levels(self) -> dict[str, float]:
        return {"resident_domains": float(len(self.directory))}

    def reading(self) -> dict[str, float]:
        names = ("hits", "late_hits", "misses", "writes", "fetched_bytes", "stops", "write_waits")
        return {name: float(getattr(self, name)) for name in names}
