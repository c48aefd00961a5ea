"""The counters of Performance Monitor by their published definitions, and identities that they keep in every run."""

from collections.abc import Callable, Mapping
from math import nan

from spindle.models.windows_nt.cache import READ_KINDS
from spindle.models.windows_nt.working_set import PAGE
from spindle.sim.parts import LawBroken

LEVELS = (
    "memory.available_bytes", "memory.zeroed_pages", "memory.free_pages", "memory.standby_pages",
    "memory.modified_pages", "cache.cache_bytes", "cache.dirty_pages", "logical_disc.queue_length",
)
"""Readings of an instant; all other readings of a machine only grow."""
Counters = Mapping[str, float]
PERCENT = 100.0


def levels(reading: Counters) -> dict[str, float]:
    """The levels in a *reading* of the machine, those of working sets among them."""
    return {name: value for name, value in reading.items() if is_level(name)}


def is_level(name: str) -> bool:
    return name in LEVELS or name.startswith("sets.")


def _rate(name: str) -> Callable[[Counters, float], float]:
    return lambda counted, seconds: counted[name] / seconds


def _share(part: str, whole: str, unit: float = 1.0) -> Callable[[Counters, float], float]:
    """Divide *part* by *whole*; a share of nothing is 0, as Performance Monitor prints it."""
    return lambda counted, seconds: unit * counted[part] / counted[whole] if counted[whole] else 0.0


def _busy(name: str) -> Callable[[Counters, float], float]:
    return lambda counted, seconds: PERCENT * counted[name] / seconds


def _level(name: str) -> Callable[[Counters, float], float]:
    return lambda counted, seconds: counted.get(name, nan)


def _kind(title: str, name: str) -> dict[str, Callable[[Counters, float], float]]:
    """Define the counters of one kind of request to the cache: all, those waited for, the others, and hits."""
    return {
        f"Cache: {title}s/sec": _rate(f"cache.{name}s"),
        f"Cache: Sync {title}s/sec": _rate(f"cache.sync_{name}s"),
        f"Cache: Async {title}s/sec": _rate(f"cache.async_{name}s"),
        f"Cache: {title} Hits %": _share(f"cache.{name}s_hits", f"cache.{name}s", PERCENT),
    }


COUNTERS: dict[str, Callable[[Counters, float], float]] = {
    **_kind("Copy Read", "copy_read"), **_kind("Fast Read", "fast_read"), **_kind("MDL Read", "mdl_read"),
    **_kind("Pin Read", "pin_read"), **_kind("Data Map", "data_map"),
    "Cache: Data Map Pins/sec": _rate("cache.data_map_pins"),
    "Cache: Fast Read Not Possibles/sec": _rate("cache.fast_read_not_possibles"),
    "Cache: Data Flushes/sec": _rate("cache.data_flushes"),
    "Cache: Data Flush Pages/sec": _rate("cache.data_flush_pages"),
    "Cache: Lazy Write Flushes/sec": _rate("cache.lazy_write_flushes"),
    "Cache: Lazy Write Pages/sec": _rate("cache.lazy_write_pages"),
    "Memory: Available Bytes": _level("memory.available_bytes"),
    "Memory: Cache Bytes": _level("cache.cache_bytes"),
    "Memory: Cache Faults/sec": _rate("cache.cache_faults"),
    "Memory: Page Faults/sec": _rate("memory.page_faults"),
    "Memory: Transition Faults/sec": _rate("memory.transition_faults"),
    "Memory: Demand Zero Faults/sec": _rate("memory.demand_zero_faults"),
    "Memory: Pages/sec": lambda counted, s: (counted["memory.pages_input"] + counted["memory.pages_output"]) / s,
    "Memory: Page Reads/sec": _rate("memory.page_reads"),
    "Memory: Pages Input/sec": _rate("memory.pages_input"),
    "Memory: Page Writes/sec": _rate("memory.page_writes"),
    "Memory: Pages Output/sec": _rate("memory.pages_output"),
    "LogicalDisk: % Disk Time": _busy("disc.busy"),
    "LogicalDisk: % Disk Read Time": _busy("logical_disc.read_seconds"),
    "LogicalDisk: % Disk Write Time": _busy("logical_disc.write_seconds"),
    "LogicalDisk: Disk Reads/sec": _rate("disc.reads"),
    "LogicalDisk: Disk Writes/sec": _rate("disc.writes"),
    "LogicalDisk: Disk Read Bytes/sec": _rate("disc.bytes_read"),
    "LogicalDisk: Disk Write Bytes/sec": _rate("disc.bytes_written"),
    "LogicalDisk: Avg. Disk Bytes/Read": _share("disc.bytes_read", "disc.reads"),
    "LogicalDisk: Avg. Disk Bytes/Write": _share("disc.bytes_written", "disc.writes"),
    "LogicalDisk: Avg. Disk sec/Read": _share("logical_disc.read_seconds", "disc.reads"),
    "LogicalDisk: Avg. Disk sec/Write": _share("logical_disc.write_seconds", "disc.writes"),
    "LogicalDisk: Disk Queue Length": _level("logical_disc.queue_length"),
    "Processor: % Processor Time": _busy("cpu.busy"),
    "Processor: % Interrupt Time": _busy("cpu.busy_interrupt"),
    "Process: % Processor Time (System)": _busy("system.system_cpu"),
    "System: System Calls/sec": _rate("system.system_calls"),
    "Probe: Cycles/sec": _rate("system.cycles"),
}
"""Counters by object and name as Performance Monitor prints them; the last is Response Probe's own."""


def counters(counted: Counters, seconds: float) -> dict[str, float]:
    """Compute Performance Monitor's counters from *counted*, the growth of readings in *seconds*."""
    return {name: value(counted, seconds) for name, value in COUNTERS.items()}


# Identities among Performance Monitor's counters that hold for any run.

def check_identities(reading: Mapping[str, float]) -> None:
    """Raise LawBroken where the *reading* of a machine, from its start on, contradicts itself."""
    def check_equal(law: str, one: float, other: float) -> None:
        if one != other:
            raise LawBroken(f"{law}: {one!r} is not {other!r}")

    def check_order(law: str, one: float, other: float) -> None:
        if one > other:
            raise LawBroken(f"{law}: {one!r} is more than {other!r}")

    cache, memory = _readings_of(reading, "cache"), _readings_of(reading, "memory")
    disc, system = _readings_of(reading, "disc"), _readings_of(reading, "system")
    check_equal("Disk Read Bytes = 4096 x Pages Input + unbuffered", disc["bytes_read"],
         PAGE * memory["pages_input"] + system["direct_bytes_read"])
    written = cache["data_flush_pages"] - cache["already_clean"] + memory["pages_output"]
    check_equal("Disk Write Bytes = 4096 x (Data Flush Pages + Pages Output) + unbuffered, except clean pages",
         disc["bytes_written"], PAGE * written + system["direct_bytes_written"])
    for kind in READ_KINDS:
        check_equal(f"sync + async = total {kind}", cache[f"sync_{kind}"] + cache[f"async_{kind}"], cache[kind])
        check_order(f"hits of {kind}", cache[f"{kind}_hits"], cache[kind])
    check_order("Lazy Write Flushes <= Data Flushes", cache["lazy_write_flushes"], cache["data_flushes"])
    check_order("Lazy Write Pages <= Data Flush Pages", cache["lazy_write_pages"], cache["data_flush_pages"])
    check_order("Cache Faults <= Page Faults", cache["cache_faults"], memory["page_faults"])
    check_order("Page Reads <= Pages Input", memory["page_reads"], memory["pages_input"])
    check_order("Page Writes <= Pages Output", memory["page_writes"], memory["pages_output"])
    check_equal("Available Bytes = zeroed + free + standby", memory["available_bytes"],
         PAGE * (memory["zeroed_pages"] + memory["free_pages"] + memory["standby_pages"]))


def _readings_of(reading: Mapping[str, float], part: str) -> dict[str, float]:
    return {name.removeprefix(part + "."): value for name, value in reading.items() if name.startswith(part + ".")}
