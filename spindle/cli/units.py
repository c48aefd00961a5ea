"""Numbers of a run's summary with their units, for tables on a screen."""

from spindle.sim.quantity import quantity, unit_of

ROUNDED_FROM = 1e15
"""Counts from here on show their first digits only."""


def shown(measure: str, value: float, digits: int = 4) -> str:
    """*value* with the unit of *measure*; a count has all its digits."""
    unit = unit_of(measure)
    if unit == "1" and value < ROUNDED_FROM:
        digits = max(digits, len(f"{abs(value):.0f}"))
    return quantity(value, unit, digits)
