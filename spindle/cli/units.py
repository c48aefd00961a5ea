"""Units of the numbers in a run's summary, for tables on a screen."""

from spindle.sim.quantity import quantity, unit_of

MORE = {
    "logical_reads": "1/s", "cycles_per_second": "1/s", "log_records": "1/s", "log_writes": "1/s",
    "response_ms": "ms", "us_per_call": "us", "rate": "bytes/s", "total_service": "s", "makespan": "s", "elapsed": "s",
    "service_mean": "s", "disc_queue_mean": "s", "most_at_risk": "bytes", "device_bytes": "bytes", "safe_after": "s",
    "Memory: Available Bytes": "bytes", "Memory: Cache Bytes": "bytes",
}  # fmt: skip
"""Of those that do not say it by their names."""

MOST = 1e15
"""Counts from here on are shown by their first digits."""


def measure_unit(measure: str) -> str:
    """"1" for a share or a count."""
    return MORE.get(measure, unit_of(measure))


def shown(measure: str, value: float, digits: int = 4) -> str:
    """*value* with the unit of *measure*; a count has all its digits."""
    unit = measure_unit(measure)
    return quantity(value, unit, max(digits, len(f"{abs(value):.0f}")) if unit == "1" and value < MOST else digits)
