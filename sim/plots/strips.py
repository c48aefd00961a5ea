"""Lines along one axis, a panel for each unit: no two units share a scale."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes

from sim.plots.direct_labels import label_ends
from sim.plots.pictures import new_axes, new_panels, styled


class DrawnLine(NamedTuple):
    """A *column* of the table, what it is called, and its colour."""

    column: str
    name: str
    colour: str


def strips(
    frame: pd.DataFrame, x: str, panels: Mapping[str, Sequence[DrawnLine]], *, x_label: str, title: str, mark: str = ""
) -> Axes:
    """Lines of *frame* against *x*, those of one unit in one of *panels*, which the unit is the name of.

    *mark* stands at each point. The axes returned are the uppermost.
    """
    axes = new_panels(len(panels)) if len(panels) > 1 else [new_axes()]
    with styled():
        for ax, (unit, lines) in zip(axes, panels.items(), strict=True):
            for line in lines:
                ax.plot(frame[x].to_numpy(float), frame[line.column].to_numpy(float), color=line.colour, marker=mark,
                        label=line.name, linewidth=1.5)  # fmt: skip
            ax.set_ylim(bottom=0)
            ax.set_ylabel(unit)
        axes[0].set_title(title)
        axes[-1].set_xlabel(x_label)
        for ax in axes:
            label_ends(ax)
    return axes[0]
