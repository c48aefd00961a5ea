"""What may be given to a run by its name, read from words: the arguments of its ``run``, and its parameters."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

from models.commands.values import value
from sim.quantity import quantity
from sim.units import Bytes

SIMPLE = (int, float, bool, str, Bytes, Path)
NUMBERS = (int, float, Bytes)
UNITS = {"minutes": "min", "warm_up": "min", "seconds": "s", "tail": "s"}
"""Arguments of runs that are times; a parameter knows its own unit."""
DIGITS = 6
APART = ("interval", "keep_rows", "seed")


@dataclass(frozen=True)
class Setting:
    """What may be given by its name: one of the types in SIMPLE, and the *unit* of a number."""

    kind: Any
    unit: str = "1"

    @property
    def is_number(self) -> bool:
        return self.kind in NUMBERS

    def split(self, text: str) -> list[str]:
        """The values of an axis."""
        return text.split(",")

    def read(self, name: str, text: str) -> Any:
        return value(name, text, self.kind, self.unit)

    def text(self, given: object) -> str:
        """A value of it, as a screen shows it."""
        if isinstance(given, bool):
            return str(given).lower()
        return quantity(given, self.unit, DIGITS) if isinstance(given, int | float) and self.is_number else str(given)


def settings_of_run(run: Callable[..., Any]) -> dict[str, Setting]:
    """The simple arguments of *run*; what may be None is of the type that it is else."""
    parameters = inspect.signature(run).parameters.values()
    kinds = {each.name: _simple(each.annotation) for each in parameters if each.name not in APART}
    return {name: Setting(kind, "bytes" if kind is Bytes else UNITS.get(name, "1"))
            for name, kind in kinds.items() if kind is not None}  # fmt: skip


def _simple(annotation: Any) -> Any:
    """The one of SIMPLE that *annotation* may be; None where it may be none of them, or several."""
    either = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    kinds = [kind for kind in either if kind in SIMPLE]
    return kinds[0] if len(kinds) == 1 else None


def settings_of_parameters(described: Any) -> dict[str, Setting]:
    """The fields of the dataclass *described*, each with the unit that it was described with."""
    of = {each.name: (type(each.default), each.metadata["unit"]) for each in fields(described)}
    return {name: Setting(Bytes if (kind, unit) == (int, "bytes") else kind, unit) for name, (kind, unit) in of.items()}
