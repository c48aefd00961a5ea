"""From one row per replication to one row per point, with confidence intervals."""

from collections.abc import Sequence

import pandas as pd

from sim.error import UserError, unknown
from sim.output.label import named
from sim.statistics.confidence import Interval, confidence


def summarise(frame: pd.DataFrame, by: Sequence[str], values: Sequence[str]) -> pd.DataFrame:
    """One row for each combination of *by*, in the order of *frame*: value, value_low, value_high, replications.

    A value that no replication of a point has (the hit ratio of a machine without cache) stays NaN; one that some
    have and some lack is refused.
    """
    for name in (*by, *values):
        if name not in frame.columns:
            raise unknown("column", name, map(str, frame.columns))
    rows = []
    for key, group in frame.groupby(list(by), sort=False, dropna=False):
        row: dict[str, object] = dict(zip(by, key, strict=True))
        where = named(row)
        for value in values:
            interval = _interval(where, value, group[value].astype(float).tolist())
            row |= {value: interval.mean, f"{value}_low": interval.low, f"{value}_high": interval.high}
        rows.append(row | {"replications": len(group)})
    return pd.DataFrame(rows)


def _interval(where: str, value: str, samples: list[float]) -> Interval:
    nan = float("nan")
    if all(sample != sample for sample in samples):
        return Interval(nan, nan, nan, len(samples))
    try:
        return confidence(samples)
    except UserError as error:
        raise UserError(f"{value} at {where}: {error}") from error
