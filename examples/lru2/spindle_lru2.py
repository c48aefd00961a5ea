"""LRU-2 (O'Neil, O'Neil and Weikum, SIGMOD 1993): the entry goes whose last use but one is the longest ago."""

from itertools import count


class Lru2:
    def __init__(self):
        self._now = count()
        self._uses = {}  # key: the last use but one, -1 where there is none, and the last

    def insert(self, key, size=1, cost=0.0):
        if key in self._uses:
            raise ValueError(f"{key!r} is in the policy already")
        self._uses[key] = (-1, next(self._now))

    def touch(self, key, cost=0.0):
        self._uses[key] = (self._uses[key][1], next(self._now))

    def choose(self, incoming=None, may_go=None):
        return min((key for key in self._uses if may_go is None or may_go(key)), key=self._uses.get, default=None)

    def remove(self, key, evicted):
        del self._uses[key]

    def __len__(self):
        return len(self._uses)
