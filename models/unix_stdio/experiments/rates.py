"""The lecture's own picture: how many bytes a second each program writes or reads, on a logarithmic scale."""

from math import nan

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from models.unix_stdio.experiments.tried import tried
from sim.plots.pictures import new_axes
from sim.plots.style import BLUE, GREEN, STYLE, VERMILION, WIDTH
from sim.study.system import Effort
from sim.units import KIB, MIB

BARS = (
    ("w01", 1, 26.0, "1 byte, synchronous"), ("w02", 512, 14_000.0, "512 bytes, synchronous"),
    ("w02", 64 * KIB, 1_540_000.0, "64 KiB, synchronous"), ("w02", 10 * MIB, 9_630_000.0, "all at once, synchronous"),
    ("w03", 1, 474_492.0, "1 byte, page cache"), ("w04", 512, 67_700_000.0, "512 bytes, page cache"),
    ("w05", 1, 27_000_000.0, "1 byte, stdio"), ("w06", 64 * KIB, 409_000_000.0, "64 KiB, stdio"),
    ("r01", 1, nan, "read 1 byte"), ("r06", 1, nan, "read 1 byte, stride"), ("r08", 1, nan, "the same by stdio"),
)  # fmt: skip
"""Program, block, the lecture's bytes a second, and what to call it."""


def rates(effort: Effort) -> pd.DataFrame:
    """Nothing in them is random, so that one run says it."""
    rows = []
    for name, block, printed, called in BARS:
        found = tried(name, block=block)
        rows.append({"program": name, "block": block, "called": called, "rate": found["rate"],
                     "ln_rate": found["ln_rate"], "lecture": printed, "us_per_call": found["us_per_call"],
                     "system_calls": found["system_calls"]})  # fmt: skip
    return pd.DataFrame(rows)


def draw_rates(frame: pd.DataFrame) -> Axes:
    ax = new_axes(WIDTH, 4.2)
    with matplotlib.rc_context(STYLE):
        places = range(len(frame))
        colours = [GREEN if name.startswith("r") else BLUE for name in frame["program"]]
        ax.barh(places, frame["rate"].to_numpy(float), 0.62, color=colours)
        ax.plot(frame["lecture"].to_numpy(float), places, "o", color=VERMILION, markersize=5, label="the lecture")
        ax.set_xscale("log")
        ax.set_xlim(10, 3e9)
        ax.set_yticks(places, (frame["program"] + "  " + frame["called"]).tolist())
        ax.set_ylim(len(frame) - 0.5, -0.5)
        ax.grid(visible=False, axis="y")
        ax.set_xlabel("bytes a second")
        ax.set_title("The same ten megabytes")
        ax.figure.legend(loc="outside lower right", handlelength=1)
    return ax
