"""Kim's figure 1: access times of a drive without a cache, by how lately and how often a block is used."""

import pandas as pd
from matplotlib.axes import Axes

from models.sata_ncq.access_times import EDGES, access_times, by_block, by_group, recent, shares
from models.sata_ncq.experiments.extent import requests
from models.sata_ncq.machine import TAGS
from models.sata_ncq.parameters import Parameters
from sim.plots.curves import stacked_bars
from sim.plots.style import BLUE, ORANGE, SKY, VERMILION
from sim.statistics.summarise import summarise
from sim.study.system import Effort, Experiment
from sim.sweep.sweep import sweep

COLUMNS = {"up_to_10_ms": "up to 10 ms", "up_to_20_ms": "10 to 20", "up_to_30_ms": "20 to 30", "longer": "more"}
COLOURS = dict(zip(COLUMNS, (SKY, BLUE, ORANGE, VERMILION), strict=True))
FEW = 100
"""Accesses to blocks of a group below which its bar says too little."""


def groups(load: str, number: int, seed: int) -> dict[str, object]:
    """The shares of each interval, of all blocks, of those used lately, and of each group."""
    found = access_times(Parameters(), load, seed, number, TAGS)
    times = by_block(found)
    bars = {"all": list(times.values()), "used lately": [[time] for time in recent(found)]}
    bars |= {f"{name} uses": blocks for name, blocks in by_group(times).items() if sum(map(len, blocks)) >= FEW}
    return {f"{name}/{column}": share for name, blocks in bars.items()
            for column, share in zip(COLUMNS, shares(blocks), strict=True)}


def figure_1(effort: Effort) -> pd.DataFrame:
    """A row for each group of blocks."""
    frame = sweep(groups, workers=effort.workers, progress=effort.progress, load="pcfat32",
                  number=2 * requests(effort), seed=effort.seeds)
    frame = frame.dropna(axis="columns")
    names = list(dict.fromkeys(name.split("/")[0] for name in frame.columns if "/" in name))
    rows = []
    for name in names:
        part = frame[[f"{name}/{column}" for column in COLUMNS]].set_axis(list(COLUMNS), axis="columns")
        rows.append(summarise(part.assign(blocks=name), ["blocks"], list(COLUMNS)))
    return pd.concat(rows, ignore_index=True)


def draw_figure_1(frame: pd.DataFrame) -> Axes:
    return stacked_bars(frame, "blocks", COLUMNS, colours=COLOURS, x_label="share of the blocks' accesses", least=0.0,
                        title="Blocks in frequent use wait longer")


def remark_figure_1(frame: pd.DataFrame) -> str:
    below = dict(zip(frame["blocks"], 100.0 * (1.0 - frame["longer"]), strict=True))
    return (
        f"Each block counts once. {below['all']:.1f} % of all take less than {EDGES[-1] * 1e3:g} ms (Kim: 78.3 %); "
        "bursts were made as frequent as that asks for, group by group. Not made to fit are blocks used lately: Kim "
        f"has 84.4 %, here it is {below['used lately']:.1f} %, because where nothing is known of the order, who was "
        "used lately is who is used often."
    )


EXPERIMENTS = (
    Experiment("access_times", "How long accesses take without a cache, by how often a block is used.",
               figure_1, draw_figure_1, remark_figure_1),
)  # fmt: skip
