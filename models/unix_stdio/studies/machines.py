"""The pyramid of memories on the lecture's machine, and programs on that of 2026 that nothing was fitted to."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter

from spindle.models.unix_stdio.studies.trials import CLAIMS, PROGRAM, pyramid, virtual_2026, with_paper
from spindle.sim.units import KIB, MIB
from spindle.studies.claims.claims import published
from spindle.studies.plots.curves import Numbers, Point
from spindle.studies.plots.style import BLUE, VERMILION, row_axes
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study
from spindle.workloads.stdio import StdioCall

CALLS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "w02_512": ("O_SYNC and O_DIRECT, 512 bytes", {"program": "w02", "changes": {"size": MIB}}),
    "w02_64k": ("the same, 64 KiB", {"program": "w02", "block": 64 * KIB}),
    "w06_512": ("fwrite, 512 bytes", {"program": "w06", "block": 512}),
    "w06_1024": ("fwrite, 1 KiB", {"program": "w06", "block": KIB}),
    "w04_64": ("write, 64 bytes", {"program": "w04", "block": 64}),
    "fread_512": ("fread, 512 bytes, warm",
                  {"program": "r01", "block": 512, "warm": True, "changes": {"call": StdioCall.FREAD}}),
    "stride_4k": ("lseek and read, 4 KiB, warm", {"program": "r06", "block": 4 * KIB, "warm": True}),
}  # fmt: skip
"""By measure: what to call it, and what is run."""
OTHERS: Mapping[str, dict[str, Any]] = {
    "r06": {"program": "r06", "warm": True}, "r08": {"program": "r08", "warm": True}, "w06": {"program": "w06"},
}  # fmt: skip


def slower_downwards(rows: SeedRows) -> Mapping[str, float]:
    """Whether each level is slower than the one above it."""
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


def microseconds(rows: SeedRows) -> Mapping[str, float]:
    run = {name: rows.one(cell=name) for name in (*CALLS, *OTHERS)}
    return {
        **{name: run[name]["us_per_call"] for name in CALLS},
        "r08_over_r06": run["r06"]["us_per_call"] / run["r08"]["us_per_call"],
        "fwrite_calls": run["w06"]["system_calls"],
    }


def cells(rows: pd.DataFrame) -> pd.DataFrame:
    measured = published(CLAIMS, "machine_of_2026")
    table = rows[rows["cell"].isin(list(CALLS))][["cell", "us_per_call"]]
    return table.assign(call=[CALLS[cell][0] for cell in table["cell"]],
                        measured=[measured[cell] for cell in table["cell"]])  # fmt: skip


def printed_times(paper: Numbers) -> list[Point]:
    return [(paper[f"M2-{claim}"], called) for claim, (called, _) in enumerate(CALLS.values(), 11)]


@with_paper(printed_times)
def draw_cells(table: pd.DataFrame) -> Axes:
    title = "Calls that nothing was fitted to take as long as measured"
    with row_axes(table["call"].tolist(), 2.8, x_label="microseconds a call", title=title) as ax:
        ax.barh(range(len(table)), table["us_per_call"].to_numpy(float), 0.62, color=BLUE)
        ax.set_xscale("log")
        ax.set_xlim(0.02, 400)
        ax.xaxis.set_major_formatter("{x:g}")
    return ax


def caption_cells(table: pd.DataFrame) -> str:
    ratio = table["us_per_call"] / table["measured"] - 1
    farthest = table["call"].tolist()[int(ratio.abs().to_numpy().argmax())]
    return f"Within {ratio.abs().max():.0%} of the median of the quiet runs, farthest {farthest}."


STUDIES = (
    Study(
        "memory_pyramid", "What it takes to find a byte on each level of the lecture's machine; below the line it "
        "survives a failure of the power.",
        [Runs(pyramid, UNTIMED, machine=["lecture", "virtual-2026"])],
        Figure(by_level, draw_pyramid), slower_downwards, replications=1,
    ),
    Study(
        "machine_of_2026", "Calls of the same programs on a virtual machine of 2026, which were not among those that "
        "its constants were fitted to.",
        [*(Runs(virtual_2026, PROGRAM, {"cell": name}, **grid) for name, (_, grid) in CALLS.items()),
         *(Runs(virtual_2026, PROGRAM, {"cell": name}, **grid) for name, grid in OTHERS.items())],
        Figure(cells, draw_cells, caption_cells), microseconds, replications=1,
    ),
)  # fmt: skip
