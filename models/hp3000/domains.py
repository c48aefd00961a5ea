"""The directory of one disc's cache domains: which bytes of the disc are in memory or on their way."""

from bisect import bisect_left, bisect_right

from sim.cache.arrival import Arrival
from sim.clock import Gate
from sim.request import Span

SECTOR = 256


class Domain:
    """Bytes *first* to *end* of a disc in memory: arriving or at rest, and being posted while it has *posts*."""

    __slots__ = ("arrival", "end", "first", "gate", "gone", "posts", "users")

    def __init__(self, first: int, end: int) -> None:
        self.first = first
        self.end = end
        self.arrival: Arrival | None = Arrival()
        self.users = 0
        self.posts = 0
        self.gone = False
        self.gate: Gate | None = None

    def holds(self, span: Span) -> bool:
        """Whether all of *span* can be read here without waiting."""
        at_rest = self.arrival is None and not self.posts
        return at_rest and self.first <= span.first and span.first + span.length <= self.end


class Directory:
    """Domains that do not overlap, found by place."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._domains: list[Domain] = []

    def __len__(self) -> int:
        return len(self._domains)

    def find(self, span: Span) -> list[Domain]:
        """The domains that overlap *span*, in order."""
        starts, domains = self._starts, self._domains
        end = span.first + span.length
        index = bisect_right(starts, span.first) - 1
        if index >= 0:
            domain = domains[index]
            if end <= domain.end:
                return [domain]
            if domain.end <= span.first:
                index += 1
        else:
            index = 0
        return domains[index : bisect_left(starts, end, index)]

    def pieces(self, span: Span) -> list[Domain | Span]:
        """*span* as what is there and, in whole sectors, what is absent; in order."""
        pieces: list[Domain | Span] = []
        position = span.first // SECTOR * SECTOR
        for domain in self.find(span):
            if position < domain.first:
                pieces.append(Span(position, domain.first - position))
            pieces.append(domain)
            position = domain.end
        end = -(-(span.first + span.length) // SECTOR) * SECTOR
        if position < end:
            pieces.append(Span(position, end - position))
        return pieces

    def enter(self, wanted: Span, absent: Span) -> Domain:
        """A new domain from *absent* on, of what is *wanted* in whole sectors up to the next; all *absent* at least."""
        index = bisect_left(self._starts, absent.first)
        end = wanted.end // SECTOR * SECTOR
        if index < len(self._starts):
            end = min(end, self._starts[index])
        domain = Domain(absent.first, max(end, absent.end))
        self._starts.insert(index, domain.first)
        self._domains.insert(index, domain)
        return domain

    def remove(self, domain: Domain) -> None:
        index = bisect_left(self._starts, domain.first)
        assert self._domains[index] is domain, "the directory has lost a domain"
        del self._starts[index], self._domains[index]
        domain.gone = True


def covers(domains: list[Domain], span: Span) -> bool:
    """Whether every byte of *span* lies in one of *domains*, which do not overlap."""
    end = span.first + span.length
    return sum(min(each.end, end) - max(each.first, span.first) for each in domains) == span.length
