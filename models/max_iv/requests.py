"""Defines the seven I/O requests of a Max-IV disc handler (Jacobson 2.1), the size of a sector, and disc errors."""

from enum import IntEnum
from random import Random
from typing import Protocol


class Errors(Protocol):
    """Decides which requests fail."""

    def strike(self) -> bool:
        """Draw whether the request that has just ended has failed."""


class NoErrors:
    """A disc that never fails."""

    def strike(self) -> bool:
        return False


class RandomErrors:
    """A *share* of all requests fails, whatever they are and wherever they go."""

    def __init__(self, share: float, random: Random) -> None:
        self._share = share
        self._random = random

    def strike(self) -> bool:
        return self._random.random() < self._share


def errors(share: float, random: Random) -> Errors:
    return RandomErrors(share, random) if share > 0.0 else NoErrors()


SECTOR_WORDS = 128
SECTOR_BYTES = 256


class RequestKind(IntEnum):
    """Requests of programs. WEOF writes an end-of-file mark.

    The last four move no words: AVR and AVF advance to the mark of a record's or of a file's end, BKR and BKF go back.
    """

    READ = 0
    WRITE = 1
    WEOF = 2
    AVR = 3
    AVF = 4
    BKR = 5
    BKF = 6


WRITE_KINDS = (RequestKind.WRITE, RequestKind.WEOF)
"""Requests that change the disc."""
