"""Prints SHOWCACHE, MPE's table of disc caching for an operator, at an instant or over a window of a run.

Its layout follows MPE V's as remembered, unverified. Its columns, as counted here:

- CACHE REQUESTS: reads and writes of cached LDEVs. READ %: how many of them are reads.
- READ HIT %: reads of which all bytes are resident when submitted. Late hits, on their way already, do not count.
- WRITE HIT %: writes of which all sectors are in memory when submitted, posted or not.
- PROCESS STOPS: reads and writes that waited for more than the CPU: misses, late hits, posts, room.
- K-BYTES, CACHE DOMAINS: in memory now, or the mean over the window; % OF MEMORY: of all main memory.
- USER I/OS ELIMINATED: requests less fetches and writes, as a share of requests; below 0 where caching adds I/O.
- DATA OVERHEAD: bytes in memory that were brought along with the requested ones. MPE's definition is not known.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spindle.models.hp3000.caching.alignment import SECTOR
from spindle.models.hp3000.caching.control import CacheSettings
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.sim.measure.result import ratio
from spindle.sim.units import KIB

if TYPE_CHECKING:
    import pandas as pd

SHOWN_COUNTERS = ("hits", "late_hits", "misses", "writes", "write_hits", "stops", "fetches")
LEVEL_INTEGRALS = {"resident_domains": "domain", "resident_bytes": "byte", "resident_overhead_bytes": "overhead_byte"}
"""Names of a cache's levels, each with the name of its counter of level times seconds, without ``_seconds``."""

TABLE_HEAD = """\
  DISC     CACHE   READ  WRITE   READ  PROCESS       K-    % OF    CACHE
  LDEV  REQUESTS   HIT%   HIT%      %    STOPS    BYTES  MEMORY  DOMAINS
"""


@dataclass(frozen=True)
class ShowCacheRow:
    """One line of the table; *ldev* is a number, or "Total"."""

    ldev: str
    requests: float
    read_hit: float
    write_hit: float
    read_share: float
    stops: float
    kbytes: float
    of_memory: float
    domains: float

    def text(self) -> str:
        shares = (self.read_hit, self.write_hit, self.read_share)
        percents = "".join(f"{percent(share):>7}" for share in shares)
        return (
            f"{self.ldev:>6}{self.requests:10.0f}{percents}{self.stops:9.0f}{self.kbytes:9.0f}"
            f"{percent(self.of_memory):>8}{self.domains:9.0f}"
        )


def percent(share: float) -> str:
    return "-" if share != share else f"{100 * share:.0f}"


@dataclass(frozen=True)
class ShowCacheTable:
    """The table that SHOWCACHE prints. Shares are of 1; *overhead* is in bytes, the fetches are in sectors."""

    rows: Sequence[ShowCacheRow]
    total: ShowCacheRow
    eliminated: float
    overhead: float
    sequential: int
    random: int
    block_on_write: bool

    def text(self) -> str:
        lines = "\n".join(row.text() for row in (*self.rows, self.total))
        return (
            f"{TABLE_HEAD}{lines}\n\n"
            f"{percent(self.eliminated):>5}% OF USER I/OS ELIMINATED\n"
            f"  DATA OVERHEAD IS {self.overhead / KIB:.0f}K BYTES\n"
            f"  SEQUENTIAL FETCH QUANTUM IS {self.sequential} SECTORS\n"
            f"  RANDOM FETCH QUANTUM IS {self.random} SECTORS\n"
            f"  BLOCK ON WRITE = {'YES' if self.block_on_write else 'NO'}"
        )

    def frame(self) -> "pd.DataFrame":
        import pandas as pd  # only here, so that an operator need not wait for it

        return pd.DataFrame([*self.rows, self.total]).set_index("ldev")


def show_cache(caches: Mapping[int, DiscCache], settings: CacheSettings, memory: int) -> ShowCacheTable:
    """Build the table now, counted from the beginning, of the *caches* by LDEV on a machine of *memory* bytes."""
    numbers = {ldev: {**cache.reading(), **cache.levels()} for ldev, cache in caches.items()}
    return _table(numbers, settings, memory)


def show_window(counters: Mapping[str, float], seconds: float, settings: CacheSettings, memory: int) -> ShowCacheTable:
    """Build the table over a window of *seconds*, from the differences of a machine's *counters*."""
    ldevs = [key.removeprefix("cache").removesuffix(".hits") for key in counters if key.endswith(".hits")]
    numbers = {}
    for ldev in (int(each) for each in ldevs if each.isdigit()):
        counted = {name: counters[f"cache{ldev}.{name}"] for name in SHOWN_COUNTERS}
        means = {level: counters[f"cache{ldev}.{name}_seconds"] / seconds for level, name in LEVEL_INTEGRALS.items()}
        numbers[ldev] = {**counted, **means}
    return _table(numbers, settings, memory)


def _table(numbers: Mapping[int, Mapping[str, float]], settings: CacheSettings, memory: int) -> ShowCacheTable:
    total = _sum(numbers.values())
    rows = [_row(str(ldev), each, memory) for ldev, each in numbers.items()]
    return ShowCacheTable(
        rows, _row("Total", total, memory), 1.0 - ratio(total["fetches"] + total["writes"], _requests(total)),
        total["resident_overhead_bytes"], settings.sequential // SECTOR, settings.random // SECTOR, settings.mode.block,
    )


def _sum(all_numbers: Iterable[Mapping[str, float]]) -> dict[str, float]:
    summed = dict.fromkeys((*SHOWN_COUNTERS, *LEVEL_INTEGRALS), 0.0)
    for numbers in all_numbers:
        for name in summed:
            summed[name] += numbers[name]
    return summed


def _requests(numbers: Mapping[str, float]) -> float:
    return sum(numbers[name] for name in ("hits", "late_hits", "misses", "writes"))


def _row(ldev: str, numbers: Mapping[str, float], memory: int) -> ShowCacheRow:
    requests, size = _requests(numbers), numbers["resident_bytes"]
    reads = requests - numbers["writes"]
    return ShowCacheRow(
        ldev, requests, ratio(numbers["hits"], reads), ratio(numbers["write_hits"], numbers["writes"]),
        ratio(reads, requests), numbers["stops"], size / KIB, size / memory, numbers["resident_domains"],
    )
