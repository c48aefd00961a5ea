"""Table 6.2, of which table 6.1 is the first two columns: a record by the disc, by the cache, and mapped."""

from collections.abc import Mapping

import matplotlib
import pandas as pd
from matplotlib.axes import Axes

from models.windows_nt.experiments.workloads import TABLE, workload
from models.windows_nt.run import run
from sim.plots.pictures import new_axes
from sim.plots.style import BLUE, GREEN, INK, STYLE, VERMILION
from sim.study.system import Effort, Experiment
from workloads.probe.script import Mode
from workloads.probe.variant import in_mode

BOOK: Mapping[str, Mapping[str, float]] = {
    "sequential_read": {"unbuffered": 6.58, "buffered": 1.32, "mapped": 0.75},
    "sequential_write": {"unbuffered": 22.91, "buffered": 1.70, "mapped": 0.64},
    "random_read": {"unbuffered": 20.45, "buffered": 1.51, "mapped": 0.97},
    "random_read_write": {"unbuffered": 40.66, "buffered": 3.16, "mapped": 1.31},
}
"""Milliseconds a record: Blake 1993, tables 6.1 and 6.2."""
MODES = {"unbuffered": Mode.UNBUFFERED, "buffered": Mode.BUFFERED, "mapped": Mode.MAPPED}
COLOURS = {"unbuffered": VERMILION, "buffered": BLUE, "mapped": GREEN}
TICKS = (0.5, 1, 2, 5, 10, 20, 50)
SECONDS, LEAST = 60.0, 24.0
"""Of a trial, and what a random reader needs until the cache has nearly all of his megabyte."""


def cell(row: str, mode: str, seed: object, seconds: float, **parameters: object) -> float:
    """One cell of the table, ms."""
    result = run(in_mode(workload(row), MODES[mode]), seed, seconds, **parameters)  # type: ignore[arg-type]
    return result.extras["response_ms"]


def times(seed: object, length: float = 1.0, **parameters: object) -> dict[str, float]:
    """All twelve cells, as ``row_mode``."""
    seconds = max(LEAST, SECONDS * length)
    return {f"{row}_{mode}": cell(row, mode, seed, seconds, **parameters) for row in TABLE for mode in MODES}


def table_6_2(effort: Effort) -> pd.DataFrame:
    found = times(1, 0.5)
    rows = [{"row": row, "mode": mode, "ms": found[f"{row}_{mode}"], "book_ms": BOOK[row][mode]}
            for row in TABLE for mode in MODES]
    return pd.DataFrame(rows).assign(ratio=lambda frame: frame["ms"] / frame["book_ms"])


def draw_table_6_2(frame: pd.DataFrame) -> Axes:
    with matplotlib.rc_context(STYLE):
        ax = new_axes()
        for number, (mode, colour) in enumerate(COLOURS.items()):
            rows = frame[frame["mode"] == mode]
            places = [place + 0.26 * (number - 1) for place in range(len(rows))]
            ax.barh(places, rows["ms"].to_numpy(float), 0.24, color=colour, label=mode)
            ax.plot(rows["book_ms"].to_numpy(float), places, "|", color=INK, markersize=11, markeredgewidth=2.0,
                    label="" if number else "the book")  # fmt: skip
        ax.set_xscale("log")
        ax.set_xlim(0.4, 60)
        ax.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
        ax.minorticks_off()
        ax.set_yticks(range(len(TABLE)), [row.replace("_", " ") for row in TABLE])
        ax.set_ylim(len(TABLE) - 0.5, -0.5)
        ax.grid(visible=False, axis="y")
        ax.set_xlabel("a record, ms")
        ax.set_title("A record, by three ways to its file")
        ax.figure.legend(loc="outside lower left", ncols=4, handlelength=1, columnspacing=1.4)
    return ax


def remark_table_6_2(frame: pd.DataFrame) -> str:
    worst = max(frame.to_dict("records"), key=lambda row: abs(row["ratio"] - 1))
    return (
        f"Within {max(abs(frame['ratio'] - 1)):.0%} of the book, farthest {worst['row'].replace('_', ' ')}, "
        f"{worst['mode']}; seven of the twelve cells were fitted."
    )


EXPERIMENTS = (
    Experiment(
        "table_6_2", "Tables 6.1 and 6.2: a record of 4 KB of a file of 1 MB, uncached, cached and mapped.",
        table_6_2, draw_table_6_2, remark_table_6_2,
    ),
)  # fmt: skip
