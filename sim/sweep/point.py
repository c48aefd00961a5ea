"""A point of a sweep and its key: the hash of its function, its parameters with their seed, and the source."""

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

import numpy as np

from sim.output.label import label
from sim.sweep.fingerprint import fingerprint
from sim.sweep.grid import Grid

Run = Callable[..., Any]
Row = Mapping[str, object]


class Keys:
    """The key of each point of a grid. The order in which its arguments are named makes no difference."""

    def __init__(self, run: Run, grid: Grid, source: str) -> None:
        self._grid = grid
        self._head = fingerprint((run, source))
        # Of each value once: there are far fewer of them than points.
        self._values = {
            name: [fingerprint((name, value)) for value in grid.values[name]] for name in sorted(grid.values)
        }

    def __getitem__(self, index: int) -> bytes:
        at = self._grid.at(index)
        parts = [values[at[name]] for name, values in self._values.items()]
        return blake2b(b"".join([self._head, *parts]), digest_size=16).digest()


def plain(row: Row) -> dict[str, object]:
    """*row* of numbers, text and nothing else, as a table writes it."""
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    return value if value is None else label(value)
