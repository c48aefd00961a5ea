"""The target of a host's requests: a drive, or a cache above it that counts hits and misses of reads and writes."""

from collections.abc import Callable

from sim.account import Account
from sim.cache.block_cache import BlockCache
from sim.disc.drive import Drive
from sim.measure.laws import check_hits
from sim.parts import register
from sim.request import READ, Access, Hint, Op, Request, Span
from workloads.traces.record import small_enough

Ask = Callable[[Op, Span], Request]

_NO_HINT = Hint.NONE  # each look-up of a member by way of its class costs as much as a call


def bare(drive: Drive) -> Ask:
    """Requests to *drive* itself."""
    account, start, new = Account("host"), drive.start, tuple.__new__

    def ask(op: Op, span: Span) -> Request:
        # In half the time of Access(...).
        return start(new(Access, (op, span, span, None, _NO_HINT, False, account)))

    return ask


class CachedDrive:
    """Requests to a *cache* of a device of *length* bytes; counts writes as the cache does reads.

    UserError where they are of so many blocks that a short trace would fill memory with those under way.
    Hit: all bytes resident in the cache. Late hit: resident or on their way. Miss: anything less.
    """

    def __init__(self, cache: BlockCache, length: int) -> None:
        self.cache = cache
        self.extent = Span(0, length)
        self._account = Account("host")
        self._requests = self._blocks = 0
        self._hits = self._late_hits = self._misses = 0
        register(cache.env, self)

    def __call__(self, op: Op, span: Span) -> Request:
        self._requests += 1
        self._blocks += len(self.cache.blocks.of(span))
        small_enough(self._blocks, self._requests, self.cache.blocks.size)
        if op is not READ:
            self._count(span)
        return self.cache.start(Access(op, span, self.extent, None, _NO_HINT, False, self._account))

    def _count(self, span: Span) -> None:
        entries = [self.cache.blocks.get(block) for block in self.cache.blocks.of(span)]
        if None in entries:
            self._misses += 1
        elif all(entry is not None and entry.arrival is None for entry in entries):
            self._hits += 1
        else:
            self._late_hits += 1

    def check(self) -> None:
        """Each write was a hit, a late hit or a miss; the cache sees to its reads by itself."""
        check_hits(f"writes of {self.cache.name}", self.cache.writes, self._hits, self._late_hits, self._misses)

    def levels(self) -> dict[str, float]:
        return {"dirty_blocks": float(len(self.cache.blocks.dirty))}

    def reading(self) -> dict[str, float]:
        """The counters of the cache; those of writes begin with ``write_``."""
        return {**self.cache.reading(), "write_hits": float(self._hits), "write_late_hits": float(self._late_hits),
                "write_misses": float(self._misses)}
