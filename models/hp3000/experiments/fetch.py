"""How much is fetched around what was asked for: what it brings in, and what it costs."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.experiments.gains import few
from models.hp3000.experiments.hybrid import RULES, SECTOR, hybrid
from models.hp3000.instruments.references import Referred
from models.hp3000.parameters import Parameters
from sim.measure.result import Result
from sim.plots.heat_map import heat_map
from sim.plots.hit_curve import hit_curve, hit_remark, summarise_hits
from sim.study.system import Effort, Experiment
from sim.units import MS

RANDOM_SIZES, SEQUENTIAL_SIZES = (4, 16, 48, 96), (4, 16, 96)
"""Sectors. Four are a block of the data base, so that no smaller random fetch fetches less."""

SEQUENTIAL = {16: "sequential 16", 96: "sequential 96"}
"""Those that the curve shows; the map shows them all."""

VALUES = ("hit_ratio", "response_mean", "disc_rate", "disc_busy")


def referred(terminals: int, fetch_random: int = Parameters.fetch_random, **others: object) -> Result:
    """A hybrid run that also says what Che's approximation makes of its references."""
    seen = Referred(fetch_random)
    return seen.beside(hybrid(terminals, fetch_random=fetch_random, watch=seen, **others))


def fetched(effort: Effort, sequential: Sequence[int]) -> pd.DataFrame:
    """A row for each pair of a random fetch and one of the *sequential* ones, in sectors."""
    sizes = [[sectors * SECTOR for sectors in each] for each in (RANDOM_SIZES, sequential)]
    frame = few(effort).sweep(referred, terminals=101, fetch_random=sizes[0], fetch_sequential=sizes[1])
    frame.insert(0, "fetch_sectors", frame["fetch_random"] // SECTOR)
    frame.insert(1, "sequential_sectors", frame["fetch_sequential"] // SECTOR)
    return summarise_hits(frame, ["fetch_sectors", "sequential_sectors"], VALUES, ["domain_bytes"])


def hit_ratio_vs_fetch(effort: Effort) -> pd.DataFrame:
    return fetched(effort, list(SEQUENTIAL))


def draw_hit_ratio_vs_fetch(frame: pd.DataFrame) -> Axes:
    return hit_curve(
        frame, "fetch_sectors", "sequential_sectors", SEQUENTIAL,
        x_label="random fetch size, sectors of 256 bytes", y_label="read hit ratio",
        title="What a larger fetch brings in",
    )  # fmt: skip


def remark_hit_ratio_vs_fetch(frame: pd.DataFrame) -> str:
    return hit_remark(frame, "fetch_sectors", "sectors", RULES, "sequential_sectors", SEQUENTIAL)


def fetch_map(effort: Effort) -> pd.DataFrame:
    frame = fetched(effort, SEQUENTIAL_SIZES)
    return frame.assign(response_ms=frame["response_mean"] / MS)


def draw_fetch_map(frame: pd.DataFrame) -> Axes:
    return heat_map(
        frame, "fetch_sectors", "sequential_sectors", "response_ms", shown="{:.0f}", better="least",
        x_label="random fetch, sectors of 256 bytes", y_label="sequential fetch, sectors",
        title="Mean response by fetch sizes, ms",
    )  # fmt: skip


def remark_fetch_map(frame: pd.DataFrame) -> str:
    best = frame.sort_values("response_mean").iloc[0]
    default = frame[(frame["fetch_sectors"] == 16) & (frame["sequential_sectors"] == 96)].iloc[0]
    worst = frame["response_mean"].max()
    return (
        f"The shortest, framed, is {best['response_ms']:.0f} ms with {best['fetch_sectors']:g} and "
        f"{best['sequential_sectors']:g} sectors. MPE's 16 and 96 give {default['response_ms']:.0f} ms, the worst pair "
        f"{worst / MS:.0f} ms. A fetch is never less than what was asked for."
    )


EXPERIMENTS = (
    Experiment(
        "hit_ratio_vs_fetch",
        "How the hit ratio depends on how much is fetched around what was asked for.",
        hit_ratio_vs_fetch, draw_hit_ratio_vs_fetch, remark_hit_ratio_vs_fetch, slow=True,
    ),
    Experiment(
        "fetch_map",
        "How long a response takes for each pair of CACHECONTROL's fetch sizes, at 63 + 38 terminals.",
        fetch_map, draw_fetch_map, remark_fetch_map, slow=True,
    ),
)  # fmt: skip
