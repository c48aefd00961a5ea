"""What one run gave: its parameters, its counters over the window, and its transactions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan, sqrt

from sim.account import Phase
from sim.measure.recorder import Recorder
from sim.terminal import Transaction


def difference(later: Mapping[str, float], earlier: Mapping[str, float]) -> dict[str, float]:
    """What was counted between two readings of counters that only grow."""
    return {key: value - earlier.get(key, 0.0) for key, value in later.items()}


@dataclass(frozen=True)
class Result:
    """One run of a *system*, measured from *start* to *end*. *counters* are differences over that window."""

    system: str
    parameters: Mapping[str, object]
    seed: object
    start: float
    end: float
    counters: Mapping[str, float]
    recorder: Recorder
    intervals: Sequence[Mapping[str, float]] = ()
    events: int = 0
    extras: Mapping[str, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        return self.end - self.start

    @property
    def transactions(self) -> list[Transaction]:
        """The rows answered within the window; none where they were not kept."""
        return self.recorder.rows

    def rate(self, counter: str) -> float:
        """*counter* per second of the window."""
        return self.counters[counter] / self.seconds

    def breakdown(self) -> dict[str, float]:
        """Mean seconds of a response by part; they add up to the mean response."""
        count = self.recorder.count
        return {part.name.lower(): self.recorder.parts[part] / count if count else nan for part in Phase}

    def demands(self) -> dict[str, float]:
        """What theory asks a run for, in seconds a response; empty where nobody sits at a terminal.

        ``demand_`` of each part that counts how long it is busy, by the utilisation law: all its work, also what
        nobody waits for. ``think`` by the response time law, N/X - R: what is logged on and does not wait.
        """
        away = self.counters.get("desk.away_seconds")
        if away is None:
            return {}
        busy = {name: seconds for name, seconds in self.counters.items() if name.endswith(".busy")}
        named = {"demand_" + name.removesuffix(".busy"): seconds for name, seconds in busy.items()} | {"think": away}
        count = self.recorder.count
        return {name: seconds / count if count else nan for name, seconds in named.items()}

    def response(self) -> dict[str, float]:
        """Inquiry to first response, seconds: count, mean, standard deviation, extremes, percentiles."""
        each = self.recorder
        mean = each.mean
        median, p95 = each.percentiles(0.5, 0.95)
        variance = (each.squares - each.count * mean * mean) / (each.count - 1) if each.count > 1 else nan
        return {
            "responses": float(each.count),
            "response_mean": mean,
            "response_sd": sqrt(max(0.0, variance)) if variance == variance else nan,
            "response_min": each.shortest if each.count else nan,
            "response_median": median,
            "response_p95": p95,
            "response_max": each.longest if each.count else nan,
            "throughput": each.count / self.seconds if self.seconds else nan,
        }

    def summary(self) -> dict[str, float]:
        """One flat row: responses, breakdown, demands, and what the model adds."""
        parts = {f"part_{name}": seconds for name, seconds in self.breakdown().items()}
        return {**self.response(), **parts, **self.demands(), **self.extras, "events": float(self.events)}
