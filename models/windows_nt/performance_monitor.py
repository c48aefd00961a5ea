"""Performance Monitor: the published counters, at any interval, as a DataFrame."""

import pandas as pd

from models.windows_nt.log import samples
from sim.measure.result import Result


def frame(result: Result) -> pd.DataFrame:
    """The counters of each interval of *result*; ``seconds`` is when it ended. Run it with an interval.

    Beside them the working sets, in bytes, as ``Process: Working Set (NAME)``.
    """
    return pd.DataFrame(samples(result))
