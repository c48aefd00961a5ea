"""The chapter's workloads by name, from the files of workloads/probe, and what is varied about them."""

from functools import cache
from pathlib import Path

import workloads.probe
from workloads.probe.reader import read
from workloads.probe.script import Probe

FOLDER = Path(workloads.probe.__file__).parent
TABLE = ("sequential_read", "sequential_write", "random_read", "random_read_write")
"""The rows of tables 6.1 and 6.2."""


@cache
def workload(name: str) -> Probe:
    """The experiment that ships as *name*.scr."""
    return read(FOLDER / f"{name}.scr")
