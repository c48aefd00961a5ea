"""Which I/O requests the cache answers, which it keeps, and which make it forget: Jacobson 2.2 as changed by 3.1."""

from enum import IntEnum

SECTOR_WORDS = 128
SECTOR_BYTES = 256


class Kind(IntEnum):
    """The seven I/O requests of a Max-IV disc handler (Jacobson 2.1); the last four only look for a mark."""

    READ = 0
    WRITE = 1
    WEOF = 2
    AVR = 3
    AVF = 4
    BKR = 5
    BKF = 6


def may_be_answered(kind: Kind, words: int) -> bool:
    """At initiation: whether the cache can stand in for the disc. As built, AVR and BKR always go to the disc."""
    return kind == Kind.READ and words <= SECTOR_WORDS


def is_kept(kind: Kind, words: int) -> bool:
    """At termination: whether the sector goes into the cache. A short write is padded to a sector by the disc."""
    return words == SECTOR_WORDS if kind == Kind.READ else kind == Kind.WRITE and words <= SECTOR_WORDS


def spoils(kind: Kind, words: int) -> bool:
    """At termination: whether the disc has changed without the cache, which must forget the sectors.

    The code of section 2.2 forgets on a WEOF only after an error, because it meant to cache it; as built
    nothing is cached on a WEOF, so what the cache had of the sector would be stale.
    """
    return kind == Kind.WEOF or (kind == Kind.WRITE and words > SECTOR_WORDS)
