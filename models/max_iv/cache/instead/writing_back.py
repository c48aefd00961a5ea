"""FHL that writes back: what is written stays in memory and goes to the disc later, which a failure would lose."""

from models.max_iv.cache.cache_code import CacheCodeCosts, CachedDisc, Cpus, Io
from models.max_iv.cache.eligibility import Eligibility
from models.max_iv.cache.fhl import Fhl
from models.max_iv.cache.sector_cache import SectorCache
from models.max_iv.requests import WRITES
from sim.account import Account
from sim.clock import Daemon, Wait, pause
from sim.request import Request

SYNC = 30.0
"""Seconds between two rounds that write all that is dirty, as Unix does."""


class FhlWritingBack(Fhl):
    """Writes of a sector, and WEOFs where *rules* keep them, end with the copy.

    What is dirty is written when its room is needed, or by the next round. What is written over until then, as the
    tracks of temporary files are, saves a write.
    """

    def __init__(self, machine: Cpus, cache: SectorCache, costs: CacheCodeCosts, rules: Eligibility) -> None:
        super().__init__(machine, cache, costs, rules)
        self._dirty: dict[int, CachedDisc] = {}
        self._account = Account("write-back")
        self.absorbed = self.written_back = 0
        Daemon(self.env, self._sync())

    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        if io.kind in WRITES and self.rules.keeps(io.kind, io.words, io.position) and io.dpi not in self.arriving:
            seconds = self.cache.search(io.dpi) * self.costs.compare + self.costs.copy
            self.misses[io.kind] += 1
            if io.dpi in self.cache:
                self.cache.touch(io.dpi)
            self.keep(io.dpi, 0.0)
            self.absorbed += io.dpi in self._dirty
            self._dirty[io.dpi] = disc
            yield self.work(seconds, io.account)
            return False
        return (yield from super().perform(io, disc))

    def keep(self, dpi: int, cost: float) -> None:
        victim = self.cache.install(dpi, cost)
        if victim is not None:
            self._write(victim)

    def terminate(self, io: Io, disc: CachedDisc, request: Request, failed: bool) -> float:
        if self.rules.spoils(io.kind, io.words):
            for dpi in disc.dpis(io):
                self._dirty.pop(dpi, None)
        return super().terminate(io, disc, request, failed)

    def _write(self, dpi: int) -> None:
        disc = self._dirty.pop(dpi, None)
        if disc is not None:
            self.written_back += 1
            disc.write_sector(dpi, self._account)

    def _sync(self) -> Wait:
        while True:
            yield pause(self.env, SYNC)
            for dpi in sorted(self._dirty):
                self._write(dpi)

    def reading(self) -> dict[str, float]:
        mine = {"absorbed": float(self.absorbed), "written_back": float(self.written_back)}
        return {**super().reading(), **mine}
