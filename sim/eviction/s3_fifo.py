"""S3-FIFO inserts new entries into a small queue first, as most are used only once; S4-FIFO extends it.

S4-FIFO is modelled with fixed shares, and not in its learned form.
"""

from collections import OrderedDict
from collections.abc import Hashable
from math import inf

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import Bounded, MayGo, first_that_may_go

MAX_USES = 3
ENOUGH_USES = 2
"""Uses that move an entry from the small queue into the main one."""
_Queue = OrderedDict[Hashable, None]


class S3Fifo(Bounded):
    """Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023, algorithm 1.

    The share *small* of the *capacity* is meant for the small queue. An entry used more than once by the end of the
    small queue moves to the main one; the others are evicted and leave a ghost; *ghosts* is how many, as a share of
    the capacity. A key with a ghost enters the main queue, where each use, up to three, averts one eviction.

    Two things are as in the authors' program (libCacheSim), with equal hit counts, and not as in the paper: until the
    first eviction, newcomers that find the small queue full enter the main one; and an entry that moves from the small
    queue into a full main one evicts nothing then: the main queue, now too long, gives the victim of the next miss.

    >>> policy = S3Fifo(10)
    >>> policy.insert("a"); policy.insert("b"); policy.choose()
    'a'
    """

    def __init__(self, capacity: int, small: float = 0.1, ghosts: float = 0.9) -> None:
        super().__init__(capacity)
        if not 0.0 < small < 1.0 or not 0.0 <= ghosts < inf:
            raise UserError("policy S3Fifo has a small queue of a share between 0 and 1, and ghosts of a share from 0, "
                            f"not {small!r} and {ghosts!r}")
        self._most_small = max(1, int(small * capacity))
        self._most_main = capacity - self._most_small
        self._most_ghosts = int(ghosts * capacity)
        self._small: _Queue = OrderedDict()
        self._main: _Queue = OrderedDict()
        self._ghosts: OrderedDict[Hashable, int] = OrderedDict()
        self._uses: dict[Hashable, int] = {}
        self._enough = ENOUGH_USES
        self._filling = True
        self._small_gives: bool | None = None  # whether it has the next victim; None after a change

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._admit(key, key in self._uses)
        ghost = key in self._ghosts
        direct = ghost or (self._filling and len(self._small) >= self._most_small)
        (self._main if direct else self._small)[key] = None
        self._uses[key] = 0
        self._small_gives = None
        self._ghosts.pop(key, None)
        while len(self._ghosts) > self._most_ghosts:
            self._ghosts.popitem(last=False)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        self._uses[key] = min(MAX_USES, self._uses[key] + 1)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        if self._small_gives is None:
            self._small_gives = len(self._main) <= self._most_main
        key = self._choose_small(may_go) if self._small_gives else None
        if key is None:
            key = self._choose_main(may_go)
        return first_that_may_go(self._small, may_go) if key is None else key

    def remove(self, key: Hashable, evicted: bool) -> None:
        del self._uses[key]
        self._small_gives = None
        self._filling = self._filling and not evicted
        if key in self._main:
            del self._main[key]
            return
        del self._small[key]
        if evicted:
            self._ghosts[key] = 0

    def __len__(self) -> int:
        return len(self._uses)

    def _choose_small(self, may_go: MayGo | None) -> Hashable | None:
        """Choose the first entry with too few uses; move those before it, with enough, into the main queue."""
        promoted: list[Hashable] = []
        victim = None
        for key in self._small:
            if self._uses[key] >= self._enough:
                promoted.append(key)
            elif may_go is None or may_go(key):
                victim = key
                break
        for key in promoted:
            del self._small[key]
            self._main[key] = None
            self._uses[key] = 0
        return victim

    def _choose_main(self, may_go: MayGo | None) -> Hashable | None:
        """Choose as CLOCK, with a count in place of a bit: after MAX_USES turns all counts are 0."""
        for _ in range(MAX_USES + 1):
            passed: list[Hashable] = []
            for key in self._main:
                if self._uses[key]:
                    self._uses[key] -= 1
                elif may_go is None or may_go(key):
                    for other in passed:
                        self._main.move_to_end(other)
                    return key
                passed.append(key)
        return None


# S4-FIFO: S3-FIFO whose newest entries are not counted, and whose ghosts may have to return more than once.

class S4Fifo(S3Fifo):
    """Xia, Nixon, Marthen, Bhandari and Yang, "Learning-augmented heuristics: simple yet smart, robust and
    interpretable cache eviction", OSDI 2026: the heuristic, without the model that chooses its numbers.

    Uses of an entry do not count while fewer than the share *skip* of the small queue came after it: a burst says
    nothing. An entry with *enough* uses moves to the main queue; a key must have come back while it had a ghost
    more than *returns* times to enter that at once. A *skip* of a quarter is assumed; 0, with 2 and 0, is S3-FIFO. Hit
    counts are those of the authors' program (libCacheSim).
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
        """By key of the small queue, the number of newcomers up to its insertion."""
        self._returned: dict[Hashable, int] = {}
        """By resident, how often it was inserted again while it had a ghost; ghosts keep this count."""

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        returns = self._ghosts[key] + 1 if key in self._ghosts else 0
        if 0 < returns < self._least_returns:
            del self._ghosts[key]
        super().insert(key)
        self._returned[key] = returns
        if key in self._small:
            self._newcomers += 1
            self._came[key] = self._newcomers

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key not in self._small or self._newcomers - self._came[key] >= self._skipped:
            super().touch(key)

    def remove(self, key: Hashable, evicted: bool) -> None:
        super().remove(key, evicted)
        self._came.pop(key, None)
        returned = self._returned.pop(key)
        if key in self._ghosts:
            self._ghosts[key] = returned
