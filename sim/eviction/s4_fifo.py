"""S4-FIFO: S3-FIFO whose newest entries are not counted, and whose ghosts may have to return more than once."""

from collections.abc import Hashable
from math import inf

from spindle.sim.error import UserError
from spindle.sim.eviction.s3_fifo import ENOUGH_USES, MAX_USES, S3Fifo


class S4Fifo(S3Fifo):
    """Xia, Nixon, Marthen, Bhandari and Yang, "Learning-augmented heuristics: simple yet smart, robust and
    interpretable cache eviction", OSDI 2026: the heuristic, without the model that chooses its numbers.

    Uses of an entry do not count while fewer than the share *skip* of the small queue came after it: a burst says
    nothing. An entry with *enough* uses moves to the main queue; a key must have returned to its ghost more than
    *returns* times to enter that at once. A *skip* of a quarter is assumed; 0, with 2 and 0, is S3-FIFO. Hit counts are
    those of the authors' program (libCacheSim).
    """

    def __init__(
        self, capacity: int, small: float = 0.1, ghosts: float = 0.9, skip: float = 0.25,
        enough: int = ENOUGH_USES, returns: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(capacity, small, ghosts)
        if not 0.0 <= skip < 1.0 or not 1 <= enough <= MAX_USES or not 0 <= returns < inf:
            raise UserError(f"policy S4Fifo skips a share from 0 up to 1, and has 1 to {MAX_USES} as enough and "
                            f"returns from 0, not {skip!r}, {enough!r} and {returns!r}")
        self._skipped = int(self._most_small * skip)
        self._enough, self._least_returns = enough, returns + 1
        self._newcomers = 0
        self._came: dict[Hashable, int] = {}
        """Of those in the small queue: how many had come when they had."""
        self._returned: dict[Hashable, int] = {}
        """Of residents that were ghosts: how often; ghosts have it with them."""

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        returns = self._ghosts[key] + 1 if key in self._ghosts else 0
        if 0 < returns < self._least_returns:
            del self._ghosts[key]
        super().insert(key, size, cost)
        self._returned[key] = returns
        if key in self._small:
            self._newcomers += 1
            self._came[key] = self._newcomers

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key not in self._small or self._newcomers - self._came[key] >= self._skipped:
            super().touch(key, cost)

    def remove(self, key: Hashable, evicted: bool) -> None:
        super().remove(key, evicted)
        self._came.pop(key, None)
        returned = self._returned.pop(key)
        if key in self._ghosts:
            self._ghosts[key] = returned
