"""The references of a run to its cache, and its hit ratio beside theory on the same references."""

from math import nan

import simpy

from sim.curve.references import CacheReferences


class ReferenceLog:
    """Block numbers, and what a hit on each is worth; those before the end of the warm-up are *early*."""

    def __init__(self) -> None:
        self.blocks: list[int] = []
        self.worths: list[float] = []
        self.early = 0
        self._env: simpy.Environment | None = None
        self._warm_up = 0.0

    def begin(self, env: simpy.Environment, warm_up: float) -> None:
        """The run is about to begin; it is measured from *warm_up* on."""
        self._env, self._warm_up = env, warm_up

    def note(self, blocks: range, answerable: bool) -> None:
        """Note one request for *blocks*, with a worth only if it is *answerable* by the cache."""
        assert self._env is not None, "nothing is noted before the run begins"
        worth = answerable / len(blocks)
        for block in blocks:
            self.blocks.append(block)
            self.worths.append(worth)
        if self._env._now < self._warm_up:
            self.early = len(self.blocks)

    def beside(self, hit_ratio: float, capacity: float, requests: float) -> dict[str, float]:
        """A measured *hit_ratio* of so many *requests* beside LRU of *capacity* blocks on the same references.

        ``che`` is what it hits of them in any order. The rest parts into what their own order does, ``beyond_order``,
        and what the cache itself does otherwise than LRU that keeps all it sees, ``beyond_rules``. NaN of none.
        """
        references = CacheReferences.of(self.blocks, self.worths, self.early)
        both = references.che_hits, references.lru_hits
        che, exact = (hits(capacity) / requests if requests else nan for hits in both)
        return {
            "che": che, "beyond_che": hit_ratio - che, "beyond_order": exact - che, "beyond_rules": hit_ratio - exact,
        }  # fmt: skip
