"""Defines the tables that ``sweep`` and ``curve`` return in Python: DataFrames with units and pictures."""

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pandas as pd

from spindle.sim.error import UserError
from spindle.studies.plots.terminal import SEED, SweptTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SweepFrame(pd.DataFrame):
    """A row for each run. ``attrs`` has ``units`` and ``axes``; picture() draws it, and plot is pandas' own."""

    _metadata: Sequence[str] = ("_texts",)
    _texts: Mapping[str, Callable[[Any], str]]

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return SweepFrame

    def picture(self, *measures: str) -> "Axes":
        """Draw *measures* (default: the first) against the axes: lines with intervals, a map, or bars."""
        axes = list(self.attrs["axes"])
        chosen = measures or (next(name for name in self.columns if name not in (*axes, SEED)),)
        from spindle.studies.plots.swept import swept_picture

        return swept_picture(SweptTable(pd.DataFrame(self), [*axes, SEED], self._texts), chosen)

    def to_xarray(self) -> Any:  # type: ignore[misc]
        """A Dataset of xarray over the axes and seeds, with units; UserError where xarray is not installed."""
        if find_spec("xarray") is None:
            raise UserError("to_xarray needs xarray: pip install xarray")
        axes = [name for name in (*self.attrs["axes"], SEED) if name in self.columns]
        data = pd.DataFrame(self).set_index(axes).to_xarray()
        for name, unit in self.attrs["units"].items():
            if name in data:
                data[name].attrs["units"] = unit
        return data


class CurveFrame(pd.DataFrame):
    """One row for each policy and size. ``attrs["page"]`` is what the command prints; picture() draws."""

    _metadata: Sequence[str] = ("_picture",)
    _picture: Callable[[pd.DataFrame, str], Any]

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return CurveFrame

    def picture(self, title: str = "") -> "Axes":
        axes: Axes = self._picture(pd.DataFrame(self), title).axes[0]
        return axes
