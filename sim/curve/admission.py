"""Who is admitted into a cache at all: a filter before its policy, which answers whatever is asked of it in turn."""

from collections.abc import Callable
from typing import Protocol

from sim.error import UserError

MIX = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
WORD = (1 << 64) - 1


class Admission(Protocol):
    def admits(self, key: int, size: int) -> bool:
        """Whether an object that is missing comes in; asked once for each miss."""


class AdmitAll:
    def admits(self, key: int, size: int) -> bool:
        return True


class AdmitSmall:
    """Objects of at most *most* bytes."""

    def __init__(self, most: int = 1 << 20) -> None:
        if most < 1:
            raise UserError(f"admission by size lets in objects of up to a byte at least, not {most!r}")
        self._most = most

    def admits(self, key: int, size: int) -> bool:
        return size <= self._most


class AdmitAgain:
    """Objects that have missed before, as a Bloom filter remembers them: with *bits* for *marks* of each.

    Bloom, "Space/time trade-offs in hash coding with allowable errors", CACM 13(7), 1970; at Akamai three quarters of
    the objects are asked for once (Maggs and Sitaraman, "Algorithmic nuggets in content delivery", CCR 45(3), 2015).
    It takes some for known that are not, and never forgets.
    """

    def __init__(self, bits: int = 1 << 24, marks: int = 4) -> None:
        if not 8 <= bits <= 1 << 33 or not 1 <= marks <= 16:
            raise UserError(f"a Bloom filter has 8 to {1 << 33} bits and 1 to 16 marks, not {bits!r} and {marks!r}")
        self._bits, self._marks = bits, marks
        self._filter = bytearray(bits // 8 + 1)

    def admits(self, key: int, size: int) -> bool:
        known = True
        one, other = _mixed(key), _mixed(key + MIX[0])
        for mark in range(self._marks):
            byte, bit = divmod((one + mark * other) % self._bits, 8)
            known = known and bool(self._filter[byte] >> bit & 1)
            self._filter[byte] |= 1 << bit
        return known


def _mixed(key: int) -> int:
    """The finish of splitmix64 (Steele et al., 2014)."""
    bits = key & WORD
    for shift, factor in zip((30, 27), MIX, strict=True):
        bits = (bits ^ (bits >> shift)) * factor & WORD
    return bits ^ (bits >> 31)


ADMISSIONS: dict[str, Callable[..., Admission]] = {"all": AdmitAll, "size": AdmitSmall, "bloom": AdmitAgain}
