"""Result has the parameters, counters and responses of a run, and shows them as a summary, text, HTML or a table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from math import fsum, inf, isnan, nan, sqrt, ulp
from typing import TYPE_CHECKING, Any

from spindle.sim.clock import PHASE_COUNT, Phase
from spindle.sim.error import UserError, known_choice
from spindle.sim.parts import LawBroken
from spindle.sim.quantity import quantity, unit_of
from spindle.sim.terminal import Transaction

if TYPE_CHECKING:
    import pandas as pd


# Percentiles: exact ones of times that were kept, and ones of any number of counted times, in bounded memory.

BUCKET_BITS = 9
"""Bits of a bucket's number below its highest one: there are 512 buckets from a time to its double."""
PERCENTILE_ERROR = 0.5 / 2**BUCKET_BITS
"""Relative error of a percentile from buckets, 0.1 %, and never less than one tick."""
TICKS_A_SECOND = 2.0**40
"""The shortest times are counted in ticks, each about a picosecond."""
MAX_BUCKET_SECONDS = 2.0**40
"""The longest time, 35 000 years, so that there are 36 864 buckets at most."""


def rank(share: float, count: int) -> int:
    """The place, from 1 on, of the smallest of *count* values that at least *share* of them do not exceed."""
    return max(1, min(count, -int(-share * count // 1)))


def percentile(sorted_values: Sequence[float], share: float) -> float:
    """The smallest value that at least *share* of the values do not exceed; NaN where there are none."""
    return sorted_values[rank(share, len(sorted_values)) - 1] if sorted_values else nan


class Quantiles:
    """A histogram of times, with buckets of equal width between powers of 2 (an HDR histogram, by G. Tene).

    Buckets and counts are whole numbers, so that those of many runs merge to the same in whatever order.
    """

    def __init__(self) -> None:
        self._buckets: dict[int, int] = {}

    @property
    def count(self) -> int:
        return sum(self._buckets.values())

    def add(self, seconds: float) -> None:
        """Count a time; UserError if it is negative, not finite or too long."""
        if not 0.0 <= seconds < MAX_BUCKET_SECONDS:
            raise UserError(f"a time that is counted lies between 0 and {MAX_BUCKET_SECONDS:.3g} s, not at {seconds!r}")
        bucket = int(seconds * TICKS_A_SECOND)
        octave = bucket.bit_length() - 1 - BUCKET_BITS
        if octave > 0:
            bucket = (octave << BUCKET_BITS) + (bucket >> octave)
        self._buckets[bucket] = self._buckets.get(bucket, 0) + 1

    def merge(self, other: "Quantiles") -> None:
        """Count all that *other* counted, too."""
        for bucket, count in other._buckets.items():
            self._buckets[bucket] = self._buckets.get(bucket, 0) + count

    def quantile(self, share: float) -> float:
        """Return the percentile of *share*, within PERCENTILE_ERROR; NaN where nothing was counted."""
        ordered = sorted(self._buckets.items())
        seen, wanted = 0, rank(share, self.count)
        for bucket, count in ordered:
            seen += count
            if seen >= wanted:
                return _middle(bucket)
        return nan


def _middle(bucket: int) -> float:
    """The seconds in the middle of *bucket*, which may be one tick wide."""
    octave = max(0, (bucket >> BUCKET_BITS) - 1)
    return float(((bucket - (octave << BUCKET_BITS)) << octave) + (1 << octave) // 2) / TICKS_A_SECOND


# Responses: rows of transactions, and sums over the window that need no rows.

class Recorder:
    """A recorder of transactions: those answered from *start* on, until it is closed, are summed, and kept if *keep*.

    Memory stays flat without rows: then only count, sum, sum of squares, extremes and counted percentiles remain.
    """

    def __init__(self, start: float = 0.0, keep: bool = True) -> None:
        self._start = start
        self._keep = keep
        self.rows: list[Transaction] = []
        self.quantiles = Quantiles()
        self.count = 0
        self.total = 0.0
        self.squares = 0.0
        self.shortest = inf
        self.longest = -inf
        self.phases = [0.0] * PHASE_COUNT
        self.clipped = 0.0
        """Seconds of responses within the window, answered or not."""
        self._closed = False

    def record(self, row: Transaction, charges: int) -> None:
        """Count *row*, and keep it; LawBroken where its *charges* do not add up to its response."""
        _, name, began, responded, _, phases = row
        response = responded - began
        error = abs(fsum(phases) - response)
        if error > 1e-9 * response + 8 * (charges + 1) * ulp(responded):
            terms = ", ".join(f"{phase.name.lower()} {phases[phase]:.6f}" for phase in Phase if phases[phase])
            raise LawBroken(f"{row.terminal} {name}: {response!r} s of response are not the sum of its phases: {terms}")
        if responded < self._start or self._closed:
            return
        self.clipped += responded - max(began, self._start)
        self.count += 1
        self.total += response
        self.squares += response * response
        self.shortest = min(self.shortest, response)
        self.longest = max(self.longest, response)
        sums = self.phases
        for phase, seconds in enumerate(phases):
            if seconds:
                sums[phase] += seconds
        if self._keep:
            self.rows.append(row)
        else:
            self.quantiles.add(response)

    def close(self, under_way: Iterable[tuple[Transaction, int]], now: float) -> None:
        """End the window: count responses *under_way*, answered but still printing, or waiting and clipped at *now*."""
        for row, charges in under_way:
            if isnan(row.responded):
                self.clipped += now - max(row.began, self._start)
            else:
                self.record(row, charges)
        self._closed = True

    def percentiles(self, *shares: float) -> list[float]:
        """Responses by the share that is at most as long: exact where there are rows, else as near as counts come."""
        if self._keep:
            values = sorted(row.responded - row.began for row in self.rows)
            return [percentile(values, share) for share in shares]
        if not self.count:
            return [nan for _ in shares]
        return [min(max(self.quantiles.quantile(share), self.shortest), self.longest) for share in shares]

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else nan


DRAWING_MODULE = "spindle.studies.plots.phases"
"""The module that draws a result; parts may not import pictures, so it is named here."""
PERCENTILES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
"""The percentiles of response times, by name, as shares."""
MIN_SHOWN_SHARE = 0.005
"""The least share of a response that a phase must have to be shown."""
BAR_STYLE = "display:inline-block; height:0.8em; background:#0072b2; width:{}em"
"""Style of a bar in a notebook; its length shows a phase."""
ROUNDING = 1e-9
"""The share of a sum over terminals and time by which rounding may change it."""


def difference(later: Mapping[str, float], earlier: Mapping[str, float]) -> dict[str, float]:
    """Return the growth of counters between two readings."""
    return {key: value - earlier.get(key, 0.0) for key, value in later.items()}


def ratio(part: float, whole: float) -> float:
    """Return *part* / *whole*; NaN of nothing."""
    return part / whole if whole else nan


@dataclass(frozen=True, repr=False)
class Result:
    """The result of one run of a *system*, measured from *start* to *end*. *counters* are differences over that window.

    *built_of* are the sheets of its drives and the classes of its eviction policies, for ``spindle.cite``; *notes* are
    sentences on options that changed nothing.

    >>> result = simulate("unix_stdio", program="w03", seconds=1)
    >>> result.system
    'unix_stdio'
    """

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
    built_of: Sequence[object] = ()
    notes: Sequence[str] = ()

    @property
    def seconds(self) -> float:
        return self.end - self.start

    @property
    def transactions(self) -> list[Transaction]:
        """The rows answered within the window; none where they were not kept."""
        return self.recorder.rows

    def rate(self, counter: str) -> float:
        """*counter* per second of the window; UserError where nothing is counted under that name."""
        return known_choice("counter", self.counters, counter) / self.seconds

    def breakdown(self) -> dict[str, float]:
        """Mean seconds of a response by phase; they add up to the mean response."""
        count = self.recorder.count
        return {phase.name.lower(): self.recorder.phases[phase] / count if count else nan for phase in Phase}

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
        """Describe the average number of terminals with a user logged on; '' if it is all of them."""
        present, all_of_them = (self.counters.get(f"desk.{name}_seconds", 0.0) for name in ("logged_on", "terminal"))
        if present >= all_of_them * (1.0 - ROUNDING):
            return ""
        there, terminals = present / self.seconds, all_of_them / self.seconds
        return f"users are logged on at {there:.3g} of {terminals:.0f} terminals, on average"

    def response(self) -> dict[str, float]:
        """Inquiry to first response, seconds: count, mean, standard deviation, extremes, percentiles."""
        log = self.recorder
        mean = log.mean
        shares = dict(zip(PERCENTILES, log.percentiles(*PERCENTILES.values()), strict=True))
        variance = (log.squares - log.count * mean * mean) / (log.count - 1) if log.count > 1 else nan
        return {
            "responses": float(log.count),
            "response_mean": mean,
            "response_sd": sqrt(max(0.0, variance)) if variance == variance else nan,
            "response_min": log.shortest if log.count else nan,
            **{f"response_{name}": seconds for name, seconds in shares.items()},
            "response_max": log.longest if log.count else nan,
            "throughput": log.count / self.seconds if self.seconds else nan,
        }

    def summary(self) -> dict[str, float]:
        """One flat row: responses, breakdown, demands, and the model's extras; no parameter of the run."""
        phases = {f"part_{name}": seconds for name, seconds in self.breakdown().items()}
        row = {**self.response(), **phases, **self.demands(), **self.extras, "events": float(self.events)}
        return {name: value for name, value in row.items() if name not in self.parameters}

    def frame(self) -> "pd.DataFrame":
        """A row a response, in the order of their ends: terminal, name, begin, end, phases; all in seconds.

        UserError where the run did not keep its rows.
        """
        import pandas as pd

        if len(self.transactions) != self.recorder.count:
            raise UserError("this run did not keep its responses one by one: keep_rows=True does")
        names = [f"part_{phase.name.lower()}" for phase in Phase]
        rows = [{**row._asdict(), "response": row.responded - row.began, **dict(zip(names, row.phases, strict=True))}
                for row in self.transactions]  # fmt: skip
        columns = ["terminal", "name", "began", "responded", "ended", "response", *names]
        frame = pd.DataFrame(rows, columns=columns)
        frame.attrs["units"] = dict.fromkeys(("began", "responded", "ended", "response", *names), "s")
        return frame

    def plot(self) -> Any:
        """Draw the breakdown of the mean response by phase; UserError if nothing was answered."""
        from importlib import import_module

        return import_module(DRAWING_MODULE).result_picture(self)

    def __repr__(self) -> str:
        """Ten lines at most: arguments, responses and their percentiles, phases, and other measures."""
        response = self.response()
        lines = [self._title(), f"{self.seconds:g} s measured after {self.start:g} of warm-up", self.presence()]
        if response["responses"]:
            shares = ", ".join(f"{name} {response[f'response_{name}']:.3g}" for name in PERCENTILES)
            lines += [
                f"{response['responses']:.0f} responses, {response['throughput']:.3g} a second",
                f"response, s: mean {response['response_mean']:.3g}, {shares}",
                "of it: " + ", ".join(f"{name} {100 * share:.0f} %" for name, _, share in self._phases()),
            ]
        shown = [f"{name} {quantity(value, unit_of(name))}" for name, value in self.extras.items()]
        rows = [", ".join(shown[begin : begin + 4]) for begin in (0, 4)]
        return "\n".join(line for line in [*lines, *rows] if line)

    def _repr_html_(self) -> str:
        """The text for a notebook, with a bar for each phase of the response."""
        head = "<br>".join(escape(line) for line in repr(self).splitlines() if not line.startswith("of it: "))
        rows = [f"<tr><td>{escape(name)}</td><td>{quantity(seconds, 's', 3)}</td><td style='text-align:left'>"
                f"<span style='{BAR_STYLE.format(f'{20 * share:.2f}')}'></span></td></tr>"
                for name, seconds, share in self._phases()]  # fmt: skip
        return f"<div>{head}<table>{''.join(rows)}</table></div>"

    def _title(self) -> str:
        arguments = ", ".join(f"{name} {value}" for name, value in {**self.parameters, "seed": self.seed}.items())
        return f"{self.system}: {arguments}"

    def _phases(self) -> Iterator[tuple[str, float, float]]:
        """Yield the phases long enough to show: name, seconds, and share of the response."""
        mean = self.recorder.mean
        for name, seconds in self.breakdown().items():
            if mean > 0.0 and seconds >= MIN_SHOWN_SHARE * mean:
                yield name.replace("_", " "), seconds, seconds / mean
