"""Which head of a cylinder a track lies under: the orders in which the tracks of a cylinder are filled."""

from typing import Protocol


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
