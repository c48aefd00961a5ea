"""Points of a sweep: all combinations of keyword arguments, in their order, without holding them all."""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from sim.error import UserError
from sim.output.label import named

Point = Mapping[str, object]


class Grid:
    """Lists, tuples, ranges and arrays are axes, everything else is a constant. The last axis varies fastest.

    The columns of a *design*, all of one length, are one axis together: the first.
    """

    def __init__(self, arguments: Mapping[str, object], design: Mapping[str, Sequence[object]] | None = None) -> None:
        columns = {} if design is None else design
        both = [name for name in columns if name in arguments]
        if both:
            raise UserError(f"{both[0]} is a column of the design, and is given beside it")
        self.values = {**columns, **{name: _values(name, value) for name, value in arguments.items()}}
        self._steps = ([list(columns)] if columns else []) + [[name] for name in arguments]
        axes = [name for name, value in arguments.items() if _is_axis(value)]
        self.axes = [*columns, *axes] or list(arguments)
        """The arguments that differ between points."""

    def __len__(self) -> int:
        return prod(len(self.values[names[0]]) for names in self._steps)

    def __getitem__(self, index: int) -> dict[str, object]:
        at = self.at(index)
        return {name: values[at[name]] for name, values in self.values.items()}

    def at(self, index: int) -> dict[str, int]:
        """Which value of each argument the point *index* has."""
        places: dict[str, int] = {}
        for names in reversed(self._steps):
            index, place = divmod(index, len(self.values[names[0]]))
            places |= dict.fromkeys(names, place)
        return places

    def where(self, index: int) -> str:
        point = self[index]
        return named({name: point[name] for name in self.axes})


def _values(name: str, value: object) -> Sequence[object]:
    if not _is_axis(value):
        return [value]
    if isinstance(value, range) and value:
        return value  # whose numbers need not be held
    # An array's own numbers are not Python's; models want int and float.
    values: list[object] = value.tolist() if isinstance(value, np.ndarray) else list(value)  # type: ignore[call-overload]
    if not values:
        raise UserError(f"{name} has no values to sweep over")
    return values


def _is_axis(value: object) -> bool:
    """A named tuple is one thing with parts, not several things."""
    return isinstance(value, list | tuple | range | np.ndarray) and not hasattr(value, "_fields")
