"""Studies of the fetch size, the sectors that a cache reads around a request: hits, responses, and the best size."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.studies import trials
from spindle.models.hp3000.studies.image_load import RANDOM_FETCHES
from spindle.sim.units import KIB, MIB, MS
from spindle.studies.plots.curves import curve
from spindle.studies.plots.heat_map import heat_map
from spindle.studies.plots.legends import label_anew
from spindle.studies.plots.theory_curves import hit_curve, hit_remark, summarise_hits
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, Study, StudyWindow

RANDOM_SECTORS = [fetch // trials.SECTOR for fetch in RANDOM_FETCHES]
"""Sizes of a fetch in a file read at random, in sectors of 256 bytes. Four sectors are a block of the data base."""
SEQUENTIAL_NAMES = {4: "sequential 4", 20: "sequential 20", 48: "sequential 48", 96: "sequential 96"}
"""Names in the picture of fetches in a file read in order, by sectors."""
MPE_SECTORS = 16
"""Sectors of a random fetch by default in MPE, the operating system of the HP3000."""

FETCH_VALUES = ("hit_ratio", "response_mean", "disc_rate", "disc_busy")

FETCH_SIZES: Mapping[str, Any] = {"fetch_random": RANDOM_FETCHES,
                                  "fetch_sequential": [sectors * trials.SECTOR for sectors in SEQUENTIAL_NAMES]}
FETCH_WINDOW = StudyWindow(trials.MIXED.usual, trials.MIXED.quick,
                           {name: sizes[1::2] for name, sizes in FETCH_SIZES.items()})  # fmt: skip
"""The window of these runs; a quick look has two sizes of each fetch."""
BY_FETCHES = Runs(trials.run_with_theory, FETCH_WINDOW, terminals=101, caching=True, **FETCH_SIZES)
"""Runs with every pair of a random and a sequential fetch."""


def summarise_fetches(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarise each pair of a random and a sequential fetch, in sectors."""
    random, sequential = frame["fetch_random"] // trials.SECTOR, frame["fetch_sequential"] // trials.SECTOR
    frame = frame.assign(fetch_sectors=random, sequential_sectors=sequential)
    return summarise_hits(frame, ["fetch_sectors", "sequential_sectors"], FETCH_VALUES, ["domain_bytes"])


@trials.with_paper(lambda paper: [(MPE_SECTORS, paper["B22"])])
def draw_hit_ratio_vs_fetch(frame: pd.DataFrame) -> Axes:
    ax = hit_curve(
        frame, "fetch_sectors", "sequential_sectors", SEQUENTIAL_NAMES,
        x_label="random fetch size, sectors of 256 bytes", y_label="read hit ratio",
        title="Most hits hang on the sequential fetch",
    )  # fmt: skip
    return _by_doubling(ax, RANDOM_SECTORS)


def _by_doubling(ax: Axes, sectors: Sequence[int]) -> Axes:
    """Draw fetches on a logarithmic axis, so that the small ones do not crowd, with ticks at *sectors*."""
    ax.set_xscale("log", base=2)
    ax.set_xticks(sectors, [str(each) for each in sectors])
    ax.minorticks_off()
    label_anew(ax)
    return ax


caption_hit_ratio_vs_fetch = partial(hit_remark, x="fetch_sectors", at="sectors", rules=trials.DOMAIN_RULES,
                                     by="sequential_sectors", names=SEQUENTIAL_NAMES)


def fetch_map(frame: pd.DataFrame) -> pd.DataFrame:
    table = summarise_fetches(frame)
    return table.assign(response_ms=table["response_mean"] / MS)


draw_fetch_map = partial(heat_map, x="fetch_sectors", y="sequential_sectors", value="response_ms", shown="{:.0f}",
                         better="least", x_label="random fetch, sectors of 256 bytes",
                         y_label="sequential fetch, sectors", title="Mean response by fetch sizes, ms")


def caption_fetch_map(frame: pd.DataFrame) -> str:
    best = frame.sort_values("response_mean").iloc[0]
    default = frame[(frame["fetch_sectors"] == 16) & (frame["sequential_sectors"] == 96)].iloc[0]
    worst = frame["response_mean"].max()
    return (
        f"The shortest, framed, is {best['response_ms']:.0f} ms with {best['fetch_sectors']:g} and "
        f"{best['sequential_sectors']:g} sectors. MPE's 16 and 96 give {default['response_ms']:.0f} ms, the worst pair "
        f"{worst / MS:.0f} ms. A fetch is never less than what was asked for."
    )


FETCH_STUDIES = (
    Study(
        "hit_ratio_vs_fetch",
        [BY_FETCHES], Figure(summarise_fetches, draw_hit_ratio_vs_fetch, caption_hit_ratio_vs_fetch), replications=3,
    ),
    Study("fetch_map", [BY_FETCHES], Figure(fetch_map, draw_fetch_map, caption_fetch_map), replications=3),
)  # fmt: skip


# The best fetch size at each load, with and without flush, and why: disc, memory, segments.

SWEPT_SECTORS = (4, 8, 16, 48, 96)
COARSE_SECTORS = (4, 16, 48, 96)
"""Sectors of a random fetch, at FINE_LOADS and at the other loads."""
FETCH_LOADS: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "21": (21, {}), "63": (63, {}), "101": (101, {}), "101, kept": (101, {"flush": "never"}),
    "63, pages": (63, {"block": 4 * KIB}),
}  # fmt: skip
"""Terminals and changes of parameters, by the name of the load; 101 are the hybrid load, of clerks and programmers."""
FINE_LOADS = ("21", "63", "101")
FETCH_LOAD_NAMES = {
    "21": "21 terminals", "63": "63", "101": "63 + 38", "101, kept": "63 + 38, not flushed",
    "63, pages": "63, pages of 4 KB",
}  # fmt: skip
LOAD_VALUES = ("response_mean", "hit_ratio", "disc_busy", "fault_rate", "domain_bytes")


def runs(load: str, sectors: tuple[int, ...]) -> Runs:
    terminals, changes = FETCH_LOADS[load]
    run, window = (trials.hybrid, trials.MIXED) if terminals == 101 else (trials.orders, trials.ORDERS_TIMES)
    fetches = [each * trials.SECTOR for each in sectors]
    return Runs(run, window, {"load": load}, terminals=terminals, caching=True, fetch_random=fetches, **changes)


def summarise_loads(frame: pd.DataFrame) -> pd.DataFrame:
    table = summarise(frame.assign(sectors=frame["fetch_random"] // trials.SECTOR), ["load", "sectors"], LOAD_VALUES)
    return table.assign(load=table["load"].astype(str))


def index_by(rows: pd.DataFrame, column: str) -> dict[Any, dict[Any, Any]]:
    """Index *rows* by the values in *column*."""
    return {row[column]: row for row in rows.to_dict("records")}


@trials.with_paper(lambda paper: [(MPE_SECTORS, paper["B34"])])
def draw_by_fetch(frame: pd.DataFrame) -> Axes:
    ax = curve(
        frame, "sectors", "response_mean", "load", names=FETCH_LOAD_NAMES, x_label="random fetch, sectors of 256 bytes",
        y_label=trials.RESPONSE_LABEL, title="A fetch may be too small and too large",
    )  # fmt: skip
    ax.set_ylim(0, None)
    return _by_doubling(ax, SWEPT_SECTORS)


def caption_by_fetch(frame: pd.DataFrame) -> str:
    """Describe the shortest response of each load, and the responses at the two ends of its curve."""
    sentences = []
    for load, rows in frame.groupby("load", sort=False):
        sizes = index_by(rows, "sectors")
        best = min(sizes.values(), key=lambda row: float(row["response_mean"]))
        small, large = (sizes[end]["response_mean"] / best["response_mean"] for end in (4, 96))
        ends = f"{small:.1f} times that at 4, {large:.1f} at 96"
        sentences.append(f"{FETCH_LOAD_NAMES[str(load)]}: best at {best['sectors']:g} sectors; {ends}.")
    heavy = index_by(frame[frame["load"] == "101"], "sectors")
    least, most = heavy[MPE_SECTORS], heavy[96]
    return (
        f"{' '.join(sentences)} A small fetch misses what comes next ({heavy[4]['hit_ratio']:.0%} of reads hit "
        f"with 63 + 38 terminals at 4 sectors, {least['hit_ratio']:.0%} at {MPE_SECTORS}); a large one holds the disc "
        "longer "
        f"({least['disc_busy']:.0%} busy at {MPE_SECTORS}, {most['disc_busy']:.0%} at 96), fills "
        f"{most['domain_bytes'] / MIB:.1f} MB for {least['domain_bytes'] / MIB:.1f}, and pushes segments out "
        f"({least['fault_rate']:.1f} faults a second, {most['fault_rate']:.1f})."
    )


STUDIES = (
    *FETCH_STUDIES,
    Study(
        "response_vs_fetch",
        [runs(load, SWEPT_SECTORS if load in FINE_LOADS else COARSE_SECTORS) for load in FETCH_LOADS],
        Figure(summarise_loads, draw_by_fetch, caption_by_fetch), replications=3,
    ),
)  # fmt: skip
