"""Midpoint insertion (MySQL's InnoDB) is an LRU whose newcomers enter below its head, and rise only if used later."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from itertools import islice
from math import inf

from spindle.sim.error import UserError
from spindle.sim.eviction.policy import Bounded, MayGo, Oldest

NEW_LIST_PARTS = 4
"""Parts of the new list; an entry that is in the first of them is not moved to the head again (buf0buf.ic)."""


class _Page:
    """A page: *due* is the instant from which it may rise; *moved* the evictions until its last move to the head."""

    __slots__ = ("due", "moved")

    def __init__(self, due: float) -> None:
        self.due = due
        self.moved = 0


class Midpoint(Bounded):
    """The buffer pool of InnoDB: MySQL 8.0 Reference Manual, 15.5.1, and storage/innobase/buf/buf0lru.cc.

    The oldest *share* of all entries is the old list (innodb_old_blocks_pct, 37 %), the others the new one. A
    newcomer enters at the head of the old list. A hit *wait* seconds or more after an entry came
    (innodb_old_blocks_time) takes it to the head of the new list; without a clock any hit does. InnoDB keeps no old
    list of fewer than 512 pages in all, and lets its share be off by 20 pages; here there is always one, and exact.
    """

    def __init__(self, capacity: int, share: float = 0.37, wait: float = 1.0) -> None:
        super().__init__(capacity)
        if not 0.0 < share < 1.0:
            raise UserError(f"policy Midpoint has a share of old entries between 0 and 1, not {share!r}")
        if not 0.0 <= wait < inf:
            raise UserError(f"policy Midpoint waits for a time that is finite and not negative, not for {wait!r} s")
        self._share, self._wait = share, wait
        self._now: Callable[[], float] = lambda: inf
        self._new: OrderedDict[Hashable, _Page] = OrderedDict()
        self._old: OrderedDict[Hashable, _Page] = OrderedDict()
        self._choices = Oldest(self._old), Oldest(self._new)
        self._evictions = 0
        self._young = int(capacity * (1.0 - share)) // NEW_LIST_PARTS

    def set_clock(self, now: Callable[[], float]) -> None:
        self._now = now

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._admit(key, key in self)
        self._balance(1)
        self._old[key] = _Page(self._now() + self._wait)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key in self._new:
            page = self._new[key]
            if self._evictions - page.moved >= self._young:
                self._to_the_head(key, page)
        elif self._now() >= self._old[key].due:
            self._to_the_head(key, self._old.pop(key))
            self._balance(0)

    def _to_the_head(self, key: Hashable, page: _Page) -> None:
        page.moved = self._evictions
        self._new[key] = page
        self._new.move_to_end(key)

    def _balance(self, newcomers: int) -> None:
        """Move the border of the lists until the old one has its share, *newcomers* included."""
        wanted = max(1, int(self._share * (len(self) + newcomers))) - newcomers
        while len(self._old) > wanted:
            key, page = self._old.popitem()
            self._new[key] = page
            self._new.move_to_end(key, last=False)
        while len(self._old) < wanted and self._new:
            key, page = self._new.popitem(last=False)
            self._old[key] = page

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        old, new = self._choices
        key = old.find(may_go)
        return new.find(may_go) if key is None else key

    def coming(self, most: int) -> Iterator[Hashable]:
        return islice(self._old, most)

    def remove(self, key: Hashable, evicted: bool) -> None:
        del (self._new if key in self._new else self._old)[key]
        self._evictions += evicted

    def __contains__(self, key: Hashable) -> bool:
        return key in self._new or key in self._old

    def __len__(self) -> int:
        return len(self._new) + len(self._old)
