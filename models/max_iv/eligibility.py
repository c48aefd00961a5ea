"""Decides which I/O requests the cache answers, which sectors it keeps, and which it drops: a class for each design."""

from dataclasses import dataclass
from math import inf
from typing import Protocol

from spindle.models.max_iv.requests import SECTOR_WORDS, RequestKind


class Eligibility(Protocol):
    """Rules of one design. *words* is a request's word count, *position* the sector's number in its file (FPI)."""

    def answers(self, kind: RequestKind, words: int) -> bool:
        """Return, at initiation, whether the cache may answer instead of the disc."""

    def keeps(self, kind: RequestKind, words: int, position: int) -> bool:
        """Return, at termination without an error, whether the sector enters the cache."""

    def spoils(self, kind: RequestKind, words: int) -> bool:
        """Return, at termination, whether cached copies of the sectors are stale and must be dropped."""


@dataclass(frozen=True)
class AsBuilt:
    """The cache as built (Jacobson 2.2, changed by 3.1): end-of-file marks (WEOF, AVR, BKR) bypass it, FPI is ignored.

    A short write is padded to a sector by the disc, so that it can be kept. The code of section 2.2 forgets on a WEOF
    only after an error, because it meant to cache it; as built nothing is cached on a WEOF, so the cache's copy of the
    sector would be stale.
    """

    def answers(self, kind: RequestKind, words: int) -> bool:
        return kind == 0 and words <= SECTOR_WORDS

    def keeps(self, kind: RequestKind, words: int, position: int) -> bool:
        return words == SECTOR_WORDS if kind == 0 else kind == 1 and words <= SECTOR_WORDS

    def spoils(self, kind: RequestKind, words: int) -> bool:
        return kind == RequestKind.WEOF or (kind == RequestKind.WRITE and words > SECTOR_WORDS)


@dataclass(frozen=True)
class MarksCached:
    """The cache as first meant (Jacobson 2.2): the mark is a 129th word, so a WEOF is kept, AVR and BKR are answered.

    This was given up: Modcomp's programs LIB and EDI need the words that belong to a mark, which a WEOF does not have
    (3.1).
    """

    def answers(self, kind: RequestKind, words: int) -> bool:
        return words <= SECTOR_WORDS and kind in (RequestKind.READ, RequestKind.AVR, RequestKind.BKR)

    def keeps(self, kind: RequestKind, words: int, position: int) -> bool:
        return kind == RequestKind.WEOF or AsBuilt().keeps(kind, words, position)

    def spoils(self, kind: RequestKind, words: int) -> bool:
        return kind == RequestKind.WRITE and words > SECTOR_WORDS


@dataclass(frozen=True)
class FpiFilter:
    """Sectors at position *limit* of their file or beyond are not kept, whatever the *rules* (Jacobson 2.1).

    A write that is not kept changes the disc without the cache, which must then forget the sector.
    """

    limit: float = inf
    rules: Eligibility = AsBuilt()

    def answers(self, kind: RequestKind, words: int) -> bool:
        return self.rules.answers(kind, words)

    def keeps(self, kind: RequestKind, words: int, position: int) -> bool:
        return position < self.limit and self.rules.keeps(kind, words, position)

    def spoils(self, kind: RequestKind, words: int) -> bool:
        return kind in (RequestKind.WRITE, RequestKind.WEOF)


@dataclass(frozen=True)
class ReadsAlone:
    """Written sectors do not enter the cache, which drops its copies of them."""

    def answers(self, kind: RequestKind, words: int) -> bool:
        return AsBuilt().answers(kind, words)

    def keeps(self, kind: RequestKind, words: int, position: int) -> bool:
        return kind == RequestKind.READ and words == SECTOR_WORDS

    def spoils(self, kind: RequestKind, words: int) -> bool:
        return kind in (RequestKind.WRITE, RequestKind.WEOF)


AS_BUILT = AsBuilt()
