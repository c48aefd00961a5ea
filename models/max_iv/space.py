"""Allocates the sectors and tracks of a Max-IV disc, and places management space and data on it.

Management space is for the structures of the file system. A place that was given back is allocated first; for others a
rule names places to try.
"""

from dataclasses import dataclass
from random import Random
from typing import Protocol

from spindle.sim.error import UserError
from spindle.sim.streams import pick

MAX_TRIES = 10_000
"""Places tried before an allocation fails."""


class Search(Protocol):
    """A rule that names places to try, below *size*, one after the other."""

    def look(self, size: int) -> int: ...


class Scattered:
    """Place a file anywhere: on an old disc the free space lies scattered (Jacobson 0 and 1)."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def look(self, size: int) -> int:
        return pick(self._random, size)


class Packed:
    """Place one file after the other: a new disc."""

    def __init__(self) -> None:
        self._next = -1

    def look(self, size: int) -> int:
        self._next += 1
        return self._next % size


class Reuse(Protocol):
    """A rule for a *place* that is given back: adds it to *returned*, or removes it from *taken*."""

    def __call__(self, place: int, returned: list[int], taken: set[int]) -> None: ...


def reuse_at_once(place: int, returned: list[int], taken: set[int]) -> None:
    """Put it at the head of the free list, so that it is handed out next; that is assumed."""
    returned.append(place)


def reuse_in_turn(place: int, returned: list[int], taken: set[int]) -> None:
    """Leave it among all that are free, so that temporary files go round over the free tracks."""
    taken.discard(place)


class FreeSpace:
    """Places *first* to *end* of a disc, sectors or tracks, free or taken; *reuse* takes what is given back."""

    def __init__(self, name: str, first: int, end: int, search: Search, reuse: Reuse = reuse_at_once) -> None:
        self._name = name
        self.first = first
        self._size = end - first
        self._search = search
        self._reuse = reuse
        self._taken: set[int] = set()
        self._returned: list[int] = []

    def take(self, count: int = 1) -> int:
        """Take *count* neighbouring places; return the first."""
        if count == 1 and self._returned:
            return self._returned.pop()
        for _ in range(MAX_TRIES):
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
        self._reuse(place, self._returned, self._taken)


@dataclass(frozen=True)
class Region:
    """A labelled disc: *space* for sectors of structures, *tracks* for data.

    Labelling sets *management* tracks from track *first* on aside for the structures.
    """

    space: FreeSpace
    tracks: FreeSpace
    first: int
    management: int

    def is_management(self, track: int) -> bool:
        return self.first <= track < self.first + self.management


class Placing(Protocol):
    """Labels a disc: sets management space aside, and determines where free space is searched."""

    def label(self, tracks: int, track_sectors: int, management: int, random: Random) -> Region: ...


@dataclass(frozen=True)
class AtTheEdge:
    """Place as Max-IV labels a disc: management space at one end of it, everything scattered (Jacobson 0).

    *reuse* is the rule for tracks that are given back, which the paper does not describe.
    """

    reuse: Reuse = reuse_at_once

    def label(self, tracks: int, track_sectors: int, management: int, random: Random) -> Region:
        size = management * track_sectors
        return Region(
            FreeSpace("management space", 0, size, Scattered(random)),
            FreeSpace("data space", management, tracks, Scattered(random), self.reuse), 0, management,
        )


@dataclass(frozen=True)
class InTheMiddle:
    """Place by a better layout: management space in the middle of what is in use, and nothing scattered.

    Structures follow each other, and files lie on the tracks behind them in the order in which they were made, so
    that no seek leaves the part of the disc that is full.
    """

    def label(self, tracks: int, track_sectors: int, management: int, random: Random) -> Region:
        first = (tracks - management) // 4
        size = management * track_sectors
        start = first * track_sectors
        return Region(
            FreeSpace("management space", start, start + size, Packed()),
            FreeSpace("data space", first + management, tracks, Packed()), first, management,
        )


AT_THE_EDGE = AtTheEdge()
