"""A full factorial of keyword arguments: its points in their order, without holding them all."""

from collections.abc import Mapping
from math import prod

import numpy as np

from sim.error import UserError
from sim.output.label import named

Point = Mapping[str, object]


class Grid:
    """Lists, tuples, ranges and arrays are axes, everything else is a constant. The last axis varies fastest."""

    def __init__(self, arguments: Mapping[str, object]) -> None:
        self.values = {name: _values(name, value) for name, value in arguments.items()}
        self.axes = [name for name, value in arguments.items() if _is_axis(value)] or list(arguments)
        """What tells one point from another."""

    def __len__(self) -> int:
        return prod(map(len, self.values.values()))

    def __getitem__(self, index: int) -> dict[str, object]:
        at = self.at(index)
        return {name: values[at[name]] for name, values in self.values.items()}

    def at(self, index: int) -> dict[str, int]:
        """Which value of each argument the point *index* has."""
        found = {}
        for name in reversed(self.values):
            index, found[name] = divmod(index, len(self.values[name]))
        return found

    def where(self, index: int) -> str:
        point = self[index]
        return named({name: point[name] for name in self.axes})


def _values(name: str, value: object) -> list[object]:
    if not _is_axis(value):
        return [value]
    # An array's own numbers are not Python's; models want int and float.
    values: list[object] = value.tolist() if isinstance(value, np.ndarray) else list(value)  # type: ignore[call-overload]
    if not values:
        raise UserError(f"{name} has no values to sweep over")
    return values


def _is_axis(value: object) -> bool:
    """A named tuple is one thing with parts, not several things."""
    return isinstance(value, list | tuple | range | np.ndarray) and not hasattr(value, "_fields")
