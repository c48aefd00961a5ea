"""Identities among Performance Monitor's counters that hold for any run."""

from collections import Counter
from collections.abc import Iterable, Mapping

from models.windows_nt.memory.memory_manager import MemoryManager
from models.windows_nt.memory.page import PAGE, FileSection
from sim.measure.laws import LawBroken

KINDS = ("copy_reads", "fast_reads", "mdl_reads", "pin_reads", "data_maps")


def check_identities(reading: Mapping[str, float]) -> None:
    """LawBroken where the *reading* of a machine, from its start on, contradicts itself."""
    def same(law: str, one: float, other: float) -> None:
        if one != other:
            raise LawBroken(f"{law}: {one!r} is not {other!r}")

    def least(law: str, one: float, other: float) -> None:
        if one > other:
            raise LawBroken(f"{law}: {one!r} is more than {other!r}")

    cache, memory = _of(reading, "cache"), _of(reading, "memory")
    disc, system = _of(reading, "disc"), _of(reading, "system")
    same("Disk Read Bytes = 4096 x Pages Input + unbuffered", disc["bytes_read"],
         PAGE * memory["pages_input"] + system["direct_bytes_read"])
    written = cache["data_flush_pages"] - cache["already_clean"] + memory["pages_output"]
    same("Disk Write Bytes = 4096 x (Data Flush Pages + Pages Output) + unbuffered, but for pages that were clean",
         disc["bytes_written"], PAGE * written + system["direct_bytes_written"])
    for kind in KINDS:
        same(f"sync + async = total {kind}", cache[f"sync_{kind}"] + cache[f"async_{kind}"], cache[kind])
        least(f"hits of {kind}", cache[f"{kind}_hits"], cache[kind])
    least("Lazy Write Flushes <= Data Flushes", cache["lazy_write_flushes"], cache["data_flushes"])
    least("Lazy Write Pages <= Data Flush Pages", cache["lazy_write_pages"], cache["data_flush_pages"])
    least("Cache Faults <= Page Faults", cache["cache_faults"], memory["page_faults"])
    least("Page Reads <= Pages Input", memory["page_reads"], memory["pages_input"])
    least("Page Writes <= Pages Output", memory["page_writes"], memory["pages_output"])
    same("Available Bytes = zeroed + free + standby", memory["available_bytes"],
         PAGE * (memory["zeroed_pages"] + memory["free_pages"] + memory["standby_pages"]))


def check_frames(memory: MemoryManager, sections: Iterable[FileSection]) -> None:
    """LawBroken where a page frame is lost or is in two places; *sections* are all that there are."""
    present = [page for section in sections for page in section.pages.values()]
    held = Counter(page for each in memory.sets for page in each.pages)
    lists = memory.lists
    if lists.zeroed + lists.free + len(present) != memory.frames:
        raise LawBroken(f"{lists.zeroed} zeroed, {lists.free} free and {len(present)} pages are not {memory.frames}")
    for page in present:
        idle = (page in lists.standby) + (page in lists.modified)
        if page.users != held[page] or idle > (page.users == 0 and page.coming is None):
            raise LawBroken(f"page {page.number} of {page.section.name} is in the wrong place")


def _of(reading: Mapping[str, float], part: str) -> dict[str, float]:
    return {name.removeprefix(part + "."): value for name, value in reading.items() if name.startswith(part + ".")}
