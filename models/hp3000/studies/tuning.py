"""Stage, shoot, tune, build: fetch sizes, writes and flush changed one at a time, and what is worse undone."""

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.runs.descent import tuned
from models.hp3000.studies.common import QUICK
from sim.plots.legends import legend_below
from sim.plots.pictures import drawing
from sim.plots.style import BLUE, INK, VERMILION, WIDTH
from sim.study.gains import reach
from sim.study.study import Figure, Runs, Study, StudyWindow

SHOT = StudyWindow({"minutes": 4.0, "warm_up": 3.0}, QUICK)
COLUMNS = ["change", "kept", "gain", "total"]


def tuning(frame: pd.DataFrame) -> pd.DataFrame:
    """A row a shot of each night: ``gain`` over the best before it, and ``total`` over no caching, in percent."""
    nights = [pd.DataFrame({name: row[name] for name in COLUMNS}).assign(night=row["seed"])
              for row in frame.to_dict("records")]  # fmt: skip
    return pd.concat(nights, ignore_index=True)[["night", *COLUMNS]]


def draw_tuning(table: pd.DataFrame) -> Axes:
    """A line for each change, with a dot for each night that tried it."""
    shots = table[table["change"] != table["change"].iloc[0]]
    names = list(dict.fromkeys(shots["change"]))
    places = shots["change"].map(names.index)
    kept = shots["kept"].astype(bool)
    with drawing(WIDTH, 1.3 + 0.3 * len(names)) as ax:
        ax.plot(shots["gain"][kept], places[kept], "o", color=BLUE, label="kept")
        ax.plot(shots["gain"][~kept], places[~kept], "x", color=VERMILION, label="undone")
        ax.axvline(0.0, color=INK, linewidth=0.8)
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.set_xlim(*reach(shots[["gain"]]))
        ax.set(xlabel="response time shorter than before by, %", title="Stage, shoot, tune, build")
        legend_below(ax)
    return ax


def caption_tuning(table: pd.DataFrame) -> str:
    first = table["change"].iloc[0]
    shots = table[table["change"] != first]
    kept = shots[shots["kept"].astype(bool)]
    begun = table.loc[table["change"] == first, "total"].mean()
    reached = table[table["kept"].astype(bool)].groupby("night")["total"].last().mean()
    worst = min(shots.to_dict("records"), key=lambda row: row["gain"])
    return (
        f"Each dot is a shot, of {table['night'].nunique()} nights that began alike. {len(kept)} of {len(shots)} shots "
        f"were kept, and took the gain over no caching from {begun:.0f} to {reached:.0f} % on the average. The worst, "
        f"{worst['change']}, made responses {-worst['gain']:.0f} % longer."
    )


STUDIES = (
    Study(
        "stage_shoot_tune_build",
        "Fetch sizes, writes and the cache flush tuned one change at a time: what each gained, and what was undone.",
        [Runs(tuned, SHOT, terminals=101)], Figure(tuning, draw_tuning, caption_tuning),
    ),
)  # fmt: skip
