"""Computes statistics over replications: means with intervals, and gains by a change, paired seed by seed."""

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from spindle.output.text import label, point_text
from spindle.sim.error import UserError, check_known
from spindle.studies.confidence import Interval, confidence, paired_interval
from spindle.studies.study import Row

# Tables with one row per point, from those with one row per replication: intervals of values, and of differences.

def require_columns(frame: pd.DataFrame, names: Iterable[str]) -> None:
    """Raise UserError if *frame* lacks a column of *names*."""
    check_known("column", [*frame.columns], *names)


def summarise(frame: pd.DataFrame, by: Sequence[str], values: Sequence[str]) -> pd.DataFrame:
    """Return a row for each combination of *by*, in the order of *frame*: value, value_low, value_high, replications.

    A value that no replication of a point has (the hit ratio of a machine without cache) stays NaN; one that some
    have and some lack is refused.
    """
    require_columns(frame, (*by, *values))
    rows = []
    for key, group in frame.groupby(list(by), sort=False, dropna=False):
        row: dict[str, object] = dict(zip(by, key, strict=True))
        where = point_text(row)
        for value in values:
            row |= _columns(value, _interval(where, value, group[value].astype(float).tolist()))
        rows.append(row | {"replications": len(group)})
    return pd.DataFrame(rows)


def _columns(value: str, interval: Interval) -> dict[str, float]:
    return {value: interval.mean, f"{value}_low": interval.low, f"{value}_high": interval.high}


def _interval(where: str, value: str, samples: list[float]) -> Interval:
    if all(sample != sample for sample in samples):
        return Interval(nan, nan, nan, len(samples))
    try:
        return confidence(samples)
    except UserError as error:
        raise UserError(f"{value} at {where}: {error}") from error


def differences(
    frame: pd.DataFrame, axis: str, against: object, values: Sequence[str], by: Sequence[str] = ()
) -> pd.DataFrame:
    """Return, for each combination of *by* and each other value of *axis*, its *values* less those of *against*.

    Columns are value, value_low, value_high, replications, as in summarise. The intervals are narrower than those of
    two separate means, for rows of the same seed had the same random numbers.
    """
    require_columns(frame, (axis, "seed", *by, *values))
    rows = []
    for key, group in frame.groupby(list(by), sort=False, dropna=False) if by else [((), frame)]:
        where: dict[str, object] = dict(zip(by, key, strict=True))
        samples = {value: _by_seed(group[group[axis] == value], {**where, axis: value})
                   for value in dict.fromkeys(group[axis].tolist())}
        baseline = samples.pop(label(against), None)
        if baseline is None:
            raise UserError(f"nothing to compare with at {point_text({**where, axis: against})}")
        rows += [_pair({**where, axis: value}, each, baseline, values) for value, each in samples.items()]
    return pd.DataFrame(rows)


def _by_seed(group: pd.DataFrame, where: Mapping[str, object]) -> pd.DataFrame:
    samples = group.set_index("seed")
    if not samples.index.is_unique:
        raise UserError(f"a seed stands more than once at {point_text(where)}: what else differs belongs into by")
    return samples


def _pair(
    where: dict[str, object], samples: pd.DataFrame, baseline: pd.DataFrame, values: Sequence[str]
) -> dict[str, object]:
    if set(samples.index) != set(baseline.index):
        raise UserError(f"pairs need the same seeds on both sides: {point_text(where)} has others than its baseline")
    row: dict[str, object] = dict(where)
    for value in values:
        ours, theirs = (each.loc[baseline.index, value].astype(float).tolist() for each in (samples, baseline))
        row |= _columns(value, paired_interval(ours, theirs))
    return row | {"replications": len(baseline)}


GAIN_FROM_LOG = {"gain": "log", "gain_low": "log_high", "gain_high": "log_low"}


def shorter(plain: Row, cached: Row) -> float:
    """Return the share by which the mean response of *cached* is shorter than that of *plain*."""
    return float(1.0 - cached["response_mean"] / plain["response_mean"])


def gains(
    frame: pd.DataFrame, axis: str, against: object, by: Sequence[str] = (), values: Sequence[str] = ()
) -> pd.DataFrame:
    """Compute the gain in percent for each combination of *by* and each value of *axis* other than *against*.

    ``gain`` has its interval, and comes from the mean logarithm of the ratio of mean responses. The table also has the
    means of ``response_mean`` and *values*, and, named ``plain_``, those of *against*.
    """
    shown = ["response_mean", *values]
    table = differences(frame.assign(log=np.log(frame["response_mean"])), axis, against, ["log"], by)
    table = table.assign(**{name: 100.0 * (1.0 - np.exp(table[log])) for name, log in GAIN_FROM_LOG.items()})
    means = frame.groupby([*by, axis], dropna=False)[shown].mean().reset_index()
    plain = means[means[axis] == label(against)].drop(columns=axis)
    plain = plain.rename(columns={name: f"plain_{name}" for name in shown})
    table = table.drop(columns=list(GAIN_FROM_LOG.values())).merge(means, on=[*by, axis])
    return table.merge(plain, on=list(by)) if by else table.merge(plain, how="cross")


def percent(row: "Mapping[Any, Any] | pd.Series[Any]") -> str:
    """Return the gain of *row* as text for a caption, with half its interval if it has one."""
    half = (row["gain_high"] - row["gain_low"]) / 2
    return f"{round(row['gain'])} %" + (f" (± {half:.0f})" if half == half else "")
