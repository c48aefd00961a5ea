"""Computes the counters of Windows NT's Performance Monitor by their published definitions, and checks identities."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from math import nan
from pathlib import Path

from spindle.models.windows_nt.cache import READ_KINDS
from spindle.models.windows_nt.working_set import PAGE
from spindle.sim.parts import LawBroken

LEVELS = (
    "memory.available_bytes", "memory.zeroed_pages", "memory.free_pages", "memory.standby_pages",
    "memory.modified_pages", "cache.cache_bytes", "cache.dirty_pages", "logical_disc.queue_length",
)
"""Readings that are levels at an instant; all other readings of a machine only grow."""
Counters = Mapping[str, float]
PERCENT = 100.0


def levels(reading: Counters) -> dict[str, float]:
    """Return the levels in a *reading* of the machine, with those of working sets."""
    return {name: value for name, value in reading.items() if name in LEVELS or name.startswith("sets.")}


def _rate(counted: Counters, seconds: float, *names: str) -> float:
    return sum(counted[name] for name in names) / seconds


def _share(counted: Counters, seconds: float, part: str, whole: str) -> float:
    """Divide *part* by *whole*; a share of nothing is 0, as Performance Monitor prints it."""
    return counted[part] / counted[whole] if counted[whole] else 0.0


def _percentage(counted: Counters, seconds: float, part: str, whole: str) -> float:
    return PERCENT * counted[part] / counted[whole] if counted[whole] else 0.0


def _busy(counted: Counters, seconds: float, name: str) -> float:
    return PERCENT * counted[name] / seconds


def _level(counted: Counters, seconds: float, name: str) -> float:
    return counted.get(name, nan)


_FORMULAE: Mapping[str, Callable[..., float]] = {
    "rate": _rate, "share": _share, "percentage": _percentage, "busy": _busy, "level": _level,
}  # fmt: skip
COUNTERS: Mapping[str, Sequence[str]] = {
    name: formula.split() for name, formula in tomllib.loads(
        Path(__file__).with_name("counters.toml").read_text("utf-8")).items()}  # fmt: skip
"""The formula of each counter, and the readings to which it applies."""


def counters(counted: Counters, seconds: float) -> dict[str, float]:
    """Compute Performance Monitor's counters from *counted*, the growth of readings in *seconds*."""
    return {name: _FORMULAE[formula](counted, seconds, *readings) for name, (formula, *readings) in COUNTERS.items()}


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
