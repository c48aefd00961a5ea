"""Where the time of a response goes, as a bar for each configuration; a part has the same colour in every picture."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from sim.account import Phase
from sim.plots.curves import stacked_bars
from sim.plots.style import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, YELLOW

PARTS: Mapping[Phase, tuple[str, str]] = {
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
    """A bar for each row of *frame*, named by its column *bar*, from the ``part_`` columns of a run's summary.

    Means over replications, as summarise makes them, add up as single runs do.
    """
    columns = {part: f"part_{part.name.lower()}" for part in Phase}
    parts = {columns[part]: PARTS[part][0] for part in Phase}
    colours = {columns[part]: PARTS[part][1] for part in Phase}
    return stacked_bars(frame, bar, parts, colours=colours, x_label=x_label, title=title)
