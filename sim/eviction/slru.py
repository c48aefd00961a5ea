"""SLRU moves entries that are used again into a protected segment, and evicts from the other, probationary one."""

from collections import OrderedDict
from collections.abc import Hashable

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import Bounded, MayGo, Oldest


class Slru(Bounded):
    """Karedla, Love and Wherry, "Caching strategies to improve disk system performance", Computer 27(3), 1994.

    Newcomers enter the probationary segment. A hit brings an entry to the recent end of the protected segment,
    whose oldest, where it has more than its *share* of the *capacity*, goes to the recent end of the probationary one.

    >>> policy = Slru(10)
    >>> policy.insert("a"); policy.insert("b"); policy.touch("a"); policy.choose()
    'b'
    """

    def __init__(self, capacity: int, share: float = 0.8) -> None:
        super().__init__(capacity)
        if not 0.0 <= share < 1.0:
            raise UserError(f"policy Slru protects a share of its entries from 0 up to 1, not {share!r}")
        self._most_protected = int(share * capacity)
        self._probationary: OrderedDict[Hashable, None] = OrderedDict()
        self._protected: OrderedDict[Hashable, None] = OrderedDict()
        self._choices = Oldest(self._probationary), Oldest(self._protected)

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._admit(key, key in self)
        self._probationary[key] = None

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key in self._protected:
            self._protected.move_to_end(key)
            return
        del self._probationary[key]
        self._protected[key] = None
        if len(self._protected) > self._most_protected:
            oldest, _ = self._protected.popitem(last=False)
            self._probationary[oldest] = None

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        probationary, protected = self._choices
        key = probationary.find(may_go)
        return protected.find(may_go) if key is None else key

    def remove(self, key: Hashable, evicted: bool) -> None:
        del (self._protected if key in self._protected else self._probationary)[key]

    def __contains__(self, key: Hashable) -> bool:
        return key in self._probationary or key in self._protected

    def __len__(self) -> int:
        return len(self._probationary) + len(self._protected)
