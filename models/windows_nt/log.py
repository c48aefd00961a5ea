"""Makes Performance Monitor's log of a run: its counters over time, as lists in a kept row or as a DataFrame.

Functions read numbers from the line of a counter over time, as from a chart: crossings, teeth, quarters, correlations.
"""

from collections.abc import Mapping, Sequence
from math import fsum, nan
from statistics import fmean
from typing import Any

import pandas as pd

from spindle.models.windows_nt.counters import counters
from spindle.models.windows_nt.working_set import PAGE
from spindle.sim.measure.result import Result
from spindle.sim.units import MIB


class NtLine:
    """Names of the lines that studies read, which are the published names of counters."""

    SYSTEM_CALLS, SYSTEM_CPU = "System: System Calls/sec", "Process: % Processor Time (System)"
    READ_BYTES, WRITE_BYTES = "LogicalDisk: Disk Read Bytes/sec", "LogicalDisk: Disk Write Bytes/sec"
    AVAILABLE, CACHE = "Memory: Available Bytes", "Memory: Cache Bytes"
    CPU, DISC = "Processor: % Processor Time", "LogicalDisk: % Disk Time"
    DISC_READ, DISC_WRITE = "LogicalDisk: % Disk Read Time", "LogicalDisk: % Disk Write Time"
    READS, HITS, FAST = "Cache: Copy Reads/sec", "Cache: Copy Read Hits %", "Cache: Fast Reads/sec"
    MAPS, MAP_HITS = "Cache: Data Maps/sec", "Cache: Data Map Hits %"
    FLUSHES, FLUSH_PAGES = "Cache: Data Flushes/sec", "Cache: Data Flush Pages/sec"
    LAZY, LAZY_PAGES = "Cache: Lazy Write Flushes/sec", "Cache: Lazy Write Pages/sec"
    INPUT, OUTPUT = "Memory: Pages Input/sec", "Memory: Pages Output/sec"
    PAGE_READS, PAGE_WRITES = "Memory: Page Reads/sec", "Memory: Page Writes/sec"
    FAULTS, CACHE_FAULTS = "Memory: Page Faults/sec", "Memory: Cache Faults/sec"


KEPT_LINES = [name for of, name in vars(NtLine).items() if of.isupper() and name != NtLine.MAP_HITS]
"""Lines in a kept row; for hits of maps it has one number."""
READ_COUNTERS = ("Copy Reads", "Fast Reads", "MDL Reads", "Pin Reads", "Data Maps")
SETS_PREFIX = "sets."
TRIAL_BEGIN = 1e-6
"""Seconds after the trial's begin: a sample that ends sooner was taken before the trial."""


def working_set(name: str) -> str:
    """Return the log's name for the line of the working set *name*."""
    return f"Process: Working Set ({name})"


def samples(result: Result) -> list[dict[str, float]]:
    """Return the counters of each interval of *result*, and working sets in bytes; ``seconds`` is where it ends."""
    rows, before = [], 0.0
    for counted in result.intervals:
        until = counted["until"]
        sets = {working_set(name.removeprefix(SETS_PREFIX)): pages * PAGE
                for name, pages in counted.items() if name.startswith(SETS_PREFIX)}
        rows.append({"seconds": until, **counters(counted, until - before), **sets})
        before = until
    return rows


def log_lines(result: Result) -> dict[str, Any]:
    """Return KEPT_LINES and all working sets of *result*, to the end of its trial; ``seconds`` count from its begin.

    ``adds_up`` is 1 if synchronous and asynchronous requests of each kind add up to all in every interval.
    """
    begin = result.end - float(str(result.parameters["seconds"]))
    rows = [row for row in samples(result) if row["seconds"] <= result.end + TRIAL_BEGIN]
    names = (*KEPT_LINES, *(name for name in rows[-1] if name.startswith("Process: Working Set")))
    return {
        "seconds": [row["seconds"] - begin for row in rows],
        **{name: [row.get(name, 0.0) for row in rows] for name in names},
        "adds_up": float(all(_adds_up(row, kind) for row in rows for kind in READ_COUNTERS)),
    }


def _adds_up(row: Mapping[str, float], kind: str) -> bool:
    every, waited, others = (row[f"Cache: {which}{kind}/sec"] for which in ("", "Sync ", "Async "))
    return abs(every - waited - others) < 1e-9


class Log:
    """The lines of a *row* made by ``log_lines``: during the trial, or during its *lead*, the seconds before."""

    def __init__(self, row: Mapping[str, Any], lead: bool = False) -> None:
        self.row = row
        begin = sum(second < TRIAL_BEGIN for second in row["seconds"])
        self._part = slice(0, begin) if lead else slice(begin, None)

    def line(self, name: str) -> list[float]:
        """Return the samples of *name*, one after the other."""
        line: list[float] = self.row[name][self._part]
        return line

    def mb(self, name: str) -> list[float]:
        return [value / MIB for value in self.line(name)]

    def mean(self, *names: str, half: bool = False) -> float:
        """Return the mean of the sum of *names* over the trial or its second *half*; intervals are equally long."""
        return fsum(fmean(second_half(self.line(name)) if half else self.line(name)) for name in names)


def second_half(line: Sequence[float]) -> Sequence[float]:
    return line[len(line) - len(line) // 2:]


# Performance Monitor: the published counters, at any interval, as a DataFrame.

def frame(result: Result) -> pd.DataFrame:
    """Return the counters of each interval of *result*, run with an interval; ``seconds`` is the interval's end.

    Working sets stand beside them, in bytes, as ``Process: Working Set (NAME)``.
    """
    return pd.DataFrame(samples(result))


# Readings off a chart of Performance Monitor: where lines cross, the teeth of a saw, and correlations.

SMOOTHED_SAMPLES = 5
"""Samples over which a line is averaged before it is read, as the eye does."""


def smooth(line: Sequence[float], width: int = SMOOTHED_SAMPLES) -> list[float]:
    """Return means over *width* samples around each, fewer at the ends."""
    half = width // 2
    return [fmean(line[max(0, place - half) : place + half + 1]) for place in range(len(line))]


def crossing(falling: Sequence[float], rising: Sequence[float], along: Sequence[float]) -> float:
    """Return *along* at the point where *rising* overtakes *falling* to stay above; NaN if it never does.

    Straight lines between the samples; both are smoothed first.
    """
    gap = [up - down for up, down in zip(smooth(rising), smooth(falling), strict=True)]
    below = [place for place, each in enumerate(gap) if each < 0]
    if not below or below[-1] + 1 == len(gap):
        return nan
    last = below[-1]
    share = -gap[last] / (gap[last + 1] - gap[last])
    return along[last] + share * (along[last + 1] - along[last])


def turns(line: Sequence[float], least: float) -> list[int]:
    """Return the samples at which *line* turns by *least* or more, valleys and peaks in turn, a valley first."""
    extremes: list[int] = []
    extreme, down = 0, True
    for place, value in enumerate(line):
        further = value < line[extreme] if down else value > line[extreme]
        if further:
            extreme = place
        elif abs(value - line[extreme]) >= least:
            extremes.append(extreme)
            extreme, down = place, not down
    return extremes


def teeth(line: Sequence[float], least: float) -> int:
    """Count how often *line* falls, jumps up by *least* or more, and falls again as much."""
    return len(turns(line, least)) // 2


def quarter(line: Sequence[float], number: int) -> float:
    """Return the mean of the first (0) to the last (3) quarter of *line*."""
    length = len(line)
    quarter = line[number * length // 4 : (number + 1) * length // 4]
    return fmean(quarter) if quarter else nan


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the correlation of two lines over the samples that both have; NaN if one does not vary."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a == a and b == b]
    if len(pairs) < 2:
        return nan
    first, second = fmean(a for a, _ in pairs), fmean(b for _, b in pairs)
    product = fsum((a - first) * (b - second) for a, b in pairs)
    squares = fsum((a - first) ** 2 for a, _ in pairs) * fsum((b - second) ** 2 for _, b in pairs)
    return float(product / squares**0.5) if squares else nan


def most_frequent(values: Sequence[float]) -> float:
    """Return the value that most samples have, the smallest of several; NaN for none."""
    counted: dict[float, int] = {}
    for value in values:
        counted[value] = counted.get(value, 0) + 1
    return max(sorted(counted), key=lambda value: counted[value], default=nan)
