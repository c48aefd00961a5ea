"""Answers ``spindle replay``: builds drives, caches and host as the options ask, and replays the trace on them."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from simpy import Environment

from spindle.questions.field import spell
from spindle.questions.host import HostOptions
from spindle.questions.idle import without_arm, without_cache
from spindle.questions.settings import unusual_fields
from spindle.questions.storage import CacheOptions, DriveOptions, FlashTierOptions, LoopOptions
from spindle.questions.words import number
from spindle.sim import forms
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.registry import BUSES
from spindle.sim.disc.scheduling import Sptf, TaggedQueue
from spindle.sim.disc.sheet_file.sheet import DriveSheet, read_sheet
from spindle.sim.error import UserError, quote
from spindle.sim.io_engine import ENGINES, HostCpus
from spindle.sim.jit import AVAILABLE
from spindle.sim.part_forms import DriveForm, is_sheet
from spindle.traces.curve.tiers import Inclusion, tier_stack
from spindle.traces.opening import on_devices
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import (
    ByDevice,
    Chained,
    Closed,
    Host,
    Links,
    Open,
    RequestStarter,
    StartedPlaces,
    start_at_once,
    start_by,
)
from spindle.traces.replay.question import ReplayQuestion
from spindle.traces.replay.replay import OnCompletion, ReplayedStorage, TraceReplayed, replay_trace
from spindle.traces.replay.storage import FLASH_WRITING, WRITING, CachePlan, FlashPlan, Storage, check_used
from spindle.traces.replay.tiers import TieredStorage, TierPlan
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

NO_TIMES = "because it has no times"
"""Why a trace is replayed by a closed loop that nobody asked for."""
USUAL_CHAINS = "5ms"
"""Found on three days of one workstation: on each it brought simulated reads nearer to the measured ones."""
AGEING = 0.006
"""Weight of waiting in a drive's tagged command queue: the best of Worthington, Ganger and Patt 1994, ASPTF(6)."""
MAX_CHAIN_DELAY = 10.0
"""Seconds. A request that comes later after a read hardly waited for it."""
COMPILED_FROM = 1 << 23
"""Bytes of a trace from which compiled loops are used: compiling takes 5 to 20 seconds once, loading two."""


@dataclass(frozen=True)
class ReplayLoop:
    """A loop by *name*, *why* it is that, its *host*, and the requests *under_way*: 0 is open; None has chains.

    Requests come *speed* times as fast as in the trace.
    """

    name: str
    why: str
    host: Callable[..., Host]
    under_way: int | None
    speed: float = 1.0

    @property
    def is_open(self) -> bool:
        """Tell if each request comes at its time, whatever others do."""
        return self.under_way == 0

    @property
    def is_timed(self) -> bool:
        """Tell if requests come when they came in the trace, so that its measured times may be compared."""
        return not self.under_way and self.speed == 1.0


@dataclass(frozen=True)
class ReplayWatch:
    """Hooks of a face that wants to see of a replay, which changes none of its numbers.

    *also* is called with each request that is done, *records* passes on those that are read, *bytes_read* gives a
    function for bytes that are read, *storage* builds another storage for the plan, which films it, and *places* sees
    the requests to a storage.
    """

    also: OnCompletion | None = None
    records: Callable[[Trace, Iterator[Record]], Iterable[Record]] = lambda trace, records: records
    bytes_read: Callable[[Trace, str], AbstractContextManager[Any]] = lambda trace, what: nullcontext()
    storage: Callable[[StoragePlan], Any] | None = None
    places: Callable[[ReplayedStorage, RequestStarter], ByDevice] | None = None


NO_WATCH = ReplayWatch()


def answer_replay(question: ReplayQuestion, trace: str | Path, watch: ReplayWatch | None = None) -> "ReplayAnswer":
    """Replay *trace*; large ones by compiled loops where there are some, and nobody looks at single requests."""
    question.check()
    plan, tiers = storage_plan(question), tier_plan(question)
    seen, opened = NO_WATCH if watch is None else watch, on_devices(question.source.open(trace))
    loop, replayed = loop_of(question.loop, opened), None
    if seen.also is None and seen.storage is None and tiers is None and not question.host.engine:
        replayed = _quick(question, opened, plan, loop, seen)
    if replayed is None:
        below = plan if seen.storage is None else seen.storage(plan)
        storage: ReplayedStorage = (Storage(Environment(), below) if tiers is None else
                                    TieredStorage(Environment(), below, tiers))  # fmt: skip
        with closing(_records(question.source.records(opened))) as records:
            shown = _at_speed(seen.records(opened, records), question.loop.speed)
            shown = _without_times(shown) if loop.why == NO_TIMES else shown
            start = start_of(question.host, question.device, storage.env)
            places = places_of(storage, start) if seen.places is None else seen.places(storage, start)
            replayed = replay_trace(shown, storage, loop.host, seen.also, places)
    check_used(plan, len(replayed.storage.drives))
    return ReplayAnswer(question, opened, plan, loop, replayed)


def _quick(
    question: ReplayQuestion, trace: Trace, plan: StoragePlan, loop: ReplayLoop, watch: ReplayWatch
) -> TraceReplayed | None:
    """The replay by compiled loops, where there are some for it."""
    large = trace.path.stat().st_size >= COMPILED_FROM
    if loop.under_way is None or not AVAILABLE or not large:
        return None
    if any(each is not None for each in (plan.cache, plan.flash, plan.hindrance, plan.network)):
        return None
    from spindle.sim.disc.kernel.drives import are_compiled
    from spindle.traces.replay.quick import quick_replay

    buffered = isinstance(plan.sheet.disc, DiscType) and plan.sheet.disc.buffer is not None
    what = "replaying" if are_compiled(buffered) else "compiling, then replaying"
    with watch.bytes_read(trace, what) as shown:
        update = shown.update if shown is not None else lambda count: None
        return quick_replay(trace, plan, loop.under_way, question.source.limit or None, update,
                            question.loop.speed)  # fmt: skip


def _records(records: Iterator[Record]) -> Generator[Record, None, None]:
    """Return *records* as a generator, which can be closed."""
    yield from records


def _without_times(records: Iterable[Record]) -> Iterator[Record]:
    """Return *records*, of which the first has no time; UserError where a later one has."""
    for record in records:
        if record.time is not None:
            raise UserError(f"a request has a time, {record.time:g} s, and the first has none; {spell('closed')} asks "
                            "for one after another, whatever their times")
        yield record


def _at_speed(records: Iterable[Record], speed: float) -> Iterable[Record]:
    if speed == 1.0:
        return records
    return (record if record.time is None else record._replace(time=record.time / speed) for record in records)


def storage_plan(asked: ReplayQuestion) -> StoragePlan:
    """Plan the drives, and the cache above them."""
    sheet, array = sheet_of(asked.device), asked.array.array(asked.seed, alone=("drives",))
    many = None if array is not None else asked.array.drives or None
    cache = cache_plan(asked.memory)
    device = asked.device
    return StoragePlan(sheet, queue_of(device, sheet), cache, many, device.wrap, array, device.head,
                       flash_plan(asked.front), device.hindrance(), device.network())  # fmt: skip


def tier_plan(asked: ReplayQuestion) -> TierPlan | None:
    if not asked.layers.tiers:
        return None
    return TierPlan(tier_stack(asked.layers, asked.memory.block), asked.memory.block,
                    Inclusion(asked.layers.inclusion), forms.policy(asked.memory.policy))  # fmt: skip


def sheet_of(device: DriveOptions) -> DriveSheet:
    """Return the sheet of each drive, on the bus and in the state that are asked for."""
    sheet = read_drive(device.drive)
    if device.filled or device.foreground:
        if not isinstance(sheet.disc, FlashType):
            name = "filled" if device.filled else "foreground"
            raise UserError(f"{spell(name)} is for solid-state drives; {sheet.disc.name} is a disc")
        sheet = replace(sheet, disc=replace(sheet.disc, filled=device.filled or sheet.disc.filled,
                                            preempted=sheet.disc.preempted and not device.foreground))  # fmt: skip
    if device.depth and isinstance(sheet.disc, FlashType):
        front = replace(sheet.disc.front, tags=min(sheet.disc.front.tags, device.depth))
        sheet = replace(sheet, disc=replace(sheet.disc, front=front))
    return replace(sheet, bus=forms.choose("bus", device.bus, BUSES).name) if device.bus else sheet


def queue_of(device: DriveOptions, sheet: DriveSheet) -> Callable[[], Scheduler]:
    """Return the host's scheduler, before the own queue of the *sheet*'s drive, or before one of *depth* requests.

    A solid-state drive orders no requests: *depth* is the number of its tags.
    """
    host, own = partial(host_queue, device), sheet.queue
    host()  # refuses a scheduler that cannot be made
    if not device.depth or isinstance(sheet.disc, FlashType):
        return host if own is None else lambda: own.scheduler(host())
    return lambda: TaggedQueue(host(), Sptf(AGEING), device.depth)


def host_queue(device: DriveOptions) -> Scheduler:
    """Make the scheduler of the host's queue in front of one drive."""
    made = forms.scheduler(device.scheduler)
    return Fcfs() if made is None else made


def places_of(storage: ReplayedStorage, start: RequestStarter) -> ByDevice:
    """Return the places of *storage*, to which requests come by *start*."""
    return storage.places if start is start_at_once else StartedPlaces(storage.places, start)


def start_of(host: HostOptions, device: DriveOptions, env: Environment) -> RequestStarter:
    """Return how requests come to a place: by the engine of *host*, or at once without one."""
    if not host.engine:
        return start_at_once
    engine = ENGINES[host.engine]
    if not engine.in_kernel and not isinstance(host_queue(device), Fcfs):
        raise UserError(f"{spell('engine')} {host.engine} has no kernel, and so none of its schedulers; "
                        f"{spell('scheduler')} must be fcfs")
    return start_by(HostCpus(env, engine, host.cpus))


def cache_plan(asked: CacheOptions) -> CachePlan | None:
    kind = forms.policy(asked.policy)
    return CachePlan(asked.cache, asked.block, kind, WRITING[asked.write]) if asked.cache else None


def flash_plan(asked: FlashTierOptions) -> FlashPlan | None:
    """Plan the flash tier; UserError where its drive is no flash."""
    kind = forms.policy(asked.flash_policy)
    if not asked.flash:
        return None
    sheet = read_drive(asked.flash).disc
    if not isinstance(sheet, FlashType):
        raise UserError(f"{spell('flash')} must name a solid-state drive, and {sheet.name} is a disc")
    size = asked.flash_size or sheet.layout.capacity // asked.flash_block * asked.flash_block
    return FlashPlan(sheet, CachePlan(size, asked.flash_block, kind, FLASH_WRITING[asked.flash_write]))


def loop_of(asked: LoopOptions, trace: Trace) -> ReplayLoop:
    """Return the loop for *trace*; UserError where one is asked for that has no times."""
    found = _loop_of(asked, trace)
    if asked.speed == 1.0:
        return found
    if found.under_way != 0:
        raise UserError(f"{spell('speed')} is for an open loop, in which requests come at their times; this is "
                        f"{'an' if found.under_way is None else 'a'} {found.name}")
    return replace(found, name=f"open loop at {asked.speed:g} times the speed", speed=asked.speed)


def _loop_of(asked: LoopOptions, trace: Trace) -> ReplayLoop:
    if asked.closed:
        host = partial(Closed, depth=asked.closed)
        return ReplayLoop(f"closed loop of {asked.closed}", "as asked", host, asked.closed)
    timed = next(iter(trace)).time is not None
    if (asked.open or asked.chains) and not timed:
        raise UserError(f"{trace.path} has no times for an open loop; {spell('closed')} asks for one request "
                        "after another")  # fmt: skip
    if asked.chains:
        name = f"open loop with chains of up to {asked.chains}"
        return ReplayLoop(name, "as asked", chained_host(asked.chains), None)
    if timed:
        return ReplayLoop("open loop", "as asked" if asked.open else "because it has times", Open, 0)
    return ReplayLoop("closed loop of 1", NO_TIMES, Closed, 1)


@dataclass(frozen=True)
class ReplayAnswer:
    """A replay as it was asked for, with the *trace*, *plan* and *loop* that followed, and what was *replayed*."""

    question: ReplayQuestion
    trace: Trace
    plan: StoragePlan
    loop: ReplayLoop
    replayed: TraceReplayed

    @property
    def idle(self) -> list[str]:
        """Return a sentence on each option that changed nothing."""
        asked = self.question
        unused = [] if asked.layers.tiers else without_cache(asked.memory)
        return [*without_arm(asked.device.scheduler, self.plan.sheet.disc), *unused]

    @property
    def notes(self) -> list[str]:
        """Return sentences on what was guessed of the trace and passed over, and on options that changed nothing."""
        return [*self.trace.faults.sentences, *self.idle]

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
        front = asked.front
        kept |= {"flash": str(front.flash), "flash_policy": str(front.flash_policy)} if front.flash else {}
        told = {"trace": str(self.trace.path), "format": self.trace.format.name, "drive": self.plan.sheet.disc.name,
                "drives": len(self.replayed.storage.drives), **array.settings(), "loop": self.loop.name,
                "loop_because": self.loop.why, **speed, "scheduler": self.scheduler(), **arm, **kept,
                **asked.host.settings(), "bad_lines": self.trace.faults.bad, "notes": self.notes}  # fmt: skip
        others = unusual_fields(asked.source, asked.device, asked.memory, front, asked.layers, asked.loop)
        return {**told, **{name: value for name, value in others.items() if name not in told}}

    def scheduler(self) -> str:
        given, depth = self.question.device.scheduler, self.question.device.depth
        name = given if isinstance(given, str) else getattr(given, "__name__", type(given).__name__)
        return f"{name}, NCQ of {depth}" if depth else name


def read_drive(given: DriveForm) -> DriveSheet:
    """Return the sheet of the drive *given*, with the bus and the queue that a file of it names."""
    if isinstance(given, DriveSheet):
        return given
    if isinstance(given, str | Path) and is_sheet(str(given)):
        forms.check_sheet(Path(given))
        return read_sheet(Path(given))
    disc = forms.drive_type(given)
    if not isinstance(disc, DriveType):
        raise UserError("a trace is replayed on a drive")
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
