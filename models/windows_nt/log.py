"""Performance Monitor's log of a run: its counters as lines of a kept row, which Log reads, or as a DataFrame."""

from collections.abc import Mapping, Sequence
from math import fsum
from statistics import fmean
from typing import Any

import pandas as pd

from spindle.models.windows_nt.counters import counters
from spindle.models.windows_nt.working_set import PAGE
from spindle.sim.measure.result import Result
from spindle.sim.units import MIB

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
LINES = (
    SYSTEM_CALLS, SYSTEM_CPU, READ_BYTES, WRITE_BYTES, AVAILABLE, CACHE, CPU, DISC, DISC_READ, DISC_WRITE, READS, HITS,
    FAST, MAPS, FLUSHES, FLUSH_PAGES, LAZY, LAZY_PAGES, INPUT, OUTPUT, PAGE_READS, PAGE_WRITES, FAULTS, CACHE_FAULTS,
)  # fmt: skip
KINDS = ("Copy Reads", "Fast Reads", "MDL Reads", "Pin Reads", "Data Maps")
SETS = "sets."
BEGIN = 1e-6
"""Seconds: a sample that ends sooner after the trial's begin lies before the trial."""


def working_set(name: str) -> str:
    """Return the log's name for the line of the working set *name*."""
    return f"Process: Working Set ({name})"


def samples(result: Result) -> list[dict[str, float]]:
    """Return the counters of each interval of *result*, and working sets in bytes; ``seconds`` is the interval's end.
    """
    rows, before = [], 0.0
    for counted in result.intervals:
        until = counted["until"]
        sets = {working_set(name.removeprefix(SETS)): pages * PAGE
                for name, pages in counted.items() if name.startswith(SETS)}
        rows.append({"seconds": until, **counters(counted, until - before), **sets})
        before = until
    return rows


def log_lines(result: Result) -> dict[str, Any]:
    """Return the LINES and all working sets of *result*, to the end of its trial; ``seconds`` count from its begin.

    ``adds_up`` is 1 if synchronous and asynchronous requests of each kind add up to all in every interval.
    """
    begin = result.end - float(str(result.parameters["seconds"]))
    rows = [row for row in samples(result) if row["seconds"] <= result.end + BEGIN]
    names = (*LINES, *(name for name in rows[-1] if name.startswith("Process: Working Set")))
    return {
        "seconds": [row["seconds"] - begin for row in rows],
        **{name: [row.get(name, 0.0) for row in rows] for name in names},
        "adds_up": float(all(_adds_up(row, kind) for row in rows for kind in KINDS)),
    }


def _adds_up(row: Mapping[str, float], kind: str) -> bool:
    every, waited, others = (row[f"Cache: {which}{kind}/sec"] for which in ("", "Sync ", "Async "))
    return abs(every - waited - others) < 1e-9


class Log:
    """The lines of a *row* that ``log_lines`` made: those of the trial, or of its *lead* before."""

    def __init__(self, row: Mapping[str, Any], lead: bool = False) -> None:
        self.row = row
        begin = sum(second < BEGIN for second in row["seconds"])
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
