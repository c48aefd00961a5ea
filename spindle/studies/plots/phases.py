"""Draws the phases of responses: as a stacked bar for each configuration, and in the picture of one run's result."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from spindle.sim.clock import Phase
from spindle.sim.error import UserError
from spindle.sim.measure.result import Result
from spindle.studies.plots.bars import stacked_bars
from spindle.studies.plots.files import Picture
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, WIDTH, YELLOW, styled

PHASE_LOOKS: Mapping[Phase, tuple[str, str]] = {
    # The CPU in blues, the disc's own work in greens, and the waits between them in warm colours and greys.
    Phase.CPU: ("CPU", BLUE),
    Phase.CACHE: ("cache", SKY),
    Phase.MANAGER: ("memory manager", "#0B3C5D"),
    Phase.INTERRUPT: ("interrupts", "#B5D8EE"),
    Phase.CPU_WAIT: ("wait for CPU", "#7C8AA0"),
    Phase.LINE: ("line", "#BFBFBF"),
    Phase.LOCK: ("lock", VERMILION),
    Phase.MEMORY: ("wait for memory", PURPLE),
    Phase.WRITE_WAIT: ("wait for a write", "#8C4F78"),
    Phase.QUEUE: ("disc queue", ORANGE),
    Phase.OVERHEAD: ("disc command", "#C7B98B"),
    Phase.SEEK: ("seek", GREEN),
    Phase.ROTATION: ("rotation", "#7CCDB0"),
    Phase.TRANSFER: ("transfer", "#00573F"),
    Phase.CHANNEL: ("channel", YELLOW),
}
def breakdown(
    frame: pd.DataFrame,
    bar: str,
    *,
    title: str = "",
    x_label: str = "mean response, s",
) -> Axes:
    """Draw a bar for each row of *frame*, named by its column *bar*, from the ``part_`` columns of a run's summary.

    Means over replications, as summarise makes them, add up as single runs do.
    """
    columns = {phase: f"part_{phase.name.lower()}" for phase in Phase}
    phases = {columns[phase]: PHASE_LOOKS[phase][0] for phase in Phase}
    colours = {columns[phase]: PHASE_LOOKS[phase][1] for phase in Phase}
    return stacked_bars(frame, bar, phases, colours=colours, x_label=x_label, title=title)
# The picture of one run: the share of responses that took no longer, and the phases of a mean response.

MIN_PHASE = 0.005
"""The least share of a response for which a phase is drawn."""
QUANTILE_STEPS = 200
"""Points of a drawn distribution of which only quantiles were kept."""
def result_picture(result: Result) -> Axes:
    """Draw two panels and return the upper one; UserError if there were no responses."""
    if not result.recorder.count:
        raise UserError("nothing was answered within the measured time, so there is nothing to draw")
    with styled():
        figure = Picture(figsize=(WIDTH, 3.9))
        upper, lower = figure.subplots(2, 1, height_ratios=(3, 1))
        assert isinstance(upper, Axes)
        _distribution(result, upper)
        _phases(result, lower)
    return upper
def _distribution(result: Result, ax: Axes) -> None:
    shares = np.linspace(1 / QUANTILE_STEPS, 1.0, QUANTILE_STEPS)
    seconds = result.recorder.percentiles(*shares)
    ax.plot(seconds, shares * 100, color=BLUE)
    median, p95 = result.recorder.percentiles(0.5, 0.95)
    for share, value, name in ((50, median, "median"), (95, p95, "95 %")):
        ax.plot([value], [share], marker="o", color=BLUE)
        ax.annotate(f"{name} {value:.3g} s", (value, share), (6, -4), textcoords="offset points", va="top", color=INK)
    ax.set(xlabel="response, s", ylabel="% take no longer", ylim=(0, 104), title=f"Responses of {result.system}")
    ax.set_xlim(left=0)
def _phases(result: Result, ax: Axes) -> None:
    """Draw the mean response as one bar of its phases."""
    left, mean = 0.0, result.recorder.mean
    for phase, (name, colour) in PHASE_LOOKS.items():
        seconds = result.breakdown()[phase.name.lower()]
        if seconds >= MIN_PHASE * mean:
            ax.barh(0, seconds, 0.6, left, color=colour, edgecolor="white", linewidth=0.8, label=name)
            left += seconds
    ax.set(xlabel="mean response, s", yticks=[])
    ax.grid(visible=False, axis="y")
    legend_below(ax)
