"""Makes a replay, and a load without a trace, systems: every option is an argument of a run, which sweeps can vary."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.questions.field import flat
from spindle.sim.quantity import unit_of
from spindle.system import System
from spindle.traces.replay.answer import ReplayWatch, answer_replay
from spindle.traces.replay.load import answer_load
from spindle.traces.replay.load_question import LoadQuestion
from spindle.traces.replay.measures import SHARES, measures, rates
from spindle.traces.replay.question import ReplayQuestion
from spindle.traces.replay.replay import DeviceTimes, TraceTally

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

TIME_ANSWERS = ("response_mean", "response_p95", "response_p99", "response_p999", "hit_ratio", "disc_busy")
"""Main measures of a run."""
question, load = flat(ReplayQuestion), flat(LoadQuestion)


@dataclass(frozen=True)
class TraceParameters:
    """The parameters of a trace, which has none: all settings are arguments of its run."""


def run(trace: Path, **given: Any) -> "ReplayNumbers":
    """Replay *trace* once as the fields *given* ask, and return the numbers."""
    devices = DeviceTimes()
    answer = answer_replay(question(**given), trace, ReplayWatch(devices))
    return ReplayNumbers(measures(answer.replayed), devices, answer.replayed.tally, answer.notes)


def run_load(**given: Any) -> "ReplayNumbers":
    """Put a load on drives once, as the fields *given* ask, and return the numbers."""
    devices = DeviceTimes()
    answer = answer_load(load(**given), devices)
    numbers = measures(answer.replayed)
    del numbers["writes"]  # their share is an argument of that name
    return ReplayNumbers(numbers, devices, answer.replayed.tally, answer.idle)


class ReplayNumbers(dict[str, float]):
    """Numbers of a replay by name; ``frame`` has those of each device, and ``picture`` draws the responses.

    ``notes`` are sentences on what was guessed of the trace and passed over, and on options that changed nothing.
    """

    def __init__(
        self, numbers: Mapping[str, float], devices: DeviceTimes, tally: TraceTally, notes: Sequence[str] = ()
    ) -> None:
        super().__init__(numbers)
        self._devices, self._tally, self.notes = devices, tally, list(notes)

    def picture(self, title: str = "") -> "Figure":
        """Draw the distributions of response times of reads and of writes, as ``spindle replay --plot`` does."""
        from spindle.traces.pictures import response_picture  # and matplotlib, which takes a second

        return response_picture(self._tally, title)

    def frame(self) -> "DataFrame":
        """A row for all requests of each device, for its reads and its writes: number, rates, and seconds."""
        import pandas as pd  # takes a second

        rows = [{"device": device, "requests": kind, "count": times.count, **rates(times, self["makespan"]),
                 "mean": times.sum / times.count,
                 **{name: times.quantile(share) for name, share in SHARES.items()},
                 "max": times.longest}
                for device, kinds in self._devices.groups().items() for kind, times in kinds.items() if times.count]
        frame = pd.DataFrame(rows)
        frame.attrs["units"] = {name: "s" if name in (*SHARES, "mean", "max") else unit_of(name)
                                for name in map(str, frame.columns) if name not in ("device", "requests")}
        return frame


MODEL = 3
"""The model number of loads and replays: 3 since drives that no request of a load came to are idle, not absent."""


def load_system(name: str) -> System:
    """Build the system of loads without a trace."""
    run: Callable[..., Any] = partial(run_load)
    run.__signature__ = signature(load)  # type: ignore[attr-defined]
    answers = "throughput", "bandwidth", *TIME_ANSWERS
    return System(name, "Load without a trace", run, TraceParameters(), answers=answers, model=MODEL)


def trace_system(name: str) -> System:
    """Build the system of replays of the trace in the file *name*."""
    replay: Callable[..., Any] = partial(run, Path(name))
    replay.__signature__ = signature(question)  # type: ignore[attr-defined]
    return System(name, f"Replays of {name}", replay, TraceParameters(), answers=TIME_ANSWERS, model=MODEL)
