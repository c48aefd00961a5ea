"""Customers' questions: one more megabyte, drive or GIC, or a hundred terminals, cached and not."""

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.studies.trials import CACHED, MIXED, PAIR, hybrid
from spindle.sim.units import MIB
from spindle.studies.plots.curves import Named, interval_bars
from spindle.studies.statistics import GAIN, gains, percent, reach
from spindle.studies.study import Figure, Runs, Study

TERMINALS = 80
"""Of the customer's machine."""

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
        "customers_questions",
        "One more megabyte, drive or GIC, and a hundred terminals: what each does to responses, cached and not.",
        [Runs(hybrid, MIXED, {"question": question}, caching=PAIR, **{"terminals": TERMINALS, **changes})
         for question, changes in QUESTIONS.items()],
        Figure(customers_questions, draw_customers_questions, caption_customers_questions),
    ),
)  # fmt: skip
