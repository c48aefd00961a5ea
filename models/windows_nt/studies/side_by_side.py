"""Studies Blake's figures 6.19 to 6.21: a process that reads its file through the cache beside one that maps it."""

from collections.abc import Mapping
from functools import partial
from statistics import fmean
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.windows_nt.log import Log, NtLine, second_half, working_set
from spindle.models.windows_nt.log import log_lines as lines
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.run import run
from spindle.models.windows_nt.studies.trials import FIGURE, MODES, Row, run_logged, workload
from spindle.sim.parameter import change
from spindle.studies.plots.curves import DrawnLine, curve, strips
from spindle.studies.plots.style import BLUE, GREEN, SKY, VERMILION
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study
from spindle.workloads.probe.variations import in_mode, in_sequence


def go_through(mode: str, seed: object, share: float, **parameters: Any) -> Row:
    """Read the file of figure 6.3 in sequence in one of MODES; return the ``mb`` of memory that the reader takes.

    It is the memory of the process if it maps the file, else the growth of the cache in the trial.
    """
    probe = in_sequence(in_mode(workload("large_read"), MODES[mode]))
    seconds = share * change(NtParameters(), **parameters).trial
    row = lines(run(probe, seed, seconds, interval=1.0, **parameters))
    if mode == "mapped":
        (reader,) = [name for name in row if name.startswith(working_set("PROBEPRC")[:-1])]
        return {"mb": fmean(second_half(Log(row).mb(reader)))}
    return {"mb": fmean(second_half(Log(row).mb(NtLine.CACHE))) - Log(row, lead=True).mb(NtLine.CACHE)[-1]}


SPREADS = range(1, 9)
"""MB of each file over which records are spread."""
MAPPED = "MAPPED.EXE"
SPREAD_COLUMNS = ["buffered_ms", "mapped_ms", "cache_mb", "mapped_mb", "available_mb", "pages_per_second"]


def run_shares(work: str, seed: object, share: float, **parameters: Any) -> Row:
    """Return the responses of both processes of a trial, and their memory in the second half."""
    return shares(run_logged(work, seed, share, **parameters))


def shares(row: Row) -> dict[str, float]:
    """Return the measures of ``run_shares`` from the *row* of a logged trial."""
    log = Log(row)
    (mapped,) = [name for name in row if name.startswith(working_set(MAPPED)[:-1])]
    megabytes = {"cache_mb": NtLine.CACHE, "mapped_mb": mapped, "available_mb": NtLine.AVAILABLE}
    return {
        "buffered_ms": row["response_ms_1"], "mapped_ms": row["response_ms_2"],
        **{name: fmean(second_half(log.mb(line))) for name, line in megabytes.items()},
        "pages_per_second": log.mean(NtLine.INPUT, NtLine.OUTPUT, half=True),
    }  # fmt: skip


RUNS = [Runs(run_shares, FIGURE, work="side_by_side", spread_mb=SPREADS)]
SLIGHTLY_MORE = 1.2
"""The most that is "slightly larger": by a fifth, as a few pages are (N-R5b), and as two are equal (N-M1f)."""


def measures(rows: SeedRows) -> Mapping[str, float]:
    """Compare both processes at the first and at the last of the eight spreads."""
    first, last = rows[0], rows[-1]
    return {
        "cache_slightly_ahead": float(1.0 < first["cache_mb"] / first["mapped_mb"] <= SLIGHTLY_MORE),
        "mapped_ahead_at_last": float(last["mapped_mb"] > last["cache_mb"]),
        "available_falls": float(last["available_mb"] < first["available_mb"]),
        "paging_rises": float(last["pages_per_second"] > 2 * first["pages_per_second"]),
        "mapped_faster_at_first": float(first["mapped_ms"] < first["buffered_ms"]),
        "evens_up": last["mapped_ms"] / last["buffered_ms"],
    }


MUCH_LESS = 0.5
"""Largest ratio of memory that counts as "much less"."""


def memory_in_sequence(rows: SeedRows) -> Mapping[str, float]:
    buffered, mapped = (rows.one(mode=mode)["mb"] for mode in ("buffered", "mapped"))
    return {"cache_takes_less": float(buffered < MUCH_LESS * mapped)}


def table(rows: pd.DataFrame) -> pd.DataFrame:
    return summarise(rows, ["spread_mb"], SPREAD_COLUMNS)


def draw_responses(table: pd.DataFrame) -> Axes:
    long = pd.concat([
        table[["spread_mb"]].assign(way=way, **{end: table[f"{way}_ms{tail}"] for end, tail in (
            ("ms", ""), ("ms_low", "_low"), ("ms_high", "_high"))}) for way in ("buffered", "mapped")
    ])  # fmt: skip
    return curve(long, "spread_mb", "ms", "way", x_label="each spread over, MB", y_label="response, ms",
                 title="Mapping is faster, and stays so where memory is short")


def caption_responses(table: pd.DataFrame) -> str:
    first, last = table.iloc[0], table.iloc[-1]
    return (
        f"Mapped to buffered is {first['mapped_ms'] / first['buffered_ms']:.2f} over {first['spread_mb']:.0f} MB and "
        f"{last['mapped_ms'] / last['buffered_ms']:.2f} over {last['spread_mb']:.0f} MB (the book: faster, then even)."
    )


SHARE_LINES = {
    "MB": (DrawnLine("cache_mb", "Cache Bytes", GREEN), DrawnLine("mapped_mb", "mapped working set", VERMILION),
           DrawnLine("available_mb", "Available Bytes", BLUE)),
    "pages a second": (DrawnLine("pages_per_second", "Pages/sec", SKY),),
}  # fmt: skip
draw_shares = partial(strips, x="spread_mb", panels=SHARE_LINES, x_label="each spread over, MB", mark="o",
                      title="The process that maps gets more memory than the cache")


def caption_shares(table: pd.DataFrame) -> str:
    ahead = table[table["mapped_mb"] > table["cache_mb"]]["spread_mb"].tolist()
    where = f"from {min(ahead):.0f} MB on" if ahead else "nowhere"
    return f"The mapped working set is the larger {where} (the book: the cache at first, then the process)."


STUDIES = (
    Study("side_by_side", RUNS, Figure(table, draw_responses, caption_responses), measures),
    Study("memory_shares", RUNS, Figure(table, draw_shares, caption_shares)),
    Study("in_sequence", [Runs(go_through, FIGURE, mode=["buffered", "mapped"])], measures=memory_in_sequence),
)  # fmt: skip
