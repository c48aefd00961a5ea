"""The table of a sweep for a screen: the columns that vary and those that answer, means of the seeds of a point."""

import json
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from models.commands.settings import settings_of
from models.commands.units import shown
from sim.error import unknown
from sim.statistics.confidence import confidence
from sim.study.system import System

if TYPE_CHECKING:
    import pandas as pd

ALL = "all"
SEED = "seed"
FEW = 2
"""Seeds of which there is an interval."""


def as_json(system: System, frame: "pd.DataFrame") -> str:
    """Every column of every run; NaN becomes null."""
    rows = json.loads(frame.to_json(orient="records", double_precision=15))
    return json.dumps({"system": system.name, "rows": rows}, indent=2)


def columns_of(system: System, frame: "pd.DataFrame", axes: Sequence[str], wanted: str | None) -> list[str]:
    """The measures to be shown: those that answer, and those *wanted*, or all; UserError for one that there is not."""
    measures = [name for name in frame.columns if name not in axes]
    if wanted == ALL:
        return measures
    for name in [] if wanted is None else wanted.split(","):
        if name not in measures:
            raise unknown("column", name, measures)
    answers = [name for name in system.answers if name in measures and not frame[name].isna().all()]
    more = wanted.split(",") if wanted is not None else [] if answers else measures[:FEW]
    return [*answers, *(name for name in more if name not in answers)]


def table(system: System, frame: "pd.DataFrame", axes: Sequence[str], measures: Sequence[str]) -> str:
    """A line a point: what varies, and each measure with its unit and the half of its 95 % interval."""
    known = settings_of(system)
    points = [name for name in axes if name != SEED]
    varying = [name for name in points if frame[name].nunique(dropna=False) > 1]
    groups = [group for _, group in frame.groupby(points, sort=False, dropna=False)] if points else [frame]
    rows = [[*varying, *measures]]
    for group in groups:
        values = [known[name].text(group[name].tolist()[0]) for name in varying]
        rows.append([*values, *(_mean(name, group[name].dropna().tolist()) for name in measures)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([*lines, "", _foot(list(map(len, groups)), len(frame.columns) - len(axes) - len(measures))])


def _mean(name: str, samples: list[Any]) -> str:
    numbers = [each for each in samples if isinstance(each, int | float) and isfinite(each)]
    if len(numbers) < len(samples) or not numbers:
        return str(samples[0]) if samples else "-"
    if len(numbers) < FEW:
        return shown(name, float(numbers[0]))
    interval = confidence(numbers)
    return f"{shown(name, interval.mean)} ± {shown(name, (interval.high - interval.low) / 2, 2)}"


def _foot(seeds: Sequence[int], more: int) -> str:
    """Of how many *seeds* each line is, and that there are *more* columns."""
    fewest, most = min(seeds), max(seeds)
    count = f"{most}" if fewest == most else f"{fewest} to {most}"
    means = f"means of {count} seeds ± half of the 95 % interval" if most >= FEW else "one seed"
    if not more:
        return f"{means}; --out FILE.csv has a row a run"
    return f"{means}; {more} more columns: --columns {ALL}, --json, or --out FILE.csv with a row a run"
