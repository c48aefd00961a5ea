"""The free sectors and tracks of a disc: handed out where a rule looks for them, what was given back first."""

from random import Random
from typing import Protocol

from sim.error import UserError
from sim.streams import pick

MOST_TRIES = 10_000


class Search(Protocol):
    """Names the places at which to look, of *size* less *count*, one after the other."""

    def look(self, size: int) -> int: ...


class Strewn:
    """Anywhere: an old disc, on which what is free lies strewn (Jacobson 0 and 1)."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def look(self, size: int) -> int:
        return pick(self._random, size)


class Packed:
    """One place after the other: a new disc."""

    def __init__(self) -> None:
        self._next = -1

    def look(self, size: int) -> int:
        self._next += 1
        return self._next % size


class FreeSpace:
    """Places *first* to *end* of a disc.

    What is given back goes to the head of the free list and is handed out next; that is assumed.
    """

    def __init__(self, name: str, first: int, end: int, search: Search) -> None:
        self._name = name
        self.first = first
        self._size = end - first
        self._search = search
        self._taken: set[int] = set()
        self._returned: list[int] = []

    def take(self, count: int = 1) -> int:
        """The first of *count* neighbouring places."""
        if count == 1 and self._returned:
            return self._returned.pop()
        for _ in range(MOST_TRIES):
            place = self.first + self._search.look(max(1, self._size - count + 1))
            wanted = range(place, place + count)
            if place + count <= self.first + self._size and self._taken.isdisjoint(wanted):
                self._taken.update(wanted)
                return place
        raise UserError(
            f"{self._name}: {count} neighbours are not free any more among {self._size}, {len(self._taken)} of "
            "them taken; ask for fewer files or for a larger disc"
        )

    def give_back(self, place: int) -> None:
        self._returned.append(place)
