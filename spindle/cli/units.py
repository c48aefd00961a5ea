"""Numbers of a run's summary with their units, for tables on a screen."""

from spindle.sim.quantity import quantity, unit_of

MOST = 1e15
"""Counts from here on are shown by their first digits."""


def shown(measure: str, value: float, digits: int = 4) -> str:
    """*value* with the unit of *measure*; a count has all its digits."""
    unit = unit_of(measure)
    return quantity(value, unit, max(digits, len(f"{abs(value):.0f}")) if unit == "1" and value < MOST else digits)
