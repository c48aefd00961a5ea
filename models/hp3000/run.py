"""Runs an HP3000 under terminal scripts, with disc caching or without; adds measures beside the response times."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from pathlib import Path

import simpy

from spindle.models.hp3000.instruments.monitor import TepeMonitor, with_report
from spindle.models.hp3000.instruments.opt import OptLog, check_file
from spindle.models.hp3000.load import CLERKS, TERMINALS, default_load
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.operator import Shift, put_at_console, read_shift
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.series import SeriesModel
from spindle.questions.field import ask, flat
from spindle.questions.runs import RECORDED, Recorded, WindowOptions
from spindle.sim.measure import engine
from spindle.sim.measure.observer import Observers
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.script import Script
from spindle.sim.units import MINUTE


@dataclass(frozen=True)
class People:
    """The people of a run: *terminals* in all, of whom at most *clerks* enter orders; the others program."""

    terminals: int = ask(TERMINALS, "people at terminals")
    clerks: int = ask(CLERKS, "of them enter and look up orders, at most")


@dataclass(frozen=True)
class Site:
    """The scripts, operator and instruments of a run.

    *scripts* replace the people. *cached_ldevs* are the discs (LDEVs) cached at first, by default all; *operator* and
    the file *shift* may change that. OPT, HP's performance tool, writes a page a minute to the file *log*, .txt or
    .csv. With *report* the result is a MonitoredResult, with the report of the TEPE monitor.
    """

    scripts: Sequence[Script] | None = ask(None, "in the place of people")
    cached_ldevs: Collection[int] | None = ask(None, "LDEVs that are cached at first; default all")
    operator: Shift = ask((), "commands of the operator")
    shift: Path | None = ask(None, "a file of commands of the operator")
    log: str | None = ask(None, "OPT's pages")
    report: bool = ask(False, "the TEPE monitor's report")


@flat
def run(
    people: People = People(),
    caching: bool = True,
    seed: object = 1,
    window: WindowOptions = WindowOptions(),
    site: Site = Site(),
    choices: MpeOptions | None = None,
    recorded: Recorded = RECORDED,
    series: SeriesModel | None = None,
    **parameters: object,
) -> Result:
    """Run *people* at an HP3000, with disc *caching* or without.

    Any field of MpeParameters may be given by name; the others come from the load and the *series*, which replaces
    that of *choices*.
    """
    file = None if site.log is None else check_file(Path(site.log))
    measured = window.window(MINUTE if recorded.interval is None and file is not None else recorded.interval)
    operator = site.operator if site.shift is None else (*site.operator, *read_shift(Path(site.shift), measured.end))
    parts = choices or MpeOptions()
    parts = parts if series is None else replace(parts, series=series)
    values = change(MpeParameters(), **{**parts.series.settings(), **parts.load.settings, **parameters})
    scripts = site.scripts
    if scripts is None:
        scripts = default_load(people.terminals, people.clerks, values, parts.load)
    machine = Hp3000(simpy.Environment(), values, parts, caching, site.cached_ldevs)
    put_at_console(machine.machine, operator, machine.caching, values.memory)
    opt = None if file is None else OptLog(values, MINUTE)
    monitor = TepeMonitor() if site.report else None
    watches = Observers(recorded.watch, opt, monitor)
    result = engine.run(machine.machine, machine.load(scripts), measured, seed, watches, recorded.keep_rows)
    if opt is not None and file is not None:
        opt.write(file)
    given = {"caching": caching, **({} if site.shift is None else {"shift": str(site.shift)}), **parameters}
    result = replace(result, system="hp3000", parameters={**_users(scripts), **given},
                     extras=extras(machine, result.counters, result.seconds))
    return result if monitor is None else with_report(result, monitor.report())


def _users(scripts: Sequence[Script]) -> dict[str, object]:
    """Return the number of terminals and the names of their scripts."""
    return {
        "terminals": sum(script.terminals for script in scripts),
        "scripts": "+".join(script.name for script in scripts),
    }


def extras(series: Hp3000, counters: Mapping[str, float], seconds: float) -> dict[str, float]:
    """Return the measures beside the response times: rates a second, and shares of time."""
    total = partial(series.machine.total, counters)
    busy = counters["cpu.busy"] / seconds
    reads = total("cache", "hits") + total("cache", "late_hits") + total("cache", "misses")
    writes = total("cache", "writes")
    drives = len(series.drives)
    return {
        "cpu_busy": busy,
        "cpu_cache": counters["cpu.busy_cache"] / seconds,
        "memory_pressure": counters["cpu.busy_manager"] / seconds,
        "memory_disc_rate": (counters["segments.faults"] + counters["segments.swap_writes"]) / seconds,
        "disc_rate": total("drive", "completed") / seconds,
        "disc_busy": total("drive", "busy") / seconds / drives,
        "disc_queue": total("drive", "number_seconds") / seconds / drives,
        "channel_busy": total("channel", "busy") / seconds / len(series.channels),
        "logical_reads": counters["data_base.block_reads"] / seconds,
        "hit_ratio": total("cache", "hits") / reads if reads else nan,
        "late_hit_ratio": total("cache", "late_hits") / reads if reads else nan,
        "write_hit_ratio": total("cache", "write_hits") / writes if writes else nan,
        "write_wait_probability": total("cache", "write_waits") / (reads + writes) if reads + writes else nan,
        "stop_rate": total("cache", "stops") / seconds,
        "domain_bytes": total("cache", "byte_seconds") / seconds,
        "reads_a_write": reads / writes if writes else nan,
        "bytes_at_risk": total("cache", "at_risk_byte_seconds") / seconds,
        "impede_rate": counters["data_base.lock_impedes"] / seconds,
        "lock_busy": counters["data_base.lock_held"] / seconds,
        "fault_rate": counters["segments.faults"] / seconds,
        "paused_disc": counters["dispatcher.paused_disc"] / seconds,
        "paused_swap": counters["dispatcher.paused_swap"] / seconds,
        "swap_write_rate": counters["segments.swap_writes"] / seconds,
        "memory_used": counters["memory.used_seconds"] / seconds + series.parameters.resident,
        **_logging(counters, seconds),
    }


def _logging(counters: Mapping[str, float], seconds: float) -> dict[str, float]:
    """Return the writes of the data base's log a second, and the share of responses that waits for them; {} without."""
    if "image_log.writes" not in counters:
        return {}
    waited, waiting = counters["image_log.wait_seconds"], counters["desk.waiting_seconds"]
    return {
        "log_records": counters["image_log.records"] / seconds, "log_writes": counters["image_log.writes"] / seconds,
        "log_share": waited / waiting if waiting else nan,
    }  # fmt: skip
