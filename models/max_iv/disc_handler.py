"""A disc handler of Max-IV: it carries out I/O requests on one drive, with the cache code at their two ends."""

import simpy

from models.max_iv.cache_code import CacheCode, Io
from models.max_iv.eligibility import SECTOR_BYTES, Kind
from models.max_iv.sector_cache import disc_address
from sim.account import Ledger
from sim.clock import Wait, begin
from sim.disc.drive import Drive
from sim.request import Access, Op, Request, Span

WORD_BYTES = 2


class DiscHandler:
    """MH.HAN or LD.HAN: a BlockDevice on *drive*, which is disc number *unit* with *track_sectors* a track.

    A request begins at a sector's beginning. A short write is padded to whole sectors by the disc hardware
    (Jacobson 2.2), a short read passes over whole ones.
    """

    def __init__(self, env: simpy.Environment, drive: Drive, unit: int, track_sectors: int, cache: CacheCode) -> None:
        self._env = env
        self.drive = drive
        self._unit = unit
        self._track_sectors = track_sectors
        self._cache = cache
        self.requests = [0] * len(Kind)

    def read(self, access: Access) -> Wait:
        yield from self.perform(Kind.READ, access)

    def write(self, access: Access) -> Wait:
        yield from self.perform(Kind.WRITE, access)

    def perform(self, kind: Kind, access: Access) -> Wait:
        """Any of the seven requests; one that moves no words still passes over a sector to see or to put its mark."""
        self.requests[kind] += 1
        span = access.span
        words = span.length // WORD_BYTES if kind <= Kind.WRITE else 0
        first, last = span.first // SECTOR_BYTES, (span.end - 1) // SECTOR_BYTES
        dpis = tuple([self.dpi(sector) for sector in range(first, last + 1)])
        passed = access._replace(span=Span(first * SECTOR_BYTES, (last + 1 - first) * SECTOR_BYTES))
        yield from self._cache.perform(Io(kind, words, dpis, access.account), lambda: self.drive.start(passed))

    def dpi(self, sector: int) -> int:
        """The disc address of the *sector*-th sector of this disc."""
        track, within = divmod(sector, self._track_sectors)
        return disc_address(self._unit, track, within)

    def start(self, access: Access) -> Request:
        """The same in the background, as a quick-mode request is: whoever waits for it shares its time."""
        ledger = Ledger(f"{self.drive.name} {access.op.value}")
        request = Request(self._env, access, ledger)
        begin(self._env, self._work(request, access._replace(account=ledger)))
        return request

    def _work(self, request: Request, access: Access) -> Wait:
        yield from self.perform(Kind.READ if access.op is Op.READ else Kind.WRITE, access)
        request.succeed()

    def flush(self, span: Span) -> Wait:
        """The cache writes through, so only what the drive has queued can be under way."""
        yield from self.drive.flush(span)

    def discard(self, span: Span) -> None:
        """Forget the sectors that lie in *span*."""
        for sector in range(-(-span.first // SECTOR_BYTES), span.end // SECTOR_BYTES):
            self._cache.discard(self.dpi(sector))

    def reading(self) -> dict[str, float]:
        return {kind.name.lower(): float(self.requests[kind]) for kind in Kind}
