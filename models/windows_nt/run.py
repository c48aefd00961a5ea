"""One run of Response Probe on the laptop."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan
from pathlib import Path

import simpy

from models.windows_nt.counters import counters as monitored
from models.windows_nt.counters import levels
from models.windows_nt.identities import check_frames, check_identities
from models.windows_nt.machine import Choices, Laptop
from models.windows_nt.parameters import Parameters
from sim.clock import pause
from sim.error import UserError
from sim.measure.recorder import Recorder
from sim.measure.result import Result, difference
from sim.measure.simulate import Watch, simulate
from sim.parameter import changed
from sim.units import MS, Bytes
from workloads.probe.reader import read
from workloads.probe.script import Probe

DEFAULT = Path(__file__).parents[2] / "workloads" / "probe" / "large_read.scr"
LEAD = 5.0
"""Seconds that the machine runs before the trial begins."""
MOST_SECONDS = 1e6


def run(
    probe: Path | Probe | None = None,
    seed: object = 1,
    seconds: float | None = None,
    cache: Bytes | None = None,
    tail: float = 0.0,
    choices: Choices | None = None,
    keep_rows: bool = False,
    interval: float | None = None,
    watch: Watch | None = None,
    **parameters: object,
) -> Result:
    """Run *probe*, a .SCR file or what was read from one; figure 6.3 of the book where it is None.

    *seconds* is its trial time, or what it says itself; its second half is what the counters, extras and responses
    measure. A response is a cycle without its thinking. The machine runs 5 s before the trial begins, and *tail*
    seconds after its end. With *cache* bytes the cache has a fixed size and memory of its own instead of being a
    working set. *interval* seconds apart, from the start of the machine on, readings are kept for
    ``performance_monitor.frame``, which has the counters of Performance Monitor. A cycle is no transaction of a
    terminal, so that there are no rows to keep, whatever *keep_rows* says. Any field of Parameters may be given by
    name. UserError for a value out of its range.
    """
    script = _script(probe, seconds)
    if not 0.0 <= tail <= MOST_SECONDS:
        raise UserError(f"tail must be at least 0 and at most {MOST_SECONDS:g} s, not {tail!r}")
    chosen = changed(Parameters(), **parameters)
    env = simpy.Environment()
    laptop = Laptop(env, chosen, choices or Choices(), cache)
    laptop.load(script, seed, LEAD)
    half, end = LEAD + script.measured_from, LEAD + script.seconds
    before = levels(laptop.machine.reading())
    kept: list[Mapping[str, float]] = []
    for instant in (half, end) if tail else (half,):
        pause(env, instant).callbacks.append(lambda _: kept.append(laptop.machine.reading()))
    recorder = Recorder(half, keep=False)
    counted = simulate(laptop.machine, None, recorder, end + tail, 0.0, interval, watch)
    last = laptop.machine.reading()
    check_identities(last)
    check_frames(laptop.memory, laptop.volume.all())
    _record(laptop, recorder)
    counters = difference(kept[1] if tail else last, kept[0])
    said = {"probe": script.name, "seconds": script.seconds, "cache": cache, **parameters}
    return Result("windows_nt", said, seed, half, end, counters, recorder, _with_levels(counted.intervals, before),
                  counted.events, _extras(laptop, counters, last, end - half))


def _script(probe: Path | Probe | None, seconds: float | None) -> Probe:
    if seconds is not None and not 0.0 < seconds <= MOST_SECONDS:
        raise UserError(f"seconds must be positive and at most {MOST_SECONDS:g}, not {seconds!r}")
    if isinstance(probe, Probe):
        return probe if seconds is None else replace(probe, seconds=seconds)
    return read(DEFAULT if probe is None else probe, seconds)


def _record(laptop: Laptop, recorder: Recorder) -> None:
    """The cycles of all threads, and where their time went."""
    recorder.quantiles = laptop.quantiles
    for each in laptop.threads:
        found = each.responses
        recorder.count += found.count
        recorder.total += found.total
        recorder.squares += found.squares
        recorder.shortest = min(recorder.shortest, found.shortest)
        recorder.longest = max(recorder.longest, found.longest)
        for part, seconds in enumerate(each.caller.account.seconds):
            recorder.parts[part] += seconds - (each.parts_before[part] if each.parts_before else seconds)


def _with_levels(intervals: Sequence[Mapping[str, float]], before: Mapping[str, float]) -> list[dict[str, float]]:
    """Levels as they were at the end of each interval, where *intervals* have by how much they changed."""
    rows, level = [], dict(before)
    for row in intervals:
        level = {name: value + row[name] for name, value in level.items()}
        rows.append({**row, **level})
    return rows


def _extras(
    laptop: Laptop, counters: Mapping[str, float], last: Mapping[str, float], seconds: float
) -> dict[str, float]:
    """Throughput, response and the counters of Performance Monitor, over the measured half of the trial."""
    spent = [each.responses for each in laptop.threads]
    cycles = sum(each.count for each in spent)
    return {
        "cycles_per_second": cycles / seconds,
        "response_ms": sum(each.total for each in spent) / cycles / MS if cycles else nan,
        **{f"response_ms_{number}": each.total / each.count / MS if each.count else nan
           for number, each in enumerate(spent, 1) if len(spent) > 1},
        **monitored({**counters, **levels(last)}, seconds),
    }
