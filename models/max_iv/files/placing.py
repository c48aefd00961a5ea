"""Where the file manager puts things: management space and data apart as Max-IV does, or near each other."""

from dataclasses import dataclass
from random import Random
from typing import Protocol

from models.max_iv.files.free_space import FreeSpace, Packed, Strewn


@dataclass(frozen=True)
class Region:
    """A disc of *tracks* tracks, of which *management* from track *first* on are set aside at labelling."""

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
    """As Max-IV labels a disc: management space at one end of it, everything strewn (Jacobson 0)."""

    def label(self, tracks: int, track_sectors: int, management: int, random: Random) -> Region:
        size = management * track_sectors
        return Region(
            FreeSpace("management space", 0, size, Strewn(random)),
            FreeSpace("data space", management, tracks, Strewn(random)), 0, management,
        )


@dataclass(frozen=True)
class InTheMiddle:
    """A better layout: management space in the middle of what is in use, and nothing strewn.

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
