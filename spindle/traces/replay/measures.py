"""Computes the measures of a replay, under the names of measures.toml: seconds, shares and counts."""

from collections.abc import Mapping
from math import fsum, nan

from spindle.measures import within_bounds
from spindle.sim.disc.flash.drive import write_amplification
from spindle.sim.measure.result import ratio
from spindle.sim.request import SERVICE_PHASES
from spindle.traces.replay.replay import Times, TraceReplayed, totals_of

SHARES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}
"""The percentiles that are measured, each with its share of the requests."""


def measures(replayed: TraceReplayed) -> dict[str, float]:
    """Return the numbers of a replay, NaN where there is no value: responses, their phases, hits, and drives."""
    totals, seconds = totals_of(replayed.storage.drives.values()), replayed.seconds
    served = totals["completed"]
    services = fsum(totals[phase] for phase in SERVICE_PHASES)
    busy = [ratio(drive.busy(), seconds) for drive in replayed.storage.drives.values()]
    count = replayed.tally.all_times.count
    return within_bounds({
        **spread_of("responses", "response", replayed.tally.times_of(None)),
        **spread_of("reads", "read", replayed.tally.reads), **spread_of("writes", "write", replayed.tally.writes),
        **rates(replayed.tally.all_times, seconds), **rates(replayed.tally.reads, seconds, "read_"),
        **rates(replayed.tally.writes, seconds, "write_"), **_rebuild(replayed),
        **{f"part_{name.replace(' ', '_')}": part / count for name, part in replayed.breakdown().items() if part > 0.0},
        **_hit_ratios(totals_of(replayed.storage.caches)), **_flash(replayed),
        "disc_busy": fsum(busy) / len(busy), "busiest_disc": max(busy), "disc_accesses": served,
        "service_mean": ratio(services, served), "disc_queue_mean": ratio(totals["queue"], served),
        "makespan": seconds, **_amplification(replayed),
    })  # fmt: skip


def _flash(replayed: TraceReplayed) -> dict[str, float]:
    """Return the hits of reads that reach a flash tier, and how busy its drive is; nothing without one."""
    busy = [ratio(drive.busy(), replayed.seconds) for drive in replayed.storage.flash_drives]
    hits = _hit_ratios(totals_of(replayed.storage.flash_tiers)).get("hit_ratio", nan)
    return {"flash_hit_ratio": hits, "flash_busy": busy[0]} if busy else {}


def _amplification(replayed: TraceReplayed) -> dict[str, float]:
    """Return the write amplification of flash, of the tier or else of the drives; nothing where none was written."""
    flash = totals_of(replayed.storage.flash_drives) or totals_of(replayed.storage.drives.values())
    return {"write_amplification": write_amplification(flash)} if flash.get("units_written") else {}


def spread_of(counted: str, kind: str, times: Times) -> dict[str, float]:
    """Return the number of requests, and mean, percentiles and maximum of their responses; only the number for none."""
    if not times.count:
        return {counted: 0.0}
    return {counted: float(times.count), f"{kind}_mean": times.sum / times.count,
            **{f"{kind}_{name}": times.quantile(share) for name, share in SHARES.items()},
            f"{kind}_max": times.longest}  # fmt: skip


def rates(times: Times, seconds: float, prefix: str = "") -> dict[str, float]:
    """Return the requests and the bytes of *times* a second, of *seconds*; nothing where there are none."""
    if prefix and not times.count:
        return {}
    return {f"{prefix}throughput": ratio(times.count, seconds), f"{prefix}bandwidth": ratio(times.bytes, seconds)}


def _rebuild(replayed: TraceReplayed) -> dict[str, float]:
    """Return how much of failed drives is rebuilt, and how long all of it takes; nothing without a rebuild."""
    totals = totals_of(replayed.storage.arrays)
    if not totals.get("bytes_to_rebuild"):
        return {}
    share = totals["rebuilt_bytes"] / totals["bytes_to_rebuild"]
    arrays = sum("rebuilding" in array.reading() for array in replayed.storage.arrays)
    return {"rebuilt_share": share, "rebuild_seconds": ratio(totals["rebuilding"] / arrays, share)}


def _hit_ratios(totals: Mapping[str, float]) -> dict[str, float]:
    """Return the shares of hits and late hits of reads and of writes to the cache, as far as there are any."""
    ratios: dict[str, float] = {}
    for prefix in ("", "write_"):
        hits, late, misses = (totals.get(f"{prefix}{kind}", 0.0) for kind in ("hits", "late_hits", "misses"))
        if requests := hits + late + misses:
            ratios |= {f"{prefix}hit_ratio": hits / requests, f"{prefix}late_hit_ratio": late / requests}
    return ratios
