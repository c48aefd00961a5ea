"""From one row per replication to one row per point, with intervals: of values, and of what a change changes."""

from collections.abc import Mapping, Sequence

import pandas as pd

from sim.error import UserError, unknown
from sim.output.label import label, named
from sim.statistics.confidence import Interval, confidence, paired


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
            row |= _columns(value, _interval(where, value, group[value].astype(float).tolist()))
        rows.append(row | {"replications": len(group)})
    return pd.DataFrame(rows)


def _columns(value: str, interval: Interval) -> dict[str, float]:
    return {value: interval.mean, f"{value}_low": interval.low, f"{value}_high": interval.high}


def _interval(where: str, value: str, samples: list[float]) -> Interval:
    nan = float("nan")
    if all(sample != sample for sample in samples):
        return Interval(nan, nan, nan, len(samples))
    try:
        return confidence(samples)
    except UserError as error:
        raise UserError(f"{value} at {where}: {error}") from error


def differences(
    frame: pd.DataFrame, axis: str, against: object, values: Sequence[str], by: Sequence[str] = ()
) -> pd.DataFrame:
    """For each combination of *by* and each value of *axis* other than *against*: its *values* less those of *against*.

    value, value_low, value_high, replications, as summarise names them: narrower than two intervals beside each other,
    for rows of the same seed saw the same randomness.
    """
    for name in (axis, "seed", *by, *values):
        if name not in frame.columns:
            raise unknown("column", name, map(str, frame.columns))
    rows = []
    for key, group in frame.groupby(list(by), sort=False, dropna=False) if by else [((), frame)]:
        where: dict[str, object] = dict(zip(by, key, strict=True))
        samples = {value: _by_seed(group[group[axis] == value], {**where, axis: value})
                   for value in dict.fromkeys(group[axis].tolist())}
        baseline = samples.pop(label(against), None)
        if baseline is None:
            raise UserError(f"nothing to compare with at {named({**where, axis: against})}")
        rows += [_paired({**where, axis: value}, each, baseline, values) for value, each in samples.items()]
    return pd.DataFrame(rows)


def _by_seed(group: pd.DataFrame, where: Mapping[str, object]) -> pd.DataFrame:
    samples = group.set_index("seed")
    if not samples.index.is_unique:
        raise UserError(f"a seed stands more than once at {named(where)}: what else differs belongs into by")
    return samples


def _paired(
    where: dict[str, object], samples: pd.DataFrame, baseline: pd.DataFrame, values: Sequence[str]
) -> dict[str, object]:
    if set(samples.index) != set(baseline.index):
        raise UserError(f"pairs need the same seeds on both sides: {named(where)} has others than its baseline")
    row: dict[str, object] = dict(where)
    for value in values:
        ours, theirs = (each.loc[baseline.index, value].astype(float).tolist() for each in (samples, baseline))
        row |= _columns(value, paired(ours, theirs))
    return row | {"replications": len(baseline)}
