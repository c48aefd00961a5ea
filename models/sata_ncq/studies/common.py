"""What studies of the drive share: the paper's numbers, and a picture against the size of the cache."""

from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from sim.claims.claims import printed
from sim.plots.curves import curve
from sim.plots.published import with_published

with_paper = partial(with_published, partial(printed, Path(__file__).parents[1] / "claims.toml"))
"""Above a function that draws: which points of the picture the paper prints."""
SHARE = "cache, of the blocks that are used at all"


def by_share(
    table: pd.DataFrame, y: str, by: str, y_label: str, axes: Axes, title: str = "", x_label: str = SHARE
) -> Axes:
    """*y* against the share of the cache, a line for each value of *by*, into *axes*."""
    axes.set_xscale("log")
    curve(table, "share", y, by, names={name: name for name in table[by].unique()}, x_label=x_label, y_label=y_label,
          title=title, ax=axes)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xticks(sorted(table["share"].unique()))
    axes.minorticks_off()
    return axes
