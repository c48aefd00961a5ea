"""How read-ahead finds a pattern: the reads of the disc, counted while a file is read for the first time."""

from itertools import accumulate

import pandas as pd
from matplotlib.axes import Axes

from models.unix_stdio.run import performed
from sim.plots.curves import curve
from sim.study.system import Effort
from sim.units import KIB, MB, MIB
from workloads.stdio import programs

PATTERNS = (("r01", 0, "front to back"), ("r06", MIB, "stride 1 MiB"), ("r06", 64 * KIB, "stride 64 KiB"))
POINTS = 100
"""Of each curve, at most."""


def adaptation(effort: Effort) -> pd.DataFrame:
    rows = []
    for name, stride, pattern in PATTERNS:
        sizes = performed(programs()[name].changed(block=512, stride=stride)).sizes
        fetched = list(accumulate(sizes))
        step = -(-len(sizes) // POINTS)
        kept = sorted({*range(step - 1, len(sizes), step), len(sizes) - 1})
        rows += [{"pattern": pattern, "megabytes": fetched[each] / MB, "reads": each + 1} for each in kept]
    return pd.DataFrame(rows)


def draw_adaptation(frame: pd.DataFrame) -> Axes:
    return curve(
        frame, "megabytes", "reads", "pattern", x_label="megabytes fetched so far", y_label="reads of the disc so far",
        title="Confused first, adapted later", names={each: each for each in frame["pattern"]},
    )
