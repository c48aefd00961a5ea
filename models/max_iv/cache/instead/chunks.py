"""FHL with room for core images, the large records of TOC files, which Jacobson thought no good candidates."""

from models.max_iv.cache.cache_code import CacheCodeCosts, CachedDisc, Cpus, Io
from models.max_iv.cache.eligibility import Eligibility
from models.max_iv.cache.fhl import Fhl
from models.max_iv.cache.sector_cache import SectorCache
from models.max_iv.requests import SECTOR_WORDS, RequestKind
from sim.clock import Wait
from sim.eviction.lru import Lru


class FhlWithChunks(Fhl):
    """Beside the sectors, memory for *chunks* records of *words* each, the least recently loaded of which goes."""

    def __init__(
        self, machine: Cpus, cache: SectorCache, costs: CacheCodeCosts, rules: Eligibility, chunks: int, words: int
    ) -> None:
        super().__init__(machine, cache, costs, rules)
        self._chunks, self._words = chunks, words
        self._recency = Lru()
        self._here: set[int] = set()
        self.chunk_hits = 0

    def perform(self, io: Io, disc: CachedDisc) -> Wait:
        if io.kind != RequestKind.READ or io.words != self._words:
            return (yield from super().perform(io, disc))
        copying = self.costs.compare + self.costs.copy * io.words / SECTOR_WORDS
        if io.dpi in self._here:
            self._recency.touch(io.dpi)
            self.chunk_hits += 1
            self.hits += 1
            yield self.work(copying, io.account)
            return False
        failed = yield from super().perform(io, disc)
        if not failed and io.dpi not in self._here:
            self._keep(io.dpi)
            yield self.work(copying, io.account)
        return failed

    def _keep(self, dpi: int) -> None:
        if len(self._here) == self._chunks:
            victim = self._recency.choose(dpi)
            assert isinstance(victim, int), "every chunk is at rest, so one of them can go"
            self._recency.remove(victim, True)
            self._here.remove(victim)
        self._recency.insert(dpi)
        self._here.add(dpi)

    def reading(self) -> dict[str, float]:
        return {**super().reading(), "chunk_hits": float(self.chunk_hits)}
