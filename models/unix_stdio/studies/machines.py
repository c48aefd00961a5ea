"""Studies two machines: the time to a byte on each level of memory; simulated against measured times of 2026."""

from collections.abc import Mapping
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter

from spindle.models.unix_stdio.measured import CLOSE_SHARE, not_fitted
from spindle.models.unix_stdio.parameters import MACHINES, PAGE, VIRTUAL_2026, UnixParameters
from spindle.models.unix_stdio.run import UnixOptions, perform
from spindle.models.unix_stdio.studies.trials import PROGRAM, Row, virtual_2026
from spindle.sim.parameter import change
from spindle.studies.plots.axes import drawing, row_axes
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import BLUE, VERMILION
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study

# What the studies run: one program on the lecture's machine or that of 2026, and the pyramid of memories, as rows.

class Level(NamedTuple):
    """A level of memory: *seconds* to get one byte from it; whether the byte *survives* a power failure."""

    name: str
    seconds: float
    survives: bool


def levels(parameters: UnixParameters) -> list[Level]:
    """Return the levels from the fastest to the slowest; each is a cache of the next."""
    call = parameters.read_call + parameters.copy
    fill = parameters.read_call + PAGE * parameters.copy
    disc = parameters.read_request + PAGE * parameters.read_byte
    safe = parameters.write_request + PAGE * parameters.write_byte + parameters.flush
    return [
        Level("buffer of stdio", parameters.library_call, False),
        Level("page cache, by a system call", call, False),
        Level("page cache, by a buffer filled for it", parameters.library_call + fill, False),
        Level("disc", disc + call, True),
        Level("disc, a byte to be written there", safe + parameters.write_call, True),
    ]


def compare_measured(number: int, seed: object, **parameters: Any) -> Row:
    """Run one of the programs that nothing was fitted to; return it as simulated and as measured."""
    each = not_fitted()[number]
    us = perform(each.program, seed, each.seconds, each.warm, UnixOptions(VIRTUAL_2026)).extras["us_per_call"]
    return {"program": each.name, "us_per_call": us, "measured_us": each.quiet, "close": float(each.is_close(us)),
            "usual": float(each.is_usual(us))}


def pyramid(machine: str, seed: object, **parameters: Any) -> Row:
    """Return the levels of *machine*, from the fastest down: seconds to a byte there, and 1 if it is permanent."""
    constants = parameters if machine == "lecture" else {}
    steps = levels(change(MACHINES[machine], **constants))
    return {
        "level": [each.name for each in steps], "seconds": [each.seconds for each in steps],
        "survives": [int(each.survives) for each in steps],
    }  # fmt: skip


GREY = "#EEEEEE"
SET = "set"
OTHER_PROGRAMS: Mapping[str, dict[str, Any]] = {
    "r06": {"program": "r06", "warm": True}, "r08": {"program": "r08", "warm": True}, "w06": {"program": "w06"},
}  # fmt: skip


def slower_downwards(rows: SeedRows) -> Mapping[str, float]:
    """Measure whether each level is slower than the one above it."""
    seconds = rows.one(machine="lecture")["seconds"]
    return {"slower_downwards": float(all(above < below for above, below in pairwise(seconds)))}


def by_level(rows: pd.DataFrame) -> pd.DataFrame:
    columns = ["level", "seconds", "survives"]
    return rows[["machine", *columns]].explode(columns, ignore_index=True).astype({"seconds": float, "survives": int})


def draw_pyramid(table: pd.DataFrame) -> Axes:
    rows = table[table["machine"] == "lecture"]
    names, title = rows["level"].tolist(), "Fast above, permanent below"
    with row_axes(names, 2.6, x_label="nanoseconds to a byte", title=title) as ax:
        ax.barh(range(len(rows)), rows["seconds"].to_numpy(float) * 1e9, 0.62, left=1.0,
                color=[VERMILION if survives else BLUE for survives in rows["survives"]])  # fmt: skip
        ax.set_xscale("log")
        ax.set_xlim(1, 2e8)
        ax.xaxis.set_major_formatter(EngFormatter())
        ax.axhline(int((rows["survives"] == 0).sum()) - 0.5, color=VERMILION, linewidth=0.8)
    return ax


def compare_cells(rows: SeedRows) -> Mapping[str, float]:
    run = {name: rows.one(cell=name) for name in OTHER_PROGRAMS}
    set_of = rows.select(cell=SET)
    return {
        "close": fmean(row["close"] for row in set_of), "usual": fmean(row["usual"] for row in set_of),
        "r08_over_r06": run["r06"]["us_per_call"] / run["r08"]["us_per_call"],
        "fwrite_calls": run["w06"]["system_calls"],
    }


def by_ratio(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each program, the one that takes longest against the measurement last."""
    table = rows[rows["cell"] == SET][["program", "us_per_call", "measured_us", "close", "usual"]]
    table = table.assign(ratio=table["us_per_call"] / table["measured_us"])
    return table.sort_values(["ratio", "program"], ignore_index=True)


def draw_by_ratio(table: pd.DataFrame) -> Axes:
    with drawing() as ax:
        ax.axhspan(1.0 - CLOSE_SHARE, 1.0 + CLOSE_SHARE, color=GREY, linewidth=0.0)
        for usual, colour, label in ((1.0, BLUE, "within 15 %, or the quartiles of all runs"),
                                     (0.0, VERMILION, "further off")):
            rows = table[table["usual"] == usual]
            ax.plot(rows.index.to_numpy(float) + 1.0, rows["ratio"].to_numpy(float), "o", color=colour, markersize=4,
                    label=label)
        ax.set_yscale("log", base=2)
        ax.yaxis.set_major_formatter("{x:g}")
        ax.set(xlabel=f"the {len(table)} programs that nothing was fitted to, by the ratio",
               ylabel="a call, of its measured time", title="Seven of ten calls take as long as measured")
        legend_below(ax)
    return ax


def caption_by_ratio(table: pd.DataFrame) -> str:
    off = (table["ratio"] - 1.0).abs()
    close, usual = (f"{table[name].sum():.0f}" for name in ("close", "usual"))
    return (
        f"Of {len(table)} rows {close} lie within {CLOSE_SHARE:.0%} of the median of the quiet runs (grey), {usual} "
        f"within that or the quartiles of all runs; the mean error is {off.mean():.0%}, the median {off.median():.0%}. "
        "Farthest below is "
        f"{table['program'].iloc[0]}, farthest above {table['program'].iloc[-1]}."
    )


STUDIES = (
    Study(
        "memory_pyramid", [Runs(pyramid, UNTIMED, machine=["lecture", "virtual-2026"])],
        Figure(by_level, draw_pyramid), slower_downwards, replications=1,
    ),
    Study(
        "machine_of_2026",
        [Runs(compare_measured, UNTIMED, {"cell": SET}, number=list(range(len(not_fitted())))),
         *(Runs(virtual_2026, PROGRAM, {"cell": name}, **grid) for name, grid in OTHER_PROGRAMS.items())],
        Figure(by_ratio, draw_by_ratio, caption_by_ratio), compare_cells, replications=1,
    ),
)  # fmt: skip
