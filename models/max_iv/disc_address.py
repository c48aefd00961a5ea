"""The disc address that identifies a sector in FHL (its DPI), and the orders of its bits that may go into the hash."""

from collections.abc import Callable

TRACK_BITS = 8
UNIT_BITS = 24
_SECTOR = (1 << TRACK_BITS) - 1
_TRACKS = (1 << UNIT_BITS - TRACK_BITS) - 1

Order = Callable[[int], int]
"""Gives a disc address with its bits in the order in which it is divided by the number of hash lists."""


def disc_address(unit: int, track: int, sector: int) -> int:
    """4 bits of unit above 24 bits of address, in which the *sector* has the lowest 8 (Jacobson 2.1, 3.2)."""
    return unit << UNIT_BITS | track << TRACK_BITS | sector


def unit_of(dpi: int) -> int:
    return dpi >> UNIT_BITS


def track_of(dpi: int) -> int:
    return dpi >> TRACK_BITS & _TRACKS


def sector_low(dpi: int) -> int:
    """The address as it is, which is what Jacobson divided."""
    return dpi


def track_low(dpi: int) -> int:
    """The track in the lowest bits, the sector above it: the change that Jacobson did not think worth the trouble."""
    return dpi >> UNIT_BITS << UNIT_BITS | (dpi & _SECTOR) << UNIT_BITS - TRACK_BITS | track_of(dpi)


def reversed_bits(dpi: int) -> int:
    """All 28 bits the other way round, so that the bits that vary most come last."""
    return int(f"{dpi:028b}"[::-1], 2)
