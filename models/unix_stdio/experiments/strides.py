"""Rate against stride, with stdio and without."""

import pandas as pd
from matplotlib.axes import Axes

from models.unix_stdio.experiments.logarithmic import bytes_said, curves
from models.unix_stdio.experiments.tried import tried
from sim.study.system import Effort
from sim.units import MIB

BLOCK = 64
STRIDES = tuple(BLOCK << power for power in range(0, 15, 2))
HOW = (("r06", True, "without stdio"), ("r08", True, "with stdio"), ("r06", False, "from the disc"))


def strides(effort: Effort) -> pd.DataFrame:
    rows = []
    for name, warm, how in HOW:
        for stride in STRIDES:
            found = tried(name, warm=warm, block=BLOCK, stride=stride, size=4 * MIB)
            rows.append({"how": how, "stride": stride, "rate": found["rate"], "system_calls": found["system_calls"],
                         "amplification": found["amplification"], "device_reads": found["device_reads"]})  # fmt: skip
    return pd.DataFrame(rows)


def draw_strides(frame: pd.DataFrame) -> Axes:
    return curves(frame, "stride", "rate", "how", "stride", "bytes a second", "A cache that does not fit")


def remark_strides(frame: pd.DataFrame) -> str:
    table = frame.pivot(index="stride", columns="how", values="rate")
    worse = table.index[table["with stdio"] < table["without stdio"]]
    return f"From a stride of {bytes_said(worse.min())} on stdio costs more than it saves." if len(worse) else ""
