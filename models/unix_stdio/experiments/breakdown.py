"""Where the seconds go when 10 MB are moved a byte at a time."""

import pandas as pd

from models.unix_stdio.run import run
from sim.study.system import Effort

BARS = {"w03": "w03 write", "r01": "r01 read", "r06": "r06 read, stride", "r08": "r08 fread, stride"}


def breakdown(effort: Effort) -> pd.DataFrame:
    """One bar a program: the CPU is library and system calls, the cache is copying and pages."""
    rows = [{"run": called, **run(name).summary()} for name, called in BARS.items()]
    return pd.DataFrame(rows)
