"""What one run gave: its parameters, its counters over the window, and its transactions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from math import nan, sqrt
from typing import TYPE_CHECKING

from sim.account import Phase
from sim.error import UserError
from sim.measure.recorder import Recorder
from sim.quantity import quantity, unit_of
from sim.terminal import Transaction

if TYPE_CHECKING:
    import pandas as pd

SHARES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
"""The percentiles of a response, by name."""
SHOWN = 0.005
"""The share of a response that a phase must have to be shown."""
BAR = "display:inline-block; height:0.8em; background:#0072b2; width:{}em"
"""How long a bar is that shows a phase, in a notebook."""
ROUNDING = 1e-9
"""Of sums over terminals and time; a share of the sum."""


def difference(later: Mapping[str, float], earlier: Mapping[str, float]) -> dict[str, float]:
    """What was counted between two readings of counters that only grow."""
    return {key: value - earlier.get(key, 0.0) for key, value in later.items()}


@dataclass(frozen=True, repr=False)
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
        """The inputs of queueing theory, in seconds a response; empty for a run without terminals.

        ``demand_`` of each part that counts its busy time, by the utilisation law: all its work, also in the
        background. ``think`` by the response time law, N/X - R.
        """
        away = self.counters.get("desk.away_seconds")
        if away is None:
            return {}
        busy = {name: seconds for name, seconds in self.counters.items() if name.endswith(".busy")}
        named = {"demand_" + name.removesuffix(".busy"): seconds for name, seconds in busy.items()} | {"think": away}
        count = self.recorder.count
        return {name: seconds / count if count else nan for name, seconds in named.items()}

    def presence(self) -> str:
        """How many terminals have a user logged on, on average, where that is not all; else nothing."""
        present, all_of_them = (self.counters.get(f"desk.{name}_seconds", 0.0) for name in ("logged_on", "terminal"))
        if present >= all_of_them * (1.0 - ROUNDING):
            return ""
        there, terminals = present / self.seconds, all_of_them / self.seconds
        return f"users are logged on at {there:.3g} of {terminals:.0f} terminals, on average"

    def response(self) -> dict[str, float]:
        """Inquiry to first response, seconds: count, mean, standard deviation, extremes, percentiles."""
        each = self.recorder
        mean = each.mean
        shares = dict(zip(SHARES, each.percentiles(*SHARES.values()), strict=True))
        variance = (each.squares - each.count * mean * mean) / (each.count - 1) if each.count > 1 else nan
        return {
            "responses": float(each.count),
            "response_mean": mean,
            "response_sd": sqrt(max(0.0, variance)) if variance == variance else nan,
            "response_min": each.shortest if each.count else nan,
            **{f"response_{name}": seconds for name, seconds in shares.items()},
            "response_max": each.longest if each.count else nan,
            "throughput": each.count / self.seconds if self.seconds else nan,
        }

    def summary(self) -> dict[str, float]:
        """One flat row: responses, breakdown, demands, and what the model adds."""
        parts = {f"part_{name}": seconds for name, seconds in self.breakdown().items()}
        return {**self.response(), **parts, **self.demands(), **self.extras, "events": float(self.events)}

    def frame(self) -> "pd.DataFrame":
        """A row a response, in the order of their ends: terminal, name, begin, end, phases; all in seconds.

        UserError where the run did not keep its rows.
        """
        import pandas as pd

        if len(self.transactions) != self.recorder.count:
            raise UserError("this run did not keep its responses one by one: keep_rows=True does")
        names = [f"part_{part.name.lower()}" for part in Phase]
        rows = [{**row._asdict(), "response": row.responded - row.began, **dict(zip(names, row.parts, strict=True))}
                for row in self.transactions]  # fmt: skip
        columns = ["terminal", "name", "began", "responded", "ended", "response", *names]
        return pd.DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        """Ten lines at most: arguments, responses and their percentiles, phases, and what else was measured."""
        response = self.response()
        lines = [self._title(), f"{self.seconds:g} s measured after {self.start:g} of warm-up", self.presence()]
        if response["responses"]:
            shares = ", ".join(f"{name} {response[f'response_{name}']:.3g}" for name in SHARES)
            lines += [
                f"{response['responses']:.0f} responses, {response['throughput']:.3g} a second",
                f"response, s: mean {response['response_mean']:.3g}, {shares}",
                "of it: " + ", ".join(f"{name} {100 * share:.0f} %" for name, _, share in self._phases()),
            ]
        some = list(self.extras.items())[:8]
        shown = [f"{name} {quantity(value, unit_of(name))}" for name, value in some]
        rows = [", ".join(shown[begin : begin + 4]) for begin in (0, 4)]
        return "\n".join(line for line in [*lines, *rows] if line)

    def _repr_html_(self) -> str:
        """The same for a notebook, with a bar for each phase of the response."""
        head = "<br>".join(escape(line) for line in repr(self).splitlines() if not line.startswith("of it: "))
        rows = [f"<tr><td>{escape(name)}</td><td>{quantity(seconds, 's', 3)}</td><td style='text-align:left'>"
                f"<span style='{BAR.format(f'{20 * share:.2f}')}'></span></td></tr>"
                for name, seconds, share in self._phases()]  # fmt: skip
        return f"<div>{head}<table>{''.join(rows)}</table></div>"

    def _title(self) -> str:
        arguments = ", ".join(f"{name} {value}" for name, value in {**self.parameters, "seed": self.seed}.items())
        return f"{self.system}: {arguments}"

    def _phases(self) -> Iterator[tuple[str, float, float]]:
        """Those that can be seen: the name, seconds, and share of the response of each."""
        mean = self.recorder.mean
        for name, seconds in self.breakdown().items():
            if mean > 0.0 and seconds >= SHOWN * mean:
                yield name.replace("_", " "), seconds, seconds / mean
