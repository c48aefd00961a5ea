"""The picture of one run: the share of responses that took no longer, and where the time of a response goes."""

import numpy as np
from matplotlib.axes import Axes

from spindle.sim.error import UserError
from spindle.sim.measure.result import Result
from spindle.studies.plots.charts import PARTS
from spindle.studies.plots.style import BLUE, INK, WIDTH, Picture, legend_below, styled

SEEN = 0.005
"""The share of a response that a part must have to be drawn."""
STEPS = 200
"""Points of a distribution of which no responses were kept."""


def result_picture(result: Result) -> Axes:
    """Two panels; the upper one is returned. UserError where nothing was answered."""
    if not result.recorder.count:
        raise UserError("nothing was answered within the measured time, so there is nothing to draw")
    with styled():
        figure = Picture(figsize=(WIDTH, 3.9))
        upper, lower = figure.subplots(2, 1, height_ratios=(3, 1))
        assert isinstance(upper, Axes)
        _distribution(result, upper)
        _parts(result, lower)
    return upper


def _distribution(result: Result, ax: Axes) -> None:
    shares = np.linspace(1 / STEPS, 1.0, STEPS)
    seconds = result.recorder.percentiles(*shares)
    ax.plot(seconds, shares * 100, color=BLUE)
    median, p95 = result.recorder.percentiles(0.5, 0.95)
    for share, value, name in ((50, median, "median"), (95, p95, "95 %")):
        ax.plot([value], [share], marker="o", color=BLUE)
        ax.annotate(f"{name} {value:.3g} s", (value, share), (6, -4), textcoords="offset points", va="top", color=INK)
    ax.set(xlabel="response, s", ylabel="% take no longer", ylim=(0, 104), title=f"Responses of {result.system}")
    ax.set_xlim(left=0)


def _parts(result: Result, ax: Axes) -> None:
    """The mean response as one bar of its parts."""
    left, mean = 0.0, result.recorder.mean
    for part, (name, colour) in PARTS.items():
        seconds = result.breakdown()[part.name.lower()]
        if seconds >= SEEN * mean:
            ax.barh(0, seconds, 0.6, left, color=colour, edgecolor="white", linewidth=0.8, label=name)
            left += seconds
    ax.set(xlabel="mean response, s", yticks=[])
    ax.grid(visible=False, axis="y")
    legend_below(ax)
