"""Units of time and size as numbers of seconds and bytes, for factors such as ``20 * MS`` and ``24 * KIB``."""

from typing import NewType

NS = 1e-9
US = 1e-6
"""A microsecond in seconds, as in ``20 * US``."""
MS = 1e-3
"""A millisecond in seconds, as in ``20 * MS``."""
SECOND = 1.0
MINUTE = 60.0
"""A minute in seconds."""
HOUR = 3600.0
"""An hour in seconds."""
DAY = 86_400.0

KIB = 1024
"""1024 bytes, as memories and sectors are counted."""
MIB = 1024 * KIB
"""1024 KIB, as memories are counted."""
GIB = 1024 * MIB
"""1024 MIB, as memories are counted."""

KB = 1000
"""A thousand bytes, as channels and makers of discs count."""
MB = 1000 * KB
"""A million bytes, as channels and makers of discs count."""
GB = 1000 * MB

Bytes = NewType("Bytes", int)
"""Type of an argument that is a number of bytes: the command line then takes 4K and 1MiB for it."""
