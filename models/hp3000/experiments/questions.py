"""What customers asked: one more megabyte, one more drive, one more GIC, a hundred terminals; cached and not."""

from functools import cache

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.experiments.gain_bars import gain_bars
from models.hp3000.experiments.gains import few, gains, percent
from models.hp3000.experiments.hybrid import CACHED, hybrid
from models.hp3000.parameters import Parameters
from sim.error import unknown
from sim.measure.result import Result
from sim.plots.style import BLUE, VERMILION
from sim.study.system import Effort, Experiment
from sim.units import MIB

TERMINALS = 80
"""Of whom asks."""

QUESTIONS: dict[str, dict[str, int]] = {
    "as it is": {},
    "one more megabyte": {"memory": Parameters.memory + MIB},
    "one more drive": {"discs": Parameters.discs + 1},
    "one more GIC": {"channels": Parameters.channels + 1},
    "a hundred terminals": {"terminals": 100},
}
AS_IT_IS = next(iter(QUESTIONS))


def asked(question: str, **others: object) -> Result:
    """The hybrid load of 80 terminals, with what the *question* adds."""
    if question not in QUESTIONS:
        raise unknown("question", question, QUESTIONS)
    changed = {"terminals": TERMINALS, **QUESTIONS[question]}
    return hybrid(**changed, **others)  # type: ignore[arg-type]


@cache
def customers_questions(effort: Effort) -> pd.DataFrame:
    frame = few(effort).sweep(asked, question=list(QUESTIONS), caching=[False, True])
    table = gains(frame, "question", AS_IT_IS, ["caching"], ["disc_busy", "channel_busy", "cpu_busy"])
    order = {question: place for place, question in enumerate(QUESTIONS)}
    return table.sort_values(["question", "caching"], key=lambda each: each.map(lambda name: order.get(name, name)))


def draw_customers_questions(frame: pd.DataFrame) -> Axes:
    names = [row["question"] if not row["caching"] else "" for row in frame.to_dict("records")]
    groups = [CACHED[bool(cached)] for cached in frame["caching"]]
    colours = {CACHED[False]: VERMILION, CACHED[True]: BLUE}
    return gain_bars(frame, names, groups, colours, f"What {TERMINALS} terminals would gain")


def remark_customers_questions(frame: pd.DataFrame) -> str:
    sentences = []
    for cached, rows in frame.groupby("caching", sort=False):
        said = [f"{row['question']} {percent(row)}" for row in rows.to_dict("records")]
        seconds = rows["plain_response_mean"].iloc[0]
        sentences.append(f"With {CACHED[bool(cached)]}, responses of {seconds:.2f} s gain: {', '.join(said)}.")
    return " ".join(sentences)


EXPERIMENTS = (
    Experiment(
        "customers_questions",
        "One more megabyte, drive or GIC, and a hundred terminals: what each does to responses, cached and not.",
        customers_questions, draw_customers_questions, remark_customers_questions, slow=True,
    ),
)  # fmt: skip
