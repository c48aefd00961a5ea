"""A cache of whole tracks or cylinders instead of sectors: what Jacobson weighed and threw out (section 1)."""


from models.max_iv.cache.cache_code import CacheCodeCosts, CachedDisc, Cpus, Io
from models.max_iv.cache.disc_address import TRACK_BITS, track_of
from models.max_iv.cache.eligibility import Eligibility
from models.max_iv.cache.fhl import Fhl
from models.max_iv.cache.sector_cache import SectorCache
from models.max_iv.requests import RequestKind
from sim.clock import Wait
from sim.request import Request


class FhlOfUnits(Fhl):
    """The same memory in units of so many *tracks* of *track_sectors* each, addressed by their first sector.

    A miss reads all of its unit; a write goes through and changes what is in memory of it.
    """

    def __init__(
        self, machine: Cpus, cache: SectorCache, costs: CacheCodeCosts, rules: Eligibility, tracks: int = 1,
        track_sectors: int = 42,
    ) -> None:
        units = max(1, cache.sectors // (tracks * track_sectors))
        super().__init__(machine, cache.resized(units), costs, rules)
        self._tracks = tracks

    def _unit(self, dpi: int) -> int:
        first = track_of(dpi) // self._tracks * self._tracks
        return dpi - dpi % (1 << TRACK_BITS) - (track_of(dpi) - first << TRACK_BITS)

    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        if io.kind == RequestKind.READ and self.rules.answers(io.kind, io.words):
            return (yield from super().perform(io._replace(dpi=self._unit(io.dpi)), disc))
        self.misses[io.kind] += 1
        self.oversize_reads += io.kind == RequestKind.READ
        request = disc.begin(io)
        yield request
        request.charge(io.account, request.submitted)
        yield self.work(self.costs.copy if self._unit(io.dpi) in self.cache else self.costs.compare, io.account)
        return disc.errors.strike()

    def fetch(self, io: Io, disc: CachedDisc) -> Request:
        unit = self._tracks * disc.track_sectors
        return disc.read_on(io._replace(sector=io.sector // unit * unit), unit)
