"""Studies the programs of the lecture CS61: bytes a second, the parts of their time, and rates by size of a block."""

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from math import fsum, nan

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter

from spindle.models.unix_stdio.parameters import UnixParameters
from spindle.models.unix_stdio.studies.trials import PAPER, PROGRAM, curves, lecture, on_drive, with_paper
from spindle.sim.units import KIB, MIB
from spindle.studies.plots.axes import row_axes
from spindle.studies.plots.claim_points import Numbers, Point
from spindle.studies.plots.phases import breakdown
from spindle.studies.plots.style import BLUE, FAINT, GREEN
from spindle.studies.study import Figure, Runs, SeedRows, Study
from spindle.workloads.stdio import StdioCall

BARS = (
    ("w01", 1, "w01", "1 byte, synchronous"), ("w02", 512, "w02", "512 bytes, synchronous"),
    ("w02", 64 * KIB, "w02_64k", "64 KiB, synchronous"), ("w02", 10 * MIB, "w02_whole", "all at once, synchronous"),
    ("w03", 1, "w03", "1 byte, page cache"), ("w04", 512, "w04", "512 bytes, page cache"),
    ("w05", 1, "w05", "1 byte, stdio"), ("w06", 64 * KIB, "w06", "64 KiB, stdio"),
    ("r01", 1, "", "read 1 byte"), ("r06", 1, "", "read 1 byte, stride"), ("r08", 1, "", "the same by stdio"),
)  # fmt: skip
"""Bars of the picture: program, block, the measure for which the lecture has a number, and the bar's name."""
PRINTED_CLAIMS = ("S2-02", "S2-03", "S2-04", "S2-05", "S2-08", "S2-09", "S2-11", "S2-14")
"""Claims on the first of BARS; the lecture does not give the block of S2-09."""
RATE_RUNS = [
    Runs(lecture, PROGRAM, {"called": called}, program=program, block=block) for program, block, _, called in BARS
]
BY_FREAD = "read 1 byte by stdio"


def measures(rows: SeedRows) -> Mapping[str, float]:
    run = {name or program: rows.one(called=called) for program, _, name, called in BARS}
    fread = rows.one(called=BY_FREAD)
    rate = {name: each["rate"] for name, each in run.items()}
    order = [rate[name] for name in ("w06", "w04", "w05", "w03", "w02", "w01")]
    return {
        **rate,
        "size": run["w03"]["calls"],
        "w04_device_writes": run["w04"]["device_writes_meanwhile"],
        "w05_calls": run["w05"]["system_calls"],
        "w05_call_bytes": 10 * MIB / run["w05"]["system_calls"],
        "stdio_between": float(rate["w03"] < rate["w05"] < rate["w04"]),
        "order": float(all(one > other for one, other in pairwise(order))),
        "w05_over_w03": rate["w05"] / rate["w03"],
        "w06_over_w05": rate["w06"] / rate["w05"],
        "risky": float(run["w03"]["most_at_risk"] > 0 == run["w01"]["most_at_risk"]),
        "written_later": float(run["w04"]["safe_after"] > 0 and run["w04"]["device_bytes"] >= 10 * MIB),
        "read_faster": float(rate["r01"] > rate["w03"]),
        "fread_bytes": 10 * MIB / fread["system_calls"],
        "stdio_slower": float(rate["r08"] < rate["r06"]),
        "amplification": run["r08"]["amplification"],
    }


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each bar, with the lecture's number; nothing in them is random, so that one run is enough."""
    paper = PAPER()
    bars = rows[rows["called"] != BY_FREAD]
    columns = ["program", "block", "called", "rate", "ln_rate", "us_per_call", "system_calls"]
    lectured = [*(paper[claim] for claim in PRINTED_CLAIMS), *[nan] * (len(BARS) - len(PRINTED_CLAIMS))]
    return bars[columns].assign(lecture=lectured).reset_index(drop=True)


@with_paper(lambda paper: [(paper[claim], float(place)) for place, claim in enumerate(PRINTED_CLAIMS)])
def picture(table: pd.DataFrame) -> Axes:
    names = (table["program"] + "  " + table["called"]).tolist()
    with row_axes(names, 4.2, x_label="bytes a second",
                  title="A buffer writes bytes a million times as fast as the disc") as ax:
        colours = [GREEN if name.startswith("r") else BLUE for name in table["program"]]
        ax.barh(range(len(table)), table["rate"].to_numpy(float), 0.62, color=colours)
        ax.set_xscale("log")
        ax.set_xlim(10, 3e9)
        ax.xaxis.set_major_formatter(EngFormatter())
    return ax


def bars(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the breakdown's bars, by column ``run``."""
    phases = rows[[name for name in rows.columns.astype(str) if name.startswith("part_")]]
    return phases.assign(run=rows["program"] + "  " + rows["called"])


draw_bars = with_paper(lambda paper: [(paper["S2-01"] / paper["S2-08"], "w03  1 byte, page cache")])(
    partial(breakdown, bar="run", title="A byte at a time is all system calls", x_label="seconds for 10 MB"))

RATE_STUDIES = (
    Study(
        "breakdown", [runs for runs in RATE_RUNS if runs.grid["program"] in ("w03", "r01", "r06", "r08")],
        Figure(bars, draw_bars),
        replications=1,
    ),
    Study(
        "rates",
        [*RATE_RUNS, Runs(lecture, PROGRAM, {"called": BY_FREAD}, program="r01", block=1,
                           changes={"call": StdioCall.FREAD})],
        Figure(table, picture), measures, replications=1,
    ),
)  # fmt: skip


# Rate by block size: from the time per request to the time per byte; also on the drive of a data sheet.

CALL_SIZES = [1, 8, 64, 512, 4 * KIB, 64 * KIB, 256 * KIB, MIB, 10 * MIB]
SYNC_CURVE = "synchronous"
DRIVE_CURVE = "on a 7200 rpm drive"
LAW_BLOCKS = (512, 64 * KIB, MIB, 10 * MIB)
"""Blocks whose time of a call is compared with R + size x U."""


def measure_blocks(rows: SeedRows) -> Mapping[str, float]:
    drive = {row["block"]: row["rate"] for row in rows.select(how=DRIVE_CURVE, program="w02")}
    run = {block: rows.one(how=SYNC_CURVE, block=block) for block in LAW_BLOCKS}
    rate = {block: row["rate"] for block, row in run.items()}
    law = [row["us_per_call"] / 1e6 / row["law"] for row in run.values()]
    whole = run[10 * MIB]
    return {
        "law": fsum(law) / len(law),
        "plateau": float(rate[64 * KIB] > 50 * rate[512] and rate[10 * MIB] < 2 * rate[MIB]),
        "transfer_limits": float(whole["transfer"] > 0.9 * whole["us_per_call"] / 1e6),
        "drive_w01": rows.one(how=DRIVE_CURVE, program="w01")["rate"],
        "drive_w02": drive[512], "drive_w02_64k": drive[64 * KIB], "drive_w02_whole": drive[10 * MIB],
    }  # fmt: skip


def block_table(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["program"] != "w01"][["how", "program", "block", "rate"]]


def printed_rates(paper: Numbers) -> list[Point]:
    return [(512, paper["S2-03"]), (64 * KIB, paper["S2-04"]), (10 * MIB, paper["S2-05"]), (1, paper["S2-08"]),
            (1, paper["S2-11"]), (64 * KIB, paper["S2-14"])]  # fmt: skip


@with_paper(printed_rates)
def draw_blocks(table: pd.DataFrame) -> Axes:
    ax = curves(table, "block", "rate", "how", "block", "bytes a second", "A call costs R + size x U")
    plateau = 1 / UnixParameters().write_byte
    ax.axhline(plateau, color=FAINT, linewidth=0.8, linestyle=":", zorder=1.5)
    ax.text(64, plateau * 1.2, "1/U, lecture's disc", color=FAINT)
    return ax


STUDIES = (
    *RATE_STUDIES,
    Study(
        "rate_vs_block",
        [
            Runs(lecture, PROGRAM, {"how": SYNC_CURVE}, program="w02", block=CALL_SIZES[3:]),
            Runs(lecture, PROGRAM, {"how": "page cache"}, program="w04", block=CALL_SIZES),
            Runs(lecture, PROGRAM, {"how": "stdio"}, program="w06", block=CALL_SIZES),
            Runs(on_drive, PROGRAM, {"how": DRIVE_CURVE}, program="w02", block=[512, 4 * KIB, *CALL_SIZES[5:]]),
            Runs(on_drive, PROGRAM, {"how": DRIVE_CURVE}, program="w01", block=1),
        ],
        Figure(block_table, draw_blocks), measure_blocks, replications=1,
    ),
)  # fmt: skip
