"""Studies of an operator's choices: write modes and their losses at power failures, LDEVs cached, tuning by trial runs
(shots); and of a customer's questions: one more megabyte, drive or channel, or twenty more terminals.
"""

from collections.abc import Callable, Mapping, Sequence
from math import exp, log
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.caching.at_risk import Loss
from spindle.models.hp3000.operator import CountLosses
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.studies.trials import (
    CACHED,
    MIXED,
    PAIR,
    QUICK,
    RESPONSE,
    SECTOR,
    Row,
    hybrid,
    paper_runs,
    parts_of,
    published_gain,
    row,
    run_mixed,
    terminal_arguments,
    with_paper,
)
from spindle.sim.streams import stream
from spindle.sim.units import KIB, MIB
from spindle.studies.plots.curves import Named, curve, interval_bars
from spindle.studies.plots.style import BLUE, COLOURS, INK, VERMILION, WIDTH, drawing, legend_below
from spindle.studies.statistics import GAIN, gain_axis, gains, percent, reach, summarise
from spindle.studies.study import Figure, Runs, Study, StudyWindow, means

# Coordinate descent as on the paper's weekend of tuning: change one setting, run ("shoot"), keep it if it gains.

Setting = tuple[int, ...]
"""The place of the chosen value in each of WAYS."""

WAYS: Mapping[str, Sequence[int | str]] = {
    "random fetch": (4, 16, 48, 96), "sequential fetch": (16, 48, 96), "writes": ("block-on-write", "serial", "behind"),
    "flush": ("never", "read-through"),
}  # fmt: skip
"""Settings that are tuned, in this order: sectors of a fetch, how writes end, when a domain is let go."""

START: Setting = (0, 0, 0, 0)
MAX_SHOTS = 10


class TuningShot(NamedTuple):
    """A *setting* tried by a change in *way*; how far the logarithm of the response fell, and whether it was *kept*."""

    setting: Setting
    way: int
    gained: float
    kept: bool


class Descent:
    """Coordinate descent from *start*: one value up as long as that gains, then down; *most* shots in all.

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
        """All shots, until nothing gains any more."""
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
    """A night of tuning the hybrid load: for each shot its change, whether it was kept, and gains in percent.

    ``gain`` is over the best before it, ``total`` over no caching.
    """

    def shoot(setting: Setting) -> float:
        random, sequential, write, flush = (
            choices[value] for choices, value in zip(WAYS.values(), setting, strict=True)
        )
        sizes = {"fetch_random": int(random) * SECTOR, "fetch_sequential": int(sequential) * SECTOR}
        return log(hybrid(terminals, write=str(write), flush=str(flush), **{**others, **sizes})["response_mean"])

    plain = log(hybrid(terminals, caching=False, **others)["response_mean"])
    descent = Descent(shoot, START, [len(choices) for choices in WAYS.values()], MAX_SHOTS)
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
    return f"{list(WAYS)[shot.way]} {list(WAYS.values())[shot.way][shot.setting[shot.way]]}"


def descent_percent(fallen: float) -> float:
    """The percentage by which a response is shorter if its logarithm has *fallen* by that much."""
    return 100.0 * (1.0 - exp(-fallen))


# The hybrid load, and what a failure of the power at a random moment would lose.

FAILURES = 60
"""Moments of a run at which the power might fail, without effect on the run."""


@means(terminals=terminal_arguments)
def failing(terminals: int, seed: object, minutes: float, warm_up: float, **others: Any) -> Row:
    """Run the hybrid load, and add the losses of a power failure at FAILURES random moments."""
    losses: list[list[Loss]] = []
    random = stream(seed, "power failures")
    shift = [(warm_up + minutes * random.random(), CountLosses(losses.append)) for _ in range(FAILURES)]
    others |= {"operator": shift, "minutes": minutes, "warm_up": warm_up}
    return {**row(run_mixed(*parts_of(terminals), seed=seed, **others)), **summarise_losses(losses)}


def summarise_losses(losses: list[list[Loss]]) -> Row:
    """Summarise losses over failures: means, the worst, the share that lost nothing, and order.

    A failure is ``out_of_order`` if a write is lost that was ``overtaken`` by a later one.
    """
    sizes = [sum(loss.bytes for loss in each) for each in losses] or [0]
    return {
        "lost_kib": fmean(sizes) / KIB,
        "lost_writes": fmean([len(each) for each in losses] or [0]),
        "lost_most_kib": max(sizes) / KIB,
        "lost_nothing": sizes.count(0) / len(sizes),
        "overtaken": fmean([sum(loss.overtaken for loss in each) for each in losses] or [0]),
        "out_of_order": fmean([any(loss.overtaken for loss in each) for each in losses] or [0]),
    }


ENDS = {
    "none": "no caching", "behind": "posted behind", "serial": "Serial Write Queue", "block-on-write": "BLOCKONWRITE",
}  # fmt: skip
NAMED_AT = {"none": -14, "behind": 7, "serial": -26, "block-on-write": 7}
"""Points above each end at which its name stands, off the intervals of the others."""
LOST = ("lost_kib", "lost_writes", "lost_most_kib", "lost_nothing", "overtaken", "out_of_order")
NOTHING = {**dict.fromkeys(LOST, 0.0), "lost_nothing": 1.0}
"""Loss at a failure without caching: none, as every write is on the medium before its program goes on."""


def response_vs_loss(frame: pd.DataFrame) -> pd.DataFrame:
    return summarise(frame.fillna(NOTHING), ["mode"], ["response_mean", *LOST])


@with_paper(lambda paper: [(0.0, paper["B33"])])
def draw_response_vs_loss(frame: pd.DataFrame) -> Axes:
    with drawing() as ax:
        for place, row in enumerate(frame.to_dict("records")):
            colour = COLOURS[place]
            x, y = 100.0 * row["out_of_order"], row["response_mean"]
            low, high = (100.0 * row[f"out_of_order_{end}"] for end in ("low", "high"))
            ax.errorbar(
                [x], [y], xerr=[[x - np.maximum(0.0, low)], [high - x]],
                yerr=[[y - np.maximum(0.0, row["response_mean_low"])], [row["response_mean_high"] - y]],
                fmt="o", color=colour, elinewidth=1.0, capsize=2.0,
            )  # fmt: skip
            ax.annotate(ENDS[row["mode"]], (x, y), (7, NAMED_AT[row["mode"]]), textcoords="offset points", color=colour)
        ax.set(xlabel="failures of the power that leave writes in another order, %", ylabel=RESPONSE,
               title="Only writes posted behind reach the disc out of order")
        most = 100.0 * frame["out_of_order_high"].fillna(frame["out_of_order"]).max()
        ax.set_xlim(-0.05 * most - 0.1, 1.1 * most + 0.1)
        ax.set_ylim(0, 1.3 * frame["response_mean"].max())
    return ax


def caption_response_vs_loss(frame: pd.DataFrame) -> str:
    modes = [
        f"{ENDS[row['mode']]}: {row['response_mean']:.2f} s, {row['lost_kib']:.1f} KB in "
        f"{row['lost_writes']:.1f} writes lost, {row['lost_most_kib']:.0f} KB at worst, "
        f"nothing in {row['lost_nothing']:.0%} of failures; in {row['out_of_order']:.0%} a later write is on the "
        "medium and an earlier one is not"
        for row in frame.to_dict("records")
    ]
    return f"{'; '.join(modes)}."


Ldevs = tuple[int, ...]
ORDERS: dict[str, tuple[Ldevs, ...]] = {
    "first": ((), (1,), (1, 2, 3), (1, 2, 3, 4, 5, 6)),
    "last": ((), (6,), (2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6)),
}
"""LDEVs cached, step by step, LDEV 1 first or last: it holds virtual memory beside its share of the files."""
SETS = [ldevs for ldevs in dict.fromkeys(each for order in ORDERS.values() for each in order) if 0 < len(ldevs) < 6]
"""Proper subsets of the discs that are cached, each once."""

NAMES = {"first": "LDEV 1 first", "last": "LDEV 1 last"}


def gain_vs_ldevs(frame: pd.DataFrame) -> pd.DataFrame:
    """``order`` is when LDEV 1 joins, ``count`` how many LDEVs are cached."""
    table = gains(frame, "ldevs", repr(()), values=["hit_ratio", "disc_rate"])
    rows = table.set_index("ldevs").astype(float).to_dict("index")
    nothing = {"gain": 0.0, "gain_low": 0.0, "gain_high": 0.0}
    return pd.DataFrame([
        {"order": name, "count": len(ldevs), **(rows[repr(ldevs)] if ldevs else nothing)}
        for name, order in ORDERS.items() for ldevs in order
    ])


@with_paper(lambda paper: [(6, published_gain(paper))])
def draw_gain_vs_ldevs(frame: pd.DataFrame) -> Axes:
    return gain_axis(curve(
        frame, "count", "gain", "order", names=NAMES, x_label="LDEVs cached, of six", y_label=GAIN,
        title="Only all discs together gain it all",
    ), frame)  # fmt: skip


def caption_gain_vs_ldevs(frame: pd.DataFrame) -> str:
    one = {row["order"]: percent(row) for row in frame[frame["count"] == 1].to_dict("records")}
    whole = frame[frame["count"] == 6].to_dict("records")[0]
    some = frame[frame["count"].between(1, 5)]["gain"].max()
    return (
        f"One LDEV gains {one['first']} if it is that with virtual memory and {one['last']} if it is another; "
        f"all gain {percent(whole)}, and a part of them at most {some:.0f} %."
    )


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


TERMINALS = 80
"""Terminals of the customer's machine."""

QUESTIONS: dict[str, dict[str, int]] = {
    "as it is": {},
    "one more megabyte": {"memory": MpeParameters.memory + MIB},
    "one more drive": {"discs": MpeParameters.discs + 1},
    "one more GIC": {"channels": MpeParameters.channels + 1},
    "a hundred terminals": {"terminals": 100},
}
AS_IT_IS = next(iter(QUESTIONS))


def customers_questions(frame: pd.DataFrame) -> pd.DataFrame:
    table = gains(frame, "question", AS_IT_IS, ["caching"], ["disc_busy", "channel_busy", "cpu_busy"])
    order = {question: place for place, question in enumerate(QUESTIONS)}
    return table.sort_values(["question", "caching"], key=lambda each: each.map(lambda name: order.get(name, name)))


def draw_customers_questions(frame: pd.DataFrame) -> Axes:
    questions = Named("question", {question: question for question in frame["question"].unique()})
    ax = interval_bars(frame, "gain", questions, Named("caching", dict(sorted(CACHED.items()))), x_label=GAIN,
                       title=f"Beside {TERMINALS} terminals more hardware gains little")  # fmt: skip
    ax.set_xlim(*reach(frame))
    return ax


def caption_customers_questions(frame: pd.DataFrame) -> str:
    sentences = []
    for cached, rows in frame.groupby("caching", sort=False):
        gained = [f"{row['question']} {percent(row)}" for row in rows.to_dict("records")]
        seconds = rows["plain_response_mean"].iloc[0]
        sentences.append(f"With {CACHED[bool(cached)]}, responses of {seconds:.2f} s gain: {', '.join(gained)}.")
    return " ".join(sentences)


STUDIES = (
    Study(
        "response_vs_loss",
        "What BLOCKONWRITE and the Serial Write Queue cost, and what they save when the power fails.",
        [paper_runs(False, mode="none"),
         *(Runs(failing, MIXED, {"mode": mode}, terminals=101, write=mode) for mode in list(ENDS)[1:])],
        Figure(response_vs_loss, draw_response_vs_loss, caption_response_vs_loss),
    ),
    Study(
        "gain_vs_ldevs",
        "What is gained by caching some LDEVs only, and whether that with virtual memory comes first.",
        [paper_runs(False, ldevs=()), paper_runs(True, ldevs=(1, 2, 3, 4, 5, 6)),
         *(Runs(hybrid, MIXED, {"ldevs": ldevs}, terminals=101, caching=True, cached_ldevs=[ldevs]) for ldevs in SETS)],
        Figure(gain_vs_ldevs, draw_gain_vs_ldevs, caption_gain_vs_ldevs),
    ),
    Study(
        "stage_shoot_tune_build",
        "Fetch sizes, writes and the cache flush tuned one change at a time: what each gained, and what was undone.",
        [Runs(tune, SHOT, terminals=101)], Figure(tuning, draw_tuning, caption_tuning),
    ),
    Study(
        "customers_questions",
        "One more megabyte, drive or GIC, and a hundred terminals: what each does to responses, cached and not.",
        [Runs(hybrid, MIXED, {"question": question}, caching=PAIR, **{"terminals": TERMINALS, **changes})
         for question, changes in QUESTIONS.items()],
        Figure(customers_questions, draw_customers_questions, caption_customers_questions),
    ),
)  # fmt: skip
