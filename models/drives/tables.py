"""Errors of drives as tables for a screen of 80 columns, and as numbers for JSON; milliseconds and percent."""

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

import numpy as np

from models.drives.errors import FEW, Axis, ErrorBudget
from models.drives.timed import TimedRequests, Times
from sim.units import MS

GROUPS = ("all", "reads", "writes")
NAME, COLUMNS = 18, 80
HEAD = f"{'demerit':<{NAME}}{'all, %':>12}{'reads, %':>12}{'writes, %':>12}{'apart, ms':>13}"
PAIRS = """\
demerit and apart: the model's, then DiskSim's; apart: the median difference, request
by request."""
LEGEND = """\
A phase, or what sets requests apart, tells so much of the mean square
error as its group means do: 50 % is the rotation where its angle is lost."""


def numbers(budget: ErrorBudget) -> dict[str, Any]:
    """Of one drive, all that is known of its errors."""
    return {
        "requests": len(budget.asked), **beside(budget.asked, budget.modelled.times, budget.foretold),
        "too_few_requests_for": budget.too_few, "phases": budget.phases(), "shares": budget.shares(),
        "groups": {name: list(_rows(axis, budget.errors)) for name, axis in budget.axes.items()},
    }  # fmt: skip


def beside(asked: TimedRequests, predicted: Times, foretold: Times | None) -> dict[str, Any]:
    """How far the model's answers are, and DiskSim's if they are known."""
    sources = {"predicted": predicted, "DiskSim": foretold}
    return {name: _apart(asked, times) for name, times in sources.items() if times is not None}


def _apart(asked: TimedRequests, times: Times) -> dict[str, Any]:
    errors = times - asked.measured
    return {
        name: {"demerit_ms": each.demerit / MS, "demerit_percent": 100.0 * each.share,
               "median_difference_ms": each.apart / MS}
        for name, each in asked.distances(times).items()
    } | {"rms_ms": float(np.sqrt(np.mean(errors**2))) / MS}  # fmt: skip


def _rows(axis: Axis, errors: Times) -> Iterator[dict[str, Any]]:
    for number, name in enumerate(axis.names):
        group = errors[axis.of == number]
        if len(group):
            yield {"group": name, "requests": len(group), "mean_ms": float(np.mean(group)) / MS,
                   "median_ms": float(np.median(group)) / MS, "rms_ms": float(np.sqrt(np.mean(group**2))) / MS}


def of_one(budget: ErrorBudget) -> list[str]:
    """The budget of one drive: which phase and which axis tell most, and the groups of these axes."""
    figures = numbers(budget)
    told = {**{f"phase {name}": share for name, share in figures["phases"].items()}, **figures["shares"]}
    lines = [budget.disc.name, f"{len(budget.asked):,} requests, rms error {figures['predicted']['rms_ms']:.3f} ms", "",
             "of the mean square error, the part that is told by",
             *_bars({name: share for name, share in told.items() if name not in budget.too_few})]
    if budget.too_few:
        lines += ["", *wrap(f"{len(budget.asked):,} requests are too few to tell by {'; '.join(budget.too_few)}: "
                            f"{FEW} for each group are needed", COLUMNS)]
    for axis in figures["shares"]:
        lines += ["", f"{axis:<32}{'requests':>9}{'mean, ms':>10}{'median':>9}{'rms':>9}"]
        lines += [f"{row['group'][:30]:<32}{row['requests']:>9,}{row['mean_ms']:>+10.3f}{row['median_ms']:>+9.3f}"
                  f"{row['rms_ms']:>9.3f}" for row in figures["groups"][axis]]  # fmt: skip
    return lines


def _bars(shares: Mapping[str, float]) -> list[str]:
    return [f"{name:<32}{share:>8.1%}  {'#' * round(36 * share)}".rstrip() for name, share in shares.items()]


def of_all(budgets: Mapping[str, ErrorBudget]) -> list[str]:
    """A line for each drive."""
    lines = [f"{HEAD} phase"]
    for name, budget in budgets.items():
        figures = numbers(budget)
        phase, share = next(iter(figures["phases"].items()))
        lines.append(f"{row(name, figures)} {phase} {share:.0%}")
    return [*lines, "", f"{PAIRS} {LEGEND}"]


def row(name: str, figures: Mapping[str, Any]) -> str:
    """The numbers of one drive below HEAD."""
    cells = "".join(_pair(figures, group, "demerit_percent", 6, 2) for group in GROUPS)
    return f"{short(name):<{NAME}}{cells} {_pair(figures, 'all', 'median_difference_ms', 6, 3)}"


def short(name: str) -> str:
    """The end of *name* is what sets drives apart."""
    return name if len(name) < NAME else "..." + name[-NAME + 4:]


def _pair(figures: Mapping[str, Any], group: str, key: str, width: int, digits: int) -> str:
    values = [figures.get(source, {}).get(group, {}).get(key) for source in ("predicted", "DiskSim")]
    return "".join(f"{'-':>{width}}" if value is None else f"{value:>{width}.{digits}f}" for value in values)
