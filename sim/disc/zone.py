"""Cylinders of a disc with equally many sectors in a track, and which of their sectors hold blocks."""

from dataclasses import dataclass, field
from typing import NamedTuple

from sim.error import UserError


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
