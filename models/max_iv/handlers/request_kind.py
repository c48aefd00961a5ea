"""The seven I/O requests of a Max-IV disc handler, and the sector that all of them are about (Jacobson 2.1)."""

from enum import IntEnum

WORD_BYTES = 2
SECTOR_WORDS = 128
SECTOR_BYTES = 256


class RequestKind(IntEnum):
    """The last four move no words: they look for a mark, that of a record's or of a file's end."""

    READ = 0
    WRITE = 1
    WEOF = 2
    AVR = 3
    AVF = 4
    BKR = 5
    BKF = 6


WRITES = (RequestKind.WRITE, RequestKind.WEOF)
"""What changes the disc."""
