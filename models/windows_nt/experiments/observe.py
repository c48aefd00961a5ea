"""A run of Response Probe with Performance Monitor looking on, from the beginning of the trial to its end."""

from functools import lru_cache

import pandas as pd

from models.windows_nt.experiments.workloads import workload
from models.windows_nt.performance_monitor import frame
from models.windows_nt.run import LEAD, run
from sim.measure.result import Result
from sim.units import MIB
from workloads.probe.script import Probe

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


class Seen:
    """A *result* and what Performance Monitor *logged*; ``seconds`` counts from the trial's beginning.

    *lead* is what was logged before it, *log* the trial itself, which all means are over.
    """

    def __init__(self, result: Result, logged: pd.DataFrame) -> None:
        self.result = result
        self.lead = logged[logged["seconds"] < 1e-6]
        self.log = logged[logged["seconds"] >= 1e-6].reset_index(drop=True)

    def line(self, counter: str) -> list[float]:
        """The samples of *counter*, one after the other."""
        return [float(value) for value in self.log[counter].tolist()]

    def mb(self, counter: str) -> list[float]:
        return [value / MIB for value in self.line(counter)]

    def mean(self, *counters: str) -> float:
        """The mean of the sum of *counters* over the trial; its intervals are equally long."""
        return sum(float(self.log[counter].mean()) for counter in counters)


def watched(
    probe: Probe, seed: object = 1, seconds: float | None = None, interval: float = 1.0, **others: object
) -> Seen:
    """Run *probe* and log every *interval* seconds."""
    result = run(probe, seed, seconds, interval=interval, **others)  # type: ignore[arg-type]
    logged = frame(result)
    logged = logged.assign(seconds=logged["seconds"] - LEAD)
    return Seen(result, logged[logged["seconds"] < result.end - LEAD + 1e-6])


def working_set(name: str) -> str:
    """The column of the working set *name*."""
    return f"Process: Working Set ({name})"




@lru_cache(maxsize=4)
def _seen(name: str, seed: object, seconds: float, parameters: tuple[tuple[str, object], ...]) -> Seen:
    return watched(workload(name), seed, seconds, 1.0, **dict(parameters))


def seen(name: str, seed: object, seconds: float, **parameters: object) -> Seen:
    """The workload *name* watched second by second; not twice where two trials look at the same."""
    return _seen(name, seed, seconds, tuple(sorted(parameters.items())))
