"""The global page of OPT's log: all intervals together, and a line of each: CPU, memory, disc I/O, cache."""

from collections.abc import Sequence
from math import fsum, nan

from models.hp3000.instruments.opt_interval import OptInterval
from models.hp3000.instruments.opt_page import DISC_HEAD, cpu_states, disc_line, memory_regions, percent, rates, title
from sim.units import MINUTE

SHORT = {
    "processes": "proc", "dispatching": "disp", "memory_manager": "memm", "cache_manager": "cache",
    "paused_disc": "disc", "paused_swap": "swap", "idle": "idle",
}  # fmt: skip
"""The CPU's states as heads of narrow columns."""


def total(intervals: Sequence[OptInterval]) -> OptInterval:
    """One after the other as one interval, which ends as the last one does."""
    first, last = intervals[0], intervals[-1]
    counters = {name: fsum(each.counters[name] for each in intervals) for name in first.counters}
    return OptInterval(first.since, last.until, counters, last.moment, last.costs)


def global_page(intervals: Sequence[OptInterval]) -> str:
    """Of 80 columns; there is at least one interval."""
    together = total(intervals)
    together.check()
    parts = [title("global total", together), cpu_states(together), _management(together), _discs(together),
             _cache(together), _by_interval(intervals, together)]  # fmt: skip
    return "\n\n".join(part for part in parts if part)


def _management(interval: OptInterval) -> str:
    """Memory pressure is the memory manager's share of the CPU."""
    shares = interval.cpu()
    faults, swaps = (interval.rate(f"segments.{name}") for name in ("faults", "swap_writes"))
    return (
        f"MEMORY MGMT   faults/s {faults:.1f}, swap writes/s {swaps:.1f}, "
        f"pressure {100 * shares['memory_manager']:.1f}%, swap pause {100 * shares['paused_swap']:.1f}%\n"
        f"{memory_regions(interval)}"
    )


def _discs(interval: OptInterval) -> str:
    lines = [f"DISC I/O/s    {rates(interval.causes())}", DISC_HEAD, disc_line("all", interval.discs())]
    if "image_log.writes" in interval.counters:
        records, writes = (interval.rate(f"image_log.{name}") for name in ("records", "writes"))
        waiting = interval.rate("image_log.wait_seconds")
        lines.append(f"IMAGE LOG     records/s {records:.2f}, writes/s {writes:.2f}, callers that wait {waiting:.3f}")
    return "\n".join(lines)


def _cache(interval: OptInterval) -> str:
    """Nothing where there is no disc caching."""
    table = interval.cache_table()
    if table is None:
        return ""
    row = table.total
    return (
        f"CACHE         requests/s {row.requests / interval.seconds:.1f}, read hits {percent(row.read_hit)}%, "
        f"reads {percent(row.read_share)}%, I/Os eliminated {percent(table.eliminated)}%\n"
        f"{'':<14}domains {row.domains:.0f} of {row.kbytes / row.domains if row.domains else nan:.1f} K-bytes, "
        f"{row.kbytes:.0f} K-bytes in all"
    )


def _by_interval(intervals: Sequence[OptInterval], together: OptInterval) -> str:
    head = f"{'MINUTE':<8}" + "".join(f"{name + '%':>7}" for name in SHORT.values())
    rest = f"{'I/O/s':>7}{'faults':>7}{'hit%':>5}"
    lines = [_line(f"{each.until / MINUTE:.2f}", each) for each in intervals]
    return "\n".join([head + rest, *lines, _line("all", together)])


def _line(name: str, interval: OptInterval) -> str:
    """*interval* by the minute in which it ends."""
    shares, table, discs = interval.cpu(), interval.cache_table(), interval.discs()
    hits = nan if table is None else table.total.read_hit
    states = "".join(f"{100 * shares[state]:7.1f}" for state in SHORT)
    faults = interval.rate("segments.faults")
    return f"{name:<8}{states}{discs['reads'] + discs['writes']:7.1f}{faults:7.2f}{percent(hits):>5}"
