"""Writes a value as the shortest word of a command line that is read back as the same number."""

import re
from collections.abc import Iterator
from math import isclose

from spindle.questions.settings import Setting
from spindle.sim.quantity import BINARY, amount, quantity


def value_text(value: float, setting: Setting) -> str:
    """Return the shortest text of *value* that *setting* reads back as the same number, up to rounding."""
    return next(each for each in _spellings(value, setting) if _reads(each, setting.unit, value))


def _reads(text: str, unit: str, value: float) -> bool:
    """Tell if *text*, read as a number of *unit*, is *value* but for rounding."""
    read = amount(text, unit)
    return read is not None and isclose(read, value, rel_tol=1e-12)


def _spellings(value: float, setting: Setting) -> Iterator[str]:
    """Yield texts of *value*, the easiest to read first; the last one is exact."""
    if setting.unit.startswith("bytes"):
        yield from (f"{value / size:.{digits}g}{name}" for digits in (4, 7) for name, size in BINARY.items()
                    if size <= value < 10**digits * size)  # fmt: skip
    if setting.unit.startswith(("s", "bytes", "min")) and not setting.unit.startswith("sectors"):
        yield re.split("[ /]", quantity(value, setting.unit, 6).replace(" ", "", 1))[0]
    yield f"{value:.6g}"
    yield repr(value)
