"""Converts the numbers of an answer to seconds and shares of 1, by their names: the text may show ms and percent."""

from collections.abc import Mapping
from typing import Any

from spindle.sim.units import MS, US

BASE_OF_ENDING = {"_ms": ("", MS), "_us": ("", US), "_percent": ("_share", 0.01)}
"""By the ending of a name: the ending in its place in base units, and the factor of the number."""


def in_base_units(data: Any) -> Any:
    """Return *data*, mappings and lists of numbers, with times in seconds and shares of 1: ``p99.9_ms`` is ``p999``."""
    if isinstance(data, Mapping):
        return dict(_convert(str(name), value) for name, value in data.items())
    return [in_base_units(each) for each in data] if isinstance(data, list | tuple) else data


def _convert(name: str, value: Any) -> tuple[str, Any]:
    for ending, (instead, factor) in BASE_OF_ENDING.items():
        if name.endswith(ending) and (value is None or isinstance(value, int | float)):
            base = name.removesuffix(ending).replace("p99.", "p99") + instead
            return base, value if value is None else value * factor
    return name, in_base_units(value)
