"""What Max-IV's experiments share: runs that are long enough for a few users, and names for what is compared."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.cache.references import Referred
from models.max_iv.machine import SECTORS
from models.max_iv.run import run
from sim.measure.result import Result
from sim.plots.pictures import new_axes
from sim.plots.style import BLUE, INK, STYLE, WIDTH

USERS = 3
STRETCH = 3.0
"""Few users give few commands, so these runs last so many times as long as others."""
CACHED = {0: "no cache", SECTORS: f"{SECTORS} sectors"}
RESPONSE = "RETURN to first character, s"


def stretched(minutes: float, warm_up: float, users: int = USERS, **others: object) -> Result:
    """Fewer than the usual users give so many fewer commands that their runs are longer still."""
    stretch = STRETCH * max(1.0, USERS / users)
    return run(users, minutes=stretch * minutes, warm_up=stretch * warm_up, **others)  # type: ignore[arg-type]


def referred(sectors: int, **others: object) -> Result:
    """A run that also says what Che's approximation makes of its references."""
    seen = Referred()
    return seen.beside(stretched(sectors=sectors, watch=seen, **others), sectors)  # type: ignore[arg-type]


def bars(
    frame: pd.DataFrame, value: str, names: Sequence[str], *, x_label: str, title: str, beside: str = "",
    called: Sequence[str] = ("", ""),
) -> Axes:  # fmt: skip
    """A bar for each row of *frame*, as long as its *value*, with its interval; *beside* is drawn as a thin one below.

    *called* says what the two are.
    """
    with matplotlib.rc_context(STYLE):
        ax = new_axes(WIDTH, 1.3 + 0.34 * len(frame))
        places = [float(number) for number in range(len(frame))]
        _bar(ax, frame, value, places, (0.5 if beside else 0.66, BLUE, called[0]))
        if beside:
            _bar(ax, frame, beside, [place + 0.36 for place in places], (0.2, "#9BB7D4", called[1]))
            ax.figure.legend(loc="outside lower left", ncols=2, handlelength=1)
        ax.set_yticks(places, list(names))
        ax.set_ylim(len(frame) - 0.4, -0.6)
        ax.grid(visible=False, axis="y")
        ax.set_xlim(0, None)
        ax.set_xlabel(x_label)
        ax.set_title(title)
    return ax


def _bar(ax: Axes, frame: pd.DataFrame, value: str, places: list[float], look: tuple[float, str, str]) -> None:
    height, colour, name = look
    widths = frame[value].to_numpy(float)
    ax.barh(places, widths, height, color=colour, label=name or "_nameless")
    if f"{value}_low" in frame.columns:
        spread = [widths - frame[f"{value}_low"].to_numpy(float), frame[f"{value}_high"].to_numpy(float) - widths]
        ax.errorbar(widths, places, xerr=[each.clip(min=0.0) for each in spread], fmt="none", ecolor=INK,
                    elinewidth=1.0, capsize=2.0)  # fmt: skip


def row_of(frame: pd.DataFrame, **where: object) -> Mapping[str, Any]:
    """The one row in which columns have these values."""
    chosen = frame
    for name, value in where.items():
        chosen = chosen[chosen[name] == value]
    return {str(name): value for name, value in chosen.iloc[0].items()}
