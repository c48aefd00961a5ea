"""Variants of FHL, Jacobson's cache of disc sectors: write-back, room for core images, read-ahead, or whole tracks."""

from functools import partial
from math import inf

from spindle.models.max_iv.cache import Fhl, SectorCache
from spindle.models.max_iv.cache_code import CacheCodeCosts, CachedDisc, Cpus, Io
from spindle.models.max_iv.disc_address import TRACK_BITS, track_of
from spindle.models.max_iv.eligibility import Eligibility
from spindle.models.max_iv.requests import SECTOR_WORDS, WRITE_KINDS, RequestKind
from spindle.sim.clock import Account, Daemon, Wait, pause
from spindle.sim.eviction.lru import Lru
from spindle.sim.request import Request

# FHL with room for core images, the large records of TOC files, which Jacobson thought no good candidates.

class FhlWithChunks(Fhl):
    """FHL with room for *chunks* records of *words* each beside the sectors, evicted by LRU."""

    def __init__(
        self, machine: Cpus, cache: SectorCache, costs: CacheCodeCosts, rules: Eligibility, chunks: int, words: int
    ) -> None:
        super().__init__(machine, cache, costs, rules)
        self._chunks, self._words = chunks, words
        self._recency = Lru()
        self._resident: set[int] = set()
        self.chunk_hits = 0

    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        if io.kind != RequestKind.READ or io.words != self._words:
            return (yield from super().perform(io, disc))
        copying = self.costs.compare + self.costs.copy * io.words / SECTOR_WORDS
        if io.dpi in self._resident:
            self._recency.touch(io.dpi)
            self.chunk_hits += 1
            self.hits += 1
            yield self.work(copying, io.account)
            return False
        failed = yield from super().perform(io, disc)
        if not failed and io.dpi not in self._resident:
            self._keep(io.dpi)
            yield self.work(copying, io.account)
        return failed

    def _keep(self, dpi: int) -> None:
        if len(self._resident) == self._chunks:
            victim = self._recency.choose(dpi)
            assert isinstance(victim, int), "every chunk is at rest, so one of them can go"
            self._recency.remove(victim, True)
            self._resident.remove(victim)
        self._recency.insert(dpi)
        self._resident.add(dpi)

    def reading(self) -> dict[str, float]:
        return {**super().reading(), "chunk_hits": float(self.chunk_hits)}


# FHL that reads ahead: after a miss the disc reads on along the track, and all sectors read go into the cache.

class FhlReadingAhead(Fhl):
    """FHL with read-ahead: a miss reads *sectors* sectors, at most to the end of the track, into the cache's buffers.

    The request waits for all of them. Those ahead cost a search each and no copy.
    """

    def __init__(
        self, machine: Cpus, cache: SectorCache, costs: CacheCodeCosts, rules: Eligibility, sectors: float = inf
    ) -> None:
        super().__init__(machine, cache, costs, rules)
        self._sectors = sectors

    def _read_sectors(self, io: Io, disc: CachedDisc) -> int:
        wanted = io.kind == RequestKind.READ and self.rules.keeps(io.kind, io.words, io.position)
        return int(min(self._sectors, disc.left_on_track(io))) if wanted else 1

    def fetch(self, io: Io, disc: CachedDisc) -> Request:
        ahead = self._read_sectors(io, disc)
        return disc.read_on(io, ahead) if ahead > 1 else disc.begin(io)

    def terminate(self, io: Io, disc: CachedDisc, request: Request, failed: bool) -> float:
        seconds = super().terminate(io, disc, request, failed)
        for dpi in range(io.dpi + 1, io.dpi + (0 if failed else self._read_sectors(io, disc))):
            seconds += self.cache.search(dpi) * self.costs.compare
            if dpi not in self.arriving and dpi not in self.cache:
                self.keep(dpi, 0.0)
        return seconds


# A cache of whole tracks or cylinders instead of sectors: what Jacobson weighed and threw out (section 1).

class FhlOfUnits(Fhl):
    """A cache in units of *tracks* tracks of *track_sectors* each, addressed by their first sector.

    A miss reads the whole unit; a write goes through and changes the copy in memory.
    """

    def __init__(
        self, machine: Cpus, cache: SectorCache, costs: CacheCodeCosts, rules: Eligibility, tracks: int = 1,
        track_sectors: int = 42,
    ) -> None:
        units = max(1, cache.sectors // (tracks * track_sectors))
        super().__init__(machine, cache.resize(units), costs, rules)
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


SYNC_PERIOD = 30.0
"""Seconds between two rounds that write all dirty sectors, as in Unix."""


class FhlWritingBack(Fhl):
    """Write-back: a write of a sector, or a WEOF that *rules* keep, ends with the copy.

    A dirty sector is written when its room is needed, or by the next round. If it is written over before, as the
    tracks of temporary files are, a write is saved.
    """

    def __init__(self, machine: Cpus, cache: SectorCache, costs: CacheCodeCosts, rules: Eligibility) -> None:
        super().__init__(machine, cache, costs, rules)
        self._dirty: dict[int, CachedDisc] = {}
        self._account = Account("write-back")
        self.absorbed = self.written_back = 0
        Daemon(self.env, self._sync())

    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        if io.kind in WRITE_KINDS and self.rules.keeps(io.kind, io.words, io.position) and io.dpi not in self.arriving:
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
            yield pause(self.env, SYNC_PERIOD)
            for dpi in sorted(self._dirty):
                self._write(dpi)

    def reading(self) -> dict[str, float]:
        mine = {"absorbed": float(self.absorbed), "written_back": float(self.written_back)}
        return {**super().reading(), **mine}


WITH_IMAGES = partial(FhlWithChunks, chunks=3, words=20_480)
"""FHL with room for the core images of three tools of usual size (toc_bytes), beside the sectors."""
