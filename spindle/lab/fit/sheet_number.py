"""Describes one number of a fitted sheet: its value, if it is fitted or assumed, and what else the data allow."""

from dataclasses import dataclass, field
from math import inf

FITTED, ASSUMED = "fitted", "assumed"


@dataclass(frozen=True)
class Basis:
    """What fitted values rest on: *points* of one *kind*, and the measured *values* of these together."""

    kind: str
    points: int
    values: int


@dataclass(frozen=True)
class SheetNumber:
    """A number of a fitted sheet: *name* and *value* in the sheet's unit; its *source* is FITTED or ASSUMED.

    The data allow values from *low* to *high*, if *low* is not above *high*; of a choice, they allow *others* as well.
    A fitted one may say its *basis*; numbers that differ in it alone are the same.
    """

    name: str
    value: str
    source: str
    low: float = inf
    high: float = -inf
    others: tuple[str, ...] = ()
    basis: Basis | None = field(default=None, compare=False)

    @property
    def bears(self) -> str:
        """Return what else the data allow, as text: the interval, or the other values."""
        if self.low <= self.high:
            return f"{self.low:.5g} " + (f"to {self.high:.5g}" if self.high < inf else "or more")
        return " or ".join(self.others)
