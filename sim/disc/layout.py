"""Layout maps blocks of a disc to zones, cylinders, tracks and sectors, and to the angle at which a sector begins."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from spindle.sim.disc.kernel.arm import (
    ASCENDING,
    TURNING,
    TURNING_IN_ZONE,
    BlockMap,
    LayoutPiece,
    new_tuple,
    place_of,
    track_range,
)
from spindle.sim.error import UserError


class HeadOrder(IntEnum):
    """The order in which heads get the tracks of a cylinder, by DiskSim 4.0's number; see ``head_at``."""

    ASCENDING = ASCENDING
    TURNING_IN_ZONE = TURNING_IN_ZONE
    TURNING = TURNING


# Cylinders of a disc with equally many sectors in a track, and which of their sectors hold blocks.

class Stretch(NamedTuple):
    """A stretch of consecutive sectors with consecutive blocks.

    *sector*, the first, counts from the first of the zone; its tracks begin *late* sectors later than the skews of the
    zone alone would have it.
    """

    sector: int
    sectors: int
    late: int = 0


@dataclass(frozen=True)
class Zone:
    """A zone: cylinders from *first_cylinder* on that have equally many sectors in a track.

    Skews are in sectors of the zone. A track begins *track_skew* later than the one before it in its cylinder,
    and the first track of a cylinder *cylinder_skew* later than the last of the cylinder before it. The first
    track of the zone begins at *offset*. The blocks of the zone are on its *stretches*, in their order; without
    any on all its sectors, up to the next zone.
    """

    first_cylinder: int
    sectors_per_track: int
    track_skew: float = 0
    cylinder_skew: float = 0
    offset: float = 0
    stretches: tuple[Stretch, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.first_cylinder < 0:
            raise UserError(f"zone: first_cylinder {self.first_cylinder} must not be negative")
        if self.sectors_per_track < 1:
            raise UserError(f"{self.label}: sectors_per_track {self.sectors_per_track} must be at least 1")
        for name in ("track_skew", "cylinder_skew", "offset"):
            skew: float = getattr(self, name)
            if not 0 <= skew < self.sectors_per_track:
                raise UserError(f"{self.label}: {name} {skew} must be sectors of one track, "
                              f"from 0 up to {self.sectors_per_track}")

    @property
    def label(self) -> str:
        """Name of the zone in error messages."""
        return f"zone at cylinder {self.first_cylinder}"

    def blocks(self, room: int) -> tuple[Stretch, ...]:
        """Return the stretches of a zone with *room* sectors; UserError if they overlap or do not fit."""
        end = 0
        for sector, sectors, _ in sorted(self.stretches):
            if sector < end or sectors < 1:
                raise UserError(
                    f"{self.label}: stretches: {sectors} sectors from {sector} must begin at {end} or later"
                )
            end = sector + sectors
        if end > room:
            raise UserError(f"{self.label}: stretches: they end at sector {end} of a zone of {room}")
        return self.stretches or (Stretch(0, room),)


class SectorPlace(NamedTuple):
    """The place where a sector begins. *angle* is the part of a revolution, from 0 to 1, where it passes the head."""

    cylinder: int
    head: int
    sector: int
    angle: float
    sectors_per_track: int


@dataclass(frozen=True)
class Layout:
    """The layout of a disc of *cylinders* times *heads* tracks, filled track by track and then cylinder by cylinder."""

    cylinders: int
    heads: int
    sector_bytes: int
    zones: tuple[Zone, ...]
    order: HeadOrder = HeadOrder.ASCENDING

    def __post_init__(self) -> None:
        for name in ("cylinders", "heads", "sector_bytes"):
            if getattr(self, name) < 1:
                raise UserError(f"layout: {name} {getattr(self, name)} must be at least 1")
        firsts = [zone.first_cylinder for zone in self.zones]
        if not firsts or firsts[0] != 0:
            raise UserError(f"layout: zones must begin at cylinder 0, not at {firsts[:1] or 'nothing'}")
        for before, after in pairwise(firsts):
            if after <= before:
                raise UserError(f"layout: zones overlap: first_cylinder {after} must be beyond {before}")
        if firsts[-1] >= self.cylinders:
            raise UserError(f"layout: zones: first_cylinder {firsts[-1]} must be one of the {self.cylinders} cylinders")
        for zone, room in self._rooms():
            zone.blocks(room)  # looks at its stretches; the map is built for drives that are used

    @cached_property
    def blocks(self) -> BlockMap:
        """Build the map from blocks to places."""
        firsts, pieces = [0], []
        for zone, room in self._rooms():
            for sector, sectors, late in zone.blocks(room):
                pieces.append(LayoutPiece(sector - firsts[-1], zone.first_cylinder, zone.sectors_per_track,
                                          zone.track_skew, zone.cylinder_skew, zone.offset + late))
                firsts.append(firsts[-1] + sectors)
        return BlockMap(firsts, pieces, int(self.order), self.heads)

    def _rooms(self) -> Iterator[tuple[Zone, int]]:
        ends = [zone.first_cylinder for zone in self.zones[1:]] + [self.cylinders]
        for zone, end in zip(self.zones, ends, strict=True):
            yield zone, (end - zone.first_cylinder) * self.heads * zone.sectors_per_track

    @property
    def sectors(self) -> int:
        """The number of sectors with blocks."""
        return self.blocks.firsts[-1]

    @property
    def capacity(self) -> int:
        """Bytes."""
        return self.sectors * self.sector_bytes

    def place(self, address: int) -> SectorPlace:
        """Return the place of the sector that holds byte *address*."""
        if not 0 <= address < self.capacity:
            raise ValueError(f"byte {address} is not on a disc of {self.capacity} bytes")
        return self.locate(address // self.sector_bytes)

    def locate(self, block: int) -> SectorPlace:
        """Return the place of the sector that holds *block*, counted from the first of the disc."""
        return new_tuple(SectorPlace, place_of(self.blocks, block))

    def track(self, block: int) -> range:
        """The blocks around *block* that pass under the head one after the other while it stays on the track."""
        return range(*track_range(self.blocks, block, 1))

    def cylinder(self, block: int) -> range:
        """The blocks around *block* on its cylinder: all of them, unless one was moved to a spare sector elsewhere."""
        return range(*track_range(self.blocks, block, self.heads))


def uniform(
    cylinders: int,
    heads: int,
    sectors_per_track: int,
    sector_bytes: int,
    track_skew: float = 0,
    cylinder_skew: float = 0,
) -> Layout:
    """The layout of a disc of one zone; skews in sectors.

    >>> uniform(cylinders=100, heads=2, sectors_per_track=32, sector_bytes=512).capacity
    3276800
    """
    return Layout(cylinders, heads, sector_bytes, (Zone(0, sectors_per_track, track_skew, cylinder_skew),))


def zoned(
    sectors: int, heads: int, sector_bytes: int, outer: int, inner: int, zones: int, skew: float
) -> Layout:
    """A layout of *sectors* sectors in *zones* equal zones, from *outer* sectors a track down to *inner*.

    Sectors a track fall in a straight line. Each track begins *skew*, a part of a revolution, after the one before it.
    """
    tracks = [round(outer + (inner - outer) * number / (zones - 1)) for number in range(zones)]
    cylinders = -(-sectors // (heads * sum(tracks)))
    made = [Zone(number * cylinders, per_track, skew * per_track, skew * per_track)
            for number, per_track in enumerate(tracks[:-1])]
    rest = sectors - cylinders * heads * sum(tracks[:-1])  # what the last zone has more than these is spare
    if rest < 1:
        raise UserError(f"layout: zones: {sectors} sectors leave nothing for the last of {zones}")
    made.append(Zone(len(made) * cylinders, inner, skew * inner, skew * inner, stretches=(Stretch(0, rest),)))
    return Layout(cylinders * zones, heads, sector_bytes, tuple(made))
