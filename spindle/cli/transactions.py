"""Responses by transaction and by script: how many, their mean and percentiles; the counts add up to the run's."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from spindle.sim.measure.result import Result, percentile
from spindle.sim.terminal import Transaction

NAME, SCRIPT = 24, 18


class ResponseClass(NamedTuple):
    """The responses of a *script* to one *transaction*, or to all of them where that is empty; seconds."""

    script: str
    transaction: str
    responses: int
    response_mean: float
    response_p95: float
    response_p99: float


def by_transaction(result: Result) -> list[ResponseClass]:
    """One for each transaction of each script, by name; none where the run kept no rows."""
    return _classes(result.transactions, lambda row: (script_of(row.terminal), row.name))


def by_script(result: Result) -> list[ResponseClass]:
    return _classes(result.transactions, lambda row: (script_of(row.terminal), ""))


def script_of(terminal: str) -> str:
    """Terminals are numbered within their script: ``CLERKS 12`` is of CLERKS."""
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


def data(result: Result) -> Mapping[str, list[dict[str, object]]]:
    """Both tables as JSON has them; nothing where the run kept no rows."""
    if not result.transactions:
        return {}
    scripts = [{name: value for name, value in each._asdict().items() if name != "transaction"}
               for each in by_script(result)]  # fmt: skip
    return {"transactions": [each._asdict() for each in by_transaction(result)], "scripts": scripts}


def table(result: Result) -> list[str]:
    """For a screen of 80 columns; nothing where all responses are of one kind."""
    kinds, scripts = by_transaction(result), by_script(result)
    if len(kinds) < 2:
        return []
    head = f"{'response, s':<{NAME}}{'script':<{SCRIPT}}{'responses':>10}{'mean':>9}{'p95':>9}{'p99':>9}"
    totals = [each._replace(transaction="all") for each in scripts] if len(scripts) > 1 else []
    return ["", head, *map(_line, [*kinds, *totals])]


def _line(each: ResponseClass) -> str:
    times = (each.response_mean, each.response_p95, each.response_p99)
    name, script = each.transaction[: NAME - 1], each.script[: SCRIPT - 1]
    return f"{name:<{NAME}}{script:<{SCRIPT}}{each.responses:>10,}" + "".join(f"{time:>9.3f}" for time in times)
