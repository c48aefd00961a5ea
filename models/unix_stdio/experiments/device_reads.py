"""How many reads the disc is asked for, against the setting of read-ahead and the stride."""

import pandas as pd
from matplotlib.axes import Axes

from models.unix_stdio.experiments.logarithmic import curves
from models.unix_stdio.experiments.tried import tried
from sim.study.system import Effort
from sim.units import KIB, MIB

WINDOWS = tuple(4 * KIB << power for power in range(12))
PATTERNS = (("r01", 512, 0, "front to back"), ("r01", 64 * KIB, 0, "the same, 64 KiB each"),
            ("r06", 512, 64 * KIB, "stride 64 KiB"), ("r06", 512, MIB, "stride 1 MiB"))  # fmt: skip


def device_reads(effort: Effort) -> pd.DataFrame:
    rows = []
    for name, block, stride, pattern in PATTERNS:
        for window in WINDOWS:
            found = tried(name, given={"read_ahead": window}, block=block, stride=stride)
            rows.append({"pattern": pattern, "read_ahead": window, "device_reads": found["device_reads"],
                         "rate": found["rate"]})  # fmt: skip
    return pd.DataFrame(rows)


def draw_device_reads(frame: pd.DataFrame) -> Axes:
    return curves(
        frame, "read_ahead", "device_reads", "pattern", "largest window of read-ahead", "reads of the disc for 10 MB",
        "A stride confuses the system",
    )
