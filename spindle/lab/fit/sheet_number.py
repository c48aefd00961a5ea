"""One number of a fitted sheet: the interval or the other values that the data allow, fitted or assumed."""

from dataclasses import dataclass
from math import inf

FITTED, ASSUMED = "fitted", "assumed"


@dataclass(frozen=True)
class SheetNumber:
    """One number of the sheet, in its unit, with its *source*, FITTED or ASSUMED, and the alternatives.

    A fitted one lies between *low* and *high*; of a choice, *others* are as near to what was measured.
    """

    name: str
    value: str
    source: str
    low: float = inf
    high: float = -inf
    others: tuple[str, ...] = ()

    @property
    def bears(self) -> str:
        """The interval or the other values that the data allow, as text."""
        if self.low <= self.high:
            return f"{self.low:.5g} " + (f"to {self.high:.5g}" if self.high < inf else "or more")
        return " or ".join(self.others)
