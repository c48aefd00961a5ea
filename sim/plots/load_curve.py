"""A load curve as simulated, mean value analysis beside it, and below it what no response can beat."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from sim.plots.curves import curve, faint_line, groups
from sim.plots.remarks import MEAN_VALUE_ANALYSIS, remark


def load_curve(
    frame: pd.DataFrame, x: str, by: str, names: Mapping[Any, str], *, x_label: str, y_label: str, title: str
) -> Axes:
    """Mean responses of what summarise_beside gave against *x*, a line for each value of *by*.

    Solid is the simulation, dashed the network, both in one colour; grey is the bound.
    """
    axes = curve(frame, x, "response_mean", by, names=names)
    for value, rows in groups(frame, by):
        faint_line(rows, x, "bound", f"{names[value]}, bound", axes)
    networks = {value: f"{name}, MVA" for value, name in names.items()}
    return curve(
        frame, x, "mva", by, names=networks, dashed=True, ax=axes, x_label=x_label, y_label=y_label, title=title
    )


def load_remark(frame: pd.DataFrame, x: str, at: str, by: str, names: Mapping[Any, str]) -> str:
    """What the dashed and the grey lines are, and where and why the simulation leaves them."""
    least, most = frame["unwaited"].min(), frame["unwaited"].max()
    return (
        "Dashed is mean value analysis of the demands that each run measured, grey is the least response that they "
        f"allow. {remark(frame, x, at, MEAN_VALUE_ANALYSIS, by, names)} "
        f"The {least:.2g} to {most:.2g} s of work for each response that nobody waits for slow the network's stations "
        "down as well."
    )
