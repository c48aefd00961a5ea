"""What Max-IV's studies share: their windows, names for what is compared, bars."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.machine import SECTORS
from sim.claims.claims import printed
from sim.plots.legends import legend_below
from sim.plots.pictures import drawing
from sim.plots.published import Numbers, Point, with_published
from sim.plots.style import BLUE, INK, WIDTH
from sim.study.study import SHORTER, StudyWindow

CACHED = {0: "no cache", SECTORS: f"{SECTORS} sectors"}
RESPONSE = "RETURN to first character, s"
with_paper = partial(with_published, partial(printed, Path(__file__).parents[1] / "claims.toml"))
"""Above a function that draws: which points of the picture the paper prints."""
LEAST, FILLED = 1.2, 0.8
"""Minutes of a quick look and of its warm-up: a few users give few commands."""


def minutes(measured: float, warm_up: float = 15.0, shorter: float = SHORTER) -> StudyWindow:
    """So many minutes of a few users, after so many in which the cache fills."""
    quick = {"minutes": max(LEAST, measured / shorter), "warm_up": min(warm_up, FILLED)}
    return StudyWindow({"minutes": measured, "warm_up": warm_up}, quick)


MAIN = minutes(120.0, shorter=20.0)
"""As long as Jacobson collected."""


def bars(
    frame: pd.DataFrame, value: str, names: Sequence[str], *, x_label: str, title: str, beside: str = "",
    called: Sequence[str] = ("", ""),
) -> Axes:  # fmt: skip
    """A bar for each row of *frame*, as long as its *value*, with its interval; *beside* is drawn as a thin one below.

    *called* names the two.
    """
    with drawing(WIDTH, 1.3 + 0.34 * len(frame)) as ax:
        places = [float(number) for number in range(len(frame))]
        _bar(ax, frame, value, places, (0.5 if beside else 0.66, BLUE, called[0]))
        if beside:
            _bar(ax, frame, beside, [place + 0.36 for place in places], (0.2, "#9BB7D4", called[1]))
            legend_below(ax)
        ax.set_yticks(places, list(names))
        ax.set_ylim(len(frame) - 0.4, -0.6)
        ax.grid(visible=False, axis="y")
        ax.set_xlim(0, None)
        ax.set(xlabel=x_label, title=title)
    return ax


def _bar(ax: Axes, frame: pd.DataFrame, value: str, places: list[float], look: tuple[float, str, str]) -> None:
    height, colour, name = look
    widths = frame[value].to_numpy(float)
    ax.barh(places, widths, height, color=colour, label=name or "_nameless")
    if f"{value}_low" in frame.columns:
        spread = [widths - frame[f"{value}_low"].to_numpy(float), frame[f"{value}_high"].to_numpy(float) - widths]
        ax.errorbar(widths, places, xerr=[each.clip(min=0.0) for each in spread], fmt="none", ecolor=INK,
                    elinewidth=1.0, capsize=2.0)  # fmt: skip


def printed_hits(paper: Numbers) -> list[Point]:
    """What the paper says that 256, 512 and 768 sectors hit."""
    return [(256, paper["J35"]), (512, paper["J36"]), (768, paper["J36"] + paper["J36b"])]
