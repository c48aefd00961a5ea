"""Registers Kim's drive with NCQ (native command queuing) and a cache as a system of Spindle; lays out its results."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from spindle.models.sata_ncq.fac_readings import READINGS
from spindle.models.sata_ncq.machine import PLACEMENTS, WRITING, NcqOptions
from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.run import run
from spindle.models.sata_ncq.weighed_time import ACCESS_TIMES
from spindle.sim.clock import Phase
from spindle.sim.disc.registry import DRIVES, SCHEDULERS
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.measure.result import Result
from spindle.sim.parameter import describe
from spindle.sim.quantity import quantity
from spindle.sim.units import MS
from spindle.system import System, words_of
from spindle.workloads.pc import LOADS

# The parts of the drive that may be exchanged, by name.

PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": DRIVES, "scheduler": SCHEDULERS, "policy": POLICIES | READINGS, "place": PLACEMENTS, "write": WRITING,
    "cost": ACCESS_TIMES,
}  # fmt: skip


# The page of ``spindle run sata_ncq``: response, service, hit ratios, and the total service time.

BAR = 34
"""Characters of the longest bar in the text of the answer."""
ARGUMENT_UNITS = {"warm_up": "min", **{each.name: each.unit for each in describe(NcqParameters())}}


def page(result: Result) -> str:
    """Lay *result* out for a screen of 80 columns."""
    lines = [*_head(result), "", *_responses(result), "", *_hits(result), *_disc(result), "", *_phases(result)]
    return "\n".join(lines)


def _head(result: Result) -> list[str]:
    said = dict(result.parameters)
    trace, cache = said.pop("trace"), int(str(said.pop("cache")))
    size = f"cache of {quantity(cache, 'bytes')}"
    others = ", ".join(f"{name.replace('_', ' ')} {_value(name, value)}" for name, value in said.items())
    return [f"{trace}: {size if cache else 'no cache'}, {others}, seed {result.seed}",
            f"total service time {result.extras['total_service']:.3f} s, in {result.extras['makespan']:.3f} s"]


def _value(name: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float) and name in ARGUMENT_UNITS:
        return quantity(value, ARGUMENT_UNITS[name], 6)
    return str(value)


def _responses(result: Result) -> list[str]:
    lines = [f"{'response, ms':<14}{'requests':>10}{'mean':>10}{'median':>10}{'p95':>10}"]
    extras = result.extras
    for name in ("read", "write"):
        times = [extras[f"{name}_{each}"] / MS for each in ("mean", "median", "p95")]
        cells = "".join(f"{time:>10.3f}" if isfinite(time) else f"{'-':>10}" for time in times)
        lines.append(f"{name + 's':<14}{extras[f'{name}s']:>10,.0f}{cells}")
    every = result.response()
    times = [every[f"response_{each}"] / MS for each in ("mean", "median", "p95")]
    return [*lines, f"{'all':<14}{every['responses']:>10,.0f}" + "".join(f"{time:>10.3f}" for time in times)]


def _hits(result: Result) -> list[str]:
    extras = result.extras
    if not isfinite(extras["hit_ratio"]):
        return []
    return [f"hits: {_percent(extras['read_hit_ratio'])} of reads, {_percent(extras['write_hit_ratio'])} of writes, "
            f"{_percent(extras['hit_ratio'])} of all; late hits {_percent(extras['late_hit_ratio'])}",
            f"blocks written back: {extras['written_back']:,.0f}"]


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if isfinite(share) else "-"


def _disc(result: Result) -> list[str]:
    extras = result.extras
    if not extras["disc_accesses"]:
        return ["no disc accesses"]
    return [f"disc accesses: {extras['disc_accesses']:,.0f}, service {extras['service_mean'] / MS:.3f} ms, queue "
            f"{extras['disc_queue_mean'] / MS:.3f} ms; busy {_percent(extras['disc_busy'])}"]


def _phases(result: Result) -> list[str]:
    phases, mean = result.breakdown(), result.recorder.mean
    if not mean > 0.0:
        return ["every request was answered in no time"]
    names = [phase.name.lower() for phase in Phase]
    bars = [f"{name.replace('_', ' '):>14}{phases[name] / MS:>12.4f}  {'#' * round(BAR * phases[name] / mean)}".rstrip()
            for name in names if phases[name] >= 0.005 * mean]
    return ["where the mean response goes, ms", *bars]


MODEL = 2
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = System.of_card(
    "sata_ncq", MODEL, run, NcqParameters(), parts=PARTS, choose=NcqOptions,
    page=page, words={"load": words_of(LOADS)},
)  # fmt: skip
