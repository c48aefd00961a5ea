"""Shows the runs of a sweep as a table on the screen, with means over seeds, or as JSON."""

import json
from collections.abc import Sequence
from math import isclose, isfinite
from typing import Any

import pandas as pd

from spindle.cli.designs import SEED_COLUMN
from spindle.cli.printing import align
from spindle.measures import full_name
from spindle.output.text import plural
from spindle.sim.error import check_known
from spindle.sim.quantity import common_unit, show, unit_of
from spindle.studies.confidence import confidence
from spindle.studies.settings import settings_of
from spindle.studies.sweep.grid import REFUSED
from spindle.studies.sweep.sweep import is_same_run
from spindle.system import System

ALL_COLUMNS = "all"
"""The value of --columns for all columns."""
MIN_SEEDS = 2
"""Least seeds for which a mean has a confidence interval."""
USUAL_MEASURES = 2
"""Measures shown for a system that names no main ones."""


def as_json(system: System, frame: pd.DataFrame) -> str:
    """Return every column of every run as JSON; NaN becomes null."""
    rows = json.loads(frame.to_json(orient="records", double_precision=15))
    return json.dumps({"system": system.name, "rows": rows}, indent=2)


def columns_of(system: System, frame: pd.DataFrame, axes: Sequence[str], wanted: str) -> list[str]:
    """Return the measures to show: the system's main ones and those *wanted*, or all; UserError for an unknown one."""
    measures = [name for name in frame.columns if name not in (*axes, REFUSED)]
    if wanted == ALL_COLUMNS:
        return measures
    words = [name if name in measures else full_name(name) for name in wanted.split(",")] if wanted else []
    check_known("column", measures, *words)
    answers = [name for name in system.answers if name in measures and not frame[name].isna().all()]
    more = words or ([] if answers else measures[:USUAL_MEASURES])
    return [*answers, *(name for name in more if name not in answers)]


def screen_table(
    system: System, frame: pd.DataFrame, axes: Sequence[str], measures: Sequence[str], most: int | None = None
) -> str:
    """Return a line for each point, at most *most*: varied settings, and measures with half of their 95 % interval."""
    known = settings_of(system)
    points = [name for name in axes if name != SEED_COLUMN]
    varying = [name for name in points if frame[name].nunique(dropna=False) > 1]
    groups = [group for _, group in frame.groupby(points, sort=False, dropna=False)] if points else [frame]
    units = {name: common_unit([value for value in frame[name] if isinstance(value, int | float)], unit_of(name))
             for name in measures}  # fmt: skip
    rows = [[*varying, *measures]]
    for group in groups[:most]:
        values = [known[name].text(group[name].tolist()[0]) for name in varying]
        rows.append([*values, *(_mean(name, group[name].dropna().tolist(), units[name]) for name in measures)])
    lines = align(rows, range(len(rows[0])))
    left = len(groups) - len(rows) + 1
    lines += [f"... {plural(left, 'line')} more"] if left else []
    more = sum(name not in (*axes, *measures, REFUSED) for name in frame)
    return "\n".join([*lines, "", _foot(list(map(len, groups)), more), *_same_runs(groups)])


def _mean(name: str, samples: list[Any], unit: str) -> str:
    """Show the mean of *samples* of the measure *name* in the *unit* of its column, with half of its interval."""
    numbers = [each for each in samples if isinstance(each, int | float) and isfinite(each)]
    if len(numbers) < len(samples) or not numbers:
        return str(samples[0]) if samples else "n/a"
    if len(numbers) < MIN_SEEDS:
        return show(name, float(numbers[0]), shown_in=unit)
    interval = confidence(numbers)
    half = 0.0 if isclose(interval.low, interval.high) else (interval.high - interval.low) / 2  # sums are rounded
    return f"{show(name, interval.mean, shown_in=unit)} ± {show(name, half, 2, unit)}"


def _same_runs(groups: Sequence[pd.DataFrame]) -> list[str]:
    """Return a line where the seeds of each of *groups* that tells gave the same run."""
    told = [same for group in groups if (same := is_same_run(group)) is not None]
    return ["all seeds give the same runs: one is enough"] if told and all(told) else []


def _foot(seeds: Sequence[int], more: int) -> str:
    """Return the line below the table: the number of *seeds* of each mean, and of *more* columns."""
    fewest, most = min(seeds), max(seeds)
    count = f"{most}" if fewest == most else f"{fewest} to {most}"
    means = f"means of {count} seeds ± half of the 95 % interval" if most >= MIN_SEEDS else "one seed"
    if not more:
        return f"{means}; --out FILE.csv has a row for each run"
    columns = plural(more, "more column")
    return f"{means}; {columns}: --columns {ALL_COLUMNS}, --json, or --out FILE.csv with a row for each run"
