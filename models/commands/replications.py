"""``spindle run --warm-up auto`` and ``--precision``: runs that know when to start and when to stop measuring."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sim.statistics.confidence import confidence
from sim.study.system import System
from sim.sweep.precision import Replications, until_precise
from sim.sweep.warm_up import find_warm_up

AUTO = "auto"
PILOTS = ["pilot 1", "pilot 2", "pilot 3"]
"""Seeds of the runs in which the end of the warm-up is looked for; none of them is measured."""
SHOWN = ("response_mean", "response_median", "response_p95", "throughput", "cpu_busy", "disc_busy", "hit_ratio")


def settled(chosen: System, given: Mapping[str, Any]) -> float:
    """The warm-up, in minutes, of the run that is *given*."""
    return find_warm_up(chosen.run, **_point(given), seed=PILOTS)


def replicated(chosen: System, given: Mapping[str, Any], precision: float) -> Replications:
    return until_precise(chosen.run, precision=precision, **_point(given), keep_rows=False)


def _point(given: Mapping[str, Any]) -> dict[str, Any]:
    """One point of a sweep: a list would be an axis. Seeds are 1, 2, 3 and so on."""
    said = {name: value for name, value in given.items() if name != "seed"}
    return {name: [value] if isinstance(value, list) else value for name, value in said.items()}


def as_json(found: Replications) -> str:
    """Every replication, and how well the mean response is known; NaN, which JSON does not have, becomes null."""
    rows = json.loads(found.frame.to_json(orient="records", double_precision=15))
    said = {
        "replications": found.count, "precision": found.precision, "width": found.width, "reached": found.reached,
        "response_mean": asdict(found.intervals[0]), "rows": rows,
    }  # fmt: skip
    return json.dumps(said, indent=2)


def page(found: Replications, warm_up: float | None) -> str:
    """Means and their 95 % intervals, for a screen of 80 columns."""
    few = "" if found.reached else f"; asked for {100 * found.precision:g} %: not reached"
    known = f"mean response within {100 * found.width:.2g} %{few}"
    after = "" if warm_up is None else f" after {warm_up:g} minutes of warm-up"
    lines = [
        f"{found.count} replications{after}; {known}",
        "",
        f"{'95 % intervals':<18}      mean       low      high",
    ]
    for name in SHOWN:
        samples = found.frame[name].dropna().tolist() if name in found.frame else []
        if len(samples) == found.count:
            each = confidence(samples)
            lines.append(f"{name:<18}{each.mean:10.4g}{each.low:10.4g}{each.high:10.4g}")
    return "\n".join(lines)
