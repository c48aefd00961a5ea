"""The result of a trace's replay: numbers for JSON, and a page for a screen of 80 columns."""

from collections.abc import Mapping
from math import fsum
from typing import Any

from models.replay import page as tables
from sim.units import MS
from workloads.traces.replay.replay import TraceReplayed
from workloads.traces.replay.tally import Times

SIMULATED = "simulated"
PERCENTILES = {"median_ms": 0.5, "p95_ms": 0.95}
FINE = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0)
"""Shares of the distribution that is given with the numbers."""
KINDS = {"reads": "", "writes": "write_"}
"""Prefixes of a cache's counters of hits and misses."""
BAR = 34


def numbers(replayed: TraceReplayed) -> dict[str, Any]:
    """Milliseconds; null where there is no value."""
    totals = replayed.drive_totals()
    served = totals["completed"]
    services = fsum(totals[part] for part in ("overhead", "seek", "rotation", "transfer", "channel"))
    return {
        "simulated_seconds": replayed.end,
        "response": {name: _response(replayed.tally.of(op)) for name, op in tables.GROUPS.items()},
        "accesses": {"count": served, "service_ms": _share(services / MS, served),
                     "queue_ms": _share(totals["queue"] / MS, served)},
        "utilisation": {name: _share(drive.busy(), replayed.end) for name, drive in replayed.storage.drives.items()},
        "breakdown_ms": breakdown(replayed), "hits": hits(replayed),
        "drives": {name: drive.reading() for name, drive in replayed.storage.drives.items()},
        "caches": {f"cache {name}": cached.reading()
                   for name, cached in zip(replayed.storage.drives, replayed.storage.caches, strict=False)},
    }  # fmt: skip


def _response(times: Times) -> dict[str, Any]:
    if not times.count:
        return {"requests": 0}
    return {"requests": times.count, **_spread(times),
            "cdf_ms": {f"{share:g}": _quantile(times, share) for share in FINE}}


def _spread(times: Times) -> dict[str, float]:
    return {"mean_ms": times.sum / times.count / MS,
            **{name: _quantile(times, share) for name, share in PERCENTILES.items()},
            "max_ms": times.longest / MS}


def _quantile(times: Times, share: float) -> float:
    """In ms; that of a bucket's middle is not above the longest time, which is in it."""
    return min(times.quantiles.quantile(share), times.longest) / MS


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def breakdown(replayed: TraceReplayed) -> dict[str, float]:
    """Where the mean response goes, in ms; parts that took no time are left out."""
    count = replayed.tally.reads.count + replayed.tally.writes.count
    return {name: seconds / count / MS for name, seconds in replayed.breakdown().items() if seconds > 0.0}


def hits(replayed: TraceReplayed) -> dict[str, dict[str, float]]:
    """Of the requests to the cache the shares of hits, late hits and misses; none of those that there are none of."""
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
              for name, op in tables.GROUPS.items() if (times := replayed.tally.of(op)).count}
    if len(groups) == 2:  # all of them, and the only kind there is
        groups = {"all": groups["all"]}
    return [*tables.page({"response": groups}), *_drives(replayed, figures), *_hits(figures["hits"]), *_parts(figures)]


def _drives(replayed: TraceReplayed, figures: Mapping[str, Any]) -> list[str]:
    accesses = figures["accesses"]
    busiest = max(share or 0.0 for share in figures["utilisation"].values())
    lines = ["", f"{accesses['count']:,.0f} disc accesses: service {accesses['service_ms'] or 0.0:.3f} ms, "
                 f"queue {accesses['queue_ms'] or 0.0:.3f} ms; busiest drive {busiest:.1%}"]
    totals = replayed.drive_totals()
    buffer = {name: totals[name] for name in ("buffer_hits", "buffer_late_hits", "buffer_misses") if name in totals}
    if buffer:
        lines.append(", ".join(f"{name.replace('_', ' ')} {count:,.0f}" for name, count in buffer.items()))
    return lines


def _hits(ratios: Mapping[str, Mapping[str, float]]) -> list[str]:
    if not ratios:
        return []
    lines = ["", f"{'cache, of requests':<20}{'requests':>12}{'hits':>9}{'late hits':>11}{'misses':>9}"]
    for name, of in ratios.items():
        lines.append(f"{name:<20}{of['requests']:>12,.0f}{of['hits']:>9.2%}{of['late_hits']:>11.2%}"
                     f"{of['misses']:>9.2%}")
    return lines


def _parts(figures: Mapping[str, Any]) -> list[str]:
    mean = figures["response"]["all"]["mean_ms"]
    bars = [f"{name:>14}{ms:>12.4f}  {'#' * round(BAR * ms / mean)}".rstrip()
            for name, ms in figures["breakdown_ms"].items() if ms >= 0.005 * mean]
    return ["", "where the mean response goes, ms", *bars]
