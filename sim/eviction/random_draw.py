"""Random replacement evicts an entry drawn at random, each as likely as any other."""

from collections.abc import Hashable
from random import Random

from spindle.sim.eviction.policy import MayGo, refuse_twice


class RandomDraw:
    """Random replacement: one entry of a list is drawn for each eviction. *seed* names the stream of the draws.

    Where the drawn one may not be evicted, the next of the list that may is.

    >>> policy = RandomDraw()
    >>> policy.insert("a"); policy.choose()
    'a'
    """

    def __init__(self, seed: int = 1) -> None:
        self._random = Random(f"{seed}/random eviction")
        self._keys: list[Hashable] = []
        self._places: dict[Hashable, int] = {}
        self._drawn = self._random.random()

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._places:
            raise refuse_twice(key)
        self._places[key] = len(self._keys)
        self._keys.append(key)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        self._places[key]

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        count, keys = len(self._keys), self._keys
        first = int(self._drawn * count)
        for step in range(count):
            key = keys[(first + step) % count]
            if may_go is None or may_go(key):
                return key
        return None

    def remove(self, key: Hashable, evicted: bool) -> None:
        """Put the last entry into the place of *key*, and after an eviction draw anew."""
        place = self._places.pop(key)
        last = self._keys.pop()
        if place < len(self._keys):
            self._keys[place], self._places[last] = last, place
        if evicted:
            self._drawn = self._random.random()

    def __len__(self) -> int:
        return len(self._keys)
