"""Shows a replay as text of 80 columns: responses, rates, drives, cache, phases, devices and tiers."""

from collections.abc import Iterable, Mapping
from math import isnan, nan
from typing import Any

from spindle.output.text import plural
from spindle.questions.array import ArrayOptions, array_words
from spindle.questions.settings import texts_of, unusual_fields
from spindle.questions.storage import CacheOptions, DriveOptions, FlashTierOptions
from spindle.sim.disc.flash.drive import words_of_wear
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.raid.layout import CHUNK
from spindle.sim.quantity import common_unit, quantity
from spindle.sim.units import HOUR, MB, MINUTE, MS
from spindle.studies.plots.terminal import TextLine, drawn_lines
from spindle.traces.replay import page as tables
from spindle.traces.replay.answer import ReplayAnswer, sheet_of
from spindle.traces.replay.data import errors, is_measured, served_data
from spindle.traces.replay.load import LoadReplayed
from spindle.traces.replay.load_question import LoadQuestion
from spindle.traces.replay.measures import measures, spread_of
from spindle.traces.replay.question import ReplayQuestion
from spindle.traces.replay.replay import DeviceTimes, Times, TraceReplayed, TraceTally, totals_of
from spindle.traces.replay.tiers import TieredStorage

SIMULATED = "simulated"
ERROR = "error, %"
"""Heads of columns."""
BAR_WIDTH = 34
"""Characters of a bar as long as the mean response."""
NAME_WIDTH = 36
"""Characters for the name in a line of rates."""


def answer_lines(answer: ReplayAnswer, devices: DeviceTimes | None = None) -> list[str]:
    """Return the text of an answer: the trace, the storage on which it was replayed, and the results."""
    storage = answer.replayed.storage
    tiers = served_lines(storage, answer.replayed.seconds) if isinstance(storage, TieredStorage) else []
    by_device = [] if devices is None else device_lines(devices, answer.replayed.seconds, answer.loop.is_timed)
    late = _overload(answer.replayed) if answer.loop.is_open else []
    return [*_head(answer), *_others(answer.question), *answer.idle, *page(answer.replayed, answer.loop.is_timed),
            *by_device, *tiers, *_hindrance(answer.question.device, answer.replayed), *late]  # fmt: skip


def load_lines(answer: LoadReplayed, devices: DeviceTimes | None = None) -> list[str]:
    head, asked = answer.head(), answer.question
    order = f"{head['scheduler']}, NCQ of {head['depth']}" if head["depth"] else head["scheduler"]
    drives = _drives_text(head, asked.array, answer.replayed)
    by_device = [] if devices is None else device_lines(devices, answer.replayed.seconds)
    kept = _cache_text(asked.memory, asked.front)
    return [asked.load.text(), f"{drives}, {order}{kept}{asked.host.text()}", *_others(asked),
            *answer.idle, *page(answer.replayed), *by_device, *_no_read_ahead(asked),
            *_hindrance(asked.device, answer.replayed),
            *(_overload(answer.replayed) if asked.load.iops else [])]  # fmt: skip


NOT_NAMED = ("bus", "wrap", "filled", "foreground", "sleep_after", "wake", "stall_every", "stall", "network_latency",
             "network_rate", "ure", "block", "flash_size", "flash_block")  # fmt: skip
"""Options that the line on drives does not name."""


def _others(asked: ReplayQuestion | LoadQuestion) -> list[str]:
    """Return a line with options that were given and that the line on drives does not name; none without such."""
    given = unusual_fields(asked.device, asked.array, asked.memory, asked.front)
    words = texts_of(type(asked), {name: given[name] for name in NOT_NAMED if name in given})
    return [f"with {', '.join(words)}"] if words else []



def _hindrance(device: DriveOptions, replayed: TraceReplayed) -> list[str]:
    """Say so where drives that may sleep or stall never did."""
    totals = totals_of(replayed.storage.drives.values())
    slept = device.sleep_after and not totals.get("wakes")
    stalled = device.stall_every and not totals.get("stalls")
    return [*(["", f"No drive slept: none was idle for {quantity(device.sleep_after, 's')}."] if slept else []),
            *(["", f"No drive stalled: none had {device.stall_every:,} requests."] if stalled else [])]  # fmt: skip


def _no_read_ahead(asked: LoadQuestion) -> list[str]:
    """Say so where reads in sequence are of parts of what a die senses at once, which real drives read ahead."""
    sheet, load = sheet_of(asked.device).disc, asked.load
    if not isinstance(sheet, FlashType) or load.random == 1.0 or load.writes == 1.0:
        return []
    whole = sheet.stripe * sheet.unit
    return [] if load.size >= whole else [
        "", f"Reads in sequence of less than {quantity(whole, 'bytes')} are slower here than on a real drive, whose "
            "controller reads ahead."]  # fmt: skip


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
        mirror = "" if array.chunk == CHUNK else ", which has no chunks"
        drives += f" in raid {array.raid}"
        drives += mirror if array.raid == "1" else f", chunk of {quantity(int(array.chunk), 'bytes')}"
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
              for name, op in tables.BY_OPERATION.items() if (times := replayed.tally.times_of(op)).count}  # fmt: skip
    if len(groups) == 2:  # all of them, and the only kind there is
        groups = {"all": groups["all"]}
    kinds = [(name, replayed.tally.times_of(tables.BY_OPERATION[name])) for name in groups]
    return [*tables.page({"response": groups}), *_rates("throughput", kinds, replayed.seconds),
            *_drives(replayed, found), *_hits(totals_of(replayed.storage.caches)), *_phases(found)]  # fmt: skip


TIME_COLUMNS = {"mean": "mean_ms", "median": "median_ms", "p95": "p95_ms", "p99": "p99_ms", "p999": "p99.9_ms",
           "p9999": "p99.99_ms", "max": "max_ms"}  # fmt: skip
"""Columns of a table of responses in ms, by measure."""


def _in_ms(times: Times) -> dict[str, float]:
    spread = spread_of("requests", "response", times)
    return {column: spread[f"response_{name}"] / MS for name, column in TIME_COLUMNS.items()}


def _comparison(simulated: Times, measured: Times) -> dict[str, dict[str, float]]:
    """Return the rows of measured times and of errors; none where not all were measured."""
    if not is_measured(simulated, measured):
        return {}
    off = {TIME_COLUMNS[name]: 100.0 * error for name, error in errors(simulated, measured).items()}
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
    lines = ["", f"{title:<{NAME_WIDTH}}{'requests/s':>14}{'MB/s':>12}"]
    return [*lines, *(f"{name[:NAME_WIDTH]:<{NAME_WIDTH}}{times.count / seconds:>14,.1f}"
                      f"{times.bytes / seconds / MB:>12,.3f}" for name, times in groups)]  # fmt: skip


def _drives(replayed: TraceReplayed, found: Mapping[str, float]) -> list[str]:
    means = [found[name] for name in ("service_mean", "disc_queue_mean")]
    service, queue = (mean / MS if found["disc_accesses"] else 0.0 for mean in means)
    busiest = _share(found["busiest_disc"])
    busy = f"busiest drive {busiest}"
    if len(replayed.storage.drives) > 1:
        busy = f"drives busy {_share(found['disc_busy'])} on average, the busiest {busiest}"
    lines = ["", f"{found['disc_accesses']:,.0f} disc accesses: service {service:.3f} ms, queue {queue:.3f} ms; {busy}"]
    lines += _arrays(totals_of(replayed.storage.arrays), found)
    totals = totals_of(replayed.storage.drives.values())
    lines += _tier_lines(replayed, found) or words_of_wear(totals)
    if totals.get("wakes") or totals.get("stalls"):
        woke, stalled = (plural(int(totals[name]), "time") for name in ("wakes", "stalls"))
        lines.append(f"drives woke {woke}, and stalled {stalled}")
    buffer = {name: totals[name] for name in ("buffer_hits", "buffer_late_hits", "buffer_misses") if name in totals}
    if buffer:
        lines.append(", ".join(f"{name.replace('_', ' ')} {count:,.0f}" for name, count in buffer.items()))
    return lines


def _share(value: float, digits: int = 1) -> str:
    """Return a share in percent; ``n/a`` where there is nothing of which it is one: no read, or no time."""
    return "n/a" if isnan(value) else f"{value:.{digits}%}"


def _tier_lines(replayed: TraceReplayed, found: Mapping[str, float]) -> list[str]:
    """Describe the use of a flash tier in two lines; none without one."""
    if "flash_busy" not in found:
        return []
    kept = totals_of(replayed.storage.flash_tiers)
    return [f"flash tier: {_share(found['flash_hit_ratio'], 2)} hits of the reads that reached it, "
            f"{kept['written_back']:,.0f} blocks written back; its drive busy {_share(found['flash_busy'])}",
            *words_of_wear(totals_of(replayed.storage.flash_drives))]  # fmt: skip


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


def _phases(found: Mapping[str, float]) -> list[str]:
    mean = found.get("response_mean", nan)
    phases = {name.removeprefix("part_").replace("_", " "): value for name, value in found.items()
             if name.startswith("part_") and value >= 0.005 * mean}  # fmt: skip
    bars = [f"{name:>14}{value / MS:>12.4f}  {'#' * round(BAR_WIDTH * value / mean)}".rstrip()
            for name, value in phases.items()]  # fmt: skip
    return ["", "where the mean response goes, ms", *bars]


POINTS = 100
"""Points of a distribution in a terminal."""


def response_text(tally: TraceTally, width: int) -> str:
    """Draw the share of requests that took no longer than a time, *width* columns wide."""
    lines = []
    for name, op in tables.BY_OPERATION.items():
        times = tally.times_of(op)
        if op is not None and times.count:
            shares = [(place + 0.5) / POINTS for place in range(POINTS)]
            lines.append(TextLine(name, [(times.quantile(share), share) for share in shares], 10))
    ends = [quantity(end(x for line in lines for x, _ in line.points), "s", 3) for end in (min, max)]
    return "\n".join(["share of requests that take no longer",
                      *drawn_lines(lines, width, (ends[0], ends[1]), "response time", "1")])  # fmt: skip


def served_lines(storage: TieredStorage, seconds: float) -> list[str]:
    lines = ["", f"{'tiers':<24}{'time':>12}{'share':>12}{'busy':>10}{'mean queue':>14}"]
    *tiers, below = served_data(storage, seconds)
    time, queue = (common_unit([each[name] for each in tiers], "s") for name in ("seconds", "queue_seconds"))
    for tier in tiers:
        room = quantity(tier["blocks"] * storage.block, "bytes")
        lines.append(f"{room:<24}{quantity(tier['seconds'], 's', shown_in=time):>12}{tier['share']:>12.2%}"
                     f"{tier['utilisation']:>10.1%}{quantity(tier['queue_seconds'], 's', shown_in=queue):>14}")
    return [*lines, f"{'drives':<24}{'':>12}{below['share']:>12.2%}"]
