"""The TEPE monitor's report: response times at each terminal, by script and for the whole load.

McBride & Boles 1983, section TEPE: "mean response time, min, max and standard deviation for individual terminals or for
the whole load, for the entire test or for a selected steady-state window". It resolves 0.01 s, which is how it prints
them; nothing is rounded before. For the terminals of each driver see workloads/drivers.py.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import fsum, isnan, nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

from sim.terminal import Transaction
from sim.units import MINUTE
from workloads.drivers import port

if TYPE_CHECKING:
    import pandas as pd

WHOLE_LOAD = "WHOLE LOAD"


class Period(NamedTuple):
    """From *begin* to *end*, seconds of the run. What was answered within it counts."""

    name: str
    begin: float
    end: float


@dataclass(frozen=True)
class Responses:
    """*count* of them, and seconds; the *deviation* is that of a sample."""

    count: int
    mean: float
    minimum: float
    maximum: float
    deviation: float

    def text(self) -> str:
        seconds = (self.mean, self.minimum, self.maximum, self.deviation)
        return f"{self.count:6}" + "".join(f"{'-' if isnan(each) else f'{each:.2f}':>6}" for each in seconds)


HEAD = f"{'COUNT':>6}{'MEAN':>6}{'MIN':>6}{'MAX':>6}{'S.D.':>6}"
NAME, DRIVER = 13, 7


def responses(seconds: Sequence[float]) -> Responses:
    """Without responses only the count, and of one response no deviation."""
    count = len(seconds)
    if not count:
        return Responses(0, nan, nan, nan, nan)
    mean = fsum(seconds) / count
    squares = fsum((each - mean) ** 2 for each in seconds)
    return Responses(count, mean, min(seconds), max(seconds), sqrt(squares / (count - 1)) if count > 1 else nan)


class ResponseLine(NamedTuple):
    """The responses of *who*, a terminal, a script or all, by period. A terminal's place is *driver*:port."""

    who: str
    driver: str
    periods: Sequence[Responses]

    def text(self) -> str:
        return f"{self.who[-NAME:]:<{NAME}}{self.driver:>{DRIVER}}" + "".join(each.text() for each in self.periods)


class Report:
    """Of *rows* answered at *terminals*, which are named in the order in which they log on, within *periods*."""

    def __init__(self, terminals: Sequence[str], rows: Iterable[Transaction], periods: Sequence[Period]) -> None:
        self.periods = periods
        seconds = [_by_who(rows_of) for rows_of in _by_period(rows, periods)]

        def line(who: str, driver: str = "") -> ResponseLine:
            return ResponseLine(who, driver, [responses(times.get(who, ())) for times in seconds])

        self.terminals = [line(name, str(port(number))) for number, name in enumerate(terminals)]
        self.scripts = [line(script) for script in dict.fromkeys(map(_script, terminals))]
        self.load = line(WHOLE_LOAD)

    def text(self) -> str:
        """At most 80 columns."""
        spans = "".join(f"{f'{name} {begin / MINUTE:g}-{end / MINUTE:g} min':>30}" for name, begin, end in self.periods)
        head = f"{'TERMINAL':<{NAME}}{'DRIVER':>{DRIVER}}{HEAD * len(self.periods)}"
        rule = "-" * len(head)
        lines = [*(each.text() for each in self.terminals), rule, *(each.text() for each in self.scripts), rule]
        title = "TEPE MONITOR"
        return "\n".join([f"{title:<{NAME + DRIVER}}{spans}", head, rule, *lines, self.load.text()])

    def frame(self) -> "pd.DataFrame":
        """A row for each of them and period; seconds."""
        import pandas as pd  # only here, so that a page of text need not wait for it

        kinds = {"terminal": self.terminals, "script": self.scripts, "load": [self.load]}
        return pd.DataFrame([
            {"kind": kind, "who": line.who, "driver": line.driver, **period._asdict(), **asdict(each)}
            for kind, lines in kinds.items() for line in lines
            for period, each in zip(self.periods, line.periods, strict=True)
        ])  # fmt: skip


def _script(terminal: str) -> str:
    return terminal.rpartition(" ")[0]


def _by_period(rows: Iterable[Transaction], periods: Sequence[Period]) -> list[list[Transaction]]:
    kept = list(rows)
    return [[row for row in kept if begin <= row.responded <= end] for _, begin, end in periods]


def _by_who(rows: Iterable[Transaction]) -> dict[str, list[float]]:
    """Response times by terminal, by script and of all."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        for who in (row.terminal, _script(row.terminal), WHOLE_LOAD):
            seconds[who].append(row.responded - row.began)
    return seconds
