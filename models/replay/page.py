"""The times of all requests of a replay, and what they come to: responses, and their distance from those measured."""

from array import array
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sim.request import READ, WRITE, Op
from sim.statistics.demerit import distance
from sim.units import MS

MEASURED, PREDICTED, DISKSIM = "measured", "predicted", "DiskSim"
RESPONSE, SERVICE = "response", "service"
Times = npt.NDArray[np.float64]


class QuantitySeries(NamedTuple):
    """A *quantity*, response or service, as its *source* has it."""

    quantity: str
    source: str


class ReplayTally:
    """Takes for each request one number of each of the *series*, and keeps reads and writes apart."""

    def __init__(self, series: Sequence[QuantitySeries]) -> None:
        self.series = tuple(series)
        self._reads, self._writes = ([array("d") for _ in series] for _ in Op)

    def add(self, op: Op, seconds: Sequence[float]) -> None:
        """A request was done; *seconds* in the order of the series."""
        for times, value in zip(self._reads if op is READ else self._writes, seconds, strict=True):
            times.append(value)

    def of(self, quantity: str, source: str, op: Op | None = None) -> Times:
        """The seconds of the reads or the writes, or of the reads and then the writes."""
        place = self.series.index(QuantitySeries(quantity, source))
        groups = [self._reads, self._writes] if op is None else [self._reads if op is READ else self._writes]
        return np.concatenate([np.asarray(times[place], float) for times in groups])

    def count(self, op: Op | None = None) -> int:
        reads, writes = len(self._reads[0]), len(self._writes[0])
        return reads + writes if op is None else reads if op is READ else writes


GROUPS: Mapping[str, Op | None] = {"all": None, "reads": READ, "writes": WRITE}
Summary = dict[str, dict[str, dict[str, Any]]]
"""By quantity, group of requests, and source."""


def summary(tally: ReplayTally) -> Summary:
    """All numbers of the page, without groups of all requests or none."""
    groups = {name: op for name, op in GROUPS.items() if op is None or 0 < tally.count(op) < tally.count()}
    quantities = dict.fromkeys(each.quantity for each in tally.series)
    return {
        quantity: {name: {"requests": tally.count(op), **_sources(tally, quantity, op)} for name, op in groups.items()}
        for quantity in quantities
    }


def _sources(tally: ReplayTally, quantity: str, op: Op | None) -> dict[str, dict[str, float]]:
    """The numbers of each source; those that model, with their distance from what was measured."""
    times = {each.source: tally.of(quantity, each.source, op) for each in tally.series if each.quantity == quantity}
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


LEGEND = """\
demerit: rms horizontal distance between the two distributions, and in percent
of the measured mean; apart: the median difference, request by request"""

COLUMNS = {"mean_ms": ("mean", 8, 3), "median_ms": ("median", 8, 3), "p95_ms": ("p95", 8, 3), "max_ms": ("max", 9, 3),
           "demerit_ms": ("demerit", 8, 3), "demerit_percent": ("%", 6, 2), "median_difference_ms": ("apart", 7, 3)}
"""What is shown of each source: the head of its column, how wide it is, and how many decimals there are if they fit."""
NAMES = 26
"""How much of a line goes to the group of requests and to the source."""


def page(summary: Summary) -> list[str]:
    """Tables for a screen of 80 columns."""
    lines = []
    compared = any(MEASURED in group for groups in summary.values() for group in groups.values())
    columns = list(COLUMNS.values())[: None if compared else 4]
    for quantity, groups in summary.items():
        heads = "".join(f"{head:>{width}}" for head, width, _ in columns)
        lines += ["", f"{f'{quantity} time, ms':<{NAMES}}{heads}"]
        for name, group in groups.items():
            lines += _group(name, group)
    return [*lines, "", LEGEND] if compared else lines


def _group(name: str, group: Mapping[str, Any]) -> list[str]:
    lines = []
    begin = f"{name:<7}{group['requests']:>9,}"
    for source, numbers in group.items():
        if source != "requests":
            cells = "".join(_cell(numbers[key], *form) for key, (_, *form) in COLUMNS.items() if key in numbers)
            lines.append(f"{begin:<16} {source:<{NAMES - 17}}{cells}")
            begin = ""
    return lines


def _cell(value: float, width: int, digits: int) -> str:
    """*value* after a space, with so many *digits* after its point, or fewer where it is too long for its column."""
    if not isfinite(value):
        return f"{'-':>{width}}"
    while digits and len(f"{value:.{digits}f}") >= width:
        digits -= 1
    return f" {value:{width - 1}.{digits}f}"
