"""The free sectors and tracks of a disc: handed out at random places, what was given back first."""

from random import Random

from sim.mistake import Mistake
from sim.streams import pick

MOST_TRIES = 10_000


class FreeSpace:
    """Places *first* to *end* of a disc, which is an old one: what is free lies strewn (Jacobson 0 and 1).

    What is given back goes to the head of the free list and is handed out next; that is assumed.
    """

    def __init__(self, name: str, first: int, end: int, random: Random) -> None:
        self._name = name
        self._first = first
        self._size = end - first
        self._random = random
        self._taken: set[int] = set()
        self._returned: list[int] = []

    def take(self, count: int = 1) -> int:
        """The first of *count* neighbouring places."""
        if count == 1 and self._returned:
            return self._returned.pop()
        for _ in range(MOST_TRIES):
            place = self._first + pick(self._random, max(1, self._size - count + 1))
            wanted = range(place, place + count)
            if place + count <= self._first + self._size and self._taken.isdisjoint(wanted):
                self._taken.update(wanted)
                return place
        raise Mistake(
            f"{self._name}: {count} neighbours are not free any more among {self._size}, {len(self._taken)} of "
            "them taken; ask for fewer files or for a larger disc"
        )

    def give_back(self, place: int) -> None:
        self._returned.append(place)
