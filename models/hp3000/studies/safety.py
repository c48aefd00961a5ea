"""Response time against what is lost when the power fails at a random moment: three ways to end a write, and none."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.runs.failures import failing
from models.hp3000.studies.common import MIXED, PAPER, RESPONSE, papers
from sim.plots.pictures import drawing
from sim.plots.published import with_published
from sim.plots.style import COLOURS
from sim.statistics.summarise import summarise
from sim.study.study import Figure, Runs, Study

NAMES = {
    "none": "no caching", "behind": "posted behind", "serial": "Serial Write Queue", "block-on-write": "BLOCKONWRITE",
}  # fmt: skip
LOST = ("lost_kib", "lost_writes", "lost_most_kib", "lost_nothing")
NOTHING = {"lost_kib": 0.0, "lost_writes": 0.0, "lost_most_kib": 0.0, "lost_nothing": 1.0}
"""What a failure loses where there is no caching: every write is on the medium before its program goes on."""


def response_vs_loss(frame: pd.DataFrame) -> pd.DataFrame:
    return summarise(frame.fillna(NOTHING), ["mode"], ["response_mean", *LOST])


@with_published(PAPER, lambda paper: [(0.0, paper["B33"])])
def draw_response_vs_loss(frame: pd.DataFrame) -> Axes:
    with drawing() as ax:
        for place, row in enumerate(frame.to_dict("records")):
            colour = COLOURS[place]
            x, y = row["lost_kib"], row["response_mean"]
            ax.errorbar(
                [x], [y], xerr=[[x - np.maximum(0.0, row["lost_kib_low"])], [row["lost_kib_high"] - x]],
                yerr=[[y - np.maximum(0.0, row["response_mean_low"])], [row["response_mean_high"] - y]],
                fmt="o", color=colour, elinewidth=1.0, capsize=2.0,
            )  # fmt: skip
            below = (7, 7 if place % 2 else -14)
            ax.annotate(NAMES[row["mode"]], (x, y), below, textcoords="offset points", color=colour)
        ax.set(xlabel="lost when the power fails, KB, mean", ylabel=RESPONSE, title="What fast writes put at risk")
        most = frame["lost_kib_high"].fillna(frame["lost_kib"]).max()
        ax.set_xlim(-0.05 * most - 0.1, 1.1 * most + 0.1)
        ax.set_ylim(0, 1.3 * frame["response_mean"].max())
    return ax


def caption_response_vs_loss(frame: pd.DataFrame) -> str:
    modes = [
        f"{NAMES[row['mode']]}: {row['response_mean']:.2f} s, {row['lost_kib']:.1f} KB in "
        f"{row['lost_writes']:.1f} writes lost, {row['lost_most_kib']:.0f} KB at worst, "
        f"nothing in {row['lost_nothing']:.0%} of failures"
        for row in frame.to_dict("records")
    ]
    return f"{'; '.join(modes)}."


STUDIES = (
    Study(
        "response_vs_loss",
        "What BLOCKONWRITE and the Serial Write Queue cost, and what they save when the power fails.",
        [papers(False, mode="none"),
         *(Runs(failing, MIXED, {"mode": mode}, terminals=101, write=mode) for mode in list(NAMES)[1:])],
        Figure(response_vs_loss, draw_response_vs_loss, caption_response_vs_loss),
    ),
)  # fmt: skip
