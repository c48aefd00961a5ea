"""Whose time it is: an Account adds up where the seconds of one transaction went.

The phases of a response are charged as intervals, so that their sum is the response itself, also where accesses are
shared: each waiter is charged the pieces that lie within its own wait.
"""

from collections.abc import Iterable
from enum import IntEnum
from math import fsum


class Phase(IntEnum):
    """Where time goes. The first four are work of a CPU, the rest are waits and work of other parts."""

    CPU = 0
    CACHE = 1
    MANAGER = 2
    INTERRUPT = 3
    CPU_WAIT = 4
    LINE = 5
    LOCK = 6
    MEMORY = 7
    WRITE_WAIT = 8
    QUEUE = 9
    OVERHEAD = 10
    SEEK = 11
    ROTATION = 12
    TRANSFER = 13
    CHANNEL = 14


CPU, CACHE, CPU_WAIT, LINE, LOCK = Phase.CPU, Phase.CACHE, Phase.CPU_WAIT, Phase.LINE, Phase.LOCK
"""The same as globals: before CPython 3.12 each look-up of a member by way of its class costs as much as a call."""

PARTS = len(Phase)
Piece = tuple[Phase, float, float]
"""A phase of a response, and the instants at which it begins and ends."""


class Account:
    """The seconds of one transaction, or of one piece of background work, by Phase."""

    __slots__ = ("name", "seconds", "charges")

    def __init__(self, name: str) -> None:
        self.name = name
        self.seconds = [0.0] * PARTS
        self.charges = 0

    def charge(self, part: Phase, begin: float, end: float) -> None:
        """Add the time from *begin* to *end* to *part*."""
        self.seconds[part] += end - begin
        self.charges += 1

    def share(self, pieces: Iterable[Piece], joined: float, resumed: float) -> None:
        """Charge what of *pieces* lies within the wait from *joined* to *resumed*."""
        for part, begin, end in pieces:
            if begin < joined:
                begin = joined
            if end > resumed:
                end = resumed
            if end > begin:
                self.charge(part, begin, end)

    def total(self) -> float:
        return fsum(self.seconds)


class Ledger(Account):
    """An account that also remembers when, for work that others may join and share."""

    __slots__ = ("pieces",)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.pieces: list[Piece] = []

    def charge(self, part: Phase, begin: float, end: float) -> None:
        super().charge(part, begin, end)
        self.pieces.append((part, begin, end))
