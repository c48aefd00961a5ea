"""The result of a replay of a trace, its devices and tiers: numbers for JSON, pages of 80 columns, rows of CSV."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from math import fsum, nan
from typing import Any, BinaryIO

from spindle.measures import within_bounds
from spindle.output.text import csv_cell, plural
from spindle.questions.array import ArrayOptions, array_words
from spindle.questions.storage import CacheOptions, FlashTierOptions
from spindle.sim.disc.flash.drive import words_of_wear, write_amplification
from spindle.sim.quantity import common_unit, quantity
from spindle.sim.request import READ, Request
from spindle.sim.units import HOUR, MB, MINUTE, MS
from spindle.studies.plots.terminal import TextLine, drawn_lines
from spindle.traces.replay import page as tables
from spindle.traces.replay.answer import ReplayAnswer
from spindle.traces.replay.load import LoadReplayed
from spindle.traces.replay.replay import DeviceTimes, Times, TraceReplayed, TraceTally
from spindle.traces.replay.tiers import TieredStorage
from spindle.workloads.traces.record import Record

SIMULATED = "simulated"
SHARES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}
"""Shares of the requests that take no longer than each percentile."""
DISTRIBUTION_SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0)
"""Shares of the distribution that is given with the numbers."""
VERSION = 2
"""Of the JSON of answers: raised where a name or a unit changes, with a table in CHANGELOG.md."""
BAR = 34
RATES = 36
"""Characters of a line of rates for its name."""


# Measures by the names of measures.toml: seconds, shares, and counts.

def measures(replayed: TraceReplayed) -> dict[str, float]:
    """Return the numbers of a replay, NaN where there is no value: responses, their phases, hits, and drives."""
    totals, seconds = replayed.drive_totals(), replayed.seconds
    served = totals["completed"]
    services = fsum(totals[part] for part in ("overhead", "seek", "rotation", "transfer", "channel"))
    busy = [_share(drive.busy(), seconds) for drive in replayed.storage.drives.values()]
    count = replayed.tally.all_times.count
    return within_bounds({
        **_spread("responses", "response", replayed.tally.times_of(None)),
        **_spread("reads", "read", replayed.tally.reads), **_spread("writes", "write", replayed.tally.writes),
        **rates(replayed.tally.all_times, seconds), **rates(replayed.tally.reads, seconds, "read_"),
        **rates(replayed.tally.writes, seconds, "write_"), **_rebuild(replayed),
        **{f"part_{name.replace(' ', '_')}": part / count for name, part in replayed.breakdown().items() if part > 0.0},
        **_hit_ratios(replayed.cache_totals()), **_flash(replayed),
        "disc_busy": fsum(busy) / len(busy) if busy else nan, "busiest_disc": max(busy, default=nan),
        "disc_accesses": served, "service_mean": _share(services, served),
        "disc_queue_mean": _share(totals["queue"], served), "makespan": seconds,
        **_amplification(replayed),
    })  # fmt: skip


def _flash(replayed: TraceReplayed) -> dict[str, float]:
    """Return the hits of reads that reach a flash tier, and how busy its drive is; nothing without one."""
    busy = [_share(drive.busy(), replayed.seconds) for drive in replayed.storage.flash_drives]
    hits = _hit_ratios(replayed.tier_totals()).get("hit_ratio", nan)
    return {"flash_hit_ratio": hits, "flash_busy": busy[0]} if busy else {}


def _amplification(replayed: TraceReplayed) -> dict[str, float]:
    """Return the write amplification of flash, of the tier or else of the drives; nothing where none was written."""
    flash = replayed.flash_totals() or replayed.drive_totals()
    return {"write_amplification": write_amplification(flash)} if flash.get("units_written") else {}


def _spread(counted: str, kind: str, times: Times) -> dict[str, float]:
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
    return {f"{prefix}throughput": _share(times.count, seconds), f"{prefix}bandwidth": _share(times.bytes, seconds)}


def _rebuild(replayed: TraceReplayed) -> dict[str, float]:
    """Return how much of failed drives is rebuilt, and how long all of it takes; nothing without a rebuild."""
    totals = replayed.array_totals()
    if not totals.get("bytes_to_rebuild"):
        return {}
    share = totals["rebuilt_bytes"] / totals["bytes_to_rebuild"]
    arrays = sum("rebuilding" in array.reading() for array in replayed.storage.arrays)
    return {"rebuilt_share": share, "rebuild_seconds": _share(totals["rebuilding"] / arrays, share)}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else nan


def _hit_ratios(totals: Mapping[str, float]) -> dict[str, float]:
    """Return the shares of hits and late hits of reads and of writes to the cache, as far as there are any."""
    ratios: dict[str, float] = {}
    for prefix in ("", "write_"):
        hits, late, misses = (totals.get(f"{prefix}{kind}", 0.0) for kind in ("hits", "late_hits", "misses"))
        if requests := hits + late + misses:
            ratios |= {f"{prefix}hit_ratio": hits / requests, f"{prefix}late_hit_ratio": late / requests}
    return ratios


def answer_data(answer: ReplayAnswer, devices: DeviceTimes | None = None) -> dict[str, Any]:
    """Return what was asked and found, for JSON: seconds and bytes."""
    storage = answer.replayed.storage
    tiers = {"tiers": served_data(storage, answer.replayed.seconds)} if isinstance(storage, TieredStorage) else {}
    by_device = {} if devices is None else {"devices": device_data(devices, answer.replayed.seconds)}
    measured = {"measured": measured_data(answer.replayed.tally, devices)} if answer.loop.is_timed else {}
    return {"version": VERSION, "question": answer.head(), **replay_data(answer.replayed), **measured, **tiers,
            **by_device}  # fmt: skip


def load_data(answer: LoadReplayed, devices: DeviceTimes | None = None) -> dict[str, Any]:
    """Return what was asked of a load and found, for JSON: seconds and bytes."""
    by_device = {} if devices is None else {"devices": device_data(devices, answer.replayed.seconds)}
    return {"version": VERSION, "question": answer.head(), **replay_data(answer.replayed), **by_device}


def replay_data(replayed: TraceReplayed) -> dict[str, Any]:
    """Return the measures of a replay, distributions, and the counters of drives, arrays and caches, for JSON."""
    storage, tally = replayed.storage, replayed.tally
    kinds = {"response": tally.all_times, "read": tally.reads, "write": tally.writes}
    return {
        "measures": measures(replayed),
        "distributions": {kind: {f"{share:g}": times.quantile(share) for share in DISTRIBUTION_SHARES}
                          for kind, times in kinds.items() if times.count},
        "drives": {name: {**drive.reading(), "disc_busy": _share(drive.busy(), replayed.seconds)}
                   for name, drive in storage.drives.items()},
        **({"arrays": replayed.array_totals()} if storage.arrays else {}),
        **({"flash": {**replayed.flash_totals(), **replayed.tier_totals()}} if replayed.flash_totals() else {}),
        "caches": {f"cache {name}": cached.reading()
                   for name, cached in zip(storage.drives, storage.caches, strict=False)},
    }  # fmt: skip


# Measured responses of the trace beside the simulated ones, where every request of a group has one.

ERROR = "error, %"


def errors(simulated: Times, measured: Times) -> dict[str, float]:
    """Return the errors of the mean, of percentiles and of the longest, as shares of what was measured; NaN of 0."""
    found, told = (_spread("requests", "response", times) for times in (simulated, measured))
    return {name: _share(found[f"response_{name}"] - told[f"response_{name}"], told[f"response_{name}"])
            for name in RESPONSE_COLUMNS}  # fmt: skip


def is_measured(simulated: Times, measured: Times) -> bool:
    return 0 < simulated.count == measured.count


def measured_data(tally: TraceTally, devices: DeviceTimes | None) -> dict[str, Any]:
    """Return measured responses and the errors of simulated ones, of all requests, by kind, and of each device."""
    kinds = {name: (tally.times_of(op), tally.measured_of(op)) for name, op in tables.GROUPS.items()}
    data: dict[str, Any] = {name: _measured_one(*pair) for name, pair in kinds.items() if is_measured(*pair)}
    found = {} if devices is None else {
        name: {kind: _measured_one(times, devices.measurements_of(name)[kind]) for kind, times in groups.items()
               if is_measured(times, devices.measurements_of(name)[kind])}
        for name, groups in devices.groups().items()}  # fmt: skip
    return {**data, **({"devices": found} if found else {})}


def _measured_one(simulated: Times, measured: Times) -> dict[str, Any]:
    return {**_spread("requests", "measured", measured), "errors": errors(simulated, measured)}


def device_data(devices: DeviceTimes, seconds: float) -> dict[str, dict[str, float]]:
    """Return the measures of the requests of each device, in *seconds*."""
    kinds = (("all", "responses", "response", ""), ("reads", "reads", "read", "read_"),
             ("writes", "writes", "write", "write_"))  # fmt: skip
    return {name: {key: value for kind, counted, spread, rate in kinds
                   for key, value in {**_spread(counted, spread, groups[kind]),
                                      **rates(groups[kind], seconds, rate)}.items()}
            for name, groups in devices.groups().items()}  # fmt: skip


# The same as lines of 80 columns.

def answer_lines(answer: ReplayAnswer, devices: DeviceTimes | None = None) -> list[str]:
    """Return the page of an answer: what was read, on what it was replayed, and what came of it."""
    storage = answer.replayed.storage
    tiers = served_lines(storage, answer.replayed.seconds) if isinstance(storage, TieredStorage) else []
    by_device = [] if devices is None else device_lines(devices, answer.replayed.seconds, answer.loop.is_timed)
    late = _overload(answer.replayed) if answer.loop.is_open else []
    return [*_head(answer), *page(answer.replayed, answer.loop.is_timed), *by_device, *tiers, *late]


def load_lines(answer: LoadReplayed, devices: DeviceTimes | None = None) -> list[str]:
    """Return the page of a load."""
    head, asked = answer.head(), answer.question
    order = f"{head['scheduler']}, NCQ of {head['depth']}" if head["depth"] else head["scheduler"]
    drives = _drives_text(head, asked.array, answer.replayed)
    by_device = [] if devices is None else device_lines(devices, answer.replayed.seconds)
    kept = _cache_text(asked.memory, asked.front)
    return [asked.load.text(), f"{drives}, {order}{kept}{asked.host.text()}", *page(answer.replayed), *by_device,
            *(_overload(answer.replayed) if asked.load.iops else [])]  # fmt: skip


MANY_LEFT = 50
LEFT_SHARE = 0.05
"""A load that drives do not bear leaves so many requests, and so large a share of the time, when the last one comes.

A queue in balance holds about 20 at 95 % utilisation.
"""


def _overload(replayed: TraceReplayed) -> list[str]:
    """Say so where drives do not keep up with requests that come at their times."""
    behind, seconds = replayed.behind, replayed.seconds
    left = behind * replayed.tally.all_times.count / seconds if seconds else 0.0
    if left < MANY_LEFT or behind < LEFT_SHARE * (seconds - behind):
        return []
    done = seconds - behind
    return ["", f"The drives do not keep up: the last request comes after {quantity(done, 's')} and all are done after "
                f"{quantity(seconds, 's')}.", "The longer such a load lasts, the longer its requests take."]


def _drives_text(head: Mapping[str, Any], array: ArrayOptions, replayed: TraceReplayed) -> str:
    kind, many = head["drive"], len(replayed.storage.drives)
    drives = kind if many == 1 else f"{many} drives {kind}"
    if array.raid:
        drives += f" in raid {array.raid}, chunk of {quantity(int(array.chunk), 'bytes')}"
        drives += array_words(head).partition("drives")[2]
    return str(drives)


def _cache_text(memory: CacheOptions, front: FlashTierOptions) -> str:
    size = quantity(int(memory.cache), "bytes")
    tier = f"; flash tier on {front.flash}, {front.flash_policy}, write {front.flash_write}" if front.flash else ""
    return f"; cache of {size}, {memory.policy}, write {memory.write}{tier}" if memory.cache else tier


def _head(answer: ReplayAnswer) -> list[str]:
    head, asked = answer.head(), answer.question
    drives, cache = _drives_text(head, asked.array, answer.replayed), _cache_text(asked.memory, asked.front)
    policy = head.get("policy", asked.memory.policy)
    tiers = f"; tiers {asked.layers.tiers}, {asked.layers.inclusion}, {policy}" if asked.layers.tiers else ""
    arm = f", arm on cylinder {head['head']} at first" if "head" in head else ""
    return [f"{head['trace']}, {head['format']}, {head['loop']} {head['loop_because']}",
            f"{drives}, {head['scheduler']}{arm}{cache}{tiers}{asked.host.text()}"]


def page(replayed: TraceReplayed, compared: bool = False) -> list[str]:
    """Return the responses of a replay in ms, and what drives, cache and phases did; *compared* with measured ones."""
    found = measures(replayed)
    groups = {name: {"requests": times.count, SIMULATED: _in_ms(times),
                     **(_comparison(times, replayed.tally.measured_of(op)) if compared else {})}
              for name, op in tables.GROUPS.items() if (times := replayed.tally.times_of(op)).count}  # fmt: skip
    if len(groups) == 2:  # all of them, and the only kind there is
        groups = {"all": groups["all"]}
    kinds = [(name, replayed.tally.times_of(tables.GROUPS[name])) for name in groups]
    return [*tables.page({"response": groups}), *_rates("throughput", kinds, replayed.seconds),
            *_drives(replayed, found), *_hits(replayed.cache_totals()), *_parts(found)]  # fmt: skip


RESPONSE_COLUMNS = {"mean": "mean_ms", "median": "median_ms", "p95": "p95_ms", "p99": "p99_ms", "p999": "p99.9_ms",
           "p9999": "p99.99_ms", "max": "max_ms"}  # fmt: skip
"""Columns of a table of responses in ms, by measure."""


def _in_ms(times: Times) -> dict[str, float]:
    spread = _spread("requests", "response", times)
    return {column: spread[f"response_{name}"] / MS for name, column in RESPONSE_COLUMNS.items()}


def _comparison(simulated: Times, measured: Times) -> dict[str, dict[str, float]]:
    """Return the rows of measured times and of errors; none where not all were measured."""
    if not is_measured(simulated, measured):
        return {}
    off = {RESPONSE_COLUMNS[name]: 100.0 * error for name, error in errors(simulated, measured).items()}
    return {tables.MEASURED: _in_ms(measured), ERROR: off}


MAX_DEVICES = 20
"""Devices that are shown, those with the most requests."""


def device_lines(devices: DeviceTimes, seconds: float, compared: bool = False) -> list[str]:
    """Return the responses and rates of each device as tables, reads and writes apart; *compared* with measured."""
    groups = devices.groups()
    shown = [(name if kind == "all" else f"  {kind}", times) for name, kinds in [*groups.items()][:MAX_DEVICES]
             for kind, times in kinds.items() if kind == "all" or 0 < times.count < kinds["all"].count]  # fmt: skip
    more = [f"and {plural(len(groups) - MAX_DEVICES, 'device')} more; --json has all"] * (len(groups) > MAX_DEVICES)
    named = [(name or "(no name)", times) for name, times in shown]
    rows = [(name, times.count, _in_ms(times)) for name, times in named]
    return [*tables.rows("response by device, ms", rows), *more, *_rates("throughput by device", named, seconds),
            *(_device_errors(devices) if compared else [])]  # fmt: skip


def _device_errors(devices: DeviceTimes) -> list[str]:
    pairs = [(name or "(no name)", groups["all"], devices.measurements_of(name)["all"])
             for name, groups in [*devices.groups().items()][:MAX_DEVICES]]  # fmt: skip
    rows = [(name, times.count, _comparison(times, measured)[ERROR]) for name, times, measured in pairs
            if is_measured(times, measured)]  # fmt: skip
    return tables.rows("error by device, %", rows) if rows else []


def _rates(what: str, groups: Iterable[tuple[str, Times]], seconds: float) -> list[str]:
    """Return a table of the requests and the megabytes a second of each group."""
    if not seconds:
        return []
    title = f"{what}, of {quantity(seconds, 's')}"
    lines = ["", f"{title:<{RATES}}{'requests/s':>14}{'MB/s':>12}"]
    return [*lines, *(f"{name[:RATES]:<{RATES}}{times.count / seconds:>14,.1f}"
                      f"{times.bytes / seconds / MB:>12,.3f}" for name, times in groups)]  # fmt: skip


def _drives(replayed: TraceReplayed, found: Mapping[str, float]) -> list[str]:
    means = [found[name] for name in ("service_mean", "disc_queue_mean")]
    service, queue = (mean / MS if found["disc_accesses"] else 0.0 for mean in means)
    busy = f"busiest drive {found['busiest_disc']:.1%}"
    if len(replayed.storage.drives) > 1:
        busy = f"drives busy {found['disc_busy']:.1%} on average, the busiest {found['busiest_disc']:.1%}"
    lines = ["", f"{found['disc_accesses']:,.0f} disc accesses: service {service:.3f} ms, queue {queue:.3f} ms; {busy}"]
    lines += _arrays(replayed.array_totals(), found)
    totals = replayed.drive_totals()
    lines += _tier_lines(replayed, found) or words_of_wear(totals)
    buffer = {name: totals[name] for name in ("buffer_hits", "buffer_late_hits", "buffer_misses") if name in totals}
    if buffer:
        lines.append(", ".join(f"{name.replace('_', ' ')} {count:,.0f}" for name, count in buffer.items()))
    return lines


def _tier_lines(replayed: TraceReplayed, found: Mapping[str, float]) -> list[str]:
    """Describe the use of a flash tier in two lines; none without one."""
    if "flash_busy" not in found:
        return []
    kept = replayed.tier_totals()
    return [f"flash tier: {found['flash_hit_ratio']:.2%} hits of the reads that reached it, "
            f"{kept['written_back']:,.0f} blocks written back; its drive busy {found['flash_busy']:.1%}",
            *words_of_wear(replayed.flash_totals())]  # fmt: skip


def _arrays(totals: Mapping[str, float], found: Mapping[str, float]) -> list[str]:
    """Describe how writes to arrays with parity brought it up to date, and what failures of drives cost."""
    lines = []
    if "full_writes" in totals:
        lines.append(f"rows of arrays: {totals['full_writes']:,.0f} written in full, "
                     f"{totals['read_modify_writes']:,.0f} by read-modify-write, "
                     f"{totals['reconstruct_writes']:,.0f} by reconstruct-write")  # fmt: skip
    if totals.get("degraded_reads") or totals.get("rebuilt_bytes"):
        lines.append(f"drives that failed: {totals['degraded_reads']:,.0f} reads computed from the others, "
                     f"{totals['rebuilt_bytes'] / MB:,.1f} MB rebuilt")  # fmt: skip
    if share := found.get("rebuilt_share"):
        takes = quantity(found["rebuild_seconds"], "s", shown_in=_clock(found["rebuild_seconds"]))
        lines.append(f"rebuild: all done after {takes}" if share == 1.0 else
                     f"rebuild: {share:.3g} of it done; at this speed all is done after {takes}")
    if totals.get("read_errors"):
        lines.append(f"unrecoverable read errors: {totals['read_errors']:,.0f}; {totals['corrected']:,.0f} corrected, "
                     f"{totals['lost']:,.0f} lost")  # fmt: skip
    return lines


def _clock(seconds: float) -> str:
    """Return the unit in which a long time is read best."""
    return "h" if seconds >= 2 * HOUR else "min" if seconds >= 2 * MINUTE else "s"


def _hits(totals: Mapping[str, float]) -> list[str]:
    """Return a line for reads and one for writes to the cache, as far as there are any."""
    lines = []
    for name, prefix in (("reads", ""), ("writes", "write_")):
        counts = [totals.get(f"{prefix}{kind}", 0.0) for kind in ("hits", "late_hits", "misses")]
        if requests := sum(counts):
            hits, late, misses = (count / requests for count in counts)
            lines.append(f"{name:<20}{requests:>12,.0f}{hits:>9.2%}{late:>11.2%}{misses:>9.2%}")
    return ["", f"{'cache, of requests':<20}{'requests':>12}{'hits':>9}{'late hits':>11}{'misses':>9}", *lines] \
        if lines else []  # fmt: skip


def _parts(found: Mapping[str, float]) -> list[str]:
    mean = found.get("response_mean", nan)
    parts = {name.removeprefix("part_").replace("_", " "): value for name, value in found.items()
             if name.startswith("part_") and value >= 0.005 * mean}  # fmt: skip
    bars = [f"{name:>14}{value / MS:>12.4f}  {'#' * round(BAR * value / mean)}".rstrip()
            for name, value in parts.items()]  # fmt: skip
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
            lines.append(TextLine(name, [(times.quantile(share), share) for share in shares], 10))
    ends = [quantity(end(x for line in lines for x, _ in line.points), "s", 3) for end in (min, max)]
    return "\n".join(["share of requests that take no longer",
                      *drawn_lines(lines, width, (ends[0], ends[1]), "response time", "1")])  # fmt: skip


# The use of tiers.

def served_data(storage: TieredStorage, seconds: float) -> list[dict[str, Any]]:
    """Return the use of each tier in a replay of *seconds*, and of the drives below: shares of references."""
    below = sum(drive.below for drive in storage.caches)
    count = max(1, below + sum(server.answered for server in storage.servers))
    tiers = [{"blocks": server.tier.blocks, "seconds": server.tier.seconds, "share": server.answered / count,
              "utilisation": server.busy / seconds if seconds else 0.0,
              "queue_seconds": server.waited / server.asked if server.asked else 0.0} for server in storage.servers]
    return [*tiers, {"share": below / count}]


def served_lines(storage: TieredStorage, seconds: float) -> list[str]:
    lines = ["", f"{'tiers':<24}{'time':>12}{'share':>12}{'busy':>10}{'mean queue':>14}"]
    *tiers, below = served_data(storage, seconds)
    time, queue = (common_unit([each[name] for each in tiers], "s") for name in ("seconds", "queue_seconds"))
    for each in tiers:
        room = quantity(each["blocks"] * storage.block, "bytes")
        lines.append(f"{room:<24}{quantity(each['seconds'], 's', shown_in=time):>12}{each['share']:>12.2%}"
                     f"{each['utilisation']:>10.1%}{quantity(each['queue_seconds'], 's', shown_in=queue):>14}")
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
