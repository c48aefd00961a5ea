"""Op is an operation of a device, a read or a write; Span is a range of its bytes."""

from enum import Enum
from typing import NamedTuple


class Op(Enum):
    READ = "read"
    WRITE = "write"


READ, WRITE = Op
"""Members of Op as globals, which are faster to look up, as ``CPU`` is for ``Phase.CPU``."""


class Span(NamedTuple):
    """A range of *length* bytes of a device from byte *first* on. ("Extent" is used for a piece of a file.)

    >>> Span(512, 2 * KB).end
    2512
    """

    first: int
    length: int

    @property
    def end(self) -> int:
        return self.first + self.length

    def overlaps(self, other: "Span") -> bool:
        return self.first < other.first + other.length and other.first < self.first + self.length
