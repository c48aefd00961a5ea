"""A condition on a run, as a user writes it: ``response_p95 <= 2``, ``response_mean <= 800ms``."""

import re
from dataclasses import dataclass
from math import isfinite

from sim.error import UserError, shown
from sim.quantity import amount, quantity, unit_of


@dataclass(frozen=True)
class Condition:
    """A *measure* of a run's summary that is at most, or with *least* at least, a *bound*."""

    measure: str
    bound: float
    least: bool = False

    @classmethod
    def read(cls, text: str) -> "Condition":
        """``response_p95 <= 2`` or ``hit_ratio >= 0.7``, in the unit of the summary, or in one that is named."""
        match = re.fullmatch(r"\s*(\w+)\s*(<=|>=|<|>)\s*([^<>=]+)", text)
        bound = None if match is None else amount(match[3], unit_of(match[1]))
        if match is None or bound is None or not isfinite(bound):
            raise UserError(f"a condition is a measure, <= or >=, and a number, as 'response_p95 <= 2', "
                            f"not {shown(text)}")
        return cls(match[1], bound, match[2][0] == ">")

    def met(self, value: float) -> bool:
        return value >= self.bound if self.least else value <= self.bound

    def __str__(self) -> str:
        return f"{self.measure} {'>=' if self.least else '<='} {quantity(self.bound, unit_of(self.measure))}"
