"""Where the blocks of a disc lie: zones of cylinders, tracks, sectors, and the angle at which each sector begins."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Protocol

from spindle.sim.error import UserError

# Which head of a cylinder a track lies under: the orders in which the tracks of a cylinder are filled.

class HeadOrder(Protocol):
    """The head of track *index* of *cylinder*, whose zone begins at cylinder *first*."""

    @property
    def __name__(self) -> str: ...

    def __call__(self, heads: int, index: int, cylinder: int, first: int) -> int: ...


def ascending(heads: int, index: int, cylinder: int, first: int) -> int:
    """From head 0 up."""
    return index


def turning(heads: int, index: int, cylinder: int, first: int) -> int:
    """Up on every even cylinder and down on every odd one, so that the next cylinder needs no other head."""
    return heads - 1 - index if cylinder % 2 else index


def turning_in_zone(heads: int, index: int, cylinder: int, first: int) -> int:
    """The same, but each zone begins with head 0."""
    return heads - 1 - index if (cylinder - first) % 2 else index


# By the number that DiskSim 4.0 gives them (its layout_g1 module).
HEAD_ORDERS: dict[int, HeadOrder] = {0: ascending, 1: turning_in_zone, 2: turning}


# Cylinders of a disc with equally many sectors in a track, and which of their sectors hold blocks.

class Stretch(NamedTuple):
    """Sectors one after the other that hold blocks one after the other.

    *sector*, the first, counts from the first of the zone; *late* is how many sectors later its tracks begin than
    the skews of the zone alone would have it.
    """

    sector: int
    sectors: int
    late: int = 0


@dataclass(frozen=True)
class Zone:
    """Cylinders from *first_cylinder* on that have equally many sectors in a track.

    Skews are in sectors of the zone. A track begins *track_skew* later than the one before it in its cylinder,
    and the first track of a cylinder *cylinder_skew* later than the last of the cylinder before it. The first
    track of the zone begins at *offset*. The blocks of the zone lie on its *stretches*, in their order; without
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
            raise UserError(f"{self.where}: sectors_per_track {self.sectors_per_track} must be at least 1")
        for name in ("track_skew", "cylinder_skew", "offset"):
            skew: float = getattr(self, name)
            if not 0 <= skew < self.sectors_per_track:
                raise UserError(f"{self.where}: {name} {skew} must be sectors of one track, "
                              f"from 0 up to {self.sectors_per_track}")

    @property
    def where(self) -> str:
        """What a UserError calls the zone."""
        return f"zone at cylinder {self.first_cylinder}"

    def blocks(self, room: int) -> tuple[Stretch, ...]:
        """The stretches, which must not meet, of a zone that has *room* for so many sectors."""
        end = 0
        for sector, sectors, _ in sorted(self.stretches):
            if sector < end or sectors < 1:
                raise UserError(
                    f"{self.where}: stretches: {sectors} sectors from {sector} must begin at {end} or later"
                )
            end = sector + sectors
        if end > room:
            raise UserError(f"{self.where}: stretches: they end at sector {end} of a zone of {room}")
        return self.stretches or (Stretch(0, room),)


class SectorPlace(NamedTuple):
    """Where a sector begins. *angle* is the part of a revolution, from 0 up to 1, at which it comes under the head."""

    cylinder: int
    head: int
    sector: int
    angle: float
    sectors_per_track: int


class SectorRun(NamedTuple):
    """Blocks in one pass of the head over a track: *passed* sectors go by from the first of *blocks* to the last.

    These are more than *blocks* where there are sectors between them that hold none.
    """

    place: SectorPlace
    blocks: int
    passed: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a zone as ``locate`` needs it: *shift* makes of a block a sector of the zone."""

    shift: int
    first_cylinder: int
    sectors_per_track: int
    track_skew: float
    cylinder_skew: float
    offset: float
    order: HeadOrder | None


@dataclass(frozen=True)
class Layout:
    """A disc of *cylinders* times *heads* tracks, filled track by track and then cylinder by cylinder."""

    cylinders: int
    heads: int
    sector_bytes: int
    zones: tuple[Zone, ...]
    order: HeadOrder = ascending

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
        assert self.sectors > 0  # and so every zone has been looked at

    @cached_property
    def _map(self) -> tuple[list[int], list[_Piece]]:
        """The first block of each stretch, and at last the one after all of them; and what lies where."""
        firsts, pieces = [0], []
        order = None if self.order is ascending else self.order
        ends = [zone.first_cylinder for zone in self.zones[1:]] + [self.cylinders]
        for zone, end in zip(self.zones, ends, strict=True):
            first, per_track = zone.first_cylinder, zone.sectors_per_track
            for sector, sectors, late in zone.blocks((end - first) * self.heads * per_track):
                pieces.append(_Piece(sector - firsts[-1], first, per_track, zone.track_skew, zone.cylinder_skew,
                                     zone.offset + late, order))
                firsts.append(firsts[-1] + sectors)
        return firsts, pieces

    @property
    def sectors(self) -> int:
        """Those that hold blocks."""
        return self._map[0][-1]

    @property
    def capacity(self) -> int:
        """Bytes."""
        return self.sectors * self.sector_bytes

    def place(self, address: int) -> SectorPlace:
        """Where the sector begins that holds byte *address*."""
        if not 0 <= address < self.capacity:
            raise ValueError(f"byte {address} is not on a disc of {self.capacity} bytes")
        return self.locate(address // self.sector_bytes)

    def locate(self, block: int) -> SectorPlace:
        """Where the sector begins that holds *block*, counted from the first of the disc."""
        firsts, pieces = self._map
        return self._in(pieces[bisect_right(firsts, block) - 1] if len(pieces) > 1 else pieces[0], block)

    def _in(self, piece: _Piece, block: int) -> SectorPlace:
        per_track = piece.sectors_per_track
        track, sector = divmod(block + piece.shift, per_track)
        cylinder, head = divmod(track, self.heads)
        # Every track but the first of its cylinder adds a track skew, every cylinder but the first a cylinder skew.
        skew = (track - cylinder) * piece.track_skew + cylinder * piece.cylinder_skew + piece.offset
        cylinder += piece.first_cylinder
        if piece.order is not None:
            head = piece.order(self.heads, head, cylinder, piece.first_cylinder)
        # Place(...), as Run(...) below, would do the same in twice the time, and every request needs this.
        return tuple.__new__(SectorPlace, (cylinder, head, sector, (sector + skew) % per_track / per_track, per_track))

    def track(self, block: int) -> range:
        """The blocks around *block* that pass under the head one after the other while it stays on the track."""
        return self._around(block, 1)

    def cylinder(self, block: int) -> range:
        """The same of a cylinder: all its blocks, unless one of them was moved to a spare sector elsewhere."""
        return self._around(block, self.heads)

    def _around(self, block: int, tracks: int) -> range:
        firsts, pieces = self._map
        before = after = bisect_right(firsts, block) - 1
        sectors = tracks * pieces[before].sectors_per_track
        low = (block + pieces[before].shift) // sectors * sectors

        def joined(left: int) -> bool:
            """Whether the stretch after *left* goes on where that ends, or later on the same track or cylinder."""
            meet, first, second = firsts[left + 1], pieces[left], pieces[left + 1]
            goes_on = low <= meet - 1 + first.shift < meet + second.shift < low + sectors
            return goes_on and first.first_cylinder == second.first_cylinder

        while before and low - pieces[before].shift < firsts[before] and joined(before - 1):
            before -= 1
        while after + 1 < len(pieces) and joined(after):
            after += 1
        return range(max(firsts[before], low - pieces[before].shift),
                     min(firsts[after + 1], low + sectors - pieces[after].shift))

    def run(self, block: int, most: int) -> SectorRun:
        """As many of *most* blocks from *block* on as go by in one pass of the head over a track."""
        firsts, pieces = self._map
        number = bisect_right(firsts, block)
        place = self._in(pieces[number - 1], block)
        length = passed = min(most, place.sectors_per_track - place.sector)
        if block + length > firsts[number]:
            length = min(most, self.track(block).stop - block)
            passed = self.locate(block + length - 1).sector - place.sector + 1
        return tuple.__new__(SectorRun, (place, length, passed))

    def runs(self, block: int, blocks: int) -> Iterator[SectorRun]:
        """The passes of the head over one track each that *blocks* blocks from *block* on take."""
        stop = block + blocks
        while block < stop:
            run = self.run(block, stop - block)
            yield run
            block += run.blocks


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
