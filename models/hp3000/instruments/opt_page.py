"""A page of OPT's log as an operator would read it: one interval, 80 columns."""

from collections.abc import Mapping
from math import fsum, isnan

from models.hp3000.instruments.opt_interval import OptInterval
from models.hp3000.memory.segments import SegmentKind
from sim.units import KIB, MINUTE

WIDTH = 80

STATES = {
    "processes": "processes", "dispatching": "dispatch", "memory_manager": "mem mgr", "cache_manager": "cache mgr",
    "paused_disc": "disc pause", "paused_swap": "swap pause", "idle": "idle",
}  # fmt: skip
LETTERS = dict(zip(STATES, "PDMC=~ ", strict=True))
"""How the CPU's states are drawn, from busy to idle."""

REGIONS = {
    "mpe": "MPE", "code": "code", "stack": "stacks", "extra_data": "extra data", "cache_domains": "domains",
    "free": "free",
}  # fmt: skip

TABLES = {
    "sessions": "sessions", "inquiries": "inquiries", "disc_requests": "disc reqs", "posts": "posts",
    "code_segments": "code segs", "stack_segments": "stacks", "extra_data_segments": "data segs",
}  # fmt: skip
"""Means, but for the segments: at the end of the interval, of all there are."""


def page(number: int, interval: OptInterval) -> str:
    parts = [title(f"interval {number}", interval), cpu_states(interval), _stops(interval), _discs(interval),
             memory_regions(interval), _tables(interval)]  # fmt: skip
    table = interval.cache_table()
    return "\n\n".join(parts if table is None else [*parts, f"SHOWCACHE\n{table.text()}"])


def title(name: str, interval: OptInterval) -> str:
    when = f"minute {interval.since / MINUTE:.2f} to {interval.until / MINUTE:.2f}"
    return f"{f'OPT LOG, {name}':<{WIDTH - len(when)}}{when}\n{'=' * WIDTH}"


def cpu_states(interval: OptInterval) -> str:
    """The share of each, in percent and drawn."""
    shares = interval.cpu()
    heads = "".join(f"{name:>11}" for name in STATES.values())
    percents = "".join(f"{LETTERS[name]:>4}{100 * shares[name]:7.1f}" for name in STATES)
    return f"CPU{heads}\n{'%':<3}{percents}\n|{bar(shares, WIDTH - 2)}|"


def bar(shares: Mapping[str, float], width: int) -> str:
    """*shares* that add up to 1 as letters, so many in all; each ends where its running sum does."""
    drawn, reached = "", 0.0
    for name, letter in LETTERS.items():
        reached += shares[name]
        drawn += letter * (round(reached * width) - len(drawn))
    return drawn


def _stops(interval: OptInterval) -> str:
    stops, base = interval.stops(), interval.data_base()
    return (
        f"STOPS/s       {rates(stops)}\n"
        f"DISC I/O/s    {rates(interval.causes())}\n"
        f"DATA BASE     calls/s {base['calls']:.1f}, reads/s {base['block_reads']:.1f}, "
        f"in a buffer {percent(base['buffer_hits'])}%, lock held {percent(base['lock_held'])}%"
    )


def rates(numbers: Mapping[str, float]) -> str:
    """Each of *numbers* by name, and their sum."""
    each = ", ".join(f"{name.replace('_', ' ')} {rate:.1f}" for name, rate in numbers.items())
    return f"{each}, all {fsum(numbers.values()):.1f}"


def _discs(interval: OptInterval) -> str:
    lines = [disc_line(str(number), each) for number, each in enumerate(interval.ldevs(), 1)]
    return "\n".join([DISC_HEAD, *lines, disc_line("all", interval.discs())])


DISC_HEAD = f"{'LDEV':<6}" + "".join(
    f"{name:>10}" for name in ("reads/s", "writes/s", "K-bytes/s", "busy %", "queue", "service", "response")
)


def disc_line(name: str, disc: Mapping[str, float]) -> str:
    times = "".join(f"{_ms(disc[each]):>10}" for each in ("service_ms", "response_ms"))
    return (
        f"{name:>4}  {disc['reads']:10.2f}{disc['writes']:10.2f}{disc['bytes'] / KIB:10.1f}{100 * disc['busy']:10.1f}"
        f"{disc['queue']:10.2f}{times}"
    )


def memory_regions(interval: OptInterval) -> str:
    """Mean bytes of each."""
    memory = interval.memory()
    head = f"{'MEMORY':<10}" + "".join(f"{name:>11}" for name in REGIONS.values())
    return f"{head}\n{'K-bytes':<10}" + "".join(f"{memory[name] / KIB:11.0f}" for name in REGIONS)


def _tables(interval: OptInterval) -> str:
    tables, moment = interval.tables(), interval.moment
    held = sorted(moment.working_sets.items(), key=lambda each: -each[1])
    mean = sum(size for _, size in held) / len(held) if held else 0.0
    largest = f", largest {held[0][0][-13:]} {held[0][1] / KIB:.0f}" if held else ""
    means = "".join(f"{tables[name]:10.1f}" for name in TABLES if not name.endswith("_segments"))
    segments = "".join(f"{f'{moment.present[kind]}/{moment.segments[kind]}':>10}" for kind in SegmentKind)
    return (
        f"{'TABLES':<10}{''.join(f'{name:>10}' for name in TABLES.values())}\n"
        f"{'in use':<10}{means}{segments}\n\n"
        f"WORKING SETS  {len(held)} processes, mean {mean / KIB:.0f} K-bytes{largest}"
    )


def _ms(milliseconds: float) -> str:
    return "-" if isnan(milliseconds) else f"{milliseconds:.1f}"


def percent(share: float) -> str:
    return "-" if isnan(share) else f"{100 * share:.0f}"
