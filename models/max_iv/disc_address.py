"""Packs unit, track and sector into the disc address (DPI) by which FHL, the cache, finds a sector; orders its bits."""

from collections.abc import Callable

TRACK_BITS = 8
"""Bits of an address below its track: those of the sector."""
UNIT_BITS = 24
"""Bits of an address below its unit."""
_SECTOR = (1 << TRACK_BITS) - 1
_TRACKS = (1 << UNIT_BITS - TRACK_BITS) - 1

Order = Callable[[int], int]
"""A function that orders the bits of a disc address before it is divided by the number of hash lists."""


def disc_address(unit: int, track: int, sector: int) -> int:
    """Return 4 bits of unit above 24 bits of address, of which the *sector* has the lowest 8 (Jacobson 2.1, 3.2)."""
    return unit << UNIT_BITS | track << TRACK_BITS | sector


def unit_of(dpi: int) -> int:
    return dpi >> UNIT_BITS


def track_of(dpi: int) -> int:
    return dpi >> TRACK_BITS & _TRACKS


def sector_low(dpi: int) -> int:
    """Return the address unchanged, as Jacobson divided it."""
    return dpi


def track_low(dpi: int) -> int:
    """Put the track in the lowest bits, the sector above: the change that Jacobson did not think worth the trouble."""
    return dpi >> UNIT_BITS << UNIT_BITS | (dpi & _SECTOR) << UNIT_BITS - TRACK_BITS | track_of(dpi)


def reversed_bits(dpi: int) -> int:
    """Return all 28 bits in reverse order, so that those of the sector, which vary most, become the highest."""
    return int(f"{dpi:028b}"[::-1], 2)
