"""The places of a slider: values about the usual one, as a command line has them, within the rule of a parameter."""

import re
from collections.abc import Iterator
from dataclasses import Field
from math import inf, isclose
from typing import Any

from models.settings import Setting
from sim.parameter import Rule
from sim.quantity import BINARY, amount, quantity

DIGITS = 2
"""Of a place of a slider; the usual value is what it is."""
AROUND = [2 ** (step / 4) for step in range(-8, 9)]
SIZES_AROUND = (0.125, 0.1875, 0.25, 0.375, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 6, 8)
FROM_ZERO = (0, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
SIZES_FROM_ZERO = (0, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536)
FEW, MANY = 9, 64
"""The whole numbers below FEW are places of their own, unless the usual one is above MANY."""
VARIED = 6
"""Values of what is varied, where nothing else says which."""


def written(value: float, setting: Setting) -> str:
    """*value* as a command line has it, short, from which it is read again but for the last digits of a product."""
    return next(each for each in _texts(value, setting) if _reads(each, setting.unit, value))


def _reads(text: str, unit: str, value: float) -> bool:
    read = amount(text, unit)
    return read is not None and isclose(read, value, rel_tol=1e-12)


def _texts(value: float, setting: Setting) -> Iterator[str]:
    """Ways to write it, the most legible first; the last is exact."""
    if setting.unit.startswith("bytes"):
        yield from (f"{value / size:.4g}{name}" for name, size in BINARY.items() if value >= size)
    if setting.unit.startswith(("s", "bytes", "min")) and not setting.unit.startswith("sectors"):
        yield re.split("[ /]", quantity(value, setting.unit, 6).replace(" ", "", 1))[0]
    yield f"{value:.6g}"
    yield repr(value)


def usual_of(field: Field[Any]) -> Any:
    """The default of *field*."""
    return field.default


def ticks(field: Field[Any], setting: Setting) -> list[str]:
    """The places of the slider of the parameter *field*, in their order, its default among them."""
    rule, usual = field.metadata["rule"], usual_of(field)
    values = sorted({usual, *(each for each in _around(usual, setting, rule) if _within(each, rule))})
    return list(dict.fromkeys(written(each, setting) for each in values))


def _around(usual: float, setting: Setting, rule: Rule) -> Iterator[float]:
    if setting.kind is float and setting.unit == "1" and rule.high <= 1.0:
        yield from (step / 20 for step in range(21))
    elif setting.unit == "bytes":
        yield from (round(usual * each) for each in SIZES_AROUND) if usual else SIZES_FROM_ZERO
    elif setting.kind is int:
        yield from (round(float(f"{usual * each:.{DIGITS}g}")) for each in AROUND) if usual else range(11)
        yield from range(FEW if usual <= MANY else 0)
    else:
        yield from (float(f"{usual * each:.{DIGITS}g}") for each in AROUND) if usual else FROM_ZERO


def _within(value: float, rule: Rule) -> bool:
    return rule.low <= value <= rule.high and not (rule.positive and value <= 0) and value < inf
