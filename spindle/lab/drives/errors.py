"""Computes which part of a drive model's errors each property and phase of requests explains, as text and for JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from textwrap import wrap
from typing import Any

import numpy as np
import numpy.typing as npt

from spindle.lab.drives.timed_requests import Answers, TimedRequests, Times, answers
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.request import READ, AccessTiming
from spindle.sim.units import MS

BINS = 10
"""Groups of requests by a number: tenths of the requests, fewer where many are equal."""
MIN_GROUP = 4
"""The least number of requests a group; with fewer, chance alone explains over a quarter of the mean square error."""
DECIMALS = 9
"""Digits behind the point by which requests are divided: of seconds a nanosecond."""
ACCESS_PHASES = AccessTiming._fields[1:]

GroupNumbers = npt.NDArray[np.int_]


@dataclass(frozen=True)
class Axis:
    """One way to divide requests into groups: the *names* of the groups, and *group_of* each request its number."""

    names: Sequence[str]
    group_of: GroupNumbers

    @property
    def has_enough(self) -> bool:
        """True if there are enough requests for the groups; groups of one request each would explain all errors."""
        return len(self.group_of) >= MIN_GROUP * len(np.unique(self.group_of))

    def share(self, errors: Times) -> float:
        """Return the part of the mean square of *errors* that the means of the groups explain, 0 to 1."""
        square = float(np.sum(errors**2))
        counts, sums = np.bincount(self.group_of), np.bincount(self.group_of, errors)
        some = counts > 0
        return float(np.sum(sums[some] ** 2 / counts[some])) / square if square else 0.0


def by_size(values: Times, form: str = "{:.3g}") -> Axis:
    """Divide requests into groups of about equal size by their *values*; a group is named by its least value.

    Values that differ by rounding alone are one value, or each Python might divide them differently.
    """
    values = np.round(values, DECIMALS)
    edges = np.unique(np.quantile(values, np.arange(BINS) / BINS, method="inverted_cdf"))
    edges = edges[edges > values.min()]
    return Axis([form.format(edge) for edge in (values.min(), *edges)], np.searchsorted(edges, values, side="right"))


def by_name(names: Sequence[str]) -> Axis:
    kinds = sorted(set(names))
    return Axis(kinds, np.array([kinds.index(name) for name in names]))


@dataclass(frozen=True)
class ErrorBudget:
    """Errors of a model of *disc* at the requests *asked* of the real drive.

    *modelled* are the model's answers, *disksim* those of the simulator DiskSim, if known.
    """

    disc: DiscType
    asked: TimedRequests
    modelled: Answers
    disksim: Times | None

    @property
    def errors(self) -> Times:
        """Errors in seconds; positive where the model is slower than the drive."""
        return self.modelled.times - self.asked.measured

    @cached_property
    def axes(self) -> Mapping[str, Axis]:
        """Groups of requests by the name of a property; before the first the arm is at the disc's first sector."""
        layout, block = self.disc.layout, self.disc.layout.sector_bytes
        firsts = [layout.locate(span.first // block) for span in self.asked.spans]
        lasts = [layout.locate(0), *(layout.locate((span.end - 1) // block) for span in self.asked.spans[:-1])]
        moves = np.array([to.cylinder - at.cylinder for at, to in zip(lasts, firsts, strict=True)])
        turns = np.array([(to.angle - at.angle) % 1.0 for at, to in zip(lasts, firsts, strict=True)])
        starts = [zone.first_cylinder for zone in layout.zones]
        zones = np.searchsorted(starts, [place.cylinder for place in firsts], side="right")
        ops = [op.value for op in self.asked.ops]
        outcomes = zip(ops, self.modelled.outcomes, strict=True)
        return {
            "seek distance, cylinders": by_size(np.abs(moves)),
            "rotational distance, turns": by_size(turns, "{:.3f}"),
            "size, sectors": by_size(np.array([span.length / block for span in self.asked.spans])),
            "arm moves": by_name(["in" if move > 0 else "out" if move < 0 else "not" for move in moves]),
            "buffer": by_name([f"{op} {outcome}".strip() for op, outcome in outcomes]),
            "pause before, ms": by_size(self.asked.gaps / MS),
            "after": by_name([f"{op} after {before}" for before, op in pairwise([READ.value, *ops])]),
            "zone": by_name([f"{zone:2}" for zone in zones]),
            "head": by_name(["same" if at.head == to.head else "other" for at, to in zip(lasts, firsts, strict=True)]),
        }

    @cached_property
    def too_few(self) -> list[str]:
        """Names of the axes that have too few requests for their groups."""
        phases = {f"phase {name}": axis for name, axis in self.phase_axes.items()}
        return [name for name, axis in {**phases, **self.axes}.items() if not axis.has_enough]

    @cached_property
    def phase_axes(self) -> Mapping[str, Axis]:
        """Groups of requests by the length of each phase in the model."""
        columns = np.array(self.modelled.services)[:, 1:].T
        return {name: by_size(column) for name, column in zip(ACCESS_PHASES, columns, strict=True)}

    def shares(self) -> dict[str, float]:
        """Return the part of the mean square error that each property explains; the largest first."""
        return _largest_first({name: axis.share(self.errors) for name, axis in self.axes.items()})

    def phases(self) -> dict[str, float]:
        """Return the part that the length of each phase explains; errors of a wrong phase depend on its length."""
        return _largest_first({name: axis.share(self.errors) for name, axis in self.phase_axes.items()})


def _largest_first(shares: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(shares.items(), key=lambda each: -each[1]))


def budget(disc: DiscType, asked: TimedRequests, disksim: Times | None = None) -> ErrorBudget:
    return ErrorBudget(disc, asked, answers(disc, asked), disksim)


# Errors of drives as text of 80 columns, and as numbers for JSON; milliseconds and percent.

ERROR_ROWS = ("all", "reads", "writes")
NAME_WIDTH, TEXT_COLUMNS = 18, 80
HEAD = f"{'demerit':<{NAME_WIDTH}}{'all, %':>12}{'reads, %':>12}{'writes, %':>12}{'apart, ms':>13}"
PAIRS_LEGEND = """\
demerit and apart: the model's, then DiskSim's; apart: the median difference, request
by request."""
ERRORS_LEGEND = """\
The percentage of a phase or property is the part of the mean square error
that its group means explain: 50 % for rotation where the angle is lost."""


def numbers(budget: ErrorBudget) -> dict[str, Any]:
    """Return all numbers of one drive's errors, for JSON."""
    return {
        "requests": len(budget.asked), **distances(budget.asked, budget.modelled.times, budget.disksim),
        "too_few_requests_for": budget.too_few, "phases": budget.phases(), "shares": budget.shares(),
        "groups": {name: list(_rows(axis, budget.errors)) for name, axis in budget.axes.items()},
    }  # fmt: skip


def distances(asked: TimedRequests, predicted: Times, disksim: Times | None) -> dict[str, Any]:
    """Compute the distances of the model's answers from the measured times, and of DiskSim's if they are known."""
    sources = {"predicted": predicted, "DiskSim": disksim}
    return {name: _distances(asked, times) for name, times in sources.items() if times is not None}


def _distances(asked: TimedRequests, times: Times) -> dict[str, Any]:
    errors = times - asked.measured
    return {
        name: {"demerit_ms": each.demerit / MS, "demerit_percent": 100.0 * each.share,
               "median_difference_ms": each.apart / MS}
        for name, each in asked.distances(times).items()
    } | {"rms_ms": float(np.sqrt(np.mean(errors**2))) / MS}  # fmt: skip


def _rows(axis: Axis, errors: Times) -> Iterator[dict[str, Any]]:
    for number, name in enumerate(axis.names):
        group = errors[axis.group_of == number]
        if len(group):
            yield {"group": name, "requests": len(group), "mean_ms": float(np.mean(group)) / MS,
                   "median_ms": float(np.median(group)) / MS, "rms_ms": float(np.sqrt(np.mean(group**2))) / MS}


def one_drive_page(budget: ErrorBudget) -> list[str]:
    """Return the text of one drive: the phases and properties that explain most, and the groups of these properties."""
    figures = numbers(budget)
    told = {**{f"phase {name}": share for name, share in figures["phases"].items()}, **figures["shares"]}
    lines = [budget.disc.name, f"{len(budget.asked):,} requests, rms error {figures['predicted']['rms_ms']:.3f} ms", "",
             "part of the mean square error that is explained by",
             *_bars({name: share for name, share in told.items() if name not in budget.too_few})]
    if budget.too_few:
        lines += ["", *wrap(f"{len(budget.asked):,} requests are too few to tell by {'; '.join(budget.too_few)}: "
                            f"{MIN_GROUP} for each group are needed", TEXT_COLUMNS)]
    for axis in figures["shares"]:
        lines += ["", f"{axis:<32}{'requests':>9}{'mean, ms':>10}{'median':>9}{'rms':>9}"]
        lines += [f"{row['group']:<32}{row['requests']:>9,}{row['mean_ms']:>+10.3f}{row['median_ms']:>+9.3f}"
                  f"{row['rms_ms']:>9.3f}" for row in figures["groups"][axis]]  # fmt: skip
    return lines


def _bars(shares: Mapping[str, float]) -> list[str]:
    return [f"{name:<32}{share:>8.1%}  {'#' * round(36 * share)}".rstrip() for name, share in shares.items()]


def all_drives_page(budgets: Mapping[str, ErrorBudget]) -> list[str]:
    lines = [f"{HEAD} phase"]
    for name, budget in budgets.items():
        figures = numbers(budget)
        phase, share = next(iter(figures["phases"].items()))
        lines.append(f"{row(name, figures)} {phase} {share:.0%}")
    return [*lines, "", f"{PAIRS_LEGEND} {ERRORS_LEGEND}"]


def row(name: str, figures: Mapping[str, Any]) -> str:
    """Return the line of one drive, below HEAD."""
    cells = "".join(_pair(figures, group, "demerit_percent", 6, 2) for group in ERROR_ROWS)
    return f"{short(name):<{NAME_WIDTH}}{cells} {_pair(figures, 'all', 'median_difference_ms', 6, 3)}"


def short(name: str) -> str:
    """Shorten *name* to its end, in which names of drives differ."""
    return name if len(name) < NAME_WIDTH else "..." + name[-NAME_WIDTH + 4:]


def _pair(figures: Mapping[str, Any], group: str, key: str, width: int, digits: int) -> str:
    values = [figures.get(source, {}).get(group, {}).get(key) for source in ("predicted", "DiskSim")]
    return "".join(f"{'-':>{width}}" if value is None else f"{value:>{width}.{digits}f}" for value in values)
