"""Values as words of a command line: the shortest text that is read back as the same number."""

import re
from collections.abc import Iterator
from math import isclose

from spindle.questions.settings import Setting
from spindle.sim.quantity import BINARY, amount, quantity


def value_text(value: float, setting: Setting) -> str:
    """Format *value* shortly for a command line, which reads it back to within rounding of a product."""
    return next(each for each in _spellings(value, setting) if _reads(each, setting.unit, value))


def _reads(text: str, unit: str, value: float) -> bool:
    read = amount(text, unit)
    return read is not None and isclose(read, value, rel_tol=1e-12)


def _spellings(value: float, setting: Setting) -> Iterator[str]:
    """Yield ways to write *value*, the most legible first; the last is exact."""
    if setting.unit.startswith("bytes"):
        yield from (f"{value / size:.{digits}g}{name}" for digits in (4, 7) for name, size in BINARY.items()
                    if size <= value < 10**digits * size)  # fmt: skip
    if setting.unit.startswith(("s", "bytes", "min")) and not setting.unit.startswith("sectors"):
        yield re.split("[ /]", quantity(value, setting.unit, 6).replace(" ", "", 1))[0]
    yield f"{value:.6g}"
    yield repr(value)
