"""Studies two hours of Software Tools users, and draws them as the paper's six figures, whose values are lost.

One more study follows the share of management space in the cache through a working day.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from spindle.models.max_iv.cache import Fhl
from spindle.models.max_iv.disc_address import track_of, unit_of
from spindle.models.max_iv.machine import SECTORS
from spindle.models.max_iv.run import BUSY_USERS, run
from spindle.models.max_iv.sampler import SAMPLING
from spindle.models.max_iv.studies.trials import MAIN, USERS, minutes, with_paper
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Window
from spindle.sim.measure.observer import Observer
from spindle.sim.units import MS
from spindle.studies.plots.curves import curve
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Row, Runs, Study

# A run with the data of the paper's six figures: the cache at the end, and each ten seconds.

TIMED_OPERATIONS = 396
"""Requests in the paper's distribution of service times."""


class CacheWatch(Observer):
    """Observer of one run: records the cache code, and how long each request took its handler."""

    fhl: Fhl

    def __init__(self) -> None:
        self.service: list[float] = []

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        fhl, env, service = machine.parts["fhl"], machine.env, self.service
        assert isinstance(fhl, Fhl)
        self.fhl = fhl
        perform = fhl.perform

        def perform_timed(io: Any, disc: Any) -> Any:
            began = env.now
            failed = yield from perform(io, disc)
            if env.now > window.start:
                service.append(env.now - began)
            return failed

        fhl.perform = perform_timed  # type: ignore[method-assign]


def day(seed: object, minutes: float, warm_up: float, users: int = USERS, **others: object) -> dict[str, Any]:
    """Return the summary of a run with Jacobson's cache, and lists.

    At the end, ``tracks`` of the last disc's sectors in the cache (Jacobson's figure is of Disc 2) and ``lengths`` of
    the hash lists; of each ten seconds, the share of requests that hit, ``hits``, and requests a second, ``rates``;
    ``service`` has the seconds of TIMED_OPERATIONS requests.
    """
    seen = CacheWatch()
    result = run(users, SECTORS, seed, minutes=minutes, warm_up=warm_up, interval=SAMPLING, watch=seen, **others)
    requests = [
        sum(value for name, value in each.items() if name.startswith("handler")) for each in result.intervals
    ]
    resident = sorted(seen.fhl.cache.resident)
    step = max(1, len(seen.service) // TIMED_OPERATIONS)
    return {
        **result.summary(),
        "tracks": [track_of(dpi) for dpi in resident if unit_of(dpi) == unit_of(resident[-1])],
        "lengths": seen.fhl.cache.lengths(),
        "hits": [each["fhl.hits"] / count for each, count in zip(result.intervals, requests, strict=True) if count],
        "rates": [count / SAMPLING for count in requests],
        "service": seen.service[::step][:TIMED_OPERATIONS],
    }


def management(
    seed: object, minutes: float, warm_up: float, users: int = USERS, **parameters: object
) -> dict[str, Any]:
    """Return the ``share`` of management space in the cache every five minutes from the start on, and the ``hours``."""
    result = run(users, SECTORS, seed, minutes=minutes, warm_up=warm_up, keep_rows=False, interval=30 * SAMPLING,
                 **parameters)  # fmt: skip
    filled = [each for each in result.intervals if each["sampler.resident"]]
    return {
        "hours": [each["until"] / 3600.0 for each in filled],
        "share": [each["sampler.management"] / each["sampler.resident"] for each in filled],
    }


MAIN_RUNS = [Runs(day, MAIN, users=USERS)]
BUSY_RUNS = [Runs(day, MAIN, users=BUSY_USERS)]
"""Runs of one user at work, as in the two hours of figures 4 to 6."""
TRACK_GROUP = 100
DAY_HOURS = 6.0
"""Hours of a working day."""


def histogram(values: Sequence[float], edges: Sequence[float]) -> pd.DataFrame:
    """Count the *values* between neighbouring *edges*; ``at`` is the middle."""
    counts, _ = np.histogram(values, bins=list(edges))
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    return pd.DataFrame({"at": middles, "count": counts, "percent": 100.0 * counts / max(1, len(values))})


def histograms(frame: pd.DataFrame, values: Callable[[Row], Sequence[float]], edges: Sequence[float]) -> pd.DataFrame:
    """Count *values* of every seed between neighbouring *edges*; means and intervals over the seeds."""
    lists = [values({str(name): value for name, value in row.items()}) for row in frame.to_dict("records")]
    tables, mean = [histogram(each, edges) for each in lists], float(np.mean([np.mean(each) for each in lists]))
    table = summarise(pd.concat(tables), ["at"], ["count", "percent"]).assign(mean=mean)
    lows = [name for name in table.columns.astype(str) if name.endswith("_low")]
    return table.assign(**{low: table[low].clip(lower=0.0) for low in lows})  # a count is not negative


def tracks_in_cache(frame: pd.DataFrame) -> pd.DataFrame:
    """Count sectors in the cache by track of the disc, a hundred tracks together."""
    return histograms(frame, lambda row: row["tracks"], range(0, 7601, TRACK_GROUP))


draw_tracks_in_cache = partial(curve, x="at", y="count", x_label="track of the disc",
                               y_label=f"sectors in the cache, by {TRACK_GROUP} tracks",
                               title="Management space is at one end, data everywhere")


def caption_tracks_in_cache(table: pd.DataFrame) -> str:
    first = table.head(4)["count"].sum() / table["count"].sum()
    return f"In the form of the paper's Tracks in Cache, at the end of the run. {first:.0%} lie on the first 400."


def hash_queue_lengths(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the length of each hash list, in the order of the table."""
    lengths = frame["lengths"].iloc[0]
    return pd.DataFrame({"list": range(len(lengths)), "length": lengths})


draw_hash_queue_lengths = partial(curve, x="list", y="length", x_label="hash list", y_label="sectors on it",
                                  title="Neighbouring lists are alike: files begin on tracks")


def caption_hash_queue_lengths(table: pd.DataFrame) -> str:
    one, two = table["length"].to_numpy(float)[:-1], table["length"].to_numpy(float)[1:]
    return (
        "In the form of the paper's Cache Hash Queue Lengths, at the end of the run. Lengths of "
        f"neighbouring lists correlate by {np.corrcoef(one, two)[0, 1]:.2f}, because the sectors of a file follow each "
        "other."
    )


class DayDistribution(NamedTuple):
    """One of the paper's distributions, whose title there is *printed*: a histogram of *values* in percent."""

    name: str
    printed: str
    values: Callable[[Row], Sequence[float]]
    edges: Sequence[float]
    x_label: str
    counted: str
    title: str
    runs: Sequence[Runs] = BUSY_RUNS

    def study(self) -> Study:
        table = partial(histograms, values=self.values, edges=self.edges)
        return Study(self.name, self.runs, Figure(table, self.draw, self.caption))

    def draw(self, table: pd.DataFrame) -> Axes:
        ax = curve(table, "at", "percent", x_label=self.x_label, y_label=f"{self.counted}, %", title=self.title)
        if self.edges[0] > 0.0:
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
        return ax

    def caption(self, table: pd.DataFrame) -> str:
        mean = table["mean"].iloc[0]
        return f"In the form of the paper's {self.printed}, whose values are lost. The mean is {mean:.3g}."


def _edges(count: int, step: float) -> list[float]:
    return [number * step for number in range(count + 1)]


DISTRIBUTIONS = (
    DayDistribution(
        "queue_length_distribution", "Cache Hash Queue Length Distribution",
        lambda row: row["lengths"], [edge - 0.5 for edge in _edges(11, 1.0)],
        "sectors on a hash list", "hash lists", "What chance would do to 512 sectors on 251 lists", MAIN_RUNS,
    ),
    DayDistribution(
        "hit_rate_distribution", "Cache Hit Rate Distribution",
        lambda row: row["hits"], _edges(20, 0.05),
        "share of the requests of 10 seconds that hit", "spells", "The hit rate of ten seconds says little",
    ),
    DayDistribution(
        "service_time_distribution", "Disc+Cache Service Time Distribution",
        lambda row: [seconds / MS for seconds in row["service"]], [10.0 ** (step / 10.0) for step in range(-10, 31)],
        "service of a request, ms", "requests", "Two humps: the cache and the disc",
    ),
    DayDistribution(
        "operation_rate_distribution", "Operation Rate Distribution",
        lambda row: row["rates"], _edges(40, 2.5),
        "requests a second, over 10 seconds", "spells", "Idle or busy: commands come in bursts",
    ),
)  # fmt: skip


def management_space(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the share of management space in the cache every five minutes, of every seed."""
    rows = [
        {"seed": row["seed"], "hours": hours, "share": 100.0 * share}
        for row in frame.to_dict("records") for hours, share in zip(row["hours"], row["share"], strict=True)
    ]
    return pd.DataFrame(rows)


@with_paper(lambda paper: [(DAY_HOURS, 100.0 * paper["J40"])])
def draw_management_space(table: pd.DataFrame) -> Axes:
    return curve(
        table, "hours", "share", "seed", names={seed: f"seed {seed}" for seed in table["seed"].unique()},
        x_label="hours since the machine was started", y_label="of the cache, %",
        title="Management space is three tenths of the cache, all day",
    )


def caption_management_space(table: pd.DataFrame) -> str:
    last = table.groupby("seed")["share"].last()
    return (
        f"At the end it is {last.min():.0f} to {last.max():.0f} %, on the average of all samples "
        f"{table['share'].mean():.0f} %; the paper has about 30 at the end of a day. Most requests are for management "
        "space, but always for the same few sectors of it."
    )


STUDIES = (
    Study(
        "management_space", [Runs(management, minutes(60.0 * DAY_HOURS, warm_up=0.0), users=USERS)],
        Figure(management_space, draw_management_space, caption_management_space), replications=3,
    ),
    Study("tracks_in_cache", MAIN_RUNS, Figure(tracks_in_cache, draw_tracks_in_cache, caption_tracks_in_cache)),
    Study(
        "hash_queue_lengths", MAIN_RUNS,
        Figure(hash_queue_lengths, draw_hash_queue_lengths, caption_hash_queue_lengths), replications=1,
    ),
    *(each.study() for each in DISTRIBUTIONS),
)  # fmt: skip
