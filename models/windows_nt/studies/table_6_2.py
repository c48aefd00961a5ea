"""Studies Blake's table 6.2 (6.1 is two of its columns): times of a record from disc, from the cache, and mapped."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.run import run
from spindle.models.windows_nt.studies.trials import CLAIMS, MODES, TABLE_RUNS, TABLE_WINDOW, Row, with_paper, workload
from spindle.sim.parameter import change
from spindle.sim.streams import stream
from spindle.sim.units import MIB, MS
from spindle.studies.claims.claims import published_by_measure
from spindle.studies.plots.axes import row_axes
from spindle.studies.plots.claim_points import Numbers, Point
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.phases import breakdown
from spindle.studies.plots.style import BLUE, GREEN, HEIGHT, VERMILION
from spindle.studies.statistics import summarise
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study
from spindle.workloads.probe.variations import in_mode, widen_spread
from spindle.workloads.probe.walk import ProbeWalk


def cell(row: str, mode: str, seed: object, seconds: float, **parameters: Any) -> Row:
    """Measure one cell of table 6.2, and the phases of its time."""
    result = run(in_mode(workload(row), MODES[mode]), seed, seconds, **parameters)
    parts = {f"part_{name}": each for name, each in result.breakdown().items()}
    return {"ms": result.extras["response_ms"], **parts}


def settings(seed: object, **parameters: Any) -> Row:
    """Return the inputs: sizes, and the places of Probe's records."""
    machine = change(NtParameters(), **parameters)
    probes = (widen_spread(workload(name), machine.spread) for name in ("sequential_read", "large_read"))
    small, large = (probe.processes[0].threads[0].actions[0] for probe in probes)
    reader, sequence = ProbeWalk(large, stream(seed, "spread")), ProbeWalk(small, stream(seed, "sequence"))
    places = sorted(each.first for _ in range(4000) for each in reader.references())
    firsts = [each.first for _ in range(small.records + 1) for each in sequence.references()]
    return {
        "memory_mb": machine.memory / MIB, "trim_below_mb": machine.trim_below / MIB, "record_bytes": small.record,
        "spread_mb": (places[-20] - places[20]) / MIB, "wraps": float(firsts[-1] == 0 and len(set(firsts)) == 256),
    }  # fmt: skip


MODE_COLOURS = {"unbuffered": VERMILION, "buffered": BLUE, "mapped": GREEN}
TIME_TICKS = (0.5, 1, 2, 5, 10, 20, 50)
BAR_STEP = 0.26
"""Distance from one bar of a row to the next."""
PRINTED_CLAIMS = (("S3-03", "S3-04", "T62-SR"), ("S3-05", "S3-06", "T62-SW"), ("S3-07", "S3-08", "T62-RR"),
           ("S3-09", "S3-10", "T62-RW"))  # fmt: skip
"""Claims on the cells of table 6.2, in the order of TABLE and MODE_COLOURS."""
RANDOM_ROWS = [row for row in TABLE_RUNS if row.startswith("random")]


def measures(rows: SeedRows) -> Mapping[str, float]:
    """Measure the twelve cells, as ``row_mode``, and the ratio of uncached to cached times."""
    ms = {f"{row['row']}_{row['mode']}": row["ms"] for row in rows}
    return {**ms, **{f"{row}_gain": ms[f"{row}_unbuffered"] / ms[f"{row}_buffered"] for row in TABLE_RUNS}}


def table(rows: pd.DataFrame) -> pd.DataFrame:
    book = published_by_measure(CLAIMS, "table_6_2")
    cells = summarise(rows, ["row", "mode"], ["ms"])
    printed = [book[f"{row}_{mode}"] for row, mode in zip(cells["row"], cells["mode"], strict=True)]
    return cells.assign(book_ms=printed, ratio=cells["ms"] / printed)


def printed_cells(paper: Numbers) -> list[Point]:
    return [(paper[claim], place + BAR_STEP * (number - 1)) for place, row in enumerate(PRINTED_CLAIMS)
            for number, claim in enumerate(row)]  # fmt: skip


@with_paper(printed_cells)
def picture(table: pd.DataFrame) -> Axes:
    with row_axes([row.replace("_", " ") for row in TABLE_RUNS], HEIGHT, x_label="a record, ms",
                  title="Cached a record takes less, and mapped the least") as ax:
        for number, (mode, colour) in enumerate(MODE_COLOURS.items()):
            rows = table[table["mode"] == mode]
            places = [place + BAR_STEP * (number - 1) for place in range(len(rows))]
            ax.barh(places, rows["ms"].to_numpy(float), 0.24, color=colour, label=mode)
        ax.set_xscale("log")
        ax.set_xlim(0.4, 60)
        ax.set_xticks(TIME_TICKS, [f"{tick:g}" for tick in TIME_TICKS])
        ax.minorticks_off()
        legend_below(ax)
    return ax


def caption(table: pd.DataFrame) -> str:
    worst = max(table.to_dict("records"), key=lambda row: abs(row["ratio"] - 1))
    return (
        f"Within {max(abs(table['ratio'] - 1)):.0%} of the book, farthest {worst['row'].replace('_', ' ')}, "
        f"{worst['mode']}; seven of the twelve cells were fitted."
    )


def bars(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the breakdown's bars, by column ``run``."""
    named = rows.assign(run=rows["row"].str.replace("random_", "random ").str.replace("_", "/") + ", " + rows["mode"])
    return summarise(named, ["run"], [name for name in rows.columns.astype(str) if name.startswith("part_")])


def printed_bars(paper: Numbers) -> list[Point]:
    claims = [claim for row in PRINTED_CLAIMS[-len(RANDOM_ROWS):] for claim in row]
    return [(paper[claim] * MS, float(place)) for place, claim in enumerate(claims)]


draw_bars = with_paper(printed_bars)(partial(breakdown, bar="run", title="What is not cached waits for the disc"))

STUDIES = (
    Study("breakdown", [Runs(cell, TABLE_WINDOW, row=RANDOM_ROWS, mode=list(MODES))], Figure(bars, draw_bars)),
    Study(
        "table_6_2", [Runs(cell, TABLE_WINDOW, row=list(TABLE_RUNS), mode=list(MODES))],
        Figure(table, picture, caption), measures,
    ),
    Study("settings", [Runs(settings, UNTIMED)], measures=lambda rows: rows[0]),
)  # fmt: skip
