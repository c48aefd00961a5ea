"""Prints and reads numbers with units (40 ms, 6 MiB), which are seconds and bytes inside; and units of measures.

M, G and MiB are powers of 1024, as sizes of memory are; MB is a million bytes, as sizes of discs are.
"""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from math import isfinite

Units = Mapping[str, Decimal | int]
TIME_UNITS: Units = {"h": 3600, "min": 60, "s": 1, **{name: Decimal(each) for name, each in (
    ("ms", "1e-3"), ("us", "1e-6"), ("µs", "1e-6"), ("ns", "1e-9"))}}  # fmt: skip
BINARY = {"GiB": 2**30, "MiB": 2**20, "KiB": 2**10}
DECIMAL = {"GB": 10**9, "MB": 10**6, "KB": 10**3, "B": 1}
BYTE_UNITS: Units = {"TiB": 2**40, "T": 2**40, "TB": 10**12, **BINARY,
                     **{name[0]: size for name, size in BINARY.items()}, **DECIMAL, "bytes": 1}  # fmt: skip
"""Sizes that are understood; TiB and TB are never shown."""
SHOWN_TIMES = ("s", "ms", "µs", "ns")
MIN_SHOWN = 0.1
"""A time is shown in the largest unit of which it is at least this share."""
CLOCK_ROUNDING = 1e-12
"""Seconds; a shorter time is taken for 0, of which the clock's rounding left it."""
WITHOUT_POWER_BELOW = 1e9
"""Numbers below it have no power of ten where their first digits are shown."""

NUMBER_AND_UNIT = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?) ?(\D*)", re.IGNORECASE)
UNIT_AND_REST = re.compile(r"(min|s|bytes)(?!\w)(.*)")
BITS = re.compile(r"[\d.]+ ?(?:[KMGT]b|(?i:[kmgt]?i?bits?|[kmgt]bps)(?:/s)?|[KMGT]b/s)")
"""Amounts of bits, as rates of networks are printed; they are no bytes."""
TAILS = "mean|sd|min|median|p95|p99|p999|p9999|max"
UNITS_OF_MEASURES = {
    "s": re.compile(rf"(response|read|write|service|search)_({TAILS})|(part|demand)_\w+|think"),
    "bytes": re.compile(r"(\w+_)?bytes(_at_risk)?|memory_used"),
    "1/s": re.compile(r"\w+_rate|(\w+_)?throughput"),
    "bytes/s": re.compile(r"(\w+_)?bandwidth"),
}  # fmt: skip
UNITS_OF_OTHER_MEASURES = {
    "logical_reads": "1/s", "cycles_per_second": "1/s", "log_records": "1/s", "log_writes": "1/s",
    "response_ms": "ms", "us_per_call": "us", "rate": "bytes/s", "total_service": "s", "makespan": "s", "elapsed": "s",
    "in_library": "s", "in_calls": "s", "in_copying": "s", "in_pages": "s", "in_disc": "s", "in_waiting_to_write": "s",
    "of_others": "s", "power_fails_at": "s", "rebuild_seconds": "s",
    "written_then": "bytes", "lost_then": "bytes", "whole_then": "bytes",
    "first_reads": "bytes", "last_reads": "bytes", "bytes_rate": "bytes/s", "bytes_written": "bytes",
    "service_mean": "s", "disc_queue_mean": "s", "most_at_risk": "bytes", "device_bytes": "bytes", "safe_after": "s",
    "Memory: Available Bytes": "bytes", "Memory: Cache Bytes": "bytes",
}  # fmt: skip
"""Units of the measures whose names do not show them."""


def unit_of(measure: str) -> str:
    """The unit of a number of a run's summary, by its name; "1" where it has none."""
    if measure in UNITS_OF_OTHER_MEASURES:
        return UNITS_OF_OTHER_MEASURES[measure]
    return next((unit for unit, names in UNITS_OF_MEASURES.items() if names.fullmatch(measure)), "1")


def common_unit(values: Iterable[float], unit: str) -> str:
    """Return the unit in which a column shows *values* of *unit*, by the middle one; '' where each has its own."""
    head, _ = _split(unit)
    known = sorted(abs(value) for value in values if isfinite(value) and value)
    if not known or head not in ("s", "bytes"):
        return ""
    middle = known[len(known) // 2]
    if head == "s":
        return next((name for name in SHOWN_TIMES if middle >= MIN_SHOWN * float(TIME_UNITS[name])), SHOWN_TIMES[-1])
    binary = any(all(value % size == 0 for value in known) for size in BINARY.values())
    units = BINARY if binary else DECIMAL
    return next((name for name, size in units.items() if middle >= size), list(units)[-1])


def quantity(value: float, unit: str, digits: int = 4, binary: bool = False, shown_in: str = "") -> str:
    """Return *value* with its *unit*, to *digits* significant digits: ``4.3 ms``, ``6 MiB``, ``512 sectors``, ``0.5``.

    With *binary*, all bytes are in binary units, else only whole ones. A column has one unit, *shown_in*.
    """
    head, rest = _split(unit)
    if not isfinite(value) or unit == "1":
        return _number(value, digits)
    if unit == "s" and abs(value) < CLOCK_ROUNDING:
        value = 0.0
    if shown_in:
        factor = float({**TIME_UNITS, **BYTE_UNITS}[shown_in])
        return f"{_number(value / factor, digits)} {shown_in}{rest}"
    if head == "s":
        shown = next((each for each in SHOWN_TIMES if abs(value) >= MIN_SHOWN * float(TIME_UNITS[each])), "ns")
        shown = shown if value else "s"
        return f"{_number(value / float(TIME_UNITS[shown]), digits)} {shown}{rest}"
    if head == "bytes":
        return f"{_bytes(value, digits, binary)}{rest}"
    return f"{_number(value, digits)}{unit[1:] if unit.startswith('1/') else f' {unit}'}"


def amount(text: str, unit: str) -> float | None:
    """Read *text*, a number with a unit of the kind of *unit* (40ms, 2min, 6MB), as an amount in *unit*; else None.

    Whole bytes are whole numbers.
    """
    head, rest = _split(unit)
    match = NUMBER_AND_UNIT.fullmatch(text.strip())
    if match is None or (head == "bytes" and BITS.fullmatch(text.strip())):
        return None
    word = match[2].strip().removesuffix(rest.strip())
    units = BYTE_UNITS if head == "bytes" else TIME_UNITS if head else {unit: 1, unit.removeprefix("1"): 1}
    usual = units[head or unit]
    factor = {"": usual, **{name.lower(): each for name, each in units.items()}}.get(word.lower())
    if factor is None:
        return None
    try:
        value = Decimal(match[1]) * factor / usual
    except InvalidOperation:
        return None
    return int(value) if unit == "bytes" and value == value.to_integral_value() else float(value)


ROUNDED_FROM = 1e15
"""Counts from here on show their first digits only."""


def show(measure: str, value: float, digits: int = 4, shown_in: str = "") -> str:
    """Show *value* with the unit of *measure*, *shown_in* that of its column; a count has all its digits."""
    unit = unit_of(measure)
    if unit == "1" and value < ROUNDED_FROM:
        digits = max(digits, len(f"{abs(value):.0f}"))
    return quantity(value, unit, digits, shown_in=shown_in)


def _split(unit: str) -> tuple[str, str]:
    """Split *unit* into the time or bytes that it counts and the rest: ``s`` and ``/byte``."""
    match = UNIT_AND_REST.fullmatch(unit)
    return (match[1], match[2]) if match else ("", "")


def _bytes(value: float, digits: int, binary: bool) -> str:
    """Write bytes in the largest binary unit that they fill, or else as a decimal of *binary* or decimal units."""
    whole = next((name for name, size in BINARY.items() if value and value % size == 0), None)
    if whole is not None:
        return f"{value / BINARY[whole]:.0f} {whole}"
    units = {**BINARY, "B": 1} if binary else DECIMAL
    shown = next((name for name, size in units.items() if abs(value) >= size), "B")
    return f"{_number(value / units[shown], digits)} {shown}"


def _number(value: float, digits: int) -> str:
    text = str(value) if isinstance(value, int) else f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text and abs(value) < WITHOUT_POWER_BELOW else text
