"""Seconds and bytes are used inside; these names convert at the edge (``20 * MS``, ``24 * KIB``)."""

from typing import NewType

US = 1e-6
MS = 1e-3
SECOND = 1.0
MINUTE = 60.0
HOUR = 3600.0

BYTE = 1
KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

KB = 1000
MB = 1000 * KB

Bytes = NewType("Bytes", int)
"""So many bytes, where a number of something else might stand: a command line then takes 4K and 1MiB."""
