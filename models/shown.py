"""What a page says of many things: how many there are, and a few of them."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def counted(count: int, noun: str) -> str:
    """``1 block``, ``2,000 blocks``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def spaced(values: Sequence[T], most: int) -> list[T]:
    """At most so many of *values*, evenly from the first to the last."""
    if len(values) <= most:
        return list(values)
    return [values[round(place * (len(values) - 1) / (most - 1))] for place in range(most)]
