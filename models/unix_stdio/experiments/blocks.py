"""Rate against block: where R stops and U begins."""

import pandas as pd
from matplotlib.axes import Axes

from models.unix_stdio.experiments.logarithmic import curves
from models.unix_stdio.experiments.tried import tried
from models.unix_stdio.parameters import Parameters
from models.unix_stdio.run import Choices
from sim.disc.sheets import HITACHI_7K1000C
from sim.plots.style import FAINT
from sim.study.system import Effort
from sim.units import KIB, MIB

BLOCKS = (1, 8, 64, 512, 4 * KIB, 32 * KIB, 256 * KIB, MIB, 10 * MIB)
CURVES = (("w02", "synchronous", 512), ("w04", "page cache", 1), ("w06", "stdio", 1))


def rate_vs_block(effort: Effort) -> pd.DataFrame:
    rows = [
        {"how": how, "block": block, "rate": tried(name, block=block)["rate"]}
        for name, how, least in CURVES for block in BLOCKS if block >= least
    ]  # fmt: skip
    drive = Choices(drive=HITACHI_7K1000C)
    rows += [
        {"how": "on a 7200 rpm drive", "block": block, "rate": tried("w02", choices=drive, block=block)["rate"]}
        for block in (512, 32 * KIB, 256 * KIB, MIB, 10 * MIB)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def draw_rate_vs_block(frame: pd.DataFrame) -> Axes:
    ax = curves(frame, "block", "rate", "how", "block", "bytes a second", "A call costs R + size x U")
    plateau = 1 / Parameters().write_byte
    ax.axhline(plateau, color=FAINT, linewidth=0.8, linestyle=":", zorder=1.5)
    ax.text(1.2, plateau * 1.2, "1/U of the lecture's disc", color=FAINT, fontsize=8.5)
    return ax
