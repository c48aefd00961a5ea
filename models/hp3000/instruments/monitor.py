"""Reports response times, think times and throughput, as the monitor of HP's TEPE did.

TEPE is the Terminal Emulator and Performance Evaluator. McBride & Boles 1983, section TEPE: "mean response time, min,
max and standard deviation for individual terminals or for the whole load, for the entire test or for a selected
steady-state window"; here over the window that the run measures. Rows by transaction, percentiles, think times and
throughput are not the paper's. Times are printed to 0.01 s, TEPE's resolution; nothing is rounded before. For the
terminals of each driver (a computer that emulates terminals) see workloads/drivers.py.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import fsum, isnan, nan, sqrt
from typing import NamedTuple

from spindle.sim.error import UserError
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Terminals, Window
from spindle.sim.measure.observer import Observer
from spindle.sim.measure.result import Result, percentile
from spindle.sim.terminal import Transaction
from spindle.sim.units import MINUTE
from spindle.workloads.drivers import port

WHOLE_LOAD = "WHOLE LOAD"


class Period(NamedTuple):
    """A period of the run, from *begin* to *end* in seconds. Responses count that were given within it."""

    name: str
    begin: float
    end: float


@dataclass(frozen=True)
class Responses:
    """A summary of *count* response times, in seconds; *deviation* is the sample standard deviation."""

    count: int
    mean: float
    minimum: float
    maximum: float
    deviation: float

    def text(self) -> str:
        seconds = (self.mean, self.minimum, self.maximum, self.deviation)
        return f"{self.count:6}" + "".join(f"{'-' if isnan(each) else f'{each:.2f}':>6}" for each in seconds)


RESPONSE_HEAD = f"{'COUNT':>6}{'MEAN':>6}{'MIN':>6}{'MAX':>6}{'S.D.':>6}"


def responses(seconds: Sequence[float]) -> Responses:
    """Summarise response times; a missing number, as the deviation of one response, is NaN."""
    count = len(seconds)
    if not count:
        return Responses(0, nan, nan, nan, nan)
    mean = fsum(seconds) / count
    squares = fsum((each - mean) ** 2 for each in seconds)
    return Responses(count, mean, min(seconds), max(seconds), sqrt(squares / (count - 1)) if count > 1 else nan)


NAME_WIDTH, DRIVER_WIDTH = 18, 6


class Answered(NamedTuple):
    """A response of *seconds*, and the *think* time before it, from the end of the reply before; NaN for the first."""

    terminal: str
    name: str
    seconds: float
    think: float


@dataclass(frozen=True)
class ReportLine:
    """A row of the report: *who* is a terminal, a transaction or the whole load. Times are in seconds.

    *think* is the mean of *thinks* think times, each before one of the responses; a terminal's first response has none.
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
        name = f"{self.who[-NAME_WIDTH:]:<{NAME_WIDTH}}{self.driver:>{DRIVER_WIDTH}}"
        return f"{name}{self.responses.text()}{rest}"


class Report:
    """Report of the *rows* answered within *period* at *terminals*, which are in the order in which they log on.

    Rows of a terminal are in order of time; the last one before *period* gives the think time before the first.
    """

    def __init__(self, terminals: Sequence[str], rows: Iterable[Transaction], period: Period) -> None:
        self.period = period
        answered = _answers_within(rows, period)
        places = {name: str(port(number)) for number, name in enumerate(terminals)}
        by_terminal = _group_by(answered, lambda each: each.terminal)
        by_name = _group_by(answered, lambda each: each.name)
        self.terminals = [self._line("terminal", name, by_terminal.get(name, ()), places[name]) for name in terminals]
        self.transactions = [self._line("transaction", name, by_name[name]) for name in sorted(by_name)]
        self.load = self._line("load", WHOLE_LOAD, answered)

    def _line(self, kind: str, who: str, answered: Sequence[Answered], driver: str = "") -> ReportLine:
        seconds = sorted(each.seconds for each in answered)
        thinks = [each.think for each in answered if not isnan(each.think)]
        return ReportLine(
            kind, who, driver, responses(seconds), percentile(seconds, 0.95), len(thinks),
            fsum(thinks) / len(thinks) if thinks else nan, len(seconds) / (self.period.end - self.period.begin),
        )  # fmt: skip

    def rows(self) -> list[dict[str, object]]:
        """Return a row for each terminal, for each transaction, and for the load."""
        return [line.row() for line in (*self.terminals, *self.transactions, self.load)]

    def text(self) -> str:
        """Return the report as text of at most 80 columns: seconds, and responses a minute."""
        name, begin, end = self.period
        tail = f"{'P95':>6}{'THINK':>8}{'/MIN':>8}"
        head = f"{'TERMINAL':<{NAME_WIDTH}}{'DRIVER':>{DRIVER_WIDTH}}{RESPONSE_HEAD}{tail}"
        second_head = f"{'TRANSACTION':<{NAME_WIDTH + DRIVER_WIDTH}}{RESPONSE_HEAD}{tail}"
        rule, when = "-" * len(head), f"{name} {begin / MINUTE:g}-{end / MINUTE:g} min"
        terminals, transactions = ([line.text() for line in lines] for lines in (self.terminals, self.transactions))
        return "\n".join([
            f"{'TEPE MONITOR':<{len(head) - len(when)}}{when}", head, rule, *terminals, rule,
            second_head, rule, *transactions, rule, self.load.text(),
        ])  # fmt: skip


@dataclass(frozen=True, repr=False)
class MonitoredResult(Result):
    """A result with the monitor's *report* of its window."""

    report: Report | None = None

    def report_text(self) -> str:
        return "" if self.report is None else self.report.text()

    def report_rows(self) -> Sequence[Mapping[str, object]]:
        return [] if self.report is None else self.report.rows()


def with_report(result: Result, report: Report) -> MonitoredResult:
    """Return *result* with *report* attached."""
    return MonitoredResult(**{each.name: getattr(result, each.name) for each in fields(Result)}, report=report)


def _answers_within(rows: Iterable[Transaction], period: Period) -> list[Answered]:
    ended: dict[str, float] = {}
    answered = []
    for row in rows:
        think = row.began - ended.get(row.terminal, nan)
        ended[row.terminal] = row.ended
        if period.begin <= row.responded <= period.end:
            answered.append(Answered(row.terminal, row.name, row.responded - row.began, think))
    return answered


def _group_by(answered: Iterable[Answered], key: Callable[[Answered], str]) -> Mapping[str, list[Answered]]:
    groups: dict[str, list[Answered]] = defaultdict(list)
    for each in answered:
        groups[key(each)].append(each)
    return groups


def _seconds(seconds: float) -> str:
    return "-" if isnan(seconds) else f"{seconds:.2f}"


class TepeMonitor(Observer):
    """Observes one run from its beginning, so that the think time before the first measured response is known."""

    def __init__(self) -> None:
        self._load: Terminals | None = None
        self._answered: list[Transaction] = []
        self._steady: Period

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        if self._load is not None or not isinstance(load, Terminals):
            raise UserError("a TEPE monitor is for one run with terminals")
        self._load = load
        self._steady = Period("steady state", window.start, window.end)

    def record(self, row: Transaction) -> None:
        self._answered.append(row)

    def report(self) -> Report:
        """Report all that follows the warm-up, by terminal, in the order in which they log on, and by transaction."""
        assert self._load is not None, "no run was observed"
        under_way = [row for row, _ in self._load.under_way()]  # of which some are answered, and printed
        names = [terminal.name for terminal in self._load.users.terminals]
        return Report(names, self._answered + under_way, self._steady)
