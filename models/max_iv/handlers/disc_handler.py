"""A disc handler of Max-IV: it carries out I/O requests on one drive, with the cache code at their two ends."""

from collections.abc import Sequence

import simpy

from models.max_iv.cache.cache_code import CacheCode, Io
from models.max_iv.cache.disc_address import TRACK_BITS, UNIT_BITS, disc_address
from models.max_iv.requests import SECTOR_BYTES, SECTOR_WORDS, WRITES, Errors, NoErrors, RequestKind
from sim.account import Account, Ledger
from sim.clock import Wait, begin
from sim.disc.drive import Drive
from sim.request import READ, WRITE, Request, access

_OPS = tuple(WRITE if kind in WRITES else READ for kind in RequestKind)


class DiscHandler:
    """MH.HAN or LD.HAN, on *drive*, which is disc number *unit* with *track_sectors* a track.

    A request begins at a sector's beginning. A short write is padded to whole sectors by the disc hardware
    (Jacobson 2.2), a short read passes over whole ones, and one that moves no words passes over one to see its mark.
    """

    def __init__(
        self, env: simpy.Environment, drive: Drive, unit: int, track_sectors: int, cache: CacheCode,
        errors: Errors | None = None,
    ) -> None:
        self._env = env
        self.drive = drive
        self._unit = unit
        self.track_sectors = track_sectors
        self.cache = cache
        self.errors: Errors = errors or NoErrors()
        self.requests = [0] * len(RequestKind)
        self._dpis: dict[tuple[int, int], tuple[int, ...]] = {}

    def perform(self, kind: RequestKind, sector: int, words: int, account: Account, position: int = 0) -> Wait:
        """One request, and as often again as the disc fails."""
        track, within = divmod(sector, self.track_sectors)
        dpi = self._unit << UNIT_BITS | track << TRACK_BITS | within
        io = tuple.__new__(Io, (kind, words, sector, dpi, position, account))
        failed = True
        while failed:
            self.requests[kind] += 1
            failed = yield from self.cache.perform(io, self)

    def start(self, kind: RequestKind, sector: int, words: int = SECTOR_WORDS, position: int = 0) -> Request:
        """The same in quick mode, without waiting: a later waiter shares its time."""
        ledger = Ledger(f"{self.drive.name} in quick mode")
        request = Request(self._env, access(_OPS[kind], sector * SECTOR_BYTES, SECTOR_BYTES, ledger), ledger)
        begin(self._env, self._work(request, kind, sector, words, position))
        return request

    def _work(self, request: Request, kind: RequestKind, sector: int, words: int, position: int) -> Wait:
        yield from self.perform(kind, sector, words, request.access.account, position)
        request.succeed()

    def begin(self, io: Io) -> Request:
        return self._start(io, self._sectors(io))

    def read_on(self, io: Io, sectors: int) -> Request:
        return self._start(io, sectors)

    def _start(self, io: Io, sectors: int) -> Request:
        return self.drive.start(
            access(_OPS[io.kind], io.sector * SECTOR_BYTES, sectors * SECTOR_BYTES, io.account)
        )

    def write_sector(self, dpi: int, account: Account) -> Request:
        track, within = dpi % (1 << UNIT_BITS) >> TRACK_BITS, dpi % (1 << TRACK_BITS)
        return self.drive.start(access(WRITE, (track * self.track_sectors + within) * SECTOR_BYTES, SECTOR_BYTES,
                                       account))

    def dpis(self, io: Io) -> Sequence[int]:
        """Images are written over and over at the same place, so what was worked out once is remembered."""
        place = io.sector, self._sectors(io)
        known = self._dpis.get(place)
        if known is None:
            known = self._dpis[place] = tuple([self.dpi(sector) for sector in range(place[0], sum(place))])
        return known

    def dpi(self, sector: int) -> int:
        """The disc address of the *sector*-th sector of this disc."""
        return disc_address(self._unit, *divmod(sector, self.track_sectors))

    def left_on_track(self, io: Io) -> int:
        return self.track_sectors - io.sector % self.track_sectors

    @staticmethod
    def _sectors(io: Io) -> int:
        return max(1, -(-io.words // SECTOR_WORDS))

    def reading(self) -> dict[str, float]:
        return {kind.name.lower(): float(self.requests[kind]) for kind in RequestKind}
