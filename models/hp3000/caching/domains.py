"""Keeps a directory of domains, the cached pieces of a disc, in order, and counts the memory that they take.

Decided here: a domain is clipped at the file's extent and its neighbours.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

import simpy

from spindle.models.hp3000.caching.alignment import SECTOR
from spindle.sim.clock import Gate, TimeWeighted
from spindle.sim.request import Arrival, Span


@dataclass(slots=True, eq=False)
class Domain:
    """A cached piece of a disc: bytes *first* to *end*, arriving or resident, and being posted while it has *posts*.

    *asked* of its bytes were requested when it was made; the others were fetched in addition. It is *passing* if it was
    fetched for a sequential reader, which will not read it again.
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
        """Return the domain from which all of *span* can be read without waiting, or None."""
        index = bisect_right(self._starts, span[0])
        if not index:
            return None
        domain = self._domains[index - 1]
        readable = domain.arrival is None and not domain.posts
        return domain if readable and span[0] + span[1] <= domain.end else None

    def find(self, span: Span) -> list[Domain]:
        """Return the domains that overlap *span*, in order."""
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


class Residence:
    """Counts the memory of one disc's domains, from the instant at which they have room."""

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
