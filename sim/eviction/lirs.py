"""LIRS keeps entries with a low inter-reference recency: few others were used between an entry's last two uses."""

from collections import OrderedDict
from collections.abc import Hashable

from spindle.sim.eviction.policy import Bounded, MayGo, first_that_may_go

_Queue = OrderedDict[Hashable, None]


class Lirs(Bounded):
    """Jiang and Zhang, "LIRS: an efficient low inter-reference recency set replacement policy ...", SIGMETRICS 2002.

    LIR entries have a low inter-reference recency, HIR entries a high one. The stack holds, in the order of last use,
    all LIR entries, and the HIR entries, resident or ghosts, that were used since the least recent LIR entry, which is
    always its bottom. An HIR entry that is used while it is in the stack becomes LIR, and the one at the bottom becomes
    HIR. Resident HIR entries wait in a queue to go.

    *hir*, how many entries are meant for HIR, is 1 % of the *capacity*, at least one, as in the paper. The paper's
    stack has no bound; *ghosts*, where it is given, is how many of them are kept at most. Where all HIR entries must
    stay, the least recent LIR entry that may goes, and the next newcomer takes its place.

    >>> policy = Lirs(2)
    >>> policy.insert("a"); policy.insert("b"); policy.choose()
    'b'
    """

    def __init__(self, capacity: int, hir: int | None = None, ghosts: int | None = None) -> None:
        super().__init__(capacity)
        self._most_lir = capacity - (max(1, capacity // 100) if hir is None else hir)
        self._most_ghosts = ghosts
        self._stack: _Queue = OrderedDict()  # from the bottom to the top
        self._queue: _Queue = OrderedDict()
        self._ghosts: _Queue = OrderedDict()
        self._lir: set[Hashable] = set()

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._admit(key, key in self._lir or key in self._queue)
        self._ghosts.pop(key, None)
        self._use(key)
        while self._most_ghosts is not None and len(self._ghosts) > self._most_ghosts:
            oldest, _ = self._ghosts.popitem(last=False)
            del self._stack[oldest]

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key not in self._lir and key not in self._queue:
            raise KeyError(key)
        self._use(key)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        key = first_that_may_go(self._queue, may_go)
        return first_that_may_go(filter(self._lir.__contains__, self._stack), may_go) if key is None else key

    def remove(self, key: Hashable, evicted: bool) -> None:
        if key in self._lir:
            self._lir.remove(key)
            del self._stack[key]
            self._prune()
            return
        del self._queue[key]
        if key in self._stack:
            if evicted:
                self._ghosts[key] = None
            else:
                del self._stack[key]

    def __len__(self) -> int:
        return len(self._lir) + len(self._queue)

    def _use(self, key: Hashable) -> None:
        """Bring *key* to the top of the stack. It becomes LIR if it was in there, or if room is left for LIR."""
        if key not in self._lir and (key in self._stack or len(self._lir) < self._most_lir):
            self._queue.pop(key, None)
            self._lir.add(key)
        elif key not in self._lir:
            self._queue[key] = None
            self._queue.move_to_end(key)
        self._stack[key] = None
        self._stack.move_to_end(key)
        self._prune()
        if len(self._lir) > self._most_lir:
            self._demote_the_bottom()

    def _demote_the_bottom(self) -> None:
        key, _ = self._stack.popitem(last=False)
        self._lir.remove(key)
        self._queue[key] = None
        self._prune()

    def _prune(self) -> None:
        """Remove entries that are not LIR from the bottom, where a hit could no longer make them LIR."""
        while self._stack:
            bottom = next(iter(self._stack))
            if bottom in self._lir:
                return
            del self._stack[bottom]
            self._ghosts.pop(bottom, None)
