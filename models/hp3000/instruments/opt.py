"""Writes a log as OPT and MPEDCP (MPE Data Collection Program), HP's performance tools, did: as pages and as rows.

It has, for each minute of a run, the states of the CPU, process stops, discs, memory, tables and cache.

McBride & Boles 1983 ran "with OPT and MPEDCP enabled with logging at 60-second intervals", described in the sections
TEPE and Disc Caching Into Battle, and had statistics "with variable granularity: global total, global by interval,
logical device level". How its pages looked is not known.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from math import floor, fsum, inf, isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING

from spindle.models.hp3000.caching.competition import TwoMemories
from spindle.models.hp3000.caching.control import CacheSettings
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.instruments.show_cache import ShowCacheTable, percent, show_window
from spindle.models.hp3000.memory import SegmentKind, SegmentManager
from spindle.models.hp3000.parameters import MpeParameters
from spindle.output.files import write_whole
from spindle.sim.error import UserError
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Window
from spindle.sim.measure.observer import Observer
from spindle.sim.measure.result import difference, ratio
from spindle.sim.memory import SharedMemory
from spindle.sim.parts import agree
from spindle.sim.units import KIB, MINUTE, MS

if TYPE_CHECKING:
    import pandas as pd


# One interval of OPT's log, worked out from what the parts of the machine counted in it.

DISC_COUNTERS = ("reads", "writes", "busy", "number_seconds", "bytes_read", "bytes_written")
PAUSED_OR_IDLE = ("paused_disc", "paused_swap", "idle")


@dataclass(frozen=True)
class OptInstant:
    """The state at the end of an interval: bytes in memory by process, and segments *present* in memory and in all."""

    working_sets: Mapping[str, int]
    present: Mapping[SegmentKind, int]
    segments: Mapping[SegmentKind, int]
    settings: CacheSettings | None


def moment(machine: Machine) -> OptInstant:
    """Read the state of *machine* now. A working set is a process's own segments, without shared ones."""
    manager = machine.parts["segments"]
    assert isinstance(manager, SegmentManager)
    working_sets: dict[str, int] = {}
    present, segments = dict.fromkeys(SegmentKind, 0), dict.fromkeys(SegmentKind, 0)
    for segment in manager.segments:
        segments[segment.kind] += 1
        present[segment.kind] += segment.present
        if segment.owner:
            working_sets[segment.owner] = working_sets.get(segment.owner, 0) + segment.size * segment.present
    settings = [part.control.settings for part in machine.parts.values() if isinstance(part, DiscCache)]
    return OptInstant(working_sets, present, segments, settings[0] if settings else None)


@dataclass(frozen=True)
class OptInterval:
    """One interval of the log, from *since* to *until*, with the growth of *counters* in it.

    *costs* has the CPU times of this machine.
    """

    since: float
    until: float
    counters: Mapping[str, float]
    moment: OptInstant
    costs: MpeParameters

    @property
    def seconds(self) -> float:
        return self.until - self.since

    def rate(self, counter: str) -> float:
        """Return *counter* a second: the mean of an integral over time, the share of busy seconds."""
        return self.counters[counter] / self.seconds

    def _rates_of(self, part: str, counter: str) -> list[float]:
        """Return the rate of *counter* of each part named *part* and a number from 1 on."""
        names = [f"{part}{number}.{counter}" for number in range(1, self.costs.discs + 1)]
        return [self.rate(name) for name in names if name in self.counters]

    def cpu(self) -> dict[str, float]:
        """Return the share of the interval in each state of the CPU; they add up to 1.

        Dispatching is interrupts, and one dispatch for each answer begun, impede (wait for a lock), and I/O of an
        uncached disc. Dispatches for a cached disc count for the cache manager.
        """
        counted = ("desk.inquiries", "data_base.lock_impedes", "dispatcher.disc_stops")
        work = self.rate("cpu.busy_cpu")
        dispatching = min(work, self.costs.dispatch * fsum(map(self.rate, counted)))
        return {
            "processes": work - dispatching,
            "dispatching": dispatching + self.rate("cpu.busy_interrupt"),
            "memory_manager": self.rate("cpu.busy_manager"),
            "cache_manager": self.rate("cpu.busy_cache"),
            **{name: self.rate(f"dispatcher.{name}") for name in PAUSED_OR_IDLE},
        }

    def stops(self) -> dict[str, float]:
        """Process stops a second by cause: an uncached disc, a cached one, an absent segment, the data base's lock."""
        return {
            "disc": self.rate("dispatcher.disc_stops"), "cache": fsum(self._rates_of("cache", "stops")),
            "absence": self.rate("segments.faults"), "impede": self.rate("data_base.lock_impedes"),
        }  # fmt: skip

    def causes(self) -> dict[str, float]:
        """Disc I/Os begun a second by cause: processes on uncached discs, fetches, posts, the memory manager."""
        return {
            "users": self.rate("dispatcher.disc_stops"), "fetches": fsum(self._rates_of("cache", "fetches")),
            "posts": self.counters.get("posting.posted", 0.0) / self.seconds,
            "manager": self.rate("segments.faults") + self.rate("segments.swap_writes"),
        }  # fmt: skip

    def ldevs(self) -> list[dict[str, float]]:
        """Each disc: rates a second, share of time busy, mean number of requests there, milliseconds a request."""
        return [_disc(each) for each in zip(*(self._rates_of("drive", name) for name in DISC_COUNTERS), strict=True)]

    def discs(self) -> dict[str, float]:
        """Return the numbers of all discs together; ``busy`` is their mean."""
        together = _disc([fsum(self._rates_of("drive", name)) for name in DISC_COUNTERS])
        return {**together, "busy": together["busy"] / self.costs.discs}

    def memory(self) -> dict[str, float]:
        """Return mean bytes by kind of region; they add up to the machine's memory."""
        return {
            "mpe": float(self.costs.resident),
            **{kind.value: self.rate(f"segments.{kind.value}_byte_seconds") for kind in SegmentKind},
            "cache_domains": fsum(self._rates_of("cache", "byte_seconds")),
            "free": self.costs.available - self.rate("memory.used_seconds"),
        }

    def tables(self) -> dict[str, float]:
        """Return mean numbers of entries in use; segments are counted at the end. The tables have no limits here."""
        present = {f"{kind.value}_segments": float(self.moment.present[kind]) for kind in SegmentKind}
        return {
            "sessions": self.rate("desk.logged_on_seconds"),
            "inquiries": self.rate("desk.waiting_seconds"),
            "disc_requests": fsum(self._rates_of("drive", "number_seconds")),
            **present,
            "cache_domains": fsum(self._rates_of("cache", "domain_seconds")),
            "posts": self.counters.get("posting.pending_seconds", 0.0) / self.seconds,
        }

    def cache_table(self) -> ShowCacheTable | None:
        """Return the table of SHOWCACHE for the interval; None without disc caching."""
        settings = self.moment.settings
        if settings is None:
            return None
        return show_window(self.counters, self.seconds, settings, self.costs.memory)

    def check(self) -> None:
        """Raise LawBroken where states or regions do not add up."""
        cpu, memory, terms = fsum(self.cpu().values()), fsum(self.memory().values()), self.counters["cpu.bursts"]
        agree("OPT: states of the CPU against the interval", cpu * self.seconds, self.seconds, terms, self.until)
        agree("OPT: kinds of region against memory", memory, self.costs.memory, terms, self.until)

    def row(self) -> dict[str, float]:
        """Return all numbers of the interval except those of working sets and of each LDEV (disc)."""
        groups = {
            "cpu": self.cpu(), "stops": self.stops(), "disc": self.discs(), "disc_for": self.causes(),
            "memory": self.memory(), "table": self.tables(), "data_base": self.data_base(), "cache": self._cache(),
        }  # fmt: skip
        named = {f"{group}_{name}": value for group, values in groups.items() for name, value in values.items()}
        return {"since": self.since, "until": self.until, "responses": self.rate("desk.responses"), **named}

    def data_base(self) -> dict[str, float]:
        """Return calls and blocks read a second, and the shares of time with the lock held and of buffer hits."""
        found, read = self.rate("data_base.buffer_hits"), self.rate("data_base.block_reads")
        return {
            "calls": self.rate("data_base.calls"), "block_reads": read, "lock_held": self.rate("data_base.lock_held"),
            "buffer_hits": ratio(found, found + read),
        }  # fmt: skip

    def _cache(self) -> dict[str, float]:
        table = self.cache_table()
        if table is None:
            return {}
        total = table.total
        return {
            "requests": total.requests / self.seconds, "read_hit": total.read_hit, "write_hit": total.write_hit,
            "read_share": total.read_share, "eliminated": table.eliminated,
        }  # fmt: skip


def _disc(rates: Sequence[float]) -> dict[str, float]:
    reads, writes, busy, number, read, written = rates
    requests = reads + writes
    return {
        "reads": reads, "writes": writes, "busy": busy, "queue": number,
        "service_ms": ratio(busy, requests) / MS, "response_ms": ratio(number, requests) / MS,
        "bytes": read + written,
    }  # fmt: skip


# A page of OPT's log as an operator would read it: one interval, 80 columns.

OPT_WIDTH = 80

STATE_HEADS = {
    "processes": "processes", "dispatching": "dispatch", "memory_manager": "mem mgr", "cache_manager": "cache mgr",
    "paused_disc": "disc pause", "paused_swap": "swap pause", "idle": "idle",
}  # fmt: skip
STATE_LETTERS = dict(zip(STATE_HEADS, "PDMC=~ ", strict=True))
"""Letter of each state of the CPU in a bar of text, from busy to idle."""

REGION_HEADS = {
    "mpe": "MPE", "code": "code", "stack": "stacks", "extra_data": "extra data", "cache_domains": "domains",
    "free": "free",
}  # fmt: skip

TABLE_HEADS = {
    "sessions": "sessions", "inquiries": "inquiries", "disc_requests": "disc reqs", "posts": "posts",
    "code_segments": "code segs", "stack_segments": "stacks", "extra_data_segments": "data segs",
}  # fmt: skip
"""Headings of the tables: mean entries, except for segments, which are counted at the end of the interval."""


def page(number: int, interval: OptInterval) -> str:
    sections = [title(f"interval {number}", interval), cpu_states(interval), _stops(interval), _discs(interval),
             memory_regions(interval), _tables(interval)]  # fmt: skip
    table = interval.cache_table()
    return "\n\n".join(sections if table is None else [*sections, f"SHOWCACHE\n{table.text()}"])


def title(name: str, interval: OptInterval) -> str:
    when = f"minute {interval.since / MINUTE:.2f} to {interval.until / MINUTE:.2f}"
    return f"{f'OPT LOG, {name}':<{OPT_WIDTH - len(when)}}{when}\n{'=' * OPT_WIDTH}"


def cpu_states(interval: OptInterval) -> str:
    """Return the share of each state of the CPU, in percent and as a bar of text."""
    shares = interval.cpu()
    heads = "".join(f"{name:>11}" for name in STATE_HEADS.values())
    percents = "".join(f"{STATE_LETTERS[name]:>4}{100 * shares[name]:7.1f}" for name in STATE_HEADS)
    return f"CPU{heads}\n{'%':<3}{percents}\n|{bar(shares, OPT_WIDTH - 2)}|"


def bar(shares: Mapping[str, float], width: int) -> str:
    """Draw *shares*, which add up to 1, as *width* letters; each ends where its running sum does."""
    drawn, reached = "", 0.0
    for name, letter in STATE_LETTERS.items():
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
    """Return the text of each of *numbers* by name, and of their sum."""
    each = ", ".join(f"{name} {rate:.1f}" for name, rate in numbers.items())
    return f"{each}, all {fsum(numbers.values()):.1f}"


def _discs(interval: OptInterval) -> str:
    lines = [disc_line(str(number), each) for number, each in enumerate(interval.ldevs(), 1)]
    return "\n".join([DISC_HEAD, *lines, disc_line("all", interval.discs())])


DISC_HEAD = f"{'LDEV':<6}" + "".join(
    f"{name:>10}" for name in ("reads/s", "writes/s", "K-bytes/s", "busy %", "queue", "service", "response")
)


def disc_line(name: str, disc: Mapping[str, float]) -> str:
    times = "".join(f"{_tenths(disc[each]):>10}" for each in ("service_ms", "response_ms"))
    return (
        f"{name:>4}  {disc['reads']:10.2f}{disc['writes']:10.2f}{disc['bytes'] / KIB:10.1f}{100 * disc['busy']:10.1f}"
        f"{disc['queue']:10.2f}{times}"
    )


def memory_regions(interval: OptInterval) -> str:
    """Return a table of the mean bytes of each kind of region."""
    memory = interval.memory()
    head = f"{'MEMORY':<10}" + "".join(f"{name:>11}" for name in REGION_HEADS.values())
    return f"{head}\n{'K-bytes':<10}" + "".join(f"{memory[name] / KIB:11.0f}" for name in REGION_HEADS)


def _tables(interval: OptInterval) -> str:
    tables, moment = interval.tables(), interval.moment
    held = sorted(moment.working_sets.items(), key=lambda each: -each[1])
    mean = sum(size for _, size in held) / len(held) if held else 0.0
    largest = f", largest {held[0][0][-13:]} {held[0][1] / KIB:.0f}" if held else ""
    means = "".join(f"{tables[name]:10.1f}" for name in TABLE_HEADS if not name.endswith("_segments"))
    segments = "".join(f"{f'{moment.present[kind]}/{moment.segments[kind]}':>10}" for kind in SegmentKind)
    return (
        f"{'TABLES':<10}{''.join(f'{name:>10}' for name in TABLE_HEADS.values())}\n"
        f"{'in use':<10}{means}{segments}\n\n"
        f"WORKING SETS  {len(held)} processes, mean {mean / KIB:.0f} K-bytes{largest}"
    )


def _tenths(number: float) -> str:
    return "-" if isnan(number) else f"{number:.1f}"


# The global page of OPT's log: all intervals together, and a line of each: CPU, memory, disc I/O, cache.

SHORT_STATE_HEADS = {
    "processes": "proc", "dispatching": "disp", "memory_manager": "memm", "cache_manager": "cache",
    "paused_disc": "disc", "paused_swap": "swap", "idle": "idle",
}  # fmt: skip
"""Short names of the CPU's states, for heads of narrow columns."""


def total(intervals: Sequence[OptInterval]) -> OptInterval:
    """Join *intervals*, which follow one another, into one that ends as the last one does."""
    first, last = intervals[0], intervals[-1]
    counters = {name: fsum(each.counters[name] for each in intervals) for name in first.counters}
    return OptInterval(first.since, last.until, counters, last.moment, last.costs)


def global_page(intervals: Sequence[OptInterval]) -> str:
    """Return the page of all *intervals*, at least one, 80 columns wide."""
    together = total(intervals)
    together.check()
    sections = [title("global total", together), cpu_states(together), _management(together), _all_discs(together),
             _cache(together), _by_interval(intervals, together)]  # fmt: skip
    return "\n\n".join(each for each in sections if each)


def _management(interval: OptInterval) -> str:
    """Return the lines of memory management; pressure is the memory manager's share of the CPU."""
    shares = interval.cpu()
    faults, swaps = (interval.rate(f"segments.{name}") for name in ("faults", "swap_writes"))
    return (
        f"MEMORY MGMT   faults/s {faults:.1f}, swap writes/s {swaps:.1f}, "
        f"pressure {100 * shares['memory_manager']:.1f}%, swap pause {100 * shares['paused_swap']:.1f}%\n"
        f"{memory_regions(interval)}"
    )


def _all_discs(interval: OptInterval) -> str:
    lines = [f"DISC I/O/s    {rates(interval.causes())}", DISC_HEAD, disc_line("all", interval.discs())]
    if "image_log.writes" in interval.counters:
        records, writes = (interval.rate(f"image_log.{name}") for name in ("records", "writes"))
        waiting = interval.rate("image_log.wait_seconds")
        lines.append(f"IMAGE LOG     records/s {records:.2f}, writes/s {writes:.2f}, callers that wait {waiting:.3f}")
    return "\n".join(lines)


def _cache(interval: OptInterval) -> str:
    """Return the lines of disc caching; empty without it."""
    table = interval.cache_table()
    if table is None:
        return ""
    row = table.total
    return (
        f"CACHE         requests/s {row.requests / interval.seconds:.1f}, read hits {percent(row.read_hit)}%, "
        f"reads {percent(row.read_share)}%, I/Os eliminated {percent(table.eliminated)}%\n"
        f"{'':<14}domains {row.domains:.0f} of {_tenths(ratio(row.kbytes, row.domains))} K-bytes, "
        f"{row.kbytes:.0f} K-bytes in all"
    )


def _by_interval(intervals: Sequence[OptInterval], together: OptInterval) -> str:
    head = f"{'MINUTE':<8}" + "".join(f"{name + '%':>7}" for name in SHORT_STATE_HEADS.values())
    rest = f"{'I/O/s':>7}{'faults':>7}{'hit%':>5}"
    lines = [_line(f"{each.until / MINUTE:.2f}", each) for each in intervals]
    return "\n".join([head + rest, *lines, _line("all", together)])


def _line(name: str, interval: OptInterval) -> str:
    """Return the line of *interval* in the list by minutes."""
    shares, table, discs = interval.cpu(), interval.cache_table(), interval.discs()
    hits = nan if table is None else table.total.read_hit
    states = "".join(f"{100 * shares[state]:7.1f}" for state in SHORT_STATE_HEADS)
    faults = interval.rate("segments.faults")
    return f"{name:<8}{states}{discs['reads'] + discs['writes']:7.1f}{faults:7.2f}{percent(hits):>5}"


Rows = Sequence[Mapping[str, object]]


def check_file(path: Path) -> Path:
    """Return *path*; raise UserError where no log can be written there."""
    if path.suffix not in (".txt", ".csv"):
        raise UserError(f"{path} must end in .csv or .txt")
    if not path.parent.is_dir():
        raise UserError(f"{path}: there is no folder {path.parent}")
    return path


class OptLog(Observer):
    """Observes one run of a machine with *parameters*, from the end of the warm-up.

    If the run has the same *interval*, it is read exactly at the ends of intervals; else an interval ends at the next
    progress callback. No event is added to the run.
    """

    def __init__(self, parameters: MpeParameters, interval: float = MINUTE) -> None:
        if not 0.0 < interval < inf:
            raise UserError(f"a log's interval must be positive and finite, not {interval!r} s")
        self.interval = interval
        self.intervals: list[OptInterval] = []
        self._costs = parameters.on_its_cpu()
        self._machine: Machine | None = None
        self._begin = self._since = 0.0
        self._looks = 0
        self._before: Mapping[str, float] = {}

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        if self._machine is not None:
            raise UserError("an OPT log is of one run")
        memory = machine.parts["memory"]
        assert isinstance(memory, SharedMemory | TwoMemories)
        found = memory.capacity, sum(name.startswith("drive") for name in machine.parts)
        expected = self._costs.available, self._costs.discs
        if found != expected:
            raise UserError(
                f"this OPT log is for a machine with {expected[0]} bytes beside MPE and {expected[1]} discs, not for "
                f"one with {found[0]} and {found[1]}"
            )
        self._machine, self._begin = machine, window.start
        if window.start <= machine.env.now:
            self._look(machine)

    def progress(self, now: float, end: float) -> None:
        assert self._machine is not None
        if now > self._since and now >= min(self._begin + self._looks * self.interval, end):
            self._look(self._machine)

    def _look(self, machine: Machine) -> None:
        now, reading = machine.env.now, machine.reading()
        if self._looks:
            counters = difference(reading, self._before)
            self.intervals.append(OptInterval(self._since, now, counters, moment(machine), self._costs))
            self.intervals[-1].check()
        self._since, self._before = now, reading
        self._looks = floor((now - self._begin) / self.interval + 1e-6) + 1

    def text(self) -> str:
        """Return the global page and a page for each interval, 80 columns wide; empty where there is no interval."""
        pages = [page(number, each) for number, each in enumerate(self.intervals, 1)]
        return "\n\n".join([global_page(self.intervals), *pages] if pages else [])

    def rows(self) -> Rows:
        """Return a row for each interval: seconds and bytes, rates a second, shares of 1."""
        return [each.row() for each in self.intervals]

    def global_rows(self) -> Rows:
        """Return one row, of all intervals together; none without an interval."""
        return [total(self.intervals).row()] if self.intervals else []

    def ldev_rows(self) -> Rows:
        return [
            {"since": each.since, "until": each.until, "ldev": number, **ldev}
            for each in self.intervals for number, ldev in enumerate(each.ldevs(), 1)
        ]  # fmt: skip

    def working_set_rows(self) -> Rows:
        """Return a row for each interval and process: bytes of its segments in memory at the end."""
        return [
            {"until": each.until, "process": process, "bytes": size}
            for each in self.intervals for process, size in each.moment.working_sets.items()
        ]  # fmt: skip

    def frame(self) -> "pd.DataFrame":
        return _frame(self.rows())

    def write(self, path: Path) -> None:
        """Write the pages to a .txt file; or the rows to a .csv, and totals, LDEVs and working sets beside it."""
        check_file(path)
        if path.suffix == ".txt":
            write_whole(path, (self.text() + "\n").encode())
            return
        tables = {
            "": self.rows(), "_global": self.global_rows(), "_ldevs": self.ldev_rows(),
            "_working_sets": self.working_set_rows(),
        }  # fmt: skip
        for name, rows in tables.items():
            write_whole(path.with_stem(path.stem + name), _csv(rows))


def _frame(rows: Rows) -> "pd.DataFrame":
    import pandas as pd  # only here, so that pages and files need not wait for it

    return pd.DataFrame(rows)


def _csv(rows: Rows) -> bytes:
    text = StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue().encode()
