"""What every block device promises, tried on all of them: drives, caches of every kind, caches upon caches, MPE's.

Memory is so small that blocks are pushed out all the time. Five processes do whatever Hypothesis thinks of.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from models.hp3000.caching.alignment import Alignment, Centred, FromRequest, InMultiples
from models.hp3000.caching.control import BEHIND, CacheSettings, Control, WriteMode
from models.hp3000.caching.costs import CacheCosts
from models.hp3000.caching.disc_cache import DiscCache
from models.hp3000.caching.ldev import Ldev
from models.hp3000.discs.plain import PlainDisc
from sim.account import Account
from sim.cache.block_cache import BlockCache
from sim.cache.overhead import CpuOverhead
from sim.cache.posts import FreePosts, SerialPosts
from sim.cache.read_ahead import FetchSize, ReadAhead, Sequential, clip
from sim.cache.write_policy import CacheWriteBack, WriteBehind, WritePolicy
from sim.clock import Wait, begin
from sim.cpu import FcfsCpu, PreemptiveCpu
from sim.disc.buffer.arm import BufferedArm
from sim.disc.buffer.read_ahead import BlocksAhead, TrackEnd
from sim.disc.buffer.sheet import After, Buffer, HostLink, ImmediateReporting, Overheads
from sim.disc.drive import Drive
from sim.disc.flash.drive import FlashDrive
from sim.disc.flash.sheet import FlashType, Nand, sata
from sim.disc.layout import uniform
from sim.disc.mechanism import ArmPosition, DiscType
from sim.disc.scheduling import Sptf
from sim.disc.seek import LinearSeek
from sim.eviction.arc import Arc
from sim.eviction.clock import Clock
from sim.eviction.fifo import Fifo
from sim.eviction.lru import Lru
from sim.eviction.policy import EvictionPolicy
from sim.measure.laws import check_drive
from sim.measure.stuck import advance
from sim.memory import SharedMemory
from sim.request import Access, BlockDevice, Hint, Op, Request, Service, Span, wait_for
from sim.units import MS

SECTOR = 256
FLASH = FlashType("flash", Nand(2, 1, 1, 16, 4, 1024, 0.1 * MS, 1 * MS, 3 * MS, 1e6), sata(1e6, 0.1 * MS), 51_200, 512,
                  SECTOR, 2048, 1)
DISC = DiscType("small", uniform(10, 2, 10, SECTOR), 6000, LinearSeek(1 * MS, 10 * MS, 10))
AFTER = After(0.2 * MS, 0.3 * MS)
AHEAD = Buffer(2, 12, Overheads(AFTER, AFTER, AFTER, reselect=0.1 * MS), HostLink(0.3 * MS, 0.2 * MS), BlocksAhead(8),
               own_write_segment=True, reads_written=True, goes_on=True)
REPORTING = Buffer(3, 8, Overheads(report=AFTER, to_medium=0.1 * MS), HostLink(0.5 * MS, 0.5 * MS), TrackEnd(),
                   ImmediateReporting(intermixed=True), write_segments=2, keeps_passing=True, starts_anywhere=True)
EXTENTS = [Span(first * SECTOR, 32 * SECTOR) for first in (0, 32, 96)]
END = 20.0
"""Long after all of them have ended, unless they are stuck."""


class Watched(Drive):
    """A drive that remembers which bytes it was given to write, and when that was done."""

    def __init__(self, env: simpy.Environment, scheduler: Sptf | None = None, buffer: Buffer | None = None) -> None:
        super().__init__(env, DISC if buffer is None else Settling(replace(DISC, buffer=buffer), buffer), scheduler)
        self.written: list[tuple[Span, float]] = []
        self.transferred: list[tuple[Span, float]] = []

    def start(self, access: Access) -> Request:
        request = super().start(access)
        done = self.written if access.op is Op.WRITE else self.transferred
        request.callbacks.append(lambda _: done.append((access.span, self.env.now)))
        return request

    def has(self, span: Span, since: float) -> bool:
        """Whether all of *span* has been written since then, and is on the medium now."""
        written = self.mechanism.written if isinstance(self.mechanism, Settling) else self.written
        now = self.env.now + 1e-9
        return _covered(span, [each for each, when in written if since <= when <= now])


class Settling(BufferedArm):
    """An arm with a buffer that remembers which bytes it was given to write, and when they are on the medium."""

    def __init__(self, disc: DiscType, buffer: Buffer) -> None:
        super().__init__(disc, buffer)
        self.written: list[tuple[Span, float]] = []

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[Service, ArmPosition]:
        served = super().serve(arm, now, op, span, queue)
        assert min(served[0]) >= 0.0, "a phase that takes less than no time"
        if op is Op.WRITE:
            self.written.append((span, self.settled()))
        return served


class WatchedFlash(FlashDrive):
    """A solid-state drive that remembers which bytes it was given to write, and when they were programmed."""

    def __init__(self, env: simpy.Environment, tags: int) -> None:
        super().__init__(env, replace(FLASH, front=replace(FLASH.front, tags=tags)))
        self.written: list[tuple[Span, float]] = []
        self.transferred: list[tuple[Span, float]] = []
        self._programs, self.flash.serve = self.flash.serve, self._noted  # type: ignore[method-assign]

    def start(self, access: Access) -> Request:
        request = super().start(access)
        if access.op is Op.READ:
            request.callbacks.append(lambda _: self.transferred.append((access.span, self.env.now)))
        return request

    def _noted(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[Service, ArmPosition]:
        served = self._programs(arm, now, op, span, queue)
        assert min(served[0]) >= 0.0, "a phase that takes less than no time"
        if op is Op.WRITE:
            self.written.append((span, self.flash.settled()))
        return served

    def has(self, span: Span, since: float) -> bool:
        """Whether all of *span* has been written since then, and is on the flash now."""
        now = self.env.now + 1e-9
        return _covered(span, [each for each, when in self.written if since <= when <= now])


def _covered(span: Span, spans: list[Span]) -> bool:
    left = set(range(span.first, span.end))
    for each in spans:
        left -= set(range(each.first, each.end))
    return not left


@dataclass
class Stack:
    """A device upon a drive, and the memories that it uses."""

    device: BlockDevice
    drive: Watched | WatchedFlash
    memories: list[SharedMemory] = field(default_factory=list)
    caches: list[BlockCache] = field(default_factory=list)
    mpe: DiscCache | None = None


def cached(
    stack: Stack, env: simpy.Environment, block: int, blocks: int, policy: EvictionPolicy,
    writing: WritePolicy | None = None, ahead: ReadAhead | None = None, cpu: bool = False,
) -> Stack:
    memory = SharedMemory(env, block * blocks, policy, uniform=block)
    overhead = CpuOverhead(FcfsCpu(env), 0.1 * MS, 1e-7) if cpu else None
    name = f"cache {len(stack.caches)}"
    cache = BlockCache(env, stack.device, block, memory, ahead, writing, overhead, name)
    return Stack(cache, stack.drive, [*stack.memories, memory], [*stack.caches, cache])


def drive(env: simpy.Environment) -> Stack:
    watched = Watched(env)
    return Stack(watched, watched)


def sptf_drive(env: simpy.Environment) -> Stack:
    watched = Watched(env, Sptf())
    return Stack(watched, watched)


def ahead_drive(env: simpy.Environment) -> Stack:
    watched = Watched(env, buffer=AHEAD)
    return Stack(watched, watched)


def reporting_drive(env: simpy.Environment) -> Stack:
    watched = Watched(env, Sptf(), REPORTING)
    return Stack(watched, watched)


def flash_drive(env: simpy.Environment) -> Stack:
    watched = WatchedFlash(env, 32)
    return Stack(watched, watched)


def flash_of_two_tags(env: simpy.Environment) -> Stack:
    watched = WatchedFlash(env, 2)
    return Stack(watched, watched)


def back_over_flash(env: simpy.Environment) -> Stack:
    return cached(flash_drive(env), env, 512, 3, Clock(), CacheWriteBack(20 * MS, 50 * MS, 512, 1024), cpu=True)


def plain_over_flash(env: simpy.Environment) -> Stack:
    watched = WatchedFlash(env, 2)
    return Stack(PlainDisc(watched, PreemptiveCpu(env), 0.5 * MS, 2), watched)


def through(env: simpy.Environment) -> Stack:
    return cached(drive(env), env, 512, 3, Lru(), ahead=FetchSize(1024, 2048), cpu=True)


def behind(env: simpy.Environment) -> Stack:
    return cached(sptf_drive(env), env, 512, 4, Arc(4), WriteBehind(FreePosts(env)), Sequential(1024))


def serial(env: simpy.Environment) -> Stack:
    return cached(drive(env), env, 256, 5, Clock(), WriteBehind(SerialPosts(env)), cpu=True)


def back(env: simpy.Environment) -> Stack:
    writing = CacheWriteBack(20 * MS, 50 * MS, 512, 1024)
    return cached(sptf_drive(env), env, 512, 3, Fifo(), writing, Sequential(2048), cpu=True)


def one_block(env: simpy.Environment) -> Stack:
    return cached(drive(env), env, 1024, 1, Lru(), CacheWriteBack(30 * MS, 60 * MS, 0, 0))


def back_over_back(env: simpy.Environment) -> Stack:
    lower = cached(drive(env), env, 1024, 3, Lru(), CacheWriteBack(30 * MS, 30 * MS, 1024, 2048), cpu=True)
    return cached(lower, env, 256, 4, Clock(), CacheWriteBack(20 * MS, 20 * MS, 256, 512), Sequential(1024))


def behind_over_through(env: simpy.Environment) -> Stack:
    lower = cached(sptf_drive(env), env, 512, 2, Lru(), ahead=FetchSize(2048, 2048))
    return cached(lower, env, 1024, 2, Lru(), WriteBehind(SerialPosts(env)), cpu=True)


def through_over_behind(env: simpy.Environment) -> Stack:
    lower = cached(drive(env), env, 256, 4, Arc(4), WriteBehind(FreePosts(env)), cpu=True)
    return cached(lower, env, 256, 3, Lru(), ahead=Sequential(512))


def behind_over_reporting(env: simpy.Environment) -> Stack:
    return cached(reporting_drive(env), env, 512, 4, Lru(), WriteBehind(SerialPosts(env)), Sequential(1024))


def back_over_ahead(env: simpy.Environment) -> Stack:
    return cached(ahead_drive(env), env, 512, 3, Clock(), CacheWriteBack(20 * MS, 50 * MS, 512, 1024), cpu=True)


def plain_over_reporting(env: simpy.Environment) -> Stack:
    watched = Watched(env, buffer=REPORTING)
    return Stack(PlainDisc(watched, PreemptiveCpu(env), 0.5 * MS, 2), watched)


def plain(env: simpy.Environment) -> Stack:
    watched = Watched(env)
    return Stack(PlainDisc(watched, PreemptiveCpu(env), 0.5 * MS, 2), watched)


def mpe(env: simpy.Environment, mode: WriteMode, alignment: Alignment, capacity: int) -> Stack:
    watched, memory = Watched(env), SharedMemory(env, capacity, Clock())
    costs = CacheCosts(0.1 * MS, 0.2 * MS, 0.3 * MS, 2)
    control = Control(env, CacheSettings(1024, 2048, mode), alignment)
    cache = DiscCache(env, watched, PreemptiveCpu(env), memory, costs, control)
    return Stack(cache, watched, [memory], mpe=cache)


def mpe_behind(env: simpy.Environment) -> Stack:
    return mpe(env, BEHIND, FromRequest(), 2816)


def mpe_serial(env: simpy.Environment) -> Stack:
    return mpe(env, WriteMode(serial=True), Centred(), 2560)


def mpe_blocking(env: simpy.Environment) -> Stack:
    return mpe(env, WriteMode(block=True), InMultiples(), 4608)


def mpe_switched(env: simpy.Environment) -> Stack:
    """An LDEV whose cache an operator stops and starts all the time."""
    stack = mpe(env, BEHIND, FromRequest(), 2816)
    assert stack.mpe is not None
    ldev = Ldev(env, 1, PlainDisc(stack.drive, PreemptiveCpu(env), 0.5 * MS, 2), stack.mpe)

    def operator() -> Wait:
        for _ in range(20):
            yield env.timeout(3 * MS)
            yield from ldev.stop_cache()
            yield env.timeout(2 * MS)
            yield from ldev.start_cache()

    env.process(operator())
    return Stack(ldev, stack.drive, stack.memories, mpe=stack.mpe)


DEVICES = [
    drive, sptf_drive, through, behind, serial, back, one_block, back_over_back, behind_over_through,
    through_over_behind, plain, mpe_behind, mpe_serial, mpe_blocking, mpe_switched, ahead_drive, reporting_drive,
    behind_over_reporting, back_over_ahead, plain_over_reporting, flash_drive, flash_of_two_tags, back_over_flash,
    plain_over_flash,
]


@dataclass(frozen=True)
class Act:
    """One thing that a process does, after a *pause*."""

    verb: str
    pause: float
    access: tuple[int, int, int]
    """Number of the extent, first byte of it, bytes."""
    hint: Hint = Hint.NONE
    durable: bool = False

    @property
    def span(self) -> Span:
        extent, first, length = self.access
        return Span(EXTENTS[extent].first + first, min(length, EXTENTS[extent].length - first))


lengths = st.sampled_from([1, 100, 256, 512, 600, 1024, 1500, 2048])
places = st.tuples(st.integers(0, 2), st.integers(0, 8 * SECTOR), lengths)
acts = st.builds(
    Act, st.sampled_from(["read", "read", "read", "write", "write", "start", "write later", "flush", "discard"]),
    st.sampled_from([0.0, 0.0, 1 * MS, 7 * MS, 40 * MS]), places, st.sampled_from(list(Hint)), st.booleans(),
)
plans = st.lists(st.lists(acts, max_size=6), min_size=5, max_size=5)


class Trial:
    """Processes at work on a stack."""

    def __init__(self, make: Callable[[simpy.Environment], Stack]) -> None:
        self.env = simpy.Environment()
        self.stack = make(self.env)
        self.discarded: list[Span] = []
        self.ended = 0
        self.begun = 0

    def access(self, act: Act, op: Op, account: Account) -> Access:
        extent = EXTENTS[act.access[0]]
        return Access(op, act.span, extent, extent.first, act.hint, act.durable and op is Op.WRITE, account)

    def process(self, plan: list[Act]) -> Wait:
        self.begun += 1
        account = Account("")
        waited = 0.0
        wrote: list[tuple[Span, float]] = []
        for act in plan:
            yield self.env.timeout(act.pause)
            began = self.env.now
            yield from self.perform(act, account)
            if act.verb == "flush":  # it charges nobody
                assert self.on_medium(act.span, wrote)
            else:
                waited += self.env.now - began
            if act.verb == "write":
                wrote.append((act.span, began))
            assert account.total() == pytest.approx(waited, abs=1e-9), f"{act} was not charged what it took"
            self.inspect()
        self.ended += 1

    def on_medium(self, flushed: Span, wrote: list[tuple[Span, float]]) -> bool:
        """Whether what a process had written to *flushed* reached the drive since, or was discarded by somebody."""
        return all(
            self.stack.drive.has(clip(span, flushed), asked) or any(each.overlaps(span) for each in self.discarded)
            for span, asked in wrote
        )

    def perform(self, act: Act, account: Account) -> Wait:
        device, asked = self.stack.device, self.env.now
        if act.verb == "read":
            yield from device.read(self.access(act, Op.READ, account))
        elif act.verb == "write":
            yield from device.write(self.access(act, Op.WRITE, account))
            if act.durable:
                assert self.on_medium(act.span, [(act.span, asked)])
        elif act.verb == "start":
            yield from wait_for(device.start(self.access(act, Op.READ, Account("nobody"))), account)
        elif act.verb == "write later":
            device.start(self.access(act, Op.WRITE, Account("nobody")))
        elif act.verb == "flush":
            yield from device.flush(act.span)
        elif act.verb == "discard":
            self.discarded.append(act.span)
            device.discard(act.span)

    def inspect(self) -> None:
        """What must be so at any instant."""
        stack = self.stack
        for memory in stack.memories:
            sizes = sum(size for _, size in memory._regions.values())
            assert memory.used == sizes <= memory.capacity
        if stack.mpe is not None:
            domains = stack.mpe.directory._domains
            assert [domain.first for domain in domains] == stack.mpe.directory._starts
            for one, other in pairwise(domains):
                assert one.first < one.end <= other.first, "domains overlap"
            assert all(domain.first % SECTOR == domain.end % SECTOR == 0 for domain in domains)

    def run(self, plans: list[list[Act]]) -> None:
        for plan in plans:
            self.env.process(self.process(plan))
        advance(self.env, END)
        assert self.ended == self.begun == len(plans), "stuck"
        self.finish()

    def finish(self) -> None:
        """What must be so when all is over."""
        stack, reading = self.stack, self.stack.drive.reading()
        assert reading["issued"] == reading["completed"]
        check_drive("drive", reading, self.env.now)
        assert stack.drive.faults() == []
        for memory in stack.memories:
            assert (memory._pins, memory._leaving) == ({}, {})
        for memory, cache in zip(stack.memories, stack.caches, strict=False):
            entries = cache.blocks._entries
            assert len(entries) * cache.blocks.size == memory.used
            assert all(entry.arrival is None and entry.users == 0 for entry in entries.values())
            assert cache.blocks.dirty.keys() <= entries.keys()
            assert not cache._writing_out
        if stack.mpe is not None:
            domains = stack.mpe.directory._domains
            assert sum(domain.end - domain.first for domain in domains) == stack.memories[0].used
            assert all(domain.arrival is None and domain.users == domain.posts == 0 for domain in domains)
            assert not stack.mpe._posted._domains
            assert stack.mpe.residence.bytes.now == stack.memories[0].used
            assert stack.mpe.at_risk.bytes.now == 0


@pytest.mark.parametrize("make", DEVICES, ids=lambda make: make.__name__)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(plans=plans)
def test_whatever_five_processes_do(
    make: Callable[[simpy.Environment], Stack], plans: list[list[Act]]
) -> None:
    """Everybody is charged what he waited, everybody ends, nothing stays pinned, memory keeps its capacity."""
    Trial(make).run(plans)


places_anywhere = st.tuples(st.sampled_from(Op), st.integers(0, 3000), st.integers(1, 700))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(asked=st.lists(places_anywhere, min_size=1, max_size=15))
def test_mpe_domains_are_whole_sectors_though_extents_are_not(asked: list[tuple[Op, int, int]]) -> None:
    trial = Trial(mpe_behind)

    def process() -> Wait:
        for op, first, length in asked:
            one = Access(op, Span(first, length), Span(first, length), None, Hint.NONE, False, Account(""))
            yield from trial.stack.device.read(one) if op is Op.READ else trial.stack.device.write(one)
            trial.inspect()

    asleep(trial.env, process(), done := [])
    trial.env.run(END)
    assert len(done) == 1
    trial.finish()


def asleep(env: simpy.Environment, work: Wait, log: list[float]) -> None:
    def process() -> Wait:
        yield from work
        log.append(env.now)

    env.process(process())


@pytest.fixture(params=DEVICES, ids=lambda make: make.__name__)
def stack(request: pytest.FixtureRequest, env: simpy.Environment) -> Stack:
    made: Stack = request.param(env)
    return made


def access(op: Op, first: int, length: int, durable: bool = False) -> Access:
    return Access(op, Span(first, length), EXTENTS[1], "s", Hint.NONE, durable, Account(""))


FIRST = EXTENTS[1].first


def test_a_first_read_returns_when_the_drive_has_delivered(env: simpy.Environment, stack: Stack) -> None:
    done: list[float] = []
    asleep(env, stack.device.read(access(Op.READ, FIRST + 300, 700)), done)
    env.run(1)
    spans = [span for span, when in stack.drive.transferred if when <= done[0]]
    assert _covered(Span(FIRST + 300, 700), spans)
    assert 0 < done[0] < 0.1


def test_a_started_read_is_that_read(env: simpy.Environment, stack: Stack) -> None:
    done: list[float] = []
    request = stack.device.start(access(Op.READ, FIRST, 512))
    assert not request.processed
    asleep(env, wait_for(request, Account("")), done)
    env.run(1)
    assert _covered(Span(FIRST, 512), [span for span, when in stack.drive.transferred if when <= done[0]])


@pytest.mark.parametrize("length", [256, 512, 700, 1024])
def test_what_was_written_is_on_the_medium_after_a_flush(env: simpy.Environment, stack: Stack, length: int) -> None:
    def process() -> Wait:
        yield from stack.device.write(access(Op.WRITE, FIRST, length))
        yield from stack.device.flush(Span(FIRST, length))
        assert stack.drive.has(Span(FIRST, length), 0.0)

    done: list[float] = []
    asleep(env, process(), done)
    env.run(1)
    assert len(done) == 1


def test_what_was_written_in_between_is_on_the_medium_after_a_flush(env: simpy.Environment, stack: Stack) -> None:
    """However far what was written has come on its way down."""
    ended = []

    def process(number: int) -> Wait:
        yield env.timeout(number * 3 * MS)
        span, asked = Span(FIRST + number % 3 * 256, 512), env.now
        yield from stack.device.write(access(Op.WRITE, *span))
        yield env.timeout(number % 7 * 4 * MS)
        yield from stack.device.flush(span)
        assert stack.drive.has(span, asked), "flushed, and not on the medium"
        ended.append(number)

    for number in range(20):
        env.process(process(number))
    env.run(5)
    assert len(ended) == 20


def test_a_durable_write_is_on_the_medium(env: simpy.Environment, stack: Stack) -> None:
    def process() -> Wait:
        for first in (0, 256, 900):
            asked = env.now
            one = access(Op.WRITE, FIRST + first, 512, durable=True)
            yield from stack.device.write(one)
            assert stack.drive.has(one.span, asked)
            assert one.account.total() == pytest.approx(env.now - asked)

    done: list[float] = []
    asleep(env, process(), done)
    env.run(5)
    assert len(done) == 1


def test_what_was_discarded_is_read_again(env: simpy.Environment, stack: Stack) -> None:
    def process() -> Wait:
        for _ in range(2):
            yield from stack.device.read(access(Op.READ, FIRST, 1024))
            yield env.timeout(0.1)
            stack.device.discard(Span(FIRST, 32 * SECTOR))

    asleep(env, process(), [])
    env.run(1)
    for byte in (FIRST, FIRST + 1023):
        assert sum(span.overlaps(Span(byte, 1)) for span, _ in stack.drive.transferred) == 2


def test_a_device_may_be_used_from_a_callback(env: simpy.Environment, stack: Stack) -> None:
    """Posts and interrupt routines start work where no process is active."""
    requests: list[Request] = []
    for number in range(6):
        op = Op.WRITE if number % 2 else Op.READ
        env.timeout(number * MS).callbacks.append(
            lambda _, op=op, number=number: requests.append(stack.device.start(access(op, FIRST + number * 300, 600)))
        )
    env.timeout(0.3).callbacks.append(lambda _: begin(env, stack.device.flush(EXTENTS[1])))
    env.run(2)
    assert [request.processed for request in requests] == [True] * 6
    reading = stack.drive.reading()
    assert reading["issued"] == reading["completed"]


def test_mpe_counts_a_stop_whatever_it_was_that_was_waited_for(env: simpy.Environment) -> None:
    cache = mpe_behind(env).mpe
    assert cache is not None
    asleep(env, cache.read(access(Op.READ, FIRST, 256)), [])  # waits for the disc
    env.run(1 * MS)
    for work in (
        cache.read(access(Op.READ, FIRST, 256)),  # waits for the other's fetch: a late hit
        cache.write(access(Op.WRITE, FIRST + 8192 - 256, 256)),  # waits for nothing
        cache.write(access(Op.WRITE, FIRST + 8192 - 256, 256)),  # waits for the post
    ):
        asleep(env, work, [])
    env.run(0.5)
    asleep(env, cache.read(access(Op.READ, FIRST, 256)), [])  # a hit
    env.run(1.0)
    assert (cache.stops, cache.misses, cache.late_hits, cache.hits, cache.write_waits) == (3, 1, 1, 1, 1)


@pytest.mark.parametrize("make", DEVICES, ids=lambda make: make.__name__)
def test_the_same_again(make: Callable[[simpy.Environment], Stack]) -> None:
    def once() -> tuple[object, ...]:
        trial = Trial(make)
        verbs = ("read", "write", "start", "flush")
        trial.run([[Act(verb, n * MS, (n % 3, 100 * n, 700)) for verb in verbs] for n in range(5)])
        return trial.stack.drive.reading(), trial.stack.drive.written, trial.stack.drive.transferred

    assert once() == once()
