"""Curves on logarithmic axes, with sizes in the words that the lecture has for them."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, FixedLocator, FuncFormatter, NullFormatter, NullLocator

from sim.plots.curves import curve
from sim.plots.direct_labels import label_ends

UNITS = ((1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def in_bytes(number: float) -> str:
    """*number* bytes as 512 B, 4 KiB or 1 MiB."""
    size, unit = next((size, unit) for size, unit in UNITS if number >= size or size == 1)
    return f"{number / size:g} {unit}"


def curves(frame: pd.DataFrame, x: str, y: str, by: str, x_label: str, y_label: str, title: str) -> Axes:
    """*y* against *x* bytes, one line for each value of *by*, both axes logarithmic."""
    ax = curve(frame, x, y, by, x_label=x_label, y_label=y_label, title=title, names={each: each for each in frame[by]})
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_ylim(frame[y].min() / 2, frame[y].max() * 2)
    ticks = sorted(frame[x].unique())
    ax.xaxis.set_major_locator(FixedLocator(ticks[:: -(-len(ticks) // 5)]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: in_bytes(value)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_formatter(EngFormatter())
    label_ends(ax)
    return ax
