"""Bounds beyond which a file is no trace: what a reader of a stranger's file holds it to."""

from dataclasses import dataclass

from sim.units import GIB

LEAST_BLOCK = 512
"""Bytes: that of nothing in a trace, and of no cache of a drive, is smaller than a sector."""


@dataclass(frozen=True)
class TraceLimits:
    """Bytes, seconds, and how many bad lines (or records) are passed over before the next is a UserError."""

    skip_bad: int = 0
    slack: float = 10.0
    """A request may stand behind one that came so much later: logs are written when requests are done."""
    latest: float = 1e10
    end: int = 1 << 60
    """No device has bytes from here on: an exbibyte."""
    length: int = GIB
    devices: int = 1024
    line: int = 1 << 16
    size: int = 1 << 42
    """Of the file, decompressed."""
    ratio: float = 200.0
    """Decompressed to compressed: traces reach 30, and what reaches a thousand was made to fill a disc."""
    ratio_from: int = 1 << 22
    """Decompressed bytes from which the ratio counts: a short file may well be all alike."""
