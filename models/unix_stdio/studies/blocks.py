"""Rate by block size: from the time per request to the time per byte; also on the drive of a data sheet."""

from collections.abc import Mapping
from math import fsum

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.unix_stdio.parameters import UnixParameters
from spindle.models.unix_stdio.studies.trials import PROGRAM, curves, lecture, on_drive, with_paper
from spindle.sim.units import KIB, MIB
from spindle.studies.plots.curves import Numbers, Point
from spindle.studies.plots.style import FAINT
from spindle.studies.study import Figure, Runs, SeedRows, Study

BLOCKS = [1, 8, 64, 512, 4 * KIB, 64 * KIB, 256 * KIB, MIB, 10 * MIB]
SYNCHRONOUS = "synchronous"
DRIVE = "on a 7200 rpm drive"
LAW = (512, 64 * KIB, MIB, 10 * MIB)
"""Blocks of which a call's time is held against R + size x U."""


def measures(rows: SeedRows) -> Mapping[str, float]:
    drive = {row["block"]: row["rate"] for row in rows.select(how=DRIVE, program="w02")}
    run = {block: rows.one(how=SYNCHRONOUS, block=block) for block in LAW}
    rate = {block: row["rate"] for block, row in run.items()}
    law = [row["us_per_call"] / 1e6 / row["law"] for row in run.values()]
    whole = run[10 * MIB]
    return {
        "law": fsum(law) / len(law),
        "plateau": float(rate[64 * KIB] > 50 * rate[512] and rate[10 * MIB] < 2 * rate[MIB]),
        "transfer_limits": float(whole["transfer"] > 0.9 * whole["us_per_call"] / 1e6),
        "drive_w01": rows.one(how=DRIVE, program="w01")["rate"],
        "drive_w02": drive[512], "drive_w02_64k": drive[64 * KIB], "drive_w02_whole": drive[10 * MIB],
    }  # fmt: skip


def table(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.loc[rows["program"] != "w01", ["how", "program", "block", "rate"]]


def printed_rates(paper: Numbers) -> list[Point]:
    return [(512, paper["S2-03"]), (64 * KIB, paper["S2-04"]), (10 * MIB, paper["S2-05"]), (1, paper["S2-08"]),
            (1, paper["S2-11"]), (64 * KIB, paper["S2-14"])]  # fmt: skip


@with_paper(printed_rates)
def picture(table: pd.DataFrame) -> Axes:
    ax = curves(table, "block", "rate", "how", "block", "bytes a second", "A call costs R + size x U")
    plateau = 1 / UnixParameters().write_byte
    ax.axhline(plateau, color=FAINT, linewidth=0.8, linestyle=":", zorder=1.5)
    ax.text(64, plateau * 1.2, "1/U, lecture's disc", color=FAINT)
    return ax


STUDIES = (
    Study(
        "rate_vs_block", "Bytes a second against the block: R + size x U rises to a plateau at 1/U; stdio gives small "
        "blocks what only large ones have without it.",
        [
            Runs(lecture, PROGRAM, {"how": SYNCHRONOUS}, program="w02", block=BLOCKS[3:]),
            Runs(lecture, PROGRAM, {"how": "page cache"}, program="w04", block=BLOCKS),
            Runs(lecture, PROGRAM, {"how": "stdio"}, program="w06", block=BLOCKS),
            Runs(on_drive, PROGRAM, {"how": DRIVE}, program="w02", block=[512, 4 * KIB, *BLOCKS[5:]]),
            Runs(on_drive, PROGRAM, {"how": DRIVE}, program="w01", block=1),
        ],
        Figure(table, picture), measures, replications=1,
    ),
)  # fmt: skip
