"""Chooses the places of a parameter's slider: allowed values around the default one, as on a command line."""

from collections.abc import Iterator
from dataclasses import Field
from math import inf
from typing import Any

from spindle.questions.settings import Setting
from spindle.sim.parameter import Rule
from spindle.web.play.spelling import value_text

SLIDER_DIGITS = 2
"""Significant digits of a slider's places; the default value keeps all of its digits."""
RATIOS = [2 ** (step / 4) for step in range(-8, 9)]
SIZE_FACTORS = (0.125, 0.1875, 0.25, 0.375, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 6, 8)
"""Places of a slider as multiples of its default: of numbers, RATIOS, and of sizes in bytes."""
NUMBERS_FROM_ZERO = (0, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
SIZES_FROM_ZERO = (0, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536)
"""Places of a slider whose default is 0."""
SMALL_NUMBERS, MAX_USUAL = 9, 64
"""A slider of whole numbers has the places 0 to SMALL_NUMBERS - 1, too, if its default is at most MAX_USUAL."""


def usual_of(field: Field[Any]) -> Any:
    """Return the default of the parameter *field*."""
    return field.default


def ticks(field: Field[Any], setting: Setting) -> list[str]:
    """Return the places of the slider of the parameter *field*, in order, its default among them."""
    rule, usual = field.metadata["rule"], usual_of(field)
    values = sorted({usual, *(each for each in _places_around(usual, setting, rule) if _is_allowed(each, rule))})
    return list(dict.fromkeys(value_text(each, setting) for each in values))


def _places_around(usual: float, setting: Setting, rule: Rule) -> Iterator[float]:
    if setting.kind is float and setting.unit == "1" and rule.high <= 1.0:
        yield from (step / 20 for step in range(21))
    elif setting.unit == "bytes":
        yield from (round(usual * each) for each in SIZE_FACTORS) if usual else SIZES_FROM_ZERO
    elif setting.kind is int:
        yield from (round(float(f"{usual * each:.{SLIDER_DIGITS}g}")) for each in RATIOS) if usual else range(11)
        yield from range(SMALL_NUMBERS if usual <= MAX_USUAL else 0)
    else:
        yield from (float(f"{usual * each:.{SLIDER_DIGITS}g}") for each in RATIOS) if usual else NUMBERS_FROM_ZERO


def _is_allowed(value: float, rule: Rule) -> bool:
    return rule.low <= value <= rule.high and not (rule.positive and value <= 0) and value < inf
