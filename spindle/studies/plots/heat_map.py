"""Draws a map of one quantity over two axes: a coloured field for each pair of values, with its number in it."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.patches import Rectangle

from spindle.sim.error import UserError
from spindle.studies.plots.axes import drawing
from spindle.studies.plots.curves import check_columns
from spindle.studies.plots.style import INK, VERMILION

COLOUR_MAP = "cividis"
"""Matplotlib's colours: perceptually even, and the same to the colour-blind."""
DARK_SHARE = 0.57
"""Share of the colours, from the darkest, on which white letters have more contrast than INK."""
LOGARITHMIC_RATIO = 10.0
"""Ratio of the largest to the smallest value from which colours are logarithmic."""
def heat_map(
    frame: pd.DataFrame,
    x: str,
    y: str,
    value: str,
    *,
    shown: str = "{:.2f}",
    better: str = "",
    x_label: str = "",
    y_label: str = "",
    title: str = "",
) -> Axes:
    """Draw *value* at each pair of *x* and *y*, which ascend to the right and upwards; the format *shown* writes it.

    *better* is ``least`` or ``most`` if the best field is to be framed, or ``least of each row``. A pair that *frame*
    lacks is white.
    """
    table = _table(frame, x, y, value)
    with drawing() as ax:
        values = table.to_numpy(float)
        scale = _scale(values)
        ax.imshow(np.ma.masked_invalid(values), cmap=COLOUR_MAP, norm=scale, origin="lower", aspect="auto")
        _write(ax, values, shown, scale)
        if better:
            for row, column in _best(values, better):
                _frame(ax, row, column)
        ax.set_xticks(range(table.shape[1]), [f"{each:g}" for each in table.columns])
        ax.set_yticks(range(table.shape[0]), [f"{each:g}" for each in table.index])
        ax.grid(visible=False)
        ax.set(xlabel=x_label or x, ylabel=y_label or y, title=title)
    return ax
def _table(frame: pd.DataFrame, x: str, y: str, value: str) -> pd.DataFrame:
    check_columns(frame, (x, y, value))
    if frame.duplicated([x, y]).any():
        raise UserError(f"a map has one {value} at each {x} and {y}; summarise replications first")
    return frame.pivot(index=y, columns=x, values=value).sort_index().sort_index(axis=1)
def _scale(values: np.ndarray[Any, Any]) -> Normalize:
    known = values[np.isfinite(values)]
    if not len(known):
        return Normalize()
    least, most = float(known.min()), float(known.max())
    return LogNorm(least, most) if 0.0 < LOGARITHMIC_RATIO * least < most else Normalize(least, most)
def _write(ax: Axes, values: np.ndarray[Any, Any], shown: str, scale: Normalize) -> None:
    """Write the numbers, in white on the darker half of the colours."""
    for (row, column), number in np.ndenumerate(values):
        if number == number:
            colour = "white" if scale(number) < DARK_SHARE else INK
            ax.text(column, row, shown.format(number), color=colour, ha="center", va="center")
def _best(values: np.ndarray[Any, Any], better: str) -> list[tuple[int, int]]:
    """Return row and column of each field that is *better* than the others."""
    if better == "least of each row":
        return [(row, int(np.nanargmin(numbers))) for row, numbers in enumerate(values)]
    best = {"least": np.nanargmin, "most": np.nanargmax}[better](values)
    row, column = np.unravel_index(best, values.shape)
    return [(int(row), int(column))]
def _frame(ax: Axes, row: int, column: int) -> None:
    corner = (column - 0.5, row - 0.5)
    ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=VERMILION, linewidth=2.4, zorder=3, clip_on=False))
