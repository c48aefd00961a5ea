"""What a change gains: by how many percent responses get shorter, paired seed by seed on the same random numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from sim.output.label import label
from sim.statistics.differences import differences
from sim.study.system import Effort

CHANGE = {"gain": "log", "gain_low": "log_high", "gain_high": "log_low"}


def few(effort: Effort) -> Effort:
    """*effort* for an experiment of many points, whose answers are plain: a replication a minute, three at least."""
    return replace(effort, replications=min(effort.replications, max(3, round(effort.minutes))))


def gains(
    frame: pd.DataFrame, axis: str, against: object, by: Sequence[str] = (), values: Sequence[str] = ()
) -> pd.DataFrame:
    """A row for each combination of *by* and each value of *axis* other than *against*: what it gains, in percent.

    ``gain`` has its interval, and comes of the mean logarithm of the ratio of mean responses. Beside it are the
    means of ``response_mean`` and *values*, and, named ``plain_``, those of *against*.
    """
    said = ["response_mean", *values]
    table = differences(frame.assign(log=np.log(frame["response_mean"])), axis, against, ["log"], by)
    table = table.assign(**{name: 100.0 * (1.0 - np.exp(table[log])) for name, log in CHANGE.items()})
    means = frame.groupby([*by, axis], sort=False)[said].mean().reset_index()
    plain = means[means[axis] == label(against)].drop(columns=axis)
    plain = plain.rename(columns={name: f"plain_{name}" for name in said})
    table = table.drop(columns=list(CHANGE.values())).merge(means, on=[*by, axis], how="left")
    return table.merge(plain, on=list(by), how="left") if by else table.merge(plain, how="cross")


def percent(row: "Mapping[Any, Any] | pd.Series[Any]") -> str:
    """The gain of *row* as a remark says it, with half its interval where it is known."""
    half = (row["gain_high"] - row["gain_low"]) / 2
    return f"{round(row['gain'])} %" + (f" (± {half:.0f})" if half == half else "")
