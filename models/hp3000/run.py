"""One run of an HP3000 Series 64 under terminal scripts."""

from collections.abc import Mapping, Sequence
from math import nan

import simpy

from models.hp3000.load import default_load, programs
from models.hp3000.machine import Choices, Series64
from models.hp3000.parameters import Parameters
from sim.measure.recorder import Recorder
from sim.measure.result import Result
from sim.measure.simulate import Watch, simulate, window
from sim.parameter import changed
from sim.script import Script
from sim.terminal import Desk, log_on


def run(
    terminals: int = 63,
    development: int = 0,
    caching: bool = True,
    seed: object = 1,
    minutes: float = 20.0,
    warm_up: float = 5.0,
    scripts: Sequence[Script] | None = None,
    choices: Choices | None = None,
    keep_rows: bool = True,
    interval: float | None = None,
    watch: Watch | None = None,
    **parameters: object,
) -> Result:
    """Run *terminals* order-entry clerks and *development* sessions, or *scripts* instead of both.

    *minutes* of measurement follow *warm_up* minutes. Any field of Parameters may be given by name. Mistake
    for a value out of its range.
    """
    start, end = window(minutes, warm_up)
    chosen = changed(Parameters(), **parameters)
    if scripts is None:
        scripts = default_load(terminals, development, chosen.think_scale)
    env = simpy.Environment()
    series = Series64(env, chosen, choices or Choices(), caching)
    recorder = Recorder(start, keep_rows)
    desk = Desk(env, recorder)
    for script in scripts:
        _log_on(series, script, seed, desk)
    counted = simulate(series.machine, desk, recorder, end, start, interval, watch)
    said = {
        "terminals": sum(script.terminals for script in scripts),
        "scripts": "+".join(script.name for script in scripts),
        "caching": caching, **parameters,
    }
    return Result("hp3000", said, seed, start, end, counted.counters, recorder, counted.intervals,
                  counted.events, extras(series, counted.counters, end - start))


def _log_on(series: Series64, script: Script, seed: object, desk: Desk) -> None:
    called = list(programs(script.steps))
    software, interrupt = series.software, series.parameters.terminal_interrupt
    for terminal in log_on(series.machine, script, software.perform, desk, seed, interrupt):
        for program in called:
            software.prepare(program, terminal.session)


def extras(series: Series64, counters: Mapping[str, float], seconds: float) -> dict[str, float]:
    """What an operator would want to know beside the response times: rates a second, and shares."""

    def total(part: str, counter: str) -> float:
        names = [name for name in series.machine.parts if name.startswith(part)]
        return sum(counters[f"{name}.{counter}"] for name in names)

    busy = counters["cpu.busy"] / seconds
    reads = total("cache", "hits") + total("cache", "late_hits") + total("cache", "misses")
    drives = len(series.drives)
    return {
        "cpu_busy": busy,
        "cpu_cache": counters["cpu.busy_cache"] / seconds,
        "cpu_manager": counters["cpu.busy_manager"] / seconds,
        "disc_rate": total("drive", "completed") / seconds,
        "disc_busy": total("drive", "busy") / seconds / drives,
        "disc_queue": total("drive", "number_seconds") / seconds / drives,
        "logical_reads": counters["data_base.block_reads"] / seconds,
        "hit_ratio": total("cache", "hits") / reads if reads else nan,
        "late_hit_ratio": total("cache", "late_hits") / reads if reads else nan,
        "impede_rate": counters["data_base.lock_impedes"] / seconds,
        "lock_busy": counters["data_base.lock_held"] / seconds,
        "fault_rate": counters["segments.faults"] / seconds,
        "swap_write_rate": counters["segments.swap_writes"] / seconds,
        "memory_used": counters["memory.used_seconds"] / seconds + series.parameters.resident,
    }
