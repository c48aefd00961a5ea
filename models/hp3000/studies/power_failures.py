"""Study of write modes: response times, and the writes that a power failure at a random moment would lose."""

from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.caching.at_risk import Loss
from spindle.models.hp3000.operator import CountLosses
from spindle.models.hp3000.studies import trials
from spindle.sim.streams import stream
from spindle.sim.units import KIB
from spindle.studies.plots.axes import drawing
from spindle.studies.plots.style import PALETTE
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, Study, means

FAILURE_MOMENTS = 60
"""Number of moments at which the writes are counted that a power failure would lose; the run goes on unchanged."""


@means(terminals=trials.terminal_arguments)
def failing(terminals: int, seed: object, minutes: float, warm_up: float, **others: Any) -> trials.Row:
    """Run the hybrid load, and add the losses of a power failure at FAILURE_MOMENTS random moments."""
    losses: list[list[Loss]] = []
    random = stream(seed, "power failures")
    shift = [(warm_up + minutes * random.random(), CountLosses(losses.append)) for _ in range(FAILURE_MOMENTS)]
    others |= {"operator": shift, "minutes": minutes, "warm_up": warm_up}
    result = trials.run_mixed(*trials.parts_of(terminals), seed=seed, **others)
    return {**trials.row(result), **summarise_losses(losses)}


def summarise_losses(losses: list[list[Loss]]) -> trials.Row:
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


MODE_NAMES = {
    "none": "no caching", "behind": "posted behind", "serial": "Serial Write Queue", "block-on-write": "BLOCKONWRITE",
}  # fmt: skip
NAME_HEIGHTS = {"none": -14, "behind": 7, "serial": -26, "block-on-write": 7}
"""Typographic points from a mark up to its name, away from the intervals of the other marks."""
LOSS_MEASURES = ("lost_kib", "lost_writes", "lost_most_kib", "lost_nothing", "overtaken", "out_of_order")
NO_LOSS = {**dict.fromkeys(LOSS_MEASURES, 0.0), "lost_nothing": 1.0}
"""The loss without caching: none, as every write is on the medium before its program continues."""


def response_vs_loss(frame: pd.DataFrame) -> pd.DataFrame:
    return summarise(frame.fillna(NO_LOSS), ["mode"], ["response_mean", *LOSS_MEASURES])


@trials.with_paper(lambda paper: [(0.0, paper["B33"])])
def draw_response_vs_loss(frame: pd.DataFrame) -> Axes:
    with drawing() as ax:
        for place, row in enumerate(frame.to_dict("records")):
            colour = PALETTE[place]
            x, y = 100.0 * row["out_of_order"], row["response_mean"]
            low, high = (100.0 * row[f"out_of_order_{end}"] for end in ("low", "high"))
            ax.errorbar(
                [x], [y], xerr=[[x - np.maximum(0.0, low)], [high - x]],
                yerr=[[y - np.maximum(0.0, row["response_mean_low"])], [row["response_mean_high"] - y]],
                fmt="o", color=colour, elinewidth=1.0, capsize=2.0,
            )  # fmt: skip
            ax.annotate(MODE_NAMES[row["mode"]], (x, y), (7, NAME_HEIGHTS[row["mode"]]), textcoords="offset points",
                        color=colour)  # fmt: skip
        ax.set(xlabel="failures of the power that leave writes in another order, %", ylabel=trials.RESPONSE_LABEL,
               title="Only writes posted behind reach the disc out of order")
        most = 100.0 * frame["out_of_order_high"].fillna(frame["out_of_order"]).max()
        ax.set_xlim(-0.05 * most - 0.1, 1.1 * most + 0.1)
        ax.set_ylim(0, 1.3 * frame["response_mean"].max())
    return ax


def caption_response_vs_loss(frame: pd.DataFrame) -> str:
    modes = [
        f"{MODE_NAMES[row['mode']]}: {row['response_mean']:.2f} s, {row['lost_kib']:.1f} KB in "
        f"{row['lost_writes']:.1f} writes lost, {row['lost_most_kib']:.0f} KB at worst, "
        f"nothing in {row['lost_nothing']:.0%} of failures; in {row['out_of_order']:.0%} a later write is on the "
        "medium and an earlier one is not"
        for row in frame.to_dict("records")
    ]
    return f"{'; '.join(modes)}."


STUDIES = (
    Study(
        "response_vs_loss",
        [trials.paper_runs(False, mode="none"),
         *(Runs(failing, trials.MIXED, {"mode": mode}, terminals=101, write=mode) for mode in list(MODE_NAMES)[1:])],
        Figure(response_vs_loss, draw_response_vs_loss, caption_response_vs_loss),
    ),
)  # fmt: skip
