"""A curve of hit ratios as simulated, with Che's approximation beside it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from sim.plots.curves import curve
from sim.plots.remarks import che, remark
from sim.statistics.analytic import with_means
from sim.statistics.summarise import summarise

PLAIN = "plain LRU (Che)"
"""What the dashed lines are called, each in the colour of its simulation."""


def summarise_hits(
    frame: pd.DataFrame, by: Sequence[str], values: Sequence[str], means: Sequence[str] = ()
) -> pd.DataFrame:
    """A row a point, as summarise makes it of *values*, with those of ReferenceLog; *means* go without interval."""
    table = summarise(frame, by, [*values, "beyond_che"])
    return with_means(table, frame, by, ["che", "beyond_order", "beyond_rules", *means])


def hit_curve(
    frame: pd.DataFrame, x: str, by: str | None = None, names: Mapping[Any, str] | None = None, *,
    x_label: str, y_label: str, title: str,
) -> Axes:  # fmt: skip
    """Hit ratios against *x*, a line for each value of *by*: solid the simulation, dashed Che's approximation."""
    shown = frame if by else frame.assign(simulated="")
    names = names or {"": "simulated"}
    theory = dict.fromkeys(names, PLAIN)
    axes = curve(shown, x, "hit_ratio", by or "simulated", names=names)
    return curve(
        shown, x, "che", by or "simulated", names=theory, dashed=True, ax=axes,
        x_label=x_label, y_label=y_label, title=title,
    )  # fmt: skip


def hit_remark(
    frame: pd.DataFrame, x: str, at: str, rules: str, by: str | None = None, names: Mapping[Any, str] | None = None
) -> str:
    """What the dashed lines are, and where and why the simulation leaves them; *rules* is how the cache is not LRU."""
    return (
        "Dashed is Che's approximation: LRU on the same references, in whatever order they come. "
        f"{remark(frame, x, at, che(rules), by, names)}"
    )
