"""Runs a script of Response Probe on the laptop under Windows NT, measured over the second half of its trial."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum, nan
from pathlib import Path

import simpy

import spindle.workloads.probe
from spindle.models.windows_nt.counters import counters as monitored
from spindle.models.windows_nt.counters import levels
from spindle.models.windows_nt.machine import Laptop, NtOptions
from spindle.models.windows_nt.parameters import NtParameters
from spindle.questions.field import flat
from spindle.questions.runs import Recorded
from spindle.sim.error import UserError
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.units import MS, Bytes
from spindle.workloads.probe.reader import read
from spindle.workloads.probe.script import Probe
from spindle.workloads.probe.variations import in_mode, widen_spread

DEFAULT = Path(spindle.workloads.probe.__file__).with_name("large_read.scr")
MAX_TRIAL = 1e6


@flat
def run(
    probe: Path | Probe | None = None,
    seed: object = 1,
    seconds: float | None = None,
    cache: Bytes | None = None,
    tail: float = 0.0,
    choices: NtOptions | None = None,
    recorded: Recorded = Recorded(keep_rows=False),
    **parameters: object,
) -> Result:
    """Run *probe*, a .SCR file or the contents of one; None is figure 6.3 of the book.

    *seconds* is its trial time, by default the script's, or for figure 6.3 the parameter trial; counters, extras and
    responses measure its second half. A response is a cycle without its think time. The machine runs for the lead
    before the trial begins, and *tail* seconds after its end. With *cache* bytes the cache has a fixed size instead of
    being a working set. *interval* seconds apart, from the start of the machine on, readings are kept for
    ``log.frame``, which has the counters of Performance Monitor. Any field of NtParameters may be given by name.
    UserError for a value out of its range.
    """
    values = change(NtParameters(), **parameters)
    chosen = choices or NtOptions()
    script = widen_spread(_script(probe, seconds, values), values.spread)
    script = script if chosen.mode is None else in_mode(script, chosen.mode)
    if not 0.0 <= tail <= MAX_TRIAL:
        raise UserError(f"tail must be at least 0 and at most {MAX_TRIAL:g} s, not {tail!r}")
    laptop = Laptop(simpy.Environment(), values, chosen, cache)
    load = laptop.load(script, seed, values.lead)
    before = levels(laptop.machine.reading())
    begin, end = values.lead + script.measured_from, values.lead + script.seconds
    window = Window(begin, end, recorded.interval, tail, throughout=True)
    result = engine.run(laptop.machine, load, window, seed, recorded.watch, recorded.keep_rows)
    last = laptop.machine.reading()
    settings = {"probe": script.name, "seconds": script.seconds, "cache": cache, **parameters}
    counters = {**result.counters, **levels(last)}
    return replace(result, system="windows_nt", parameters=settings, intervals=_with_levels(result.intervals, before),
                   counters=counters, extras=_extras(laptop, counters, result.seconds))


def _script(probe: Path | Probe | None, seconds: float | None, values: NtParameters) -> Probe:
    if seconds is not None and not 0.0 < seconds <= MAX_TRIAL:
        raise UserError(f"seconds must be positive and at most {MAX_TRIAL:g}, not {seconds!r}")
    if isinstance(probe, Probe):
        return probe if seconds is None else replace(probe, seconds=seconds)
    return read(DEFAULT, values.trial if seconds is None else seconds) if probe is None else read(probe, seconds)


def _with_levels(intervals: Sequence[Mapping[str, float]], before: Mapping[str, float]) -> list[dict[str, float]]:
    """Return *intervals* with levels as at the end of each, in place of their changes since *before*."""
    rows, level = [], dict(before)
    for row in intervals:
        level = {name: value + row[name] for name, value in level.items()}
        rows.append({**row, **level})
    return rows


def _extras(
    laptop: Laptop, counters: Mapping[str, float], seconds: float
) -> dict[str, float]:
    """Return throughput, response and the counters of Performance Monitor, over the measured half of the trial."""
    threads = laptop.threads
    cycles = sum(each.measured for each in threads)
    return {
        "cycles_per_second": cycles / seconds,
        "response_ms": fsum(each.seconds for each in threads) / cycles / MS if cycles else nan,
        **{f"response_ms_{number}": each.seconds / each.measured / MS if each.measured else nan
           for number, each in enumerate(threads, 1) if len(threads) > 1},
        **monitored(counters, seconds),
    }
