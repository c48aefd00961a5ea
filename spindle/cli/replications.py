"""Repeats a run with other seeds: to find its warm-up (``spindle run --warm-up auto``), or until the mean response is
known precisely enough (``--precision``).
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from spindle.cli.run_options import WRITTEN_FILES, run_of
from spindle.measures import check_measures
from spindle.output.text import json_text, plural
from spindle.sim.measure.result import Result
from spindle.studies.confidence import confidence
from spindle.studies.sweep.grid import Run
from spindle.studies.sweep.precision import Replications, find_warm_up, until_precise
from spindle.system import System

PILOT_SEEDS = ["pilot 1", "pilot 2", "pilot 3"]
"""Seeds of the runs in which the end of the warm-up is searched; none of these runs is measured."""
SHIFT_ARGUMENT = "shift"
"""The argument of runs that names the file of an operator's commands."""
PRESENCE_COLUMN = "presence"
"""The column with a sentence on how many terminals have a user logged on; empty where all have."""
SHOWN_MEASURES = ("response_mean", "response_median", "response_p95", "throughput", "cpu_busy", "disc_busy",
                  "hit_ratio")  # fmt: skip
"""Measures that the text of the answer shows."""


def warm_up_of(name: str, system: System, point: Mapping[str, Any]) -> float:
    """Find the warm-up that runs of the *system* called *name* need at *point*, in minutes.

    Pilots write no files and have no operator, whose commands are timed by the clock of the measured run.
    """
    axes = _axes({name: value for name, value in point.items() if name not in (*WRITTEN_FILES, SHIFT_ARGUMENT)})
    return find_warm_up(run_of(name, system, axes), **axes, seed=PILOT_SEEDS)


def replicate(name: str, system: System, point: Mapping[str, Any], precision: float) -> Replications:
    """Run *system* at *point* with one seed after another until the mean response has the relative *precision*."""
    axes = _axes(point)
    run = partial(_with_presence, run_of(name, system, axes))
    return until_precise(run, precision=precision, told=_tell, **axes, keep_rows=False)


def _tell(replications: Replications, count: int) -> None:
    """Print the precision so far, and how many replications there will be next."""
    print(f"{replications.count} replications: mean response within {100 * replications.width:.2g} %, and "
          f"{100 * replications.precision:g} % is asked for; {count - replications.count} more", file=sys.stderr)


def _with_presence(run: Run, **point: Any) -> dict[str, Any]:
    result = run(**point)
    assert isinstance(result, Result)
    return {**check_measures(result).summary(), PRESENCE_COLUMN: result.presence()}


def _axes(point: Mapping[str, Any]) -> dict[str, Any]:
    """Return *point* as the axes of a sweep, of one value each, without its seed."""
    return {name: [value] for name, value in point.items() if name != "seed"}


def as_json(result: Replications, notes: Sequence[str] = ()) -> str:
    """Return every replication, the precision of the mean response, and *notes*, as JSON; NaN becomes null."""
    rows = json.loads(result.frame.to_json(orient="records", double_precision=15))
    content = {
        "replications": result.count, "precision": result.precision, "width": result.width,
        "reached": result.is_precise,
        "response_mean": asdict(result.intervals[0]), "rows": rows, "notes": list(notes),
    }  # fmt: skip
    return json_text(content)


def page(result: Replications, warm_up: float | None) -> str:
    """Return means and their 95 % intervals as text of 80 columns."""
    missed = "" if result.is_precise else f"; asked for {100 * result.precision:g} %: not reached"
    width = f"mean response within {100 * result.width:.2g} %{missed}"
    after = "" if warm_up is None else f" after {plural(warm_up, 'minute')} of warm-up"
    absent = next(filter(None, result.frame[PRESENCE_COLUMN]), None)
    lines = [
        f"{result.count} replications{after}; {width}",
        *([absent] if absent else []),
        "",
        f"{'95 % intervals':<18}      mean       low      high",
    ]
    for name in SHOWN_MEASURES:
        samples = result.frame[name].dropna().tolist() if name in result.frame else []
        if len(samples) == result.count:
            each = confidence(samples)
            lines.append(f"{name:<18}{each.mean:10.4g}{each.low:10.4g}{each.high:10.4g}")
    return "\n".join(lines)
