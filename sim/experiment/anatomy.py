"""Where the time of a response goes, as a bar for each configuration; a part has the same colour in every picture."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from sim.account import Part
from sim.experiment.plots import stacked_bars
from sim.experiment.style import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, YELLOW

PARTS: Mapping[Part, tuple[str, str]] = {
    # The CPU in blues, the disc's own work in greens, and the waits between them in warm colours and greys.
    Part.CPU: ("CPU", BLUE),
    Part.CACHE: ("cache", SKY),
    Part.MANAGER: ("memory manager", "#0B3C5D"),
    Part.INTERRUPT: ("interrupts", "#B5D8EE"),
    Part.CPU_WAIT: ("wait for CPU", "#7C8AA0"),
    Part.LINE: ("line", "#BFBFBF"),
    Part.LOCK: ("lock", VERMILION),
    Part.MEMORY: ("wait for memory", PURPLE),
    Part.WRITE_WAIT: ("wait for a write", "#8C4F78"),
    Part.QUEUE: ("disc queue", ORANGE),
    Part.OVERHEAD: ("disc command", "#C7B98B"),
    Part.SEEK: ("seek", GREEN),
    Part.ROTATION: ("rotation", "#7CCDB0"),
    Part.TRANSFER: ("transfer", "#00573F"),
    Part.CHANNEL: ("channel", YELLOW),
}


def breakdown(
    frame: pd.DataFrame,
    bar: str,
    *,
    title: str = "",
    x_label: str = "mean response, s",
    names: Mapping[Any, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A bar for each row of *frame*, named by its column *bar*, from the ``part_`` columns of a run's summary.

    Means over replications, as summarise makes them, add up as single runs do.
    """
    columns = {part: f"part_{part.name.lower()}" for part in Part}
    parts = {columns[part]: PARTS[part][0] for part in Part}
    colours = {columns[part]: PARTS[part][1] for part in Part}
    return stacked_bars(frame, bar, parts, colours=colours, x_label=x_label, title=title, names=names, ax=ax)
