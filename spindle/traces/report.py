"""The result of a replay of a trace, its devices and tiers: numbers for JSON, pages of 80 columns, rows of CSV."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from math import fsum
from operator import mul
from typing import Any, BinaryIO

from spindle.measures import within_bounds
from spindle.output.text import csv_cell, plural, thin_out
from spindle.sim.quantity import quantity
from spindle.sim.request import READ, Request
from spindle.sim.units import MB, MS
from spindle.studies.plots.terminal import TextLine, drawn_lines
from spindle.traces.curve.tiers import TierAnswer
from spindle.traces.replay import page as tables
from spindle.traces.replay.replay import DeviceTimes, Times, TraceReplayed, TraceTally
from spindle.traces.replay.tiers import TieredStorage
from spindle.workloads.traces.record import Record

SIMULATED = "simulated"
PERCENTILES = {"median_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99, "p99.9_ms": 0.999, "p99.99_ms": 0.9999}
DISTRIBUTION_SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0)
"""Shares of the distribution that is given with the numbers."""
KINDS = {"reads": "", "writes": "write_"}
"""Prefixes of a cache's counters of hits and misses."""
BAR = 34


def numbers(replayed: TraceReplayed) -> dict[str, Any]:
    """Return the numbers of a replay for JSON: milliseconds; null where there is no value."""
    totals = replayed.drive_totals()
    served = totals["completed"]
    services = fsum(totals[part] for part in ("overhead", "seek", "rotation", "transfer", "channel"))
    return within_bounds({
        "simulated_seconds": replayed.seconds,
        "response": {name: _response(replayed.tally.times_of(op)) for name, op in tables.GROUPS.items()},
        "accesses": {"count": served, "service_ms": _share(services / MS, served),
                     "queue_ms": _share(totals["queue"] / MS, served)},
        "utilisation": {name: _share(drive.busy(), replayed.seconds)
                        for name, drive in replayed.storage.drives.items()},
        "breakdown_ms": breakdown(replayed), "hits": hits(replayed),
        "drives": {name: drive.reading() for name, drive in replayed.storage.drives.items()},
        **({"arrays": replayed.array_totals()} if replayed.storage.arrays else {}),
        "caches": {f"cache {name}": cached.reading()
                   for name, cached in zip(replayed.storage.drives, replayed.storage.caches, strict=False)},
    })  # fmt: skip


def _response(times: Times) -> dict[str, Any]:
    if not times.count:
        return {"requests": 0}
    return {"requests": times.count, **_spread(times),
            "cdf_ms": {f"{share:g}": _quantile(times, share) for share in DISTRIBUTION_SHARES}}


def _spread(times: Times) -> dict[str, float]:
    return {"mean_ms": times.sum / times.count / MS,
            **{name: _quantile(times, share) for name, share in PERCENTILES.items()},
            "max_ms": times.longest / MS}


def _quantile(times: Times, share: float) -> float:
    """Return the quantile in ms: the middle of its bucket, but not above the longest time."""
    return min(times.quantiles.quantile(share), times.longest) / MS


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def breakdown(replayed: TraceReplayed) -> dict[str, float]:
    """Return the mean response by phase in ms; phases that took no time are left out."""
    count = replayed.tally.reads.count + replayed.tally.writes.count
    return {name: seconds / count / MS for name, seconds in replayed.breakdown().items() if seconds > 0.0}


def hits(replayed: TraceReplayed) -> dict[str, dict[str, float]]:
    """Return the shares of hits, late hits and misses of reads and writes to the cache, as far as there are any."""
    totals = replayed.cache_totals()
    ratios = {}
    for name, prefix in KINDS.items():
        counted = {kind: totals.get(f"{prefix}{kind}", 0.0) for kind in ("hits", "late_hits", "misses")}
        if requests := sum(counted.values()):
            ratios[name] = {"requests": requests, **{kind: count / requests for kind, count in counted.items()}}
    return ratios


def page(replayed: TraceReplayed) -> list[str]:
    figures = numbers(replayed)
    groups = {name: {"requests": times.count, SIMULATED: _spread(times)}
              for name, op in tables.GROUPS.items() if (times := replayed.tally.times_of(op)).count}
    if len(groups) == 2:  # all of them, and the only kind there is
        groups = {"all": groups["all"]}
    return [*tables.page({"response": groups}), *_drives(replayed, figures), *_hits(figures["hits"]), *_parts(figures)]


MAX_DEVICES = 20
"""Devices that are shown, those with the most requests."""


def device_numbers(devices: DeviceTimes) -> dict[str, Any]:
    """Return the responses of each device, for JSON."""
    return {name: {kind: _response(times) for kind, times in kinds.items()} for name, kinds in devices.groups().items()}


def device_lines(devices: DeviceTimes) -> list[str]:
    """Return the responses of each device as a table, with reads and writes if it has both."""
    groups = devices.groups()
    shown = [(name if kind == "all" else f"  {kind}", times) for name, kinds in [*groups.items()][:MAX_DEVICES]
             for kind, times in kinds.items() if kind == "all" or 0 < times.count < kinds["all"].count]  # fmt: skip
    more = [f"and {plural(len(groups) - MAX_DEVICES, 'device')} more; --json has all"] * (len(groups) > MAX_DEVICES)
    rows = [(name or "(no name)", times.count, _spread(times)) for name, times in shown]
    return [*tables.rows("response by device, ms", rows), *more]


def _drives(replayed: TraceReplayed, figures: Mapping[str, Any]) -> list[str]:
    accesses = figures["accesses"]
    busiest = max(share or 0.0 for share in figures["utilisation"].values())
    lines = ["", f"{accesses['count']:,.0f} disc accesses: service {accesses['service_ms'] or 0.0:.3f} ms, "
                 f"queue {accesses['queue_ms'] or 0.0:.3f} ms; busiest drive {busiest:.1%}"]
    lines += _arrays(replayed.array_totals())
    totals = replayed.drive_totals()
    buffer = {name: totals[name] for name in ("buffer_hits", "buffer_late_hits", "buffer_misses") if name in totals}
    if buffer:
        lines.append(", ".join(f"{name.replace('_', ' ')} {count:,.0f}" for name, count in buffer.items()))
    return lines


def _arrays(totals: Mapping[str, float]) -> list[str]:
    """Describe how writes to arrays with parity brought it up to date, and what failures of drives cost."""
    lines = []
    if "full_writes" in totals:
        lines.append(f"rows of arrays: {totals['full_writes']:,.0f} written in full, "
                     f"{totals['read_modify_writes']:,.0f} by read-modify-write, "
                     f"{totals['reconstruct_writes']:,.0f} by reconstruct-write")  # fmt: skip
    if totals.get("degraded_reads") or totals.get("rebuilt_bytes"):
        lines.append(f"drives that failed: {totals['degraded_reads']:,.0f} reads computed from the others, "
                     f"{totals['rebuilt_bytes'] / MB:,.1f} MB rebuilt")  # fmt: skip
    if totals.get("read_errors"):
        lines.append(f"unrecoverable read errors: {totals['read_errors']:,.0f}; {totals['corrected']:,.0f} corrected, "
                     f"{totals['lost']:,.0f} lost")  # fmt: skip
    return lines


def _hits(ratios: Mapping[str, Mapping[str, float]]) -> list[str]:
    if not ratios:
        return []
    lines = ["", f"{'cache, of requests':<20}{'requests':>12}{'hits':>9}{'late hits':>11}{'misses':>9}"]
    for name, kind in ratios.items():
        lines.append(f"{name:<20}{kind['requests']:>12,.0f}{kind['hits']:>9.2%}{kind['late_hits']:>11.2%}"
                     f"{kind['misses']:>9.2%}")
    return lines


def _parts(figures: Mapping[str, Any]) -> list[str]:
    mean = figures["response"]["all"]["mean_ms"]
    bars = [f"{name:>14}{ms:>12.4f}  {'#' * round(BAR * ms / mean)}".rstrip()
            for name, ms in figures["breakdown_ms"].items() if ms >= 0.005 * mean]
    return ["", "where the mean response goes, ms", *bars]


POINTS = 100
"""Points of a distribution in a terminal."""


def response_text(tally: TraceTally, width: int) -> str:
    """Draw the share of requests that took no longer than a time, *width* columns wide."""
    lines = []
    for name, op in tables.GROUPS.items():
        times = tally.times_of(op)
        if op is not None and times.count:
            shares = [(place + 0.5) / POINTS for place in range(POINTS)]
            lines.append(TextLine(name, [(times.quantiles.quantile(share), share) for share in shares], 10))
    ends = [quantity(end(x for line in lines for x, _ in line.points), "s", 3) for end in (min, max)]
    return "\n".join(["share of requests that take no longer",
                      *drawn_lines(lines, width, (ends[0], ends[1]), "response time", "1")])  # fmt: skip


# Answers of tiers as lines of 80 columns, and the stacks that are best for their price.

MAX_STACKS_SHOWN = 12
"""Stacks of the frontier that are shown."""


def tier_lines(answer: TierAnswer, block: int, how: str) -> list[str]:
    """Return a line for each tier; *how* names their rule and their policy."""
    lines = ["", f"{how:<24}{'time':>12}{'share':>12}{'of the mean':>14}"]
    names = [*(quantity(tier.blocks * block, "bytes") for tier in answer.tiers), "below"]
    total = sum(map(mul, answer.shares, answer.seconds)) or 1.0
    for name, seconds, share in zip_longest(names, answer.seconds, answer.shares):
        cells = "" if seconds is None else f"{share * seconds / total:>14.1%}"
        lines.append(f"{name:<24}{'?' if seconds is None else quantity(seconds, 's'):>12}{share:>12.2%}{cells}")
    told = "" if answer.below is not None else "   of hits alone: --below TIME sets the time of the rest"
    return [*lines, f"{'mean':<24}{quantity(answer.mean, 's'):>12}{told}"]


def frontier_lines(best: Sequence[TierAnswer], block: int) -> list[str]:
    """Return lines of the cheapest stack, the fastest, and some between them."""
    lines = ["", f"{'money':>10}{'mean':>12}   tiers"]
    for answer in thin_out(best, MAX_STACKS_SHOWN):
        sizes = ", ".join(quantity(tier.blocks * block, "bytes") for tier in answer.tiers)
        lines.append(f"{answer.price:>10,.4g}{quantity(answer.mean, 's'):>12}   {sizes}")
    return lines


def served_numbers(storage: TieredStorage, seconds: float) -> list[dict[str, Any]]:
    """Return the use of each tier in a replay of *seconds*, and of the drives below: shares of references."""
    below = sum(drive.below for drive in storage.caches)
    count = max(1, below + sum(server.answered for server in storage.servers))
    tiers = [{"blocks": server.tier.blocks, "seconds": server.tier.seconds, "share": server.answered / count,
              "utilisation": server.busy / seconds if seconds else 0.0,
              "queue_seconds": server.waited / server.asked if server.asked else 0.0} for server in storage.servers]
    return [*tiers, {"share": below / count}]


def served_lines(storage: TieredStorage, seconds: float) -> list[str]:
    lines = ["", f"{'tiers':<24}{'time':>12}{'share':>12}{'busy':>10}{'mean queue':>14}"]
    *tiers, below = served_numbers(storage, seconds)
    for each in tiers:
        room = quantity(each["blocks"] * storage.block, "bytes")
        lines.append(f"{room:<24}{quantity(each['seconds'], 's'):>12}{each['share']:>12.2%}"
                     f"{each['utilisation']:>10.1%}{quantity(each['queue_seconds'], 's'):>14}")
    return [*lines, f"{'drives':<24}{'':>12}{below['share']:>12.2%}"]


# A row for each request, as CSV, at its completion.

TRACE_HEAD = "request,device,op,asked_s,response_ms"


def rows_into(file: BinaryIO) -> Callable[[Record, float, Request], None]:
    """Return a function that writes a row for each request into *file*, numbered in the order of completion."""
    number = 0
    file.write(f"{TRACE_HEAD}\n".encode())
    cell = lru_cache(csv_cell)

    def write(record: Record, response: float, request: Request) -> None:
        nonlocal number
        op = "R" if record.op is READ else "W"
        line = f"{number},{cell(record.device)},{op},{request.submitted:.9f},{response / MS:.6f}\n"
        file.write(line.encode())
        number += 1

    return write
