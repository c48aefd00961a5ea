"""Study of tuning by trial runs (shots), as in the paper: change one setting, run, and keep the change if it gains."""

from collections.abc import Callable, Mapping, Sequence
from math import exp, log
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.studies import trials
from spindle.studies.plots.axes import drawing
from spindle.studies.plots.gains import reach
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import BLUE, INK, VERMILION, WIDTH
from spindle.studies.study import Figure, Runs, Study, StudyWindow

Setting = tuple[int, ...]
"""Places of the chosen values in each of TUNED_SETTINGS."""

TUNED_SETTINGS: Mapping[str, Sequence[int | str]] = {
    "random fetch": (4, 16, 48, 96), "sequential fetch": (16, 48, 96), "writes": ("block-on-write", "serial", "behind"),
    "flush": ("never", "read-through"),
}  # fmt: skip
"""Values of the settings, tuned in this order: sectors of a fetch, how writes end, when a domain is discarded."""

START_SETTING: Setting = (0, 0, 0, 0)
MAX_SHOTS = 10
"""The most shots of a night."""


class TuningShot(NamedTuple):
    """One trial run, with a *setting* in which the value number *way* was changed.

    *gained* is the fall of the logarithm of the mean response; *kept* is whether the change was kept.
    """

    setting: Setting
    way: int
    gained: float
    kept: bool


class Descent:
    """Searches for the best setting from *start*, one value at a time, up and then down; *most* shots in all.

    *shoot* gives the logarithm of the mean response with a setting.
    """

    def __init__(self, shoot: Callable[[Setting], float], start: Setting, counts: Sequence[int], most: int) -> None:
        self._shoot = shoot
        self._counts = counts
        self._most = most
        self._tried = {start}
        self.setting = start
        self.best = shoot(start)
        self.shots: list[TuningShot] = []

    def run(self) -> list[TuningShot]:
        """Search until nothing gains any more; return all shots."""
        gaining = True
        while gaining:
            directions = [self._go(way, step) for way in range(len(self._counts)) for step in (1, -1)]
            gaining = any(directions)
        return self.shots

    def _go(self, way: int, step: int) -> bool:
        """Go on in one direction as long as it gains; return whether it ever did."""
        gained = False
        while (new := self._next(way, step)) is not None and self._try(new, way):
            gained = True
        return gained

    def _next(self, way: int, step: int) -> Setting | None:
        """Return the next setting in that direction; None at the end, if it has been tried, or if no shot is left."""
        value = self.setting[way] + step
        new = (*self.setting[:way], value, *self.setting[way + 1 :])
        wanted = 0 <= value < self._counts[way] and new not in self._tried and len(self.shots) < self._most
        return new if wanted else None

    def _try(self, new: Setting, way: int) -> bool:
        self._tried.add(new)
        reached = self._shoot(new)
        gained = self.best - reached
        self.shots.append(TuningShot(new, way, gained, gained > 0.0))
        if gained > 0.0:
            self.setting, self.best = new, reached
        return gained > 0.0


def tune(terminals: int, **others: Any) -> dict[str, list[Any]]:
    """Tune the hybrid load for a night; return each shot's change, whether it was kept, and gains in percent.

    ``gain`` is over the best shot before, ``total`` over no caching.
    """

    def shoot(setting: Setting) -> float:
        random, sequential, write, flush = (
            choices[value] for choices, value in zip(TUNED_SETTINGS.values(), setting, strict=True)
        )
        sizes = {"fetch_random": int(random) * trials.SECTOR, "fetch_sequential": int(sequential) * trials.SECTOR}
        return log(trials.hybrid(terminals, write=str(write), flush=str(flush), **{**others, **sizes})["response_mean"])

    plain = log(trials.hybrid(terminals, caching=False, **others)["response_mean"])
    descent = Descent(shoot, START_SETTING, [len(choices) for choices in TUNED_SETTINGS.values()], MAX_SHOTS)
    best = descent.best
    rows = [("first build", True, 0.0, plain - best)]
    for shot in descent.run():
        reached = best - shot.gained
        rows.append((change(shot), shot.kept, shot.gained, plain - reached))
        best = reached if shot.kept else best
    changes, kept, gains, totals = zip(*rows, strict=True)
    return {
        "change": list(changes), "kept": list(kept),
        "gain": [descent_percent(each) for each in gains], "total": [descent_percent(each) for each in totals],
    }  # fmt: skip


def change(shot: TuningShot) -> str:
    return f"{list(TUNED_SETTINGS)[shot.way]} {list(TUNED_SETTINGS.values())[shot.way][shot.setting[shot.way]]}"


def descent_percent(fallen: float) -> float:
    """Compute the percentage by which a response is shorter if its logarithm has *fallen* by that much."""
    return 100.0 * (1.0 - exp(-fallen))


SHOT_WINDOW = StudyWindow({"minutes": 4.0, "warm_up": 3.0}, trials.QUICK_WINDOW)
SHOT_COLUMNS = ["change", "kept", "gain", "total"]


def tuning(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate the shots of each night: ``gain`` over the best before, and ``total`` over no caching, in percent."""
    nights = [pd.DataFrame({name: row[name] for name in SHOT_COLUMNS}).assign(night=row["seed"])
              for row in frame.to_dict("records")]  # fmt: skip
    return pd.concat(nights, ignore_index=True)[["night", *SHOT_COLUMNS]]


def draw_tuning(table: pd.DataFrame) -> Axes:
    """Draw a line for each change, with a dot for each night that tried it."""
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
        [Runs(tune, SHOT_WINDOW, terminals=101)], Figure(tuning, draw_tuning, caption_tuning),
    ),
)  # fmt: skip
