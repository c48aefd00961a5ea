"""The places of a slider: values about the usual one, as a command line has them, within the rule of a parameter."""

from collections.abc import Iterator
from dataclasses import Field
from math import inf
from typing import Any

from spindle.questions.settings import Setting
from spindle.sim.parameter import Rule
from spindle.web.play.spelling import value_text

SLIDER_DIGITS = 2
"""Digits of a slider's place; the default keeps all of its digits."""
FACTORS = [2 ** (step / 4) for step in range(-8, 9)]
SIZE_FACTORS = (0.125, 0.1875, 0.25, 0.375, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 6, 8)
"""Places of a slider over its default, of numbers and of sizes."""
NUMBERS_FROM_ZERO = (0, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
SIZES_FROM_ZERO = (0, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536)
"""Places of a slider whose default is 0."""
SMALL_NUMBERS, MAX_USUAL = 9, 64
"""A slider of whole numbers up to MAX_USUAL stops at each of the first SMALL_NUMBERS."""


def usual_of(field: Field[Any]) -> Any:
    return field.default


def ticks(field: Field[Any], setting: Setting) -> list[str]:
    """The places of the slider of the parameter *field*, in their order, its default among them."""
    rule, usual = field.metadata["rule"], usual_of(field)
    values = sorted({usual, *(each for each in _places_around(usual, setting, rule) if _is_allowed(each, rule))})
    return list(dict.fromkeys(value_text(each, setting) for each in values))


def _places_around(usual: float, setting: Setting, rule: Rule) -> Iterator[float]:
    if setting.kind is float and setting.unit == "1" and rule.high <= 1.0:
        yield from (step / 20 for step in range(21))
    elif setting.unit == "bytes":
        yield from (round(usual * each) for each in SIZE_FACTORS) if usual else SIZES_FROM_ZERO
    elif setting.kind is int:
        yield from (round(float(f"{usual * each:.{SLIDER_DIGITS}g}")) for each in FACTORS) if usual else range(11)
        yield from range(SMALL_NUMBERS if usual <= MAX_USUAL else 0)
    else:
        yield from (float(f"{usual * each:.{SLIDER_DIGITS}g}") for each in FACTORS) if usual else NUMBERS_FROM_ZERO


def _is_allowed(value: float, rule: Rule) -> bool:
    return rule.low <= value <= rule.high and not (rule.positive and value <= 0) and value < inf
