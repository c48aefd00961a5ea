"""The drives: two processes that read in turn, the track buffer, and three drives under the main load."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.machine import SECTORS, MaxIvOptions
from models.max_iv.run import run
from models.max_iv.runs.drives import BARE, BUFFERS, readers
from models.max_iv.runs.tools import USERS
from models.max_iv.studies.common import RESPONSE, bars, minutes, with_paper
from sim.disc.mechanism import DiscType
from sim.disc.sheets import IBM_2314, MODCOMP_4134, MODCOMP_4138
from sim.plots.curves import curve
from sim.statistics.summarise import summarise
from sim.study.study import UNTIMED, Figure, Runs, SeedRows, Study

DISCS: Mapping[str, DiscType] = {
    "4138": MODCOMP_4138, "4138 without its buffer": BARE, "4134": MODCOMP_4134, "2314": IBM_2314,
}  # fmt: skip


def interleaved_readers(frame: pd.DataFrame) -> pd.DataFrame:
    table = summarise(frame, ["processes", "drive", "in_turn"], ["ms"])
    return table.assign(which=[_named(row["drive"], row["in_turn"]) for row in table.to_dict("records")])


def _named(drive: str, in_turn: bool) -> str:
    return f"{'in turn' if in_turn else 'in sequence'}, {'buffer' if drive == 'buffer' else 'no buffer'}"


@with_paper(lambda paper: [(2, paper["J07"]), (2, paper["J07b"])])
def draw_interleaved_readers(table: pd.DataFrame) -> Axes:
    return curve(
        table, "processes", "ms", "which", names={which: which for which in table["which"].unique()},
        x_label="processes, each with a file of four sectors", y_label="ms of accesses until all are done",
        title="A buffer of one track helps one reader at a time",
    )


def caption_interleaved_readers(table: pd.DataFrame) -> str:
    two = table[(table["processes"] == 2) & (table["drive"] == "buffer")].set_index("in_turn")["ms"]
    return f"Two: {two[False]:.0f} ms one after the other and {two[True]:.0f} in turn; the paper has 72 and 288."


def two_readers(rows: SeedRows) -> Mapping[str, float]:
    sequence, in_turn = (rows.one(processes=2, drive="buffer", in_turn=in_turn)["ms"] for in_turn in (False, True))
    return {"sequence_ms": sequence, "interleaved_ms": in_turn, "factor": in_turn / sequence}


def drives(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each drive, with the cache; without it under ``plain_``."""
    table = summarise(frame, ["disc", "sectors"], ["response_mean", "disc_busy", "hit_ratio"])
    cached, plain = (table[table["sectors"] == sectors].reset_index(drop=True) for sectors in (SECTORS, 0))
    columns = ["response_mean", "response_mean_low", "response_mean_high", "disc_busy"]
    return cached.drop(columns="sectors").join(plain[columns].add_prefix("plain_"))


def draw_drives(table: pd.DataFrame) -> Axes:
    return bars(
        table, "plain_response_mean", table["disc"].tolist(), x_label=RESPONSE, beside="response_mean",
        called=("no cache", f"{SECTORS} sectors"), title="Worse drives gain more",
    )


def caption_drives(table: pd.DataFrame) -> str:
    each = [
        f"{row['disc']}: {row['plain_response_mean']:.1f} s without the cache, {row['response_mean']:.1f} s with it"
        for row in table.to_dict("records")
    ]
    return f"{USERS} users. " + "; ".join(each) + "."


STUDIES = (
    Study(
        "interleaved_readers", "Processes that read files one after the other, and sector by sector in turn.",
        [Runs(readers, UNTIMED, processes=[1, 2, 3, 4], drive=list(BUFFERS), in_turn=[False, True])],
        Figure(interleaved_readers, draw_interleaved_readers, caption_interleaved_readers), two_readers,
    ),
    Study(
        "drives", "The main load on the drives that the paper names, with the cache and without.",
        [Runs(run, minutes(30.0), {"disc": name}, users=USERS, sectors=[0, SECTORS], choices=MaxIvOptions(drive=disc))
         for name, disc in DISCS.items()],
        Figure(drives, draw_drives, caption_drives),
    ),
)  # fmt: skip
