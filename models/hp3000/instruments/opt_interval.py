"""One interval of OPT's log, worked out from what the parts of the machine counted in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, nan

from models.hp3000.caching.control import CacheSettings
from models.hp3000.caching.disc_cache import DiscCache
from models.hp3000.instruments.show_cache import ShowCacheTable, show_window
from models.hp3000.memory.segments import SegmentKind, SegmentManager
from models.hp3000.parameters import MpeParameters
from sim.machine import Machine
from sim.measure.laws import agree
from sim.units import MS

OF_A_DISC = ("reads", "writes", "busy", "number_seconds", "bytes_read", "bytes_written")
PAUSED_OR_IDLE = ("paused_disc", "paused_swap", "idle")


@dataclass(frozen=True)
class OptInstant:
    """What is so at the end of an interval: bytes in memory by process, segments in memory and of all, by kind."""

    working_sets: Mapping[str, int]
    present: Mapping[SegmentKind, int]
    segments: Mapping[SegmentKind, int]
    settings: CacheSettings | None


def moment(machine: Machine) -> OptInstant:
    """Now. A working set is a process's own segments, without shared ones."""
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
    """From *since* to *until*, in which *counters* grew by so much; *costs* are the machine's, on its own CPU."""

    since: float
    until: float
    counters: Mapping[str, float]
    moment: OptInstant
    costs: MpeParameters

    @property
    def seconds(self) -> float:
        return self.until - self.since

    def rate(self, counter: str) -> float:
        """*counter* a second; of an integral over time that is its mean, of busy seconds a share."""
        return self.counters[counter] / self.seconds

    def _numbered(self, part: str, counter: str) -> list[float]:
        """The same of all parts whose names are *part* and a number from 1 on."""
        names = [f"{part}{number}.{counter}" for number in range(1, self.costs.discs + 1)]
        return [self.rate(name) for name in names if name in self.counters]

    def cpu(self) -> dict[str, float]:
        """Shares of the interval, which add up to 1.

        Dispatching is the interrupts, and a dispatch for each answer begun, impede, and I/O of an uncached disc, as
        they are counted; those that a cached disc takes are among the cache manager's.
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
            "disc": self.rate("dispatcher.disc_stops"), "cache": fsum(self._numbered("cache", "stops")),
            "absence": self.rate("segments.faults"), "impede": self.rate("data_base.lock_impedes"),
        }  # fmt: skip

    def causes(self) -> dict[str, float]:
        """Disc I/Os begun a second, by what for: processes on uncached discs, fetches, posts, the memory manager."""
        return {
            "users": self.rate("dispatcher.disc_stops"), "fetches": fsum(self._numbered("cache", "fetches")),
            "posts": self.counters.get("posting.posted", 0.0) / self.seconds,
            "manager": self.rate("segments.faults") + self.rate("segments.swap_writes"),
        }  # fmt: skip

    def ldevs(self) -> list[dict[str, float]]:
        """Each disc: rates a second, share of time busy, requests there on the mean, milliseconds a request."""
        return [_disc(each) for each in zip(*(self._numbered("drive", name) for name in OF_A_DISC), strict=True)]

    def discs(self) -> dict[str, float]:
        """All of them together; busy is their mean."""
        together = _disc([fsum(self._numbered("drive", name)) for name in OF_A_DISC])
        return {**together, "busy": together["busy"] / self.costs.discs}

    def memory(self) -> dict[str, float]:
        """Mean bytes by kind of region; they add up to the machine's memory."""
        return {
            "mpe": float(self.costs.resident),
            **{kind.value: self.rate(f"segments.{kind.value}_byte_seconds") for kind in SegmentKind},
            "cache_domains": fsum(self._numbered("cache", "byte_seconds")),
            "free": self.costs.available - self.rate("memory.used_seconds"),
        }

    def tables(self) -> dict[str, float]:
        """Entries in use on the mean; of segments, at the end. The tables have no limits here."""
        present = {f"{kind.value}_segments": float(self.moment.present[kind]) for kind in SegmentKind}
        return {
            "sessions": self.rate("desk.logged_on_seconds"),
            "inquiries": self.rate("desk.waiting_seconds"),
            "disc_requests": fsum(self._numbered("drive", "number_seconds")),
            **present,
            "cache_domains": fsum(self._numbered("cache", "domain_seconds")),
            "posts": self.counters.get("posting.pending_seconds", 0.0) / self.seconds,
        }

    def cache_table(self) -> ShowCacheTable | None:
        """SHOWCACHE of the interval, where there is disc caching."""
        settings = self.moment.settings
        if settings is None:
            return None
        return show_window(self.counters, self.seconds, settings, self.costs.memory)

    def check(self) -> None:
        """LawBroken where states or regions do not add up."""
        cpu, memory, terms = fsum(self.cpu().values()), fsum(self.memory().values()), self.counters["cpu.bursts"]
        agree("OPT: states of the CPU against the interval", cpu * self.seconds, self.seconds, terms, self.until)
        agree("OPT: kinds of region against memory", memory, self.costs.memory, terms, self.until)

    def row(self) -> dict[str, float]:
        """All but the working sets and the rows of each LDEV."""
        groups = {
            "cpu": self.cpu(), "stops": self.stops(), "disc": self.discs(), "disc_for": self.causes(),
            "memory": self.memory(), "table": self.tables(), "data_base": self.data_base(), "cache": self._cache(),
        }  # fmt: skip
        named = {f"{group}_{name}": value for group, values in groups.items() for name, value in values.items()}
        return {"since": self.since, "until": self.until, "responses": self.rate("desk.responses"), **named}

    def data_base(self) -> dict[str, float]:
        """Calls and blocks read a second, the share of time its lock is held, and of buffer hits."""
        found, read = self.rate("data_base.buffer_hits"), self.rate("data_base.block_reads")
        return {
            "calls": self.rate("data_base.calls"), "block_reads": read, "lock_held": self.rate("data_base.lock_held"),
            "buffer_hits": _ratio(found, found + read),
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
        "service_ms": _ratio(busy, requests) / MS, "response_ms": _ratio(number, requests) / MS,
        "bytes": read + written,
    }  # fmt: skip


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else nan
