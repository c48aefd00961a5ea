"""Shows the result of a run as text of 80 columns or as JSON, with its responses by transaction and by script."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum, isnan
from typing import NamedTuple, Protocol, runtime_checkable

from spindle.cli import paper_numbers as papers
from spindle.cli.paper_numbers import PaperNumber
from spindle.output.text import json_text, plural
from spindle.sim.clock import Phase
from spindle.sim.disc.flash.drive import words_of_wear
from spindle.sim.error import UserError
from spindle.sim.measure.result import MIN_SHOWN_SHARE, Result, percentile
from spindle.sim.quantity import show
from spindle.sim.terminal import Transaction
from spindle.sim.units import MINUTE
from spindle.studies.settings import settings_of
from spindle.system import System

# Responses by transaction and by script: how many, their mean and percentiles; the counts add up to the run's.

NAME_WIDTH, SCRIPT_WIDTH = 24, 18
"""Columns for the name of a transaction and of a script."""


class ResponseClass(NamedTuple):
    """Responses of the terminals of a *script*, in seconds: of one *transaction*, or of all where that is empty."""

    script: str
    transaction: str
    responses: int
    response_mean: float
    response_p95: float
    response_p99: float


def by_transaction(result: Result) -> list[ResponseClass]:
    """Return the responses of each transaction of each script, by name; none where the run kept no rows."""
    return _classes(result.transactions, lambda row: (script_of(row.terminal), row.name))


def by_script(result: Result) -> list[ResponseClass]:
    """Return the responses of each script, by name; none where the run kept no rows."""
    return _classes(result.transactions, lambda row: (script_of(row.terminal), ""))


def script_of(terminal: str) -> str:
    """Return the script of a *terminal*, which is numbered within it: CLERKS of ``CLERKS 12``."""
    script, _, number = terminal.rpartition(" ")
    return script if script and number.isdecimal() else terminal


def _classes(rows: Iterable[Transaction], key: Callable[[Transaction], tuple[str, str]]) -> list[ResponseClass]:
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row.responded - row.began)
    return [_class(script, name, sorted(times)) for (script, name), times in sorted(groups.items())]


def _class(script: str, name: str, times: Sequence[float]) -> ResponseClass:
    mean = fsum(times) / len(times)
    return ResponseClass(script, name, len(times), mean, percentile(times, 0.95), percentile(times, 0.99))


def response_data(result: Result) -> Mapping[str, list[dict[str, object]]]:
    """Return the responses by transaction and by script for JSON; empty where the run kept no rows."""
    if not result.transactions:
        return {}
    scripts = [{name: value for name, value in each._asdict().items() if name != "transaction"}
               for each in by_script(result)]  # fmt: skip
    return {"transactions": [each._asdict() for each in by_transaction(result)], "scripts": scripts}


def response_table(result: Result) -> list[str]:
    """Return the responses by transaction and script as lines; none where all are of one kind."""
    kinds, scripts = by_transaction(result), by_script(result)
    if len(kinds) < 2:
        return []
    head = f"{'response, s':<{NAME_WIDTH}}{'script':<{SCRIPT_WIDTH}}{'responses':>10}{'mean':>9}{'p95':>9}{'p99':>9}"
    totals = [each._replace(transaction="all") for each in scripts] if len(scripts) > 1 else []
    return ["", head, *map(_line, [*kinds, *totals])]


def _line(each: ResponseClass) -> str:
    times = (each.response_mean, each.response_p95, each.response_p99)
    name, script = each.transaction[: NAME_WIDTH - 1], each.script[: SCRIPT_WIDTH - 1]
    head = f"{name:<{NAME_WIDTH}}{script:<{SCRIPT_WIDTH}}{each.responses:>10,}"
    return head + "".join(f"{time:>9.3f}" for time in times)


BAR_WIDTH = 40
"""Columns of the longest bar."""


@runtime_checkable
class Reported(Protocol):
    """A result that has a report of its own, shown below the text of the answer and in the JSON."""

    def report_text(self) -> str:
        """Return the report as text of 80 columns."""

    def report_rows(self) -> Sequence[Mapping[str, object]]:
        """Return the rows of the report: times in seconds, unrounded, NaN for an absent number."""


def as_json(result: Result, paper: Sequence[PaperNumber] = (), files: Mapping[str, str] = {}) -> str:
    """Return as JSON all that was measured, the paper's numbers, and the names of written files."""
    content = {
        "system": result.system, "parameters": result.parameters, "seed": result.seed,
        "start": result.start, "end": result.end,
        "summary": result.summary(), "counters": result.counters, **response_data(result),
    }  # fmt: skip
    report = {"report": list(result.report_rows())} if isinstance(result, Reported) else {}
    beside = {"paper": [each._asdict() for each in paper]} if paper else {}
    wrote = {"files": list(files)} if files else {}
    return json_text({**content, "notes": list(result.notes), **report, **beside, **wrote}, default=str)


EXPLAIN_HINT = "what a number is: spindle explain NAME"
"""The line that names the command which defines a measure."""


def page(system: System, result: Result, paper: Sequence[PaperNumber], files: Mapping[str, str]) -> str:
    """Return the text on *result*, the system's own or the usual one, with transactions, paper's numbers and files."""
    own = system.page(result) if system.page is not None else "\n".join(_usual(system, result))
    report = ["", result.report_text()] if isinstance(result, Reported) else []
    wrote = [f"{name}: {what}" for name, what in files.items()]
    notes = ["", *result.notes] if result.notes else []
    below = [*notes, "", EXPLAIN_HINT, *response_table(result), *papers.lines(paper), *report,
             *([""] if wrote else []), *wrote]
    return "\n".join([own, *words_of_wear(result.counters), *below])


def _usual(system: System, result: Result) -> list[str]:
    """Return lines of response times, of the phases in which they are spent, and of rates."""
    known = settings_of(system)
    values = ", ".join(f"{name} {known[name].text(value) if name in known else value}"
                       for name, value in result.parameters.items())  # fmt: skip
    response = result.response()
    deviation = response["response_sd"]
    return [
        f"{system.title}: {values}, seed {result.seed}",
        f"{plural(result.seconds / 60, 'minute')} measured after {result.start / 60:g} of warm-up",
        *filter(None, [result.presence()]),
        "",
        "response, s   mean     sd  median   p95     max   responses",
        "           {response_mean:7.3f}{sd:>7}{response_median:8.3f}{response_p95:6.2f}{response_max:8.2f}"
        "{responses:12.0f}".format(**response, sd="-" if isnan(deviation) else f"{deviation:.3f}"),
        *system.remark(result),
        "",
        "where the time goes",
        *_bars(result, response["response_mean"]),
        "",
        *_measures(result),
    ]


def _measures(result: Result) -> list[str]:
    """Return a line for each measure in ``extras``; a name as wide as its column would look like a heading."""
    width = max(18, *(len(name) + 2 for name in result.extras)) if result.extras else 18
    return [f"{name.replace('_', ' '):>{width}}  {'-' if isnan(value) else show(name, value)}"
            for name, value in result.extras.items()]  # fmt: skip


def _bars(result: Result, whole: float) -> list[str]:
    if isnan(whole):
        begin, end = result.start / MINUTE, result.end / MINUTE
        raise UserError(f"nobody was answered within the measured time, from minute {begin:g} to {end:g}: run for more "
                        "minutes, or with less warm-up where users have logged off by then")  # fmt: skip
    if not whole:
        return [f"{'nowhere':>18}  every response came at once"]
    phases = result.breakdown()
    names = [phase.name.lower() for phase in Phase]
    return [
        f"{name.replace('_', ' '):>18}  {phases[name]:7.4f} s  {'#' * round(BAR_WIDTH * phases[name] / whole)}".rstrip()
        for name in names
        if phases[name] >= MIN_SHOWN_SHARE * whole
    ]
