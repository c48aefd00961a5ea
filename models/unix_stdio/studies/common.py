"""What studies of the lecture's programs share: how long these may run, the claims, and curves on logarithmic axes."""

from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, FixedLocator, FuncFormatter, NullFormatter, NullLocator

from sim.claims.claims import printed
from sim.plots.curves import curve
from sim.plots.direct_labels import label_ends
from sim.plots.published import with_published
from sim.study.study import StudyWindow

PROGRAM = StudyWindow({"seconds": 120.0}, {"seconds": 60.0})
"""Every program ends before, but for those that wait for the disc byte by byte: these show their rate."""
CLAIMS = Path(__file__).parents[1] / "claims.toml"
PAPER = partial(printed, CLAIMS)
with_paper = partial(with_published, PAPER)
"""Above a function that draws: which points of the picture the paper prints."""


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
