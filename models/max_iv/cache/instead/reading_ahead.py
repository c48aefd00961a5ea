"""FHL that reads ahead: after a miss the disc reads on along the track, and all of that goes into the cache."""

from math import inf

from models.max_iv.cache.cache_code import CacheCodeCosts, CachedDisc, Cpus, Io
from models.max_iv.cache.eligibility import Eligibility
from models.max_iv.cache.fhl import Fhl
from models.max_iv.cache.sector_cache import SectorCache
from models.max_iv.requests import RequestKind
from sim.request import Request


class FhlReadingAhead(Fhl):
    """So many *sectors* in all, at most to the end of the track, straight into the cache's own buffers.

    The request waits for all of them. They cost a search each and no copy.
    """

    def __init__(
        self, machine: Cpus, cache: SectorCache, costs: CacheCodeCosts, rules: Eligibility, sectors: float = inf
    ) -> None:
        super().__init__(machine, cache, costs, rules)
        self._sectors = sectors

    def _ahead(self, io: Io, disc: CachedDisc) -> int:
        """How many sectors are read for *io*."""
        wanted = io.kind == RequestKind.READ and self.rules.keeps(io.kind, io.words, io.position)
        return int(min(self._sectors, disc.left_on_track(io))) if wanted else 1

    def fetch(self, io: Io, disc: CachedDisc) -> Request:
        ahead = self._ahead(io, disc)
        return disc.read_on(io, ahead) if ahead > 1 else disc.begin(io)

    def terminate(self, io: Io, disc: CachedDisc, request: Request, failed: bool) -> float:
        seconds = super().terminate(io, disc, request, failed)
        for dpi in range(io.dpi + 1, io.dpi + (0 if failed else self._ahead(io, disc))):
            seconds += self.cache.search(dpi) * self.costs.compare
            if dpi not in self.arriving and dpi not in self.cache:
                self.keep(dpi, 0.0)
        return seconds
