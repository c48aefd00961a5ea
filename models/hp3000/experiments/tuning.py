"""Stage, shoot, tune, build: fetch sizes and the flush policy changed one at a time, and what is worse undone."""

from collections.abc import Mapping, Sequence
from functools import cache

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.caching.control import BEHIND, WriteMode
from models.hp3000.experiments.descent import Descent, Setting, Shot
from models.hp3000.experiments.gains import few
from models.hp3000.experiments.hybrid import SECTOR, hybrid
from models.hp3000.machine import Choices
from sim.measure.result import Result
from sim.plots.pictures import new_axes
from sim.plots.style import BLUE, STYLE, VERMILION, WIDTH
from sim.statistics.confidence import confidence
from sim.study.system import Effort, Experiment

FLUSHES = {"block": WriteMode(block=True), "serial": WriteMode(serial=True), "behind": BEHIND}
WAYS: Mapping[str, Sequence[int | str]] = {
    "random fetch": (4, 16, 48, 96), "sequential fetch": (16, 48, 96), "flush": tuple(FLUSHES),
}  # fmt: skip
"""What is tuned, in this order, and to what: sectors of a fetch, and how writes end."""

START: Setting = (0, 0, 0)
MOST_SHOTS = 8


def built(random: int, sequential: int, flush: str, **others: object) -> Result:
    """The hybrid load with fetches of so many sectors, and that *flush* policy."""
    sizes = {"fetch_random": random * SECTOR, "fetch_sequential": sequential * SECTOR}
    return hybrid(101, choices=Choices(write=FLUSHES[flush]), **sizes, **others)


def values(setting: Setting) -> list[int | str]:
    return [choices[value] for choices, value in zip(WAYS.values(), setting, strict=True)]


@cache
def tuning(effort: Effort) -> pd.DataFrame:
    """A row a shot: ``gain`` over the best before it, and ``total`` over no caching, in percent."""
    short = few(effort)

    def shoot(setting: Setting) -> list[float]:
        random, sequential, flush = values(setting)
        frame = short.sweep(built, random=random, sequential=sequential, flush=flush)
        return [float(each) for each in np.log(frame["response_mean"])]

    plain = np.log(short.sweep(hybrid, terminals=101, caching=False)["response_mean"]).to_numpy(float)
    descent = Descent(shoot, START, [len(choices) for choices in WAYS.values()], MOST_SHOTS)
    best = np.asarray(descent.best)
    rows = [_row("first build", [0.0] * len(best), True, plain - best)]
    for shot in descent.run():
        reached = best - np.asarray(shot.gained)
        rows.append(_row(named(shot), shot.gained, shot.kept, plain - reached))
        best = reached if shot.kept else best
    return pd.DataFrame(rows)


def named(shot: Shot) -> str:
    return f"{list(WAYS)[shot.way]} {values(shot.setting)[shot.way]}"


def _row(change: str, gained: Sequence[float], kept: bool, total: Sequence[float]) -> dict[str, object]:
    def percent(log: float) -> float:
        return float(100.0 * (1.0 - np.exp(-log)))

    gain, over = confidence(gained), confidence(list(total))
    return {
        "change": change, "kept": kept, "total": percent(over.mean),
        "gain": percent(gain.mean), "gain_low": percent(gain.low), "gain_high": percent(gain.high),
    }  # fmt: skip


def draw_tuning(frame: pd.DataFrame) -> Axes:
    ax = new_axes(WIDTH, 1.5 + 0.3 * len(frame))
    with matplotlib.rc_context(STYLE):
        places = np.arange(len(frame))
        kept = frame["kept"].to_numpy(bool)
        ax.plot(frame["total"][kept], places[kept], color=BLUE, marker="o", label="kept")
        ax.plot(frame["total"][~kept], places[~kept], color=VERMILION, marker="x", linestyle="", label="undone")
        for place, row in enumerate(frame.to_dict("records")):
            ax.annotate(
                f"{row['gain']:+.0f}" if place else "", (row["total"], place), (8, 0), textcoords="offset points",
                va="center", fontsize=8.5,
            )
        ax.set_yticks(places, frame["change"])
        ax.set_ylim(len(frame) - 0.5, -0.5)
        least, most = frame["total"].min(), frame["total"].max()
        ax.set_xlim(min(least - 0.1 * (most - least) - 1.0, most - 10.0), most + 0.15 * (most - least) + 2.0)
        ax.set_xlabel("response time shorter than without caching by, %")
        ax.set_title("Stage, shoot, tune, build")
        ax.figure.legend(loc="outside lower left", ncols=2)
    return ax


def remark_tuning(frame: pd.DataFrame) -> str:
    shots = frame.iloc[1:]
    kept, undone = shots[shots["kept"]], shots[~shots["kept"]]
    surely = undone[undone["gain_high"] < 0.0]
    said = (
        f"Beside each shot is what it gained over the best before it. {len(kept)} of {len(shots)} were kept, and took "
        f"the gain over no caching from {frame['total'].iloc[0]:.0f} to {frame['total'][frame['kept']].iloc[-1]:.0f} %."
    )
    if undone.empty:
        return said
    worst = min(undone.to_dict("records"), key=lambda row: row["gain"])
    return (
        f"{said} {len(undone)} were undone, {len(surely)} of them for certain worse; the worst, {worst['change']}, "
        f"made responses {-worst['gain']:.0f} % longer."
    )


EXPERIMENTS = (
    Experiment(
        "stage_shoot_tune_build",
        "Fetch sizes and flush policy tuned one change at a time: what each gained, and which had to be undone.",
        tuning, draw_tuning, remark_tuning, slow=True,
    ),
)  # fmt: skip
