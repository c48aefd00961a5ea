"""Performance Monitor: the published counters, at any interval, as a DataFrame."""

import pandas as pd

from models.windows_nt.counters import counters
from models.windows_nt.memory.page import PAGE
from sim.measure.result import Result

SETS = "sets."


def frame(result: Result) -> pd.DataFrame:
    """The counters of each interval of *result*; ``seconds`` is when it ended. Run it with an interval.

    Beside them the working sets, in bytes, as ``Process: Working Set (NAME)``.
    """
    rows, before = [], 0.0
    for counted in result.intervals:
        until = counted["until"]
        sets = {f"Process: Working Set ({name.removeprefix('sets.')})": pages * PAGE
                for name, pages in counted.items() if name.startswith(SETS)}
        rows.append({"seconds": until, **counters(counted, until - before), **sets})
        before = until
    return pd.DataFrame(rows)
