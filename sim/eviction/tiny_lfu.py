"""W-TinyLFU keeps an entry that leaves its window only if it was used more often than the victim it would replace."""

from collections import OrderedDict
from collections.abc import Hashable

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import Bounded, MayGo, first_that_may_go
from spindle.sim.eviction.slru import Slru

MAX_USES = 15
"""Uses that are counted at most: a counter of the paper has four bits."""


class WTinyLfu(Bounded):
    """Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy", ACM ToS 13(4), 2017.

    Newcomers enter a *window* of 1 % of the *capacity*, at least one entry, which is LRU; the rest is SLRU with a
    *share* of 80 % protected. The entry that leaves the window and the next victim of the rest are compared by their
    uses, and the less used one goes, of equals the newcomer. After *sample* uses for each entry of the capacity, 10 as
    in the paper, all counts are halved.

    Uses are counted exactly; the paper has a compact sketch that is nearly as good. Invalidated entries are forgotten;
    the counts of evicted ones stay until halving makes them zero.
    """

    def __init__(self, capacity: int, window: float = 0.01, share: float = 0.8, sample: int = 10) -> None:
        super().__init__(capacity)
        if not 0.0 <= window <= 1.0 or sample < 1:
            raise UserError(f"policy WTinyLfu has a window from 0 to 1 and a sample from 1, not {window!r}, {sample!r}")
        self._most_window = max(1, round(window * capacity))
        self._most_main = capacity - self._most_window
        self._window: OrderedDict[Hashable, None] = OrderedDict()
        self._main = Slru(max(1, self._most_main), share)
        self._uses: dict[Hashable, int] = {}
        self._sample = sample * capacity
        self._counted = 0

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._admit(key, key in self._window or key in self._main)
        self._window[key] = None
        self._count(key)
        if len(self._window) > self._most_window:
            oldest, _ = self._window.popitem(last=False)
            self._main.insert(oldest)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key in self._window:
            self._window.move_to_end(key)
        else:
            self._main.touch(key)
        self._count(key)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        newcomer = first_that_may_go(self._window, may_go)
        settled = self._main.choose(incoming, may_go)
        if newcomer is None or settled is None:
            return settled if newcomer is None else newcomer
        if len(self._window) < self._most_window:
            return settled
        return settled if self._uses.get(newcomer, 0) > self._uses.get(settled, 0) else newcomer

    def remove(self, key: Hashable, evicted: bool) -> None:
        if key in self._window:
            del self._window[key]
        else:
            self._main.remove(key, evicted)
        if not evicted:
            self._counted -= self._uses.pop(key, 0)

    def __len__(self) -> int:
        return len(self._window) + len(self._main)

    def _count(self, key: Hashable) -> None:
        self._uses[key] = min(MAX_USES, self._uses.get(key, 0) + 1)
        self._counted += 1
        if self._counted >= self._sample:
            self._counted //= 2
            self._uses = {other: uses // 2 for other, uses in self._uses.items() if uses > 1}
