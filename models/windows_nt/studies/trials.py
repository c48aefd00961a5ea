"""Serves all studies of Windows NT: trials of Response Probe's workloads, their windows, and the book's numbers."""

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import spindle.workloads.probe
from spindle.models.windows_nt.beside_probe import BesideProbe, Nobody
from spindle.models.windows_nt.lazy_writer import Flushing, KeepsPages
from spindle.models.windows_nt.log import NtLine
from spindle.models.windows_nt.log import log_lines as lines
from spindle.models.windows_nt.machine import NtOptions
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.run import run
from spindle.models.windows_nt.trimming import ByShare, TrimRule
from spindle.sim.parameter import change
from spindle.sim.units import MIB
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.claim_points import with_points
from spindle.studies.study import StudyWindow, seconds
from spindle.workloads.probe.reader import read
from spindle.workloads.probe.script import Mode, Probe
from spindle.workloads.probe.variations import spread_over

FIGURE = StudyWindow({"share": 1.0}, {"share": 0.25})
"""Window of the trials of figures 6.3 to 6.21: averages over a cache that fills depend on its length."""
CLOSE_LOOK = StudyWindow({"share": 0.3}, {"share": 0.15})
"""Window of the first seconds of such a trial, sampled four times a second."""
TABLE_WINDOW = seconds(60.0, shorter=2.5)
"""Window of tables 6.1 and 6.2. A quick look takes 24 s of it, by when nearly all of a random reader's megabyte is in
the cache."""
CLAIMS = Path(__file__).parents[1] / "claims.toml"
with_paper = partial(with_points, partial(published_by_id, CLAIMS))
"""Decorate a function that draws with the points that the book prints."""


# Runs of the chapters' workloads, by name of the files of workloads/probe, each with one thing varied.

FOLDER = Path(spindle.workloads.probe.__file__).parent
TABLE_RUNS = ("sequential_read", "sequential_write", "random_read", "random_read_write")
"""The rows of tables 6.1 and 6.2."""


@cache
def workload(name: str) -> Probe:
    """Return the experiment that ships as *name*.scr."""
    return read(FOLDER / f"{name}.scr")


Row = Mapping[str, Any]
MODES = {"unbuffered": Mode.UNBUFFERED, "buffered": Mode.BUFFERED, "mapped": Mode.MAPPED}
NO_OVERRIDE = 0
"""A value that keeps the default: a cache that is a working set, and the script's spread of records."""


def run_logged(
    work: str, seed: object, share: float, interval: float = 1.0, spread_mb: int = NO_OVERRIDE,
    fixed_mb: int = NO_OVERRIDE, trimming: type[TrimRule] = ByShare, flushing: type[Flushing] = KeepsPages,
    beside: type[BesideProbe] = Nobody,
    **parameters: Any,
) -> Row:  # fmt: skip
    """Run a *share* of the trial of *work* with Performance Monitor; return responses, and lines that ``Log`` reads."""
    seconds = share * change(NtParameters(), **parameters).trial
    probe = workload(work)
    probe = spread_over(probe, spread_mb * MIB) if spread_mb else probe
    fixed: dict[str, Any] = {"cache": fixed_mb * MIB} if fixed_mb else {}
    choices = NtOptions(trimming=trimming, flushing=flushing, beside=beside)
    result = run(probe, seed, seconds, interval=interval, choices=choices, **fixed, **parameters)
    return {
        **{name: value for name, value in result.extras.items() if name.startswith("response_ms")},
        "map_hits": result.extras[NtLine.MAP_HITS],
        "missed_writes": result.counters["cache.pin_reads"] - result.counters["cache.pin_reads_hits"],
        "dirty_pages": result.intervals[-1]["cache.dirty_pages"],
        **lines(result),
    }
