"""Studies of which discs (LDEVs) to cache, and of what a customer may add: memory, a drive, a channel, terminals."""

from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.studies import trials
from spindle.sim.units import MIB
from spindle.studies.plots.bars import Named, interval_bars
from spindle.studies.plots.gains import GAIN, gain_curve, reach
from spindle.studies.statistics import gains, percent
from spindle.studies.study import Figure, Runs, Study

Ldevs = tuple[int, ...]
LDEV_ORDERS: dict[str, tuple[Ldevs, ...]] = {
    "first": ((), (1,), (1, 2, 3), (1, 2, 3, 4, 5, 6)),
    "last": ((), (6,), (2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6)),
}
"""Sets of cached discs (LDEVs), one after another, with LDEV 1 first or last: virtual memory is on that disc."""
LDEV_SUBSETS = [ldevs for ldevs in dict.fromkeys(each for order in LDEV_ORDERS.values() for each in order)
                if 0 < len(ldevs) < 6]  # fmt: skip
"""Sets of some but not all discs that are cached, each once."""

LDEV_ORDER_NAMES = {"first": "LDEV 1 first", "last": "LDEV 1 last"}


def gain_vs_ldevs(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate the gain by ``order``, which is when LDEV 1 is added, and ``count``, the number of cached LDEVs."""
    table = gains(frame, "ldevs", repr(()), values=["hit_ratio", "disc_rate"])
    rows = table.set_index("ldevs").astype(float).to_dict("index")
    nothing = {"gain": 0.0, "gain_low": 0.0, "gain_high": 0.0}
    return pd.DataFrame([
        {"order": name, "count": len(ldevs), **(rows[repr(ldevs)] if ldevs else nothing)}
        for name, order in LDEV_ORDERS.items() for ldevs in order
    ])


draw_gain_vs_ldevs = trials.with_paper(lambda paper: [(6, trials.published_gain(paper))])(
    partial(gain_curve, x="count", by="order", names=LDEV_ORDER_NAMES, x_label="LDEVs cached, of six",
            title="Only all discs together gain it all"))


def caption_gain_vs_ldevs(frame: pd.DataFrame) -> str:
    one = {row["order"]: percent(row) for row in frame[frame["count"] == 1].to_dict("records")}
    whole = frame[frame["count"] == 6].to_dict("records")[0]
    some = frame[frame["count"].between(1, 5)]["gain"].max()
    return (
        f"One LDEV gains {one['first']} if it is that with virtual memory and {one['last']} if it is another; "
        f"all gain {percent(whole)}, and a part of them at most {some:.0f} %."
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
    ax = interval_bars(frame, "gain", questions, Named("caching", dict(sorted(trials.CACHED.items()))), x_label=GAIN,
                       title=f"Beside {TERMINALS} terminals more hardware gains little")  # fmt: skip
    ax.set_xlim(*reach(frame))
    return ax


def caption_customers_questions(frame: pd.DataFrame) -> str:
    sentences = []
    for cached, rows in frame.groupby("caching", sort=False):
        gained = [f"{row['question']} {percent(row)}" for row in rows.to_dict("records")]
        seconds = rows["plain_response_mean"].iloc[0]
        sentences.append(f"With {trials.CACHED[bool(cached)]}, responses of {seconds:.2f} s gain: {', '.join(gained)}.")
    return " ".join(sentences)


STUDIES = (
    Study(
        "gain_vs_ldevs",
        [trials.paper_runs(False, ldevs=()), trials.paper_runs(True, ldevs=(1, 2, 3, 4, 5, 6)),
         *(Runs(trials.hybrid, trials.MIXED, {"ldevs": ldevs}, terminals=101, caching=True, cached_ldevs=[ldevs])
           for ldevs in LDEV_SUBSETS)],
        Figure(gain_vs_ldevs, draw_gain_vs_ldevs, caption_gain_vs_ldevs),
    ),
    Study(
        "customers_questions",
        [Runs(trials.hybrid, trials.MIXED, {"question": question}, caching=trials.PAIR,
              **{"terminals": TERMINALS, **changes})
         for question, changes in QUESTIONS.items()],
        Figure(customers_questions, draw_customers_questions, caption_customers_questions),
    ),
)  # fmt: skip
