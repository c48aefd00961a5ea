"""The TEPE monitor's report of the steady window, by terminal and by transaction: responses, thinking, throughput.

McBride & Boles 1983, section TEPE: response times "for individual terminals or for the whole load", here over the
window that the run measures. By transaction, percentiles, think times and throughput are not the paper's.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import fsum, isnan, nan
from typing import NamedTuple

from models.hp3000.instruments.responses import HEAD, WHOLE_LOAD, Period, Responses, responses
from sim.measure.quantiles import percentile
from sim.measure.result import Result
from sim.terminal import Transaction
from sim.units import MINUTE
from workloads.drivers import port

NAME, DRIVER = 18, 6


class Answered(NamedTuple):
    """One response of *seconds*, and the *think* time before it: from the end of the reply before, if there was one."""

    terminal: str
    name: str
    seconds: float
    think: float


@dataclass(frozen=True)
class SteadyLine:
    """What *who*, a terminal, a transaction or all, saw in the window; seconds, and responses a second.

    *think* is the mean of *thinks* think times, each before one of the responses; a terminal's first has none.
    """

    kind: str
    who: str
    driver: str
    responses: Responses
    p95: float
    thinks: int
    think: float
    throughput: float

    def row(self) -> dict[str, object]:
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "responses"}
        first = {name: own.pop(name) for name in ("kind", "who", "driver")}
        return {**first, **asdict(self.responses), **own}

    def text(self) -> str:
        rest = f"{_seconds(self.p95):>6}{_seconds(self.think):>8}{self.throughput * MINUTE:>8.2f}"
        return f"{self.who[-NAME:]:<{NAME}}{self.driver:>{DRIVER}}{self.responses.text()}{rest}"


class SteadyReport:
    """Of *rows* answered at *terminals*, in the order in which they log on, within *period*; earlier rows may be there.

    Rows of a terminal are in order.
    """

    def __init__(self, terminals: Sequence[str], rows: Iterable[Transaction], period: Period) -> None:
        self.period = period
        answered = _within(rows, period)
        places = {name: str(port(number)) for number, name in enumerate(terminals)}
        by_terminal = _by(answered, lambda each: each.terminal)
        by_name = _by(answered, lambda each: each.name)
        self.terminals = [self._line("terminal", name, by_terminal.get(name, ()), places[name]) for name in terminals]
        self.transactions = [self._line("transaction", name, by_name[name]) for name in sorted(by_name)]
        self.load = self._line("load", WHOLE_LOAD, answered)

    def _line(self, kind: str, who: str, answered: Sequence[Answered], driver: str = "") -> SteadyLine:
        seconds = sorted(each.seconds for each in answered)
        thinks = [each.think for each in answered if not isnan(each.think)]
        return SteadyLine(
            kind, who, driver, responses(seconds), percentile(seconds, 0.95), len(thinks),
            fsum(thinks) / len(thinks) if thinks else nan, len(seconds) / (self.period.end - self.period.begin),
        )  # fmt: skip

    def rows(self) -> list[dict[str, object]]:
        """One a terminal, one a transaction, and one of the load."""
        return [line.row() for line in (*self.terminals, *self.transactions, self.load)]

    def text(self) -> str:
        """At most 80 columns; seconds, and responses a minute."""
        name, begin, end = self.period
        tail = f"{'P95':>6}{'THINK':>8}{'/MIN':>8}"
        head = f"{'TERMINAL':<{NAME}}{'DRIVER':>{DRIVER}}{HEAD}{tail}"
        rule, when = "-" * len(head), f"{name} {begin / MINUTE:g}-{end / MINUTE:g} min"
        terminals, transactions = ([line.text() for line in lines] for lines in (self.terminals, self.transactions))
        return "\n".join([
            f"{'TEPE MONITOR':<{len(head) - len(when)}}{when}", head, rule, *terminals, rule,
            f"{'TRANSACTION':<{NAME + DRIVER}}{HEAD}{tail}", rule, *transactions, rule, self.load.text(),
        ])  # fmt: skip


@dataclass(frozen=True, repr=False)
class MonitoredResult(Result):
    """A result with the monitor's *report* of its window."""

    report: SteadyReport | None = None

    def report_text(self) -> str:
        return "" if self.report is None else self.report.text()

    def report_rows(self) -> Sequence[Mapping[str, object]]:
        return [] if self.report is None else self.report.rows()


def monitored(result: Result, report: SteadyReport) -> MonitoredResult:
    """*result* with *report* beside it."""
    return MonitoredResult(**{each.name: getattr(result, each.name) for each in fields(Result)}, report=report)


def _within(rows: Iterable[Transaction], period: Period) -> list[Answered]:
    ended: dict[str, float] = {}
    answered = []
    for row in rows:
        think = row.began - ended.get(row.terminal, nan)
        ended[row.terminal] = row.ended
        if period.begin <= row.responded <= period.end:
            answered.append(Answered(row.terminal, row.name, row.responded - row.began, think))
    return answered


def _by(answered: Iterable[Answered], key: Callable[[Answered], str]) -> Mapping[str, list[Answered]]:
    groups: dict[str, list[Answered]] = defaultdict(list)
    for each in answered:
        groups[key(each)].append(each)
    return groups


def _seconds(seconds: float) -> str:
    return "-" if isnan(seconds) else f"{seconds:.2f}"
