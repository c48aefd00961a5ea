"""Tabulates response and service times: simulated ones beside measured ones or DiskSim's."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spindle.sim.request import READ, WRITE, Op
from spindle.sim.units import MS
from spindle.studies.demerit import distance

MEASURED, PREDICTED, DISKSIM = "measured", "predicted", "DiskSim"
"""Sources of times."""
RESPONSE, SERVICE = "response", "service"
"""Quantities: service time is response time without the queue."""
Times = npt.NDArray[np.float64]


class QuantitySeries(NamedTuple):
    """One series of times: its *quantity*, RESPONSE or SERVICE, and its *source*."""

    quantity: str
    source: str


class ReplayTally:
    """Collects one number of each of the *series* for each request, reads and writes apart."""

    def __init__(self, series: Sequence[QuantitySeries]) -> None:
        self.series = tuple(series)
        self._reads, self._writes = ([array("d") for _ in series] for _ in Op)

    def add(self, op: Op, seconds: Sequence[float]) -> None:
        """Add a completed request; *seconds* are in the order of the series."""
        for times, value in zip(self._reads if op is READ else self._writes, seconds, strict=True):
            times.append(value)

    def seconds_of(self, quantity: str, source: str, op: Op | None = None) -> Times:
        """Return the seconds of the reads or the writes, or of the reads and then the writes."""
        place = self.series.index(QuantitySeries(quantity, source))
        groups = [self._reads, self._writes] if op is None else [self._reads if op is READ else self._writes]
        return np.concatenate([np.asarray(times[place], float) for times in groups])

    def count(self, op: Op | None = None) -> int:
        reads, writes = len(self._reads[0]), len(self._writes[0])
        return reads + writes if op is None else reads if op is READ else writes


BY_OPERATION: Mapping[str, Op | None] = {"all": None, "reads": READ, "writes": WRITE}
Summary = dict[str, dict[str, dict[str, Any]]]
"""Numbers by quantity, group of requests, and source."""


def summary(tally: ReplayTally) -> Summary:
    """Return all numbers of the page, without reads or writes if they are all requests or none."""
    groups = {name: op for name, op in BY_OPERATION.items() if op is None or 0 < tally.count(op) < tally.count()}
    quantities = dict.fromkeys(each.quantity for each in tally.series)
    return {
        quantity: {name: {"requests": tally.count(op), **_sources(tally, quantity, op)} for name, op in groups.items()}
        for quantity in quantities
    }


def _sources(tally: ReplayTally, quantity: str, op: Op | None) -> dict[str, dict[str, float]]:
    """Return the numbers of each source; of models, with their distance from measured times."""
    times = {each.source: tally.seconds_of(quantity, each.source, op)
             for each in tally.series if each.quantity == quantity}  # fmt: skip
    sources = {}
    for source in (MEASURED, PREDICTED, DISKSIM):
        if source in times:
            sources[source] = _spread(times[source])
            if source != MEASURED and MEASURED in times:
                sources[source] |= _distance(times[MEASURED], times[source])
    return sources


def _spread(times: Times) -> dict[str, float]:
    median, p95, most = np.quantile(times, [0.5, 0.95, 1.0], method="inverted_cdf") / MS
    return {"mean_ms": times.mean() / MS, "median_ms": median, "p95_ms": p95, "max_ms": most}


def _distance(measured: Times, modelled: Times) -> dict[str, float]:
    apart = distance(measured, modelled)
    return {"demerit_ms": apart.demerit / MS, "demerit_percent": 100.0 * apart.share,
            "median_difference_ms": apart.apart / MS}


RESPONSES_LEGEND = """\
demerit: rms horizontal distance between the two distributions, and in percent
of the measured mean; apart: the median difference, request by request"""

TIME_COLUMNS = {"mean_ms": ("mean", 8, 3), "median_ms": ("median", 8, 3), "p95_ms": ("p95", 8, 3),
           "p99_ms": ("p99", 7, 3), "p99.9_ms": ("p99.9", 7, 3), "p99.99_ms": ("p99.99", 7, 3), "max_ms": ("max", 9, 3),
           "demerit_ms": ("demerit", 8, 3), "demerit_percent": ("%", 6, 2), "median_difference_ms": ("apart", 7, 3)}
"""Columns for each source: head, width, and decimals if they fit."""
NAME_WIDTH = 26
"""Characters of a line for the group of requests and the source."""


def page(summary: Summary) -> list[str]:
    """Tables for a screen of 80 columns."""
    lines = []
    given = {key for groups in summary.values() for group in groups.values() for source, numbers in group.items()
             if source != "requests" for key in numbers}  # fmt: skip
    columns = [form for key, form in TIME_COLUMNS.items() if key in given]
    for quantity, groups in summary.items():
        heads = "".join(f"{head:>{width}}" for head, width, _ in columns)
        lines += ["", f"{f'{quantity} time, ms':<{NAME_WIDTH}}{heads}"]
        for name, group in groups.items():
            lines += _group(name, group)
    return [*lines, "", RESPONSES_LEGEND] if "demerit_ms" in given else lines


def rows(what: str, groups: Iterable[tuple[str, int, Mapping[str, float]]]) -> list[str]:
    """A table of the numbers of each group: its name, its requests, its numbers by COLUMNS."""
    names = (name for _, _, numbers in groups for name in numbers) if (groups := list(groups)) else iter(())
    columns = {name: TIME_COLUMNS[name] for name in dict.fromkeys(names)}
    lines = ["", f"{what:<{NAME_WIDTH}}" + "".join(f"{head:>{width}}" for head, width, _ in columns.values())]
    for name, requests, numbers in groups:
        cells = "".join(_cell(numbers[key], width, digits) for key, (_, width, digits) in columns.items())
        lines.append(f"{name[: NAME_WIDTH - 10]:<{NAME_WIDTH - 10}}{requests:>10,}{cells}")
    return lines


def _group(name: str, group: Mapping[str, Any]) -> list[str]:
    lines = []
    begin = f"{name:<7}{group['requests']:>9,}"
    for source, numbers in group.items():
        if source != "requests":
            cells = "".join(_cell(numbers[key], *form) for key, (_, *form) in TIME_COLUMNS.items() if key in numbers)
            lines.append(f"{begin:<16} {source:<{NAME_WIDTH - 17}}{cells}")
            begin = ""
    return lines


def _cell(value: float, width: int, digits: int) -> str:
    """Format *value* after a space, with *digits* decimals, or fewer if it is too long for its column."""
    if not isfinite(value):
        return f"{'-':>{width}}"
    while digits and len(f"{value:.{digits}f}") >= width:
        digits -= 1
    return f" {value:{width - 1}.{digits}f}"
