"""Where the bytes of a disc lie: zones of cylinders, tracks, sectors, and the angle at which each sector begins."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from sim.mistake import Mistake


class Place(NamedTuple):
    """Where a sector begins. *angle* is the part of a revolution, from 0 up to 1, at which it comes under the head."""

    cylinder: int
    head: int
    sector: int
    angle: float
    sectors_per_track: int


@dataclass(frozen=True)
class Zone:
    """Cylinders from *first_cylinder* on that have equally many sectors in a track.

    Skews are in sectors of the zone. A track begins *track_skew* later than the one before it in its cylinder,
    and the first track of a cylinder *cylinder_skew* later than the last of the cylinder before it. The first
    track of the zone begins at *offset*.
    """

    first_cylinder: int
    sectors_per_track: int
    track_skew: float = 0
    cylinder_skew: float = 0
    offset: float = 0

    def __post_init__(self) -> None:
        if self.first_cylinder < 0:
            raise Mistake(f"zone: first_cylinder {self.first_cylinder} must not be negative")
        if self.sectors_per_track < 1:
            raise Mistake(f"zone at cylinder {self.first_cylinder}: sectors_per_track {self.sectors_per_track} "
                          "must be at least 1")
        for name in ("track_skew", "cylinder_skew", "offset"):
            skew: float = getattr(self, name)
            if not 0 <= skew < self.sectors_per_track:
                raise Mistake(f"zone at cylinder {self.first_cylinder}: {name} {skew} must be sectors of one track, "
                              f"from 0 up to {self.sectors_per_track}")


@dataclass(frozen=True)
class Layout:
    """A disc of *cylinders* times *heads* tracks, filled track by track and then cylinder by cylinder."""

    cylinders: int
    heads: int
    sector_bytes: int
    zones: tuple[Zone, ...]

    def __post_init__(self) -> None:
        for name in ("cylinders", "heads", "sector_bytes"):
            if getattr(self, name) < 1:
                raise Mistake(f"layout: {name} {getattr(self, name)} must be at least 1")
        firsts = [zone.first_cylinder for zone in self.zones]
        if not firsts or firsts[0] != 0:
            raise Mistake(f"layout: zones must begin at cylinder 0, not at {firsts[:1] or 'nothing'}")
        for before, after in pairwise(firsts):
            if after <= before:
                raise Mistake(f"layout: zones overlap: first_cylinder {after} must be beyond {before}")
        if firsts[-1] >= self.cylinders:
            raise Mistake(f"layout: zones: first_cylinder {firsts[-1]} must be one of the {self.cylinders} cylinders")

    @cached_property
    def zone_sectors(self) -> tuple[int, ...]:
        """The number of the first sector of each zone, and then the number of sectors in all."""
        bounds = [zone.first_cylinder for zone in self.zones] + [self.cylinders]
        numbers = [0]
        for zone, first, end in zip(self.zones, bounds, bounds[1:], strict=False):
            numbers.append(numbers[-1] + (end - first) * self.heads * zone.sectors_per_track)
        return tuple(numbers)

    @property
    def sectors(self) -> int:
        return self.zone_sectors[-1]

    @property
    def capacity(self) -> int:
        """Bytes."""
        return self.sectors * self.sector_bytes

    def place(self, address: int) -> Place:
        """Where the sector begins that holds byte *address*."""
        if not 0 <= address < self.capacity:
            raise ValueError(f"byte {address} is not on a disc of {self.capacity} bytes")
        return self.locate(address // self.sector_bytes)

    def locate(self, sector: int) -> Place:
        """Where *sector*, counted from the first of the disc, begins."""
        zones = self.zones
        if len(zones) == 1:
            zone = zones[0]
            track, sector = divmod(sector, zone.sectors_per_track)
            cylinder, head = divmod(track, self.heads)
            first = 0
        else:
            number = bisect_right(self.zone_sectors, sector) - 1
            zone = zones[number]
            track, sector = divmod(sector - self.zone_sectors[number], zone.sectors_per_track)
            cylinder, head = divmod(track, self.heads)
            first = zone.first_cylinder
        # Every track but the first of its cylinder adds a track skew, every cylinder but the first a cylinder skew.
        skew = (track - cylinder) * zone.track_skew + cylinder * zone.cylinder_skew + zone.offset
        per_track = zone.sectors_per_track
        return Place(first + cylinder, head, sector, (sector + skew) % per_track / per_track, per_track)

    def runs(self, sector: int, sectors: int) -> Iterator[tuple[Place, int]]:
        """The pieces of *sectors* sectors from *sector* on that lie on one track each: place and length in sectors."""
        while sectors > 0:
            place = self.locate(sector)
            length = min(sectors, place.sectors_per_track - place.sector)
            yield place, length
            sector += length
            sectors -= length


def uniform(
    cylinders: int,
    heads: int,
    sectors_per_track: int,
    sector_bytes: int,
    track_skew: float = 0,
    cylinder_skew: float = 0,
) -> Layout:
    """The layout of a disc of one zone; skews in sectors."""
    return Layout(cylinders, heads, sector_bytes, (Zone(0, sectors_per_track, track_skew, cylinder_skew),))
