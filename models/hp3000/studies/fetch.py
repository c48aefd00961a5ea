"""Study of the fetch size around the requested bytes: its benefit and its cost."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.studies.trials import MIXED, RULES, SECTOR, run_with_theory, with_paper
from spindle.sim.units import MS
from spindle.studies.plots.charts import heat_map
from spindle.studies.plots.theory_curves import hit_curve, hit_remark, summarise_hits
from spindle.studies.study import Figure, Runs, SeedRows, Study

RANDOM, SEQUENTIAL = (4, 16, 96), {16: "sequential 16", 96: "sequential 96"}
"""Sectors. Four are a block of the data base, so that no smaller random fetch fetches less."""
MPE, USUAL = 16, 96
"""Sectors of a random and of a sequential fetch of MPE."""

VALUES = ("hit_ratio", "response_mean", "disc_rate", "disc_busy")


def fetches(sequential: list[int]) -> Runs:
    """The hybrid load with each random fetch of as many sectors, and these *sequential* ones."""
    sizes = [[sectors * SECTOR for sectors in each] for each in (RANDOM, sequential)]
    return Runs(run_with_theory, MIXED, terminals=101, caching=True, fetch_random=sizes[0], fetch_sequential=sizes[1])


def summarise_fetches(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise each pair of a random and a sequential fetch, in sectors."""
    random, sequential = frame["fetch_random"] // SECTOR, frame["fetch_sequential"] // SECTOR
    frame = frame.assign(fetch_sectors=random, sequential_sectors=sequential)
    return summarise_hits(frame, ["fetch_sectors", "sequential_sectors"], VALUES, ["domain_bytes"])


def trade_off(rows: SeedRows) -> Mapping[str, float]:
    """A larger random fetch hits more often and yet, beyond a point, answers later."""
    small, usual, large = (rows.one(fetch_random=sectors * SECTOR) for sectors in RANDOM)
    return {
        "hits_grow": float(small["hit_ratio"] < usual["hit_ratio"] < large["hit_ratio"]),
        "too_large_hurts": float(large["response_mean"] > usual["response_mean"]),
    }


@with_paper(lambda paper: [(MPE, paper["B22"])])
def draw_hit_ratio_vs_fetch(frame: pd.DataFrame) -> Axes:
    return hit_curve(
        frame, "fetch_sectors", "sequential_sectors", SEQUENTIAL,
        x_label="random fetch size, sectors of 256 bytes", y_label="read hit ratio",
        title="What a larger fetch brings in",
    )  # fmt: skip


def caption_hit_ratio_vs_fetch(frame: pd.DataFrame) -> str:
    return hit_remark(frame, "fetch_sectors", "sectors", RULES, "sequential_sectors", SEQUENTIAL)


def fetch_map(frame: pd.DataFrame) -> pd.DataFrame:
    table = summarise_fetches(frame)
    return table.assign(response_ms=table["response_mean"] / MS)


def draw_fetch_map(frame: pd.DataFrame) -> Axes:
    return heat_map(
        frame, "fetch_sectors", "sequential_sectors", "response_ms", shown="{:.0f}", better="least",
        x_label="random fetch, sectors of 256 bytes", y_label="sequential fetch, sectors",
        title="Mean response by fetch sizes, ms",
    )  # fmt: skip


def caption_fetch_map(frame: pd.DataFrame) -> str:
    best = frame.sort_values("response_mean").iloc[0]
    default = frame[(frame["fetch_sectors"] == 16) & (frame["sequential_sectors"] == 96)].iloc[0]
    worst = frame["response_mean"].max()
    return (
        f"The shortest, framed, is {best['response_ms']:.0f} ms with {best['fetch_sectors']:g} and "
        f"{best['sequential_sectors']:g} sectors. MPE's 16 and 96 give {default['response_ms']:.0f} ms, the worst pair "
        f"{worst / MS:.0f} ms. A fetch is never less than what was asked for."
    )


STUDIES = (
    Study(
        "hit_ratio_vs_fetch",
        "How the hit ratio depends on how much is fetched around what was asked for.",
        [fetches(list(SEQUENTIAL))], Figure(summarise_fetches, draw_hit_ratio_vs_fetch, caption_hit_ratio_vs_fetch),
    ),
    Study(
        "fetch_map",
        "How long a response takes for each pair of CACHECONTROL's fetch sizes, at 63 + 38 terminals.",
        [fetches(list(SEQUENTIAL))], Figure(fetch_map, draw_fetch_map, caption_fetch_map),
    ),
    Study(
        "fetch_trade_off", "What a larger random fetch brings in, and what it costs.", [fetches([USUAL])],
        measures=trade_off,
    ),
)  # fmt: skip
