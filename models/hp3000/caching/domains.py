"""The directory of one disc's cache domains: which bytes of the disc are in memory or on their way."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from typing import Protocol

import simpy

from spindle.models.hp3000.memory import Amount
from spindle.sim.cache.blocks import Arrival, arrived
from spindle.sim.clock import Gate
from spindle.sim.eviction.policy import Traffic
from spindle.sim.memory import SharedMemory
from spindle.sim.request import SEQUENTIAL, Access, Request, Span

SECTOR = 256


class Domain:
    """Bytes *first* to *end* of a disc in memory: arriving or resident, and being posted while it has *posts*.

    *asked* of them were requested when it was made; the others were brought along. It is *passing* if it was fetched
    for a sequential reader, which will not come back to it.
    """

    __slots__ = ("arrival", "asked", "end", "first", "gate", "gone", "passing", "posts", "users")

    def __init__(self, first: int, end: int, asked: int) -> None:
        self.first = first
        self.end = end
        self.asked = asked
        self.arrival: Arrival | None = Arrival()
        self.users = 0
        self.passing = False
        self.posts = 0
        self.gone = False
        self.gate: Gate | None = None

    def passed(self, access: Access) -> bool:
        """Of a *passing* domain: whether *access* is the last of its sequential reader, and no user is left."""
        if access.hint is not SEQUENTIAL or access.span.end < self.end:
            return False
        return self.arrival is None and not (self.users or self.posts or self.gone)


class DomainDirectory:
    """Domains that do not overlap, by place."""

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
        here = domain.arrival is None and not domain.posts
        return domain if here and span[0] + span[1] <= domain.end else None

    def find(self, span: Span) -> list[Domain]:
        """The domains that overlap *span*, in order."""
        domains = self._domains
        first, length = span
        index = bisect_right(self._starts, first)
        if index and first < domains[index - 1].end:
            index -= 1
        beyond = index
        while beyond < len(domains) and domains[beyond].first < first + length:
            beyond += 1
        return domains[index:beyond]

    def pieces(self, span: Span) -> list[Domain | Span]:
        """*span* as what is there and, in whole sectors, what is absent; in order."""
        first, length = span
        pieces: list[Domain | Span] = []
        position = first - first % SECTOR
        for domain in self.find(span):
            if position < domain.first:
                pieces.append(Span(position, domain.first - position))
            pieces.append(domain)
            position = domain.end
        end = first + length + -(first + length) % SECTOR
        if position < end:
            pieces.append(Span(position, end - position))
        return pieces

    def enter(self, wanted: Span, absent: Span) -> Domain:
        """A new domain around *absent*: of what is *wanted* the whole sectors between its neighbours."""
        starts, domains = self._starts, self._domains
        (missing, asked), (first, length) = absent, wanted
        index = bisect_left(starts, missing)
        end = (first + length) // SECTOR * SECTOR
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


def at_rest(domains: list[Domain]) -> bool:
    """Whether none of *domains* is on its way."""
    return all(domain.arrival is None for domain in domains)


def ready(domains: list[Domain]) -> bool:
    """Whether all of *domains*, which have been resident, are still here and not being posted."""
    return not any(domain.gone or domain.posts for domain in domains)


def covers(domains: list[Domain], span: Span) -> bool:
    """Whether every byte of *span* lies in one of *domains*, which are in order."""
    reached, length = span
    end = reached + length
    for domain in domains:
        if domain.first > reached:
            return False
        reached = domain.end
    return reached >= end


def fetched(memory: SharedMemory, domain: Domain, request: Request) -> None:
    """*request* has brought *domain*: make it resident, and pass its seconds to a policy that weighs accesses."""
    if memory.weighs:
        memory.accessed((domain,), request.cost(), Traffic.FETCH)
    arrived(memory, domain, domain)


# Alignment: where a fetch lies around the requested bytes; nothing of this is published for MPE.

class Alignment(Protocol):
    def place(self, absent: Span, size: int, extent: Span) -> Span:
        """About *size* bytes that hold *absent*, as far as *extent* reaches; they may stick out of it."""


class FromRequest:
    """A fetch starts at what is absent, as "record #1 and the next 20 Kbytes or so" (McBride) suggests."""

    def place(self, absent: Span, size: int, extent: Span) -> Span:
        return Span(absent.first, max(absent.length, size))


class InMultiples:
    """A fetch starts and ends at a multiple of its size within the extent, so that blocks do not straddle domains."""

    def place(self, absent: Span, size: int, extent: Span) -> Span:
        before = (absent.first - extent.first) % size
        length = before + absent.length
        return Span(absent.first - before, length + -length % size)


class Centred:
    """As much before what is absent as behind it, in whole sectors."""

    def place(self, absent: Span, size: int, extent: Span) -> Span:
        room = max(0, size - absent.length)
        return Span(absent.first - room // 2 // SECTOR * SECTOR, absent.length + room)


ALIGNMENTS: Mapping[str, Callable[[], Alignment]] = {
    "from-request": FromRequest, "in-multiples": InMultiples, "centred": Centred,
}  # fmt: skip


# What of one disc is in main memory: how many domains, their bytes, and those of them that were not requested.

class Residence:
    """The memory that the domains of one disc take, from the claim of their room on."""

    def __init__(self, env: simpy.Environment) -> None:
        self.domains = Amount(env)
        self.bytes = Amount(env)
        self.overhead = Amount(env)

    def enter(self, domain: Domain) -> None:
        self._change(domain, 1)

    def leave(self, domain: Domain) -> None:
        self._change(domain, -1)

    def _change(self, domain: Domain, by: int) -> None:
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
