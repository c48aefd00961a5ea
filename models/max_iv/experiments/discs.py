"""The drives: two processes that read in turn, the track buffer, and three drives under the main load."""

from dataclasses import replace

import pandas as pd
import simpy
from matplotlib.axes import Axes

from models.max_iv.experiments.common import RESPONSE, bars, stretched
from models.max_iv.machine import SECTORS, Choices
from sim.account import Account
from sim.clock import Wait
from sim.disc.drive import Drive
from sim.disc.mechanism import DiscType
from sim.disc.sheets import IBM_2314, MODCOMP_4134, MODCOMP_4138
from sim.plots.curves import curve
from sim.request import Op, access
from sim.statistics.summarise import summarise
from sim.streams import pick, stream
from sim.study.system import Effort, Experiment
from sim.units import MS

BARE = replace(MODCOMP_4138, name="Modcomp 4138 without its buffer", buffer=None)
BUFFERS = {"buffer": MODCOMP_4138, "none": BARE}
DISCS = {"4138": MODCOMP_4138, "4138 without its buffer": BARE, "4134": MODCOMP_4134, "2314": IBM_2314}
FILES = 100
SECTORS_EACH = 4
COMPUTING = 1 * MS
"""Between two reads, by which the next sector has gone by under the head."""


def readers(processes: int, drive: str, in_turn: bool, seed: object, **_: object) -> dict[str, float]:
    """Milliseconds until so many processes have read a file of four sectors each, one after the other or in turn."""
    disc, random = BUFFERS[drive], stream(seed, f"{processes} readers")
    track = disc.layout.zones[0].sectors_per_track
    order = []
    for _round in range(FILES):
        firsts = [track * pick(random, disc.layout.sectors // track) for _ in range(processes)]
        turns = [(number, first) for number in range(SECTORS_EACH) for first in firsts]
        order += [first + number for number, first in (turns if in_turn else sorted(turns, key=lambda at: at[1]))]
    return {"ms": _spent(disc, order) / FILES / MS}


def _spent(disc: DiscType, sectors: list[int]) -> float:
    env = simpy.Environment()
    drive, account = Drive(env, disc), Account("readers")

    def read() -> Wait:
        for sector in sectors:
            yield from drive.read(access(Op.READ, sector * 256, 256, account))
            yield env.timeout(COMPUTING)

    env.run(env.process(read()))
    return env.now


def interleaved_readers(effort: Effort) -> pd.DataFrame:
    frame = effort.sweep(readers, processes=[1, 2, 3, 4], drive=list(BUFFERS), in_turn=[False, True])
    table = summarise(frame, ["processes", "drive", "in_turn"], ["ms"])
    return table.assign(which=[_named(row["drive"], row["in_turn"]) for row in table.to_dict("records")])


def _named(drive: str, in_turn: bool) -> str:
    return f"{'in turn' if in_turn else 'in sequence'}, {'buffer' if drive == 'buffer' else 'no buffer'}"


def draw_interleaved_readers(frame: pd.DataFrame) -> Axes:
    return curve(
        frame, "processes", "ms", "which", names={which: which for which in frame["which"].unique()},
        x_label="processes, each with a file of four sectors", y_label="ms until all are done",
        title="A buffer of one track helps one reader at a time",
    )


def remark_interleaved_readers(frame: pd.DataFrame) -> str:
    two = frame[(frame["processes"] == 2) & (frame["drive"] == "buffer")].set_index("in_turn")["ms"]
    return f"Two: {two[False]:.0f} ms one after the other and {two[True]:.0f} in turn; the paper has 72 and 288."


def on(disc: str, sectors: int, **others: object) -> object:
    """The main load on another drive."""
    return stretched(users=3, sectors=sectors, choices=Choices(drive=DISCS[disc]), **others)  # type: ignore[arg-type]


def drives(effort: Effort) -> pd.DataFrame:
    frame = effort.sweep(on, disc=list(DISCS), sectors=[0, SECTORS])
    table = summarise(frame, ["disc", "sectors"], ["response_mean", "disc_busy", "hit_ratio"])
    cached, plain = (table[table["sectors"] == sectors].reset_index(drop=True) for sectors in (SECTORS, 0))
    columns = ["response_mean", "response_mean_low", "response_mean_high", "disc_busy"]
    return cached.drop(columns="sectors").join(plain[columns].add_prefix("plain_").rename(
        columns={"plain_response_mean_low": "plain_response_mean_low"}))  # fmt: skip


def draw_drives(frame: pd.DataFrame) -> Axes:
    return bars(
        frame, "plain_response_mean", frame["disc"].tolist(), x_label=RESPONSE, beside="response_mean",
        called=("no cache", f"{SECTORS} sectors"), title="Worse drives gain more",
    )


def remark_drives(frame: pd.DataFrame) -> str:
    said = [
        f"{row['disc']}: {row['plain_response_mean']:.1f} s without the cache, {row['response_mean']:.1f} s with it"
        for row in frame.to_dict("records")
    ]
    return "3 users. " + "; ".join(said) + "."


EXPERIMENTS = (
    Experiment(
        "interleaved_readers", "Processes that read files one after the other, and sector by sector in turn.",
        interleaved_readers, draw_interleaved_readers, remark_interleaved_readers, slow=True,
    ),
    Experiment(
        "drives", "The main load on the drives that the paper names, with the cache and without.",
        drives, draw_drives, remark_drives, slow=True,
    ),
)  # fmt: skip
