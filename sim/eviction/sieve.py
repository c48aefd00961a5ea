"""SIEVE moves a hand from the oldest to the newest entry, and evicts the first not used since its last pass."""

from collections import OrderedDict
from collections.abc import Hashable

from spindle.sim.eviction.policy import MayGo, refuse_twice

_Queue = OrderedDict[Hashable, None]


class Sieve:
    """Zhang, Yang, Yue, Vigfusson and Rashmi, "SIEVE is simpler than LRU", NSDI 2024.

    Unlike CLOCK it keeps entries in the order of their arrival: used ones stay where they are, and newcomers
    enter at the newest end, not behind the hand. The order is kept in two queues, the entries *behind* the hand and,
    from the hand on, those *ahead*; when no entry is left ahead, the hand is back at the oldest.

    >>> policy = Sieve()
    >>> policy.insert("a"); policy.insert("b"); policy.touch("a"); policy.choose()
    'b'
    """

    def __init__(self) -> None:
        self._behind: _Queue = OrderedDict()
        self._ahead: _Queue = OrderedDict()
        self._visited: dict[Hashable, bool] = {}

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._visited:
            raise refuse_twice(key)
        self._visited[key] = False
        self._ahead[key] = None

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key not in self._visited:
            raise KeyError(key)
        self._visited[key] = True

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        """Move the hand to the entry that should go, clearing marks on the way; it stays there.

        After one turn no mark is left; what the second turn does not find may not go.
        """
        for _ in range(2 * len(self)):
            key = next(iter(self._ahead))
            if self._visited[key]:
                self._visited[key] = False
            elif may_go is None or may_go(key):
                return key
            del self._ahead[key]
            self._behind[key] = None
            self._turn_round()
        return None

    def remove(self, key: Hashable, evicted: bool) -> None:
        del self._visited[key]
        del (self._ahead if key in self._ahead else self._behind)[key]
        self._turn_round()

    def __len__(self) -> int:
        return len(self._visited)

    def _turn_round(self) -> None:
        if not self._ahead:
            self._ahead, self._behind = self._behind, self._ahead
