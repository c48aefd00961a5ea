"""Samples the cache every ten seconds, as Jacobson's statistics do: the lengths of its hash lists, and its contents."""

from itertools import pairwise

import simpy

from spindle.models.max_iv.cache import SectorCache
from spindle.sim.clock import Daemon, Wait, pause

SAMPLING = 10.0
"""Seconds between two samples (Jacobson, fig. 4: "10 sec. sampling")."""
SHORT_CHAIN = 3
"""Jacobson 3.2 counts the queues with at most this many entries."""


class Sampler:
    """Sums over samples of *cache*; those of a cache that is not full yet belong to the warm-up.

    ``neighbours`` and ``squares`` give the correlation of the lengths of neighbouring lists.
    """

    NAMES = ("samples", "queues", "short_queues", "longest", "resident", "management", "neighbours", "squares",
             "probes")  # fmt: skip

    def __init__(self, env: simpy.Environment, cache: SectorCache) -> None:
        self._env = env
        self._cache = cache
        self.samples = self.queues = self.short_queues = self.longest = 0
        self.resident = self.management = self.neighbours = self.squares = self.probes = 0
        Daemon(env, self._live())

    def _live(self) -> Wait:
        while True:
            yield pause(self._env, SAMPLING)
            self._sample()

    def _sample(self) -> None:
        lengths = self._cache.lengths()
        self.samples += 1
        self.queues += len(lengths)
        self.short_queues += sum(length <= SHORT_CHAIN for length in lengths)
        self.longest += max(lengths)
        self.resident += len(self._cache)
        self.management += self._cache.counted
        self.squares += sum(length * length for length in lengths)
        self.neighbours += sum(one * two for one, two in pairwise(lengths))
        self.probes += sum(length * (length + 1) // 2 for length in lengths)

    def reading(self) -> dict[str, float]:
        return {name: float(getattr(self, name)) for name in self.NAMES}
