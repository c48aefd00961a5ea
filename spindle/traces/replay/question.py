"""The question of a replay: a trace on drives or arrays, below a cache or tiers; its fields, and how it is answered."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from simpy import Environment

from spindle.questions.array import NO_ARRAY, ArrayOptions
from spindle.questions.field import ask, spell
from spindle.questions.words import number
from spindle.sim import forms
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.registry import BUSES
from spindle.sim.disc.scheduling import Sptf, TaggedQueue
from spindle.sim.disc.sheet_file.sheet import DriveSheet, read_sheet
from spindle.sim.error import UserError, quote
from spindle.sim.forms import DriveForm, PolicyForm, SchedulerForm
from spindle.sim.jit import AVAILABLE
from spindle.sim.quantity import amount
from spindle.sim.units import Bytes
from spindle.traces.curve.tiers import Inclusion, Tier
from spindle.traces.opening import TraceOptions, on_devices
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import MAX_UNDER_WAY, Chained, Closed, Host, Links, Open
from spindle.traces.replay.replay import OnCompletion, ReplayedStorage, TraceReplayed, replay_trace
from spindle.traces.replay.storage import WRITING, CachePlan, Storage
from spindle.traces.replay.tiers import TieredStorage, TierPlan
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

MAX_CYLINDER = 1 << 31
USUAL_DRIVE = "hitachi7k1000.c"
USUAL_CHAINS = "5ms"
"""Found on three days of one workstation: on each it brought simulated reads nearer to the measured ones."""
MAX_TAGS = 1024
AGEING = 0.006
"""Weight of waiting in a drive's tagged command queue: the best of Worthington, Ganger and Patt 1994, ASPTF(6)."""
MAX_CHAIN_DELAY = 10.0
"""Seconds. A request that comes later after a read hardly waited for it."""
MAX_TIERS = 5
MIN_SPEED, MAX_SPEED = 1e-6, 1e6
TIERS_SAY = "caches one below another under the policy, each with its time for a block, as " \
            "8GB:0.1us,64GB:2us,1TB:100us; of blocks of the cache"
INCLUSIONS = {rule.value: rule for rule in Inclusion}
OF_CACHE: Mapping[str, Any] = {"needs": ("cache", "tiers"), "because": "a cache; {} gives its size"}
COMPILED_FROM = 1 << 23
"""Bytes of a trace from which compiled loops are used: compiling takes 5 to 20 seconds once, loading two."""


@dataclass(frozen=True)
class DriveOptions:
    """The drives, what they share, and the order of their queues."""

    drive: DriveForm = ask(USUAL_DRIVE, "")
    bus: str = ask("", "what drives share, unless the sheet says", words={"": None, **BUSES}, noun="bus",
                   metavar="KIND")
    scheduler: SchedulerForm = ask("fcfs", "")
    depth: int = ask(0, "NCQ: number of requests in the drive, with SATA 32 at most; it serves the nearest of them; "
                        "the scheduler is the host's, for the others; 0 is none", least=0, most=MAX_TAGS)
    wrap: bool = ask(False, "go on from the beginning of a drive beyond its end")
    head: int = ask(0, "cylinder on which the arm of each drive is at first", least=0, most=MAX_CYLINDER,
                    metavar="CYLINDER")  # fmt: skip

    def sheet(self) -> DriveSheet:
        """Return the sheet of each drive, on the bus that is asked for."""
        sheet = read_drive(self.drive)
        return replace(sheet, bus=forms.choose("bus", self.bus, BUSES).name) if self.bus else sheet

    def queue(self, own: DriveQueue | None) -> Callable[[], Scheduler]:
        """Return the host's scheduler, before the drive's *own* queue, or before one of *depth* requests."""
        self.host()
        if not self.depth:
            return self.host if own is None else lambda: own.scheduler(self.host())
        return lambda: TaggedQueue(self.host(), Sptf(AGEING), self.depth)

    def host(self) -> Scheduler:
        """Make the scheduler of the host's queue in front of one drive."""
        made = forms.scheduler(self.scheduler)
        return Fcfs() if made is None else made


@dataclass(frozen=True)
class CacheOptions:
    """A cache above the drives, one for all; none where its size is 0."""

    cache: Bytes = ask(Bytes(0), "bytes of a cache above the drives, as 8M; 0 is none", "bytes", least=0)
    policy: PolicyForm = ask("lru", "of the cache or of each tier", **OF_CACHE)
    block: Bytes = ask(Bytes(4096), "of the cache or the tiers", "bytes", least=1, **OF_CACHE)
    write: str = ask("back", "a cache's writes", words=WRITING, noun="way to write", metavar="HOW", **OF_CACHE)

    def plan(self) -> CachePlan | None:
        kind = forms.policy(self.policy)
        return CachePlan(self.cache, self.block, kind, WRITING[self.write]) if self.cache else None


@dataclass(frozen=True)
class TierOptions:
    """Tiers in place of a cache."""

    tiers: str = ask("", f"in place of a cache: {TIERS_SAY}; each serves one request after another, and writes go "
                         "through to the drive", whole=True, metavar="SIZE:TIME,...")
    inclusion: str = ask("exclusive", "of tiers", words=INCLUSIONS, noun="inclusion", metavar="RULE",
                       needs=("tiers",), because="{}")  # fmt: skip

    def stack(self, block: int) -> list[Tier]:
        """Return the tiers, whose blocks have *block* bytes."""
        tiers = [_tier(each, block) for each in self.tiers.split(",")]
        if len(tiers) > MAX_TIERS:
            raise UserError(f"{spell('tiers')} names {len(tiers)} tiers, and {MAX_TIERS} are the most")
        return tiers


@dataclass(frozen=True)
class LoopOptions:
    """The instant at which each request is submitted."""

    open: bool = ask(False, "issue requests at their times; the default with times")
    closed: int = ask(0, "keep this number of requests under way, whatever their times; 0 does so, with one, only "
                         "without times", least=0, most=MAX_UNDER_WAY)
    speed: float = ask(1.0, "an open loop's requests come this much faster than the trace says: 1.5 is a load that "
                            "is larger by half", least=MIN_SPEED, most=MAX_SPEED, metavar="FACTOR")
    chains: str = ask("", "a request that came within this time, such as 5ms, after a read of its device was done "
                          "follows it here too; needs measured times; 5ms was found on three days of one workstation",
                      metavar="DELAY")  # fmt: skip

    def loop(self, trace: Trace) -> "ReplayLoop":
        """Return the loop for *trace*; UserError where two are asked for, or one that has no times."""
        found = self._loop(trace)
        if self.speed == 1.0:
            return found
        if found.under_way != 0:
            raise UserError(f"{spell('speed')} is for an open loop, in which requests come at their times; this is a "
                            f"{found.name}")
        return replace(found, name=f"open loop at {self.speed:g} times the speed")

    def _loop(self, trace: Trace) -> "ReplayLoop":
        if self.closed and (self.open or self.chains):
            one = spell("open" if self.open else "chains")
            raise UserError(f"{one} and {spell('closed')} are two kinds of loop; choose one")
        if self.closed:
            host = partial(Closed, depth=self.closed)
            return ReplayLoop(f"closed loop of {self.closed}", "as asked", host, self.closed)
        timed = next(iter(trace)).time is not None
        if (self.open or self.chains) and not timed:
            raise UserError(f"{trace.path} has no times for an open loop; {spell('closed')} asks for one request "
                            "after another")  # fmt: skip
        if self.chains:
            name = f"open loop with chains of up to {self.chains}"
            return ReplayLoop(name, "as asked", chained_host(self.chains), None)
        if timed:
            return ReplayLoop("open loop", "as asked" if self.open else "because it has times", Open, 0)
        return ReplayLoop("closed loop of 1", "because it has no times", Closed, 1)


@dataclass(frozen=True)
class ReplayLoop:
    """A loop by *name*, *why* it is that, its *host*, and the requests *under_way*: 0 is open; None has chains."""

    name: str
    why: str
    host: Callable[..., Host]
    under_way: int | None


@dataclass(frozen=True)
class ReplayWatch:
    """Hooks of a face that wants to see of a replay, which changes none of its numbers.

    *also* is called with each request that is done, *records* passes on those that are read, *bytes_read* gives a
    function for bytes that are read, and *storage* builds another storage for the plan, which films it.
    """

    also: OnCompletion | None = None
    records: Callable[[Trace, Iterator[Record]], Iterable[Record]] = lambda trace, records: records
    bytes_read: Callable[[Trace, str], AbstractContextManager[Any]] = lambda trace, what: nullcontext()
    storage: Callable[[StoragePlan], Any] | None = None


NO_WATCH = ReplayWatch()


@dataclass(frozen=True)
class ReplayQuestion:
    """The requests of a trace on drives: when each is submitted, what lies above the drives, how long each takes."""

    source: TraceOptions = TraceOptions()
    device: DriveOptions = DriveOptions()
    array: ArrayOptions = NO_ARRAY
    memory: CacheOptions = CacheOptions()
    layers: TierOptions = TierOptions()
    loop: LoopOptions = LoopOptions()
    seed: object = 1

    def check(self) -> None:
        """UserError where fields exclude each other, or name what cannot be, before anything is read."""
        if self.layers.tiers and (self.memory.cache or self.memory.write != "back"):
            other = spell("cache" if self.memory.cache else "write")
            raise UserError(f"{other} is for a {spell('cache')}, which {spell('tiers')} replace")
        self.storage_plan()
        self.tier_plan()

    def storage_plan(self) -> StoragePlan:
        sheet, array = self.device.sheet(), self.array.array(self.seed, alone=("drives",))
        many = None if array is not None else self.array.drives or None
        cache = None if self.layers.tiers else self.memory.plan()
        return StoragePlan(sheet, self.device.queue(sheet.queue), cache, many, self.device.wrap, array,
                           self.device.head)  # fmt: skip

    def tier_plan(self) -> TierPlan | None:
        if not self.layers.tiers:
            return None
        return TierPlan(self.layers.stack(self.memory.block), self.memory.block, INCLUSIONS[self.layers.inclusion],
                        forms.policy(self.memory.policy))  # fmt: skip

    def answer(self, trace: str | Path, watch: ReplayWatch = NO_WATCH) -> "ReplayAnswer":
        """Replay *trace*; large ones by compiled loops where there are some, and nobody looks at single requests."""
        self.check()
        opened = on_devices(self.source.open(trace))
        plan, tiers, loop = self.storage_plan(), self.tier_plan(), self.loop.loop(opened)
        replayed = None
        if watch.also is None and watch.storage is None and tiers is None:
            replayed = self._quick(opened, plan, loop, watch)
        if replayed is None:
            below = plan if watch.storage is None else watch.storage(plan)
            storage: ReplayedStorage = (Storage(Environment(), below) if tiers is None else
                                        TieredStorage(Environment(), below, tiers))  # fmt: skip
            with closing(_records(self.source.records(opened))) as records:
                shown = watch.records(opened, records)
                replayed = replay_trace(_at_speed(shown, self.loop.speed), storage, loop.host, watch.also)
        return ReplayAnswer(self, opened, plan, loop, replayed)

    def _quick(self, trace: Trace, plan: StoragePlan, loop: ReplayLoop, watch: ReplayWatch) -> TraceReplayed | None:
        """The replay by compiled loops, where there are some for it."""
        large = trace.path.stat().st_size >= COMPILED_FROM
        if loop.under_way is None or not AVAILABLE or plan.cache is not None or not large:
            return None
        from spindle.sim.disc.kernel.drives import are_compiled
        from spindle.traces.replay.quick import quick_replay

        buffered = isinstance(plan.sheet.disc, DiscType) and plan.sheet.disc.buffer is not None
        what = "replaying" if are_compiled(buffered) else "compiling, then replaying"
        with watch.bytes_read(trace, what) as shown:
            update = shown.update if shown is not None else lambda count: None
            return quick_replay(trace, plan, loop.under_way, self.source.limit or None, update, self.loop.speed)


def _records(records: Iterator[Record]) -> Generator[Record, None, None]:
    """Return *records* as a generator, which can be closed."""
    yield from records


def _at_speed(records: Iterable[Record], speed: float) -> Iterable[Record]:
    """Return *records*, each at its time over *speed*."""
    if speed == 1.0:
        return records
    return (record if record.time is None else record._replace(time=record.time / speed) for record in records)


@dataclass(frozen=True)
class ReplayAnswer:
    """A replay as it was asked for, with the *trace*, *plan* and *loop* that followed, and what was *replayed*."""

    question: ReplayQuestion
    trace: Trace
    plan: StoragePlan
    loop: ReplayLoop
    replayed: TraceReplayed

    @property
    def title(self) -> str:
        return f"{self.trace.path.name} on {self.plan.sheet.disc.name}, {self.loop.name}"

    def head(self) -> Mapping[str, Any]:
        """Return what was replayed, by the names of fields, with what was found out of the trace."""
        asked, array = self.question, self.question.array
        orders = isinstance(self.plan.disc, DiscType) and self.scheduler() != "fcfs"
        arm = {"head": self.plan.head} if orders or self.plan.head else {}
        kept = {"cache": int(asked.memory.cache), "policy": str(asked.memory.policy)} if asked.memory.cache else {}
        speed = {} if asked.loop.speed == 1.0 else {"speed": asked.loop.speed}
        return {"trace": str(self.trace.path), "format": self.trace.format.name, "drive": self.plan.sheet.disc.name,
                "drives": len(self.replayed.storage.drives), **array.settings(), "loop": self.loop.name,
                "loop_because": self.loop.why, **speed, "scheduler": self.scheduler(), **arm, **kept,
                "bad_lines": self.trace.faults.bad}  # fmt: skip

    def scheduler(self) -> str:
        given, depth = self.question.device.scheduler, self.question.device.depth
        name = given if isinstance(given, str) else getattr(given, "__name__", type(given).__name__)
        return f"{name}, NCQ of {depth}" if depth else name


def read_drive(given: DriveForm) -> DriveSheet:
    """Return the sheet of the drive *given*, with the bus and the queue that a file of it names."""
    if isinstance(given, DriveSheet):
        return given
    if isinstance(given, str | Path) and forms.is_sheet(str(given)):
        forms.check_sheet(Path(given))
        return read_sheet(Path(given))
    disc = forms.drive_type(given)
    if not isinstance(disc, DriveType):
        raise UserError("a trace is replayed on the sheet of a drive")
    return DriveSheet(disc, None)


def chain_limit(text: str) -> float:
    """Read the longest delay within which a request follows a read; seconds unless *text* names a unit."""
    seconds = number(spell("chains"), text, "s")
    if not 0.0 < seconds <= MAX_CHAIN_DELAY:
        raise UserError(f"{spell('chains')} must be more than 0 and at most {MAX_CHAIN_DELAY:g} s, such as 5ms, not "
                        f"{quote(text)}")  # fmt: skip
    return seconds


def chained_host(text: str) -> Callable[..., Host]:
    """Build the host of an open loop with chains of up to *text*."""
    return partial(Chained, links=Links(chain_limit(text)))


def _tier(text: str, block: int) -> Tier:
    room, colon, time = text.partition(":")
    name = spell("tiers")
    if not colon:
        raise UserError(f"{name} takes SIZE:SECONDS,..., as 8GB:0.1us,1TB:100us, not {quote(text)}")
    thousands = 1024 if room.upper().endswith(("T", "TIB")) else 1000
    held = amount(room.upper().replace("T", "G", 1), "bytes")
    blocks = int(positive(name, room, held) * (thousands if "T" in room.upper() else 1) // block)
    if not blocks:
        raise UserError(f"{name}: {room} has no room for a block of {block} bytes")
    return Tier(blocks, positive(name, time, amount(time, "s")))


def positive(name: str, text: str, value: float | None) -> float:
    if value is None or not 0.0 < value < 1e18:
        raise UserError(f"{name} takes positive numbers with units, such as 8GB, 2us or 0.5, not {quote(text)}")
    return value
