"""Two hours of Tools users in the form of the paper's six figures, whose values are lost."""

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.cache.disc_address import track_of
from models.max_iv.cache.fhl import Fhl
from models.max_iv.cache.sampler import SAMPLING
from models.max_iv.machine import SECTORS
from models.max_iv.run import run
from sim.machine import Machine
from sim.measure.load import Load
from sim.measure.observer import Observer
from sim.measure.window import Window
from sim.plots.curves import curve
from sim.study.system import Effort, Experiment
from sim.units import MS

SPELLS = 30
"""Times the minutes of an effort: usually two hours."""
OPERATIONS = 396
"""So many are in the paper's distribution of service times."""
TRACK_GROUP = 100


class Day(NamedTuple):
    """What one run leaves behind: the cache as it is at the end, the samples of 10 seconds, and times of service."""

    tracks: list[int]
    lengths: list[int]
    hits: list[float]
    rates: list[float]
    service: list[float]


class Watching(Observer):
    """Observes one run: what is in the cache at its end, and how long each request took its handler."""

    def __init__(self) -> None:
        self.fhl: Fhl | None = None
        self.service: list[float] = []

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        fhl, env, service = machine.parts["fhl"], machine.env, self.service
        assert isinstance(fhl, Fhl)
        self.fhl = fhl
        perform = fhl.perform

        def timed(io: Any, disc: Any) -> Any:
            began = env.now
            failed = yield from perform(io, disc)
            if env.now > window.start:
                service.append(env.now - began)
            return failed

        fhl.perform = timed  # type: ignore[method-assign]


@cache
def day(minutes: float, warm_up: float) -> Day:
    """One run of 3 users, whose thinking leaves 1 to 3 of them active at a time."""
    seen = Watching()
    result = run(users=3, sectors=SECTORS, seed=1, minutes=minutes, warm_up=warm_up, interval=SAMPLING, watch=seen)
    assert seen.fhl is not None
    cache_, hits, rates = seen.fhl.cache, [], []
    for interval in result.intervals:
        requests = sum(value for name, value in interval.items() if name.startswith("handler"))
        rates.append(requests / SAMPLING)
        if requests:
            hits.append(interval["fhl.hits"] / requests)
    step = max(1, len(seen.service) // OPERATIONS)
    return Day([track_of(dpi) for dpi in sorted(cache_.resident)], cache_.lengths(), hits, rates,
               seen.service[::step][:OPERATIONS])  # fmt: skip


def lived(effort: Effort) -> Day:
    return day(SPELLS * effort.minutes, 5.0 * effort.warm_up)


def histogram(values: list[float] | list[int], edges: list[float]) -> pd.DataFrame:
    """How many of *values* lie between neighbouring *edges*; ``at`` is the middle."""
    counts, _ = np.histogram(values, bins=edges)
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    return pd.DataFrame({"at": middles, "count": counts, "share": counts / max(1, len(values))})


def tracks_in_cache(effort: Effort) -> pd.DataFrame:
    """Sectors in the cache by track of the disc, a hundred tracks together."""
    return histogram(lived(effort).tracks, [float(edge) for edge in range(0, 7601, TRACK_GROUP)])


def draw_tracks_in_cache(frame: pd.DataFrame) -> Axes:
    return curve(frame, "at", "count", x_label="track of the disc", y_label="sectors in the cache",
                 title="Management space is at one end, data everywhere")  # fmt: skip


def remark_tracks_in_cache(frame: pd.DataFrame) -> str:
    management = frame.head(4)["count"].sum() / frame["count"].sum()
    return f"In the form of the paper's Tracks in Cache, at the end of the run. {management:.0%} lie on the first 400."


def hash_queue_lengths(effort: Effort) -> pd.DataFrame:
    """The length of each hash list, in their order."""
    lengths = lived(effort).lengths
    return pd.DataFrame({"list": range(len(lengths)), "length": lengths})


def draw_hash_queue_lengths(frame: pd.DataFrame) -> Axes:
    return curve(frame, "list", "length", x_label="hash list", y_label="sectors on it",
                 title="Neighbouring lists are alike: files begin on tracks")  # fmt: skip


def remark_hash_queue_lengths(frame: pd.DataFrame) -> str:
    one, two = frame["length"].to_numpy(float)[:-1], frame["length"].to_numpy(float)[1:]
    return (
        "In the form of the paper's Cache Hash Queue Lengths, at the end of the run. Lengths of "
        f"neighbouring lists correlate by {np.corrcoef(one, two)[0, 1]:.2f}, because the sectors of a file follow each "
        "other."
    )


class Figure(NamedTuple):
    """How one of the distributions is drawn: its edges, what lies along its axis, and its title."""

    edges: list[float]
    x_label: str
    title: str


def _edges(count: int, step: float) -> list[float]:
    return [number * step for number in range(count + 1)]


FIGURES: Mapping[str, Figure] = {
    "queue_length_distribution": Figure([edge - 0.5 for edge in _edges(11, 1.0)], "sectors on a hash list",
                                        "What chance would do to 512 sectors on 251 lists"),
    "hit_rate_distribution": Figure(_edges(20, 0.05), "hits of the requests of 10 seconds",
                                    "The hit rate of ten seconds says little"),
    "service_time_distribution": Figure([10.0 ** (step / 10.0) for step in range(-10, 31)], "service of a request, ms",
                                        "Two humps: the cache and the disc"),
    "operation_rate_distribution": Figure(_edges(40, 2.5), "requests a second, over 10 seconds",
                                          "Idle or busy: commands come in bursts"),
}  # fmt: skip
CALLED = {
    "queue_length_distribution": "Cache Hash Queue Length Distribution",
    "hit_rate_distribution": "Cache Hit Rate Distribution",
    "service_time_distribution": "Disc+Cache Service Time Distribution",
    "operation_rate_distribution": "Operation Rate Distribution",
}
"""The paper's titles."""


def _values(name: str, lived_: Day) -> list[float]:
    return {
        "queue_length_distribution": [float(length) for length in lived_.lengths],
        "hit_rate_distribution": lived_.hits,
        "service_time_distribution": [seconds / MS for seconds in lived_.service],
        "operation_rate_distribution": lived_.rates,
    }[name]


class Distribution:
    """One of the paper's distributions as an experiment."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._figure = FIGURES[name]

    def run(self, effort: Effort) -> pd.DataFrame:
        values = _values(self.name, lived(effort))
        return histogram(values, self._figure.edges).assign(mean=float(np.mean(values)))

    def draw(self, frame: pd.DataFrame) -> Axes:
        shown = frame.assign(percent=100.0 * frame["share"])
        ax = curve(shown, "at", "percent", x_label=self._figure.x_label, y_label="%", title=self._figure.title)
        if self._figure.edges[0] > 0.0:
            ax.set_xscale("log")
        return ax

    def remark(self, frame: pd.DataFrame) -> str:
        mean = frame["mean"].iloc[0]
        return f"In the form of the paper's {CALLED[self.name]}, whose values are lost. The mean is {mean:.3g}."


def _experiment(name: str, shows: str) -> Experiment:
    each = Distribution(name)
    return Experiment(name, shows, each.run, each.draw, each.remark)


EXPERIMENTS = (
    Experiment("tracks_in_cache", "Where on the disc the sectors lie that are in the cache.",
               tracks_in_cache, draw_tracks_in_cache, remark_tracks_in_cache),
    Experiment("hash_queue_lengths", "The lengths of all 251 hash lists, one after the other.",
               hash_queue_lengths, draw_hash_queue_lengths, remark_hash_queue_lengths),
    _experiment("queue_length_distribution", "How long the hash lists are."),
    _experiment("hit_rate_distribution", "The hit rates of spells of ten seconds."),
    _experiment("service_time_distribution", "How long 396 requests took, with the cache."),
    _experiment("operation_rate_distribution", "The rates of requests over ten seconds."),
)  # fmt: skip
