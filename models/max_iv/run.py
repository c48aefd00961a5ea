"""Runs a Modcomp under Max-IV with users of Software Tools, with Jacobson's cache or none; computes his counts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import simpy

from spindle.models.max_iv.lines import Lines, LockOuts, count_lost
from spindle.models.max_iv.machine import SECTORS, MaxIvOptions, Modcomp
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.requests import SECTOR_BYTES, RequestKind
from spindle.models.max_iv.tools import read_mix, tools_users
from spindle.questions.field import flat
from spindle.questions.runs import RECORDED, Recorded, WindowOptions
from spindle.sim.error import UserError
from spindle.sim.measure import engine
from spindle.sim.measure.observer import Observers
from spindle.sim.measure.result import Result, ratio
from spindle.sim.parameter import change
from spindle.sim.script import Script
from spindle.sim.streams import stream
from spindle.sim.units import MS
from spindle.workloads.software_tools import MIX

BUSY_USERS = 1
"""Users at work, of the 1 to 3 who were logged on, in the two hours of Jacobson's figures 4 to 6."""


@flat
def run(
    users: int = 2,
    sectors: int = SECTORS,
    seed: object = 1,
    window: WindowOptions = WindowOptions(60.0, 15.0),
    scripts: Sequence[Script] | None = None,
    choices: MaxIvOptions | None = None,
    recorded: Recorded = RECORDED,
    mix: str | None = None,
    **parameters: object,
) -> Result:
    """Run *users* of Software Tools, or *scripts* that give their commands, with a cache of *sectors*, or none at 0.

    The users' *mix* of commands may be given as text, ``who=3,ls=3,ed=1``.

    Any field of MaxIvParameters may be given by name. UserError for a
    value out of its range.
    """
    measured = window.window(recorded.interval)
    values = change(MaxIvParameters(), **parameters)
    most = values.memory // SECTOR_BYTES
    if not (isinstance(sectors, int) and 0 <= sectors <= most):
        raise UserError(
            f"sectors must be a whole number up to {most}, which is all of memory, 0 for no cache, not {sectors!r}"
        )
    scripts = [tools_users(users, values, MIX if mix is None else read_mix(mix))] if scripts is None else scripts
    modcomp = Modcomp(simpy.Environment(), values, choices or MaxIvOptions(), sectors, seed)
    lines, seen = lines_of(values), LockOuts()
    watches = Observers(recorded.watch, seen) if lines and sectors else recorded.watch
    result = engine.run(modcomp.machine, modcomp.load(scripts), measured, seed, watches, recorded.keep_rows)
    given = {} if mix is None else {"mix": mix}
    settings = {"users": sum(script.terminals for script in scripts), "sectors": sectors, **given, **parameters}
    return replace(result, system="max_iv", parameters=settings,
                   extras={**extras(modcomp, result.counters, result.seconds), **losses(seen, lines, seed)})


def lines_of(parameters: MaxIvParameters) -> Lines | None:
    """Return the asynchronous lines that *parameters* name; UserError for more than the CPU can serve."""
    if not parameters.lines:
        return None
    return Lines(parameters.lines, parameters.line_baud, parameters.character, parameters.line_buffer,
                 parameters.line_level)


def losses(seen: LockOuts, lines: Lines | None, seed: object) -> dict[str, float]:
    """Count characters that *lines* lost for a thousand lock-outs, and the longest of these; nothing without lines."""
    if lines is None:
        return {}
    lost = count_lost(seen.seen, lines, stream(seed, "lines"))
    return {"lost_characters": 1000.0 * lost / len(seen.seen) if seen.seen else 0.0,
            "lock_out_ms": max((each.seconds for each in seen.seen), default=0.0) / MS}


def extras(modcomp: Modcomp, counters: Mapping[str, float], seconds: float) -> dict[str, float]:
    """Compute Jacobson's counts: rates over all requests, the kinds of misses, the queues of the hash table."""
    total = partial(modcomp.machine.total, counters)
    requests = sum(total("handler", kind.name.lower()) for kind in RequestKind)
    opens = counters["software.opens"]
    return {
        "op_rate": requests / seconds,
        "cpu_busy": counters["cpu.busy"] / seconds,
        "cpu_cache": counters["cpu.busy_cache"] / seconds,
        "disc_busy": total("drive", "busy") / seconds / len(modcomp.drives),
        "busiest_disc": max(counters[f"drive{unit + 1}.busy"] for unit in range(len(modcomp.drives))) / seconds,
        "disc_queue": total("drive", "number_seconds") / seconds / len(modcomp.drives),
        "read_share": ratio(total("handler", "read"), requests),
        "accesses_per_open": ratio(counters["software.open_accesses"], opens),
        "data_sectors_per_open": ratio(counters["software.data_sectors"], opens + counters["software.creates"]),
        "requests_per_command": ratio(requests, counters["software.commands"]),
        **cache_extras(counters, requests, total("handler", "read"), modcomp.parameters.compare),
    }


def cache_extras(
    counters: Mapping[str, float], requests: float, reads: float, compare: float
) -> dict[str, float]:
    """Compute the counts of the cache; without one nothing is hit, and those of its queues are NaN."""
    def count_of(counter: str) -> float:
        return counters.get(counter, 0.0)

    missed = {kind: count_of(f"fhl.misses_{kind.name.lower()}") for kind in RequestKind}
    misses = sum(missed.values())
    hits, late = count_of("fhl.hits"), count_of("fhl.late_hits")
    return {
        "hit_ratio": ratio(hits, requests),
        "late_hit_ratio": ratio(late, requests),
        "read_hit_ratio": ratio(hits, reads),
        "miss_reads": ratio(missed[RequestKind.READ], misses),
        "miss_writes": ratio(missed[RequestKind.WRITE], misses),
        "miss_weofs": ratio(missed[RequestKind.WEOF], misses),
        "oversize_share": ratio(count_of("fhl.oversize_reads"), missed[RequestKind.READ]),
        "writes_per_weof": ratio(missed[RequestKind.WRITE], missed[RequestKind.WEOF]),
        "search_mean": ratio(count_of("fhl.comparisons"), count_of("fhl.searches")) * compare,
        "turnover_requests": ratio(count_of("sampler.resident") * requests,
                                   count_of("sampler.samples") * count_of("fhl.replaced")),
        "management_share": ratio(count_of("sampler.management"), count_of("sampler.resident")),
        "chain_mean": ratio(count_of("sampler.resident"), count_of("sampler.queues")),
        "chain_max": ratio(count_of("sampler.longest"), count_of("sampler.samples")),
        "chain_at_most_3": ratio(count_of("sampler.short_queues"), count_of("sampler.queues")),
        "chains_alike": likeness(count_of),
        "probes_mean": ratio(count_of("sampler.probes"), count_of("sampler.resident")),
    }


def likeness(count_of: Callable[[str], float]) -> float:
    """Return the correlation of the lengths of neighbouring hash lists."""
    mean = ratio(count_of("sampler.resident"), count_of("sampler.queues"))
    variance = ratio(count_of("sampler.squares"), count_of("sampler.queues")) - mean * mean
    neighbours = count_of("sampler.queues") - count_of("sampler.samples")  # the last list has none
    return ratio(ratio(count_of("sampler.neighbours"), neighbours) - mean * mean, variance)
