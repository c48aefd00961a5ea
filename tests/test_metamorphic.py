"""What must hold between two runs of which neither's answer is known: faster, larger, slower by a factor, renamed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.models.hp3000.machine import MpeOptions
from spindle.models.hp3000.run import run
from spindle.sim.cache.block_cache import BlockCache, CpuOverhead, Sequential
from spindle.sim.cache.write_policy import WriteThrough
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.scheduling import Look, Sptf, Sstf
from spindle.sim.disc.seek import LinearSeek, PowerSeek
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.lru import Lru
from spindle.sim.machine import File, Machine, OpenFile, SystemCalls
from spindle.sim.measure import engine
from spindle.sim.measure.load import Terminals, Window
from spindle.sim.memory import SharedMemory
from spindle.sim.request import BlockDevice, Op, Span, access
from spindle.sim.script import Call, Loop, Script, Think
from spindle.sim.streams import Constant, Exponential, Scaled, Uniform, pick, stream
from spindle.sim.terminal import Perform, Session, Transaction
from spindle.sim.units import KIB, MS, US
from spindle.traces.curve.lru import lru_curve
from tests.drawn_service import DrawnService

PAGE = 4096


def rows_of(
    machine: Machine, perform: Perform, scripts: Sequence[Script], seed: int, seconds: float
) -> list[Transaction]:
    """The transactions of *scripts* in *seconds*."""
    return engine.run(machine, Terminals(scripts, perform), Window(0.0, seconds), seed).transactions


# A faster disc ------------------------------------------------------------------------------------------


def ring(slowness: float, seed: int) -> list[float]:
    """When the responses come of eight terminals that think, compute and read, once each, over and over."""
    env = simpy.Environment()
    drive = Drive(env, DrawnService(Scaled(Exponential(20 * MS), slowness), stream(seed, "disc")))
    machine = Machine(env, {"drive": drive}, FcfsCpu(env), SystemCalls(read=10 * MS))
    file = OpenFile(File("records", drive, [Span(0, 1000)]))

    def perform(_: object, session: Session) -> Iterator[Wait]:
        yield machine.read(file, 0, 1, session.account)

    steps = (Loop((Think(Constant(0.3)), Call(None, "read"))),)
    rows = rows_of(machine, perform, [Script("ring", steps, 8, stagger=0.05)], seed, 50.0)
    return [row.responded for row in rows]


@pytest.mark.parametrize("seed", range(5))
def test_a_faster_disc_delays_no_response_of_a_ring(seed: int) -> None:
    """Nobody overtakes, and the n-th service of each queue is the same but for the factor.

    Every instant is then a maximum of sums of such times, which can only shrink with them: the n-th response never
    comes later (beyond rounding), and there is nothing to tolerate.
    """
    slow = ring(4.0, seed)
    for slowness in (2.0, 1.0, 0.5, 0.0):
        fast = ring(slowness, seed)
        assert len(fast) >= len(slow)
        assert all(early <= late + 1e-9 for early, late in zip(fast, slow, strict=False))
        slow = fast
    assert len(ring(0.0, seed)) > 1.5 * len(ring(4.0, seed))


@pytest.mark.parametrize("caching", [False, True])
def test_a_faster_disc_never_lowers_the_throughput_of_an_hp3000(caching: bool) -> None:
    """Every terminal thinks and asks the same at any speed; only another order in some queue can delay a response.

    Where that happens at the end, it costs a terminal one response: one terminal in ten is tolerated.
    """
    terminals = 24
    counts, means = [], []
    quick = replace(HP7933, rpm=5400, overhead=1 * MS, seek=PowerSeek.fit(2.5 * MS, 12 * MS, 17.5 * MS, 1321))
    for drive in (replace(HP7933, overhead=80 * MS), replace(HP7933, overhead=20 * MS), HP7933, quick):
        result = run(terminals, caching=caching, seed=0, minutes=2.5, warm_up=0.5, choices=MpeOptions(drive=drive))
        counts.append(result.recorder.count)
        means.append(result.recorder.mean)
    tolerance = terminals // 10  # 2 of some 230
    assert all(fast >= slow - tolerance for slow, fast in pairwise(counts))
    assert means[-1] < means[0]


# A larger cache -----------------------------------------------------------------------------------------


def misses(blocks: Sequence[int], capacity: int) -> int:
    """The misses of one reader of *blocks*, one after the other, in a cache of *capacity* of them."""
    env = simpy.Environment()
    drive = Drive(env, FixedService(10 * MS))
    cache = BlockCache(env, drive, PAGE, SharedMemory(env, capacity * PAGE, Lru()))

    def reader() -> Wait:
        for block in blocks:
            yield from cache.read(access(Op.READ, block * PAGE, PAGE, Account("reader")))

    env.process(reader())
    env.run()
    assert drive.counts.reads == cache.misses == len(blocks) - cache.hits
    return cache.misses


@settings(max_examples=60)
@given(blocks=st.lists(st.integers(0, 11), max_size=80))
def test_a_larger_lru_cache_never_misses_more(blocks: list[int]) -> None:
    """One block at a time: a request of several uses those that are here before those that are not, in their order."""
    counts = [misses(blocks, capacity) for capacity in range(1, 13)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == len(set(blocks))


def test_a_cache_on_the_clock_misses_what_the_lru_curve_says() -> None:
    random = stream(1, "blocks").random
    blocks = [int(200 * random() ** 3) for _ in range(3000)]
    curve = lru_curve(blocks)
    counts = [misses(blocks, capacity) for capacity in (1, 3, 10, 30, 100, 200)]
    assert counts == [3000 - curve.hits_at(capacity) for capacity in (1, 3, 10, 30, 100, 200)]
    assert counts == sorted(counts, reverse=True)
    assert len(set(counts)) == 6


# Another unit of time, other names ----------------------------------------------------------------------


class Office:
    """A machine with a bit of everything, all of whose times are multiplied by *factor*."""

    def __init__(self, factor: float = 1.0, scheduler: Callable[[], Scheduler] = Sptf) -> None:
        self._factor = factor
        env = self._env = simpy.Environment()
        self._cpu = PreemptiveCpu(env, {2: 5 * MS * factor})
        seek = LinearSeek(3 * MS * factor, 30 * MS * factor, 100)
        layout = uniform(100, 4, 32, 512, track_skew=2, cylinder_skew=5)
        disc = DiscType("office disc", layout, 3600 / factor, seek, 1 * MS * factor, 1 * MS * factor, 2 * MS * factor)
        self.drive = Drive(env, disc, scheduler())
        self.cache = BlockCache(
            env, self.drive, PAGE, SharedMemory(env, 64 * PAGE, Clock()), Sequential(2 * PAGE),
            WriteThrough(), CpuOverhead(self._cpu, 300 * US * factor, 20e-9 * factor),
        )
        calls = SystemCalls(1 * MS * factor, 2 * MS * factor)
        self.machine = Machine(env, {"drive": self.drive, "cache": self.cache}, self._cpu, calls)
        self._file = self._build(self.cache)

    def _build(self, storage: BlockDevice) -> File:
        return File("ledger", storage, [Span(extent * 256 * KIB, 64 * KIB) for extent in range(20)])

    def perform(self, burst: object, session: Session) -> tuple[Wait]:
        assert isinstance(burst, Exponential)
        return (self._work(burst, session),)

    def _work(self, burst: Exponential, session: Session) -> Wait:
        """Compute; read two records on from a random place; sometimes write the second."""
        random, account, file = session.random, session.account, OpenFile(self._file)
        yield self._cpu.burst(self._factor * burst.draw(random), 2, Phase.CPU, account)
        record = pick(random, self._file.size // KIB - 2) * KIB
        for first in (record, record + KIB):
            yield from self.machine.read(file, first, KIB, account)
        if random.random() < 0.5:
            yield from self.machine.write(file, record + KIB, KIB, account)
        yield from session.reply(1 + pick(random, 50))

    def work(self, scripts: Sequence[Script], seconds: float, perform: Perform | None = None) -> list[Transaction]:
        return rows_of(self.machine, perform or self.perform, scripts, 1, seconds * self._factor)


def clerks(name: str, terminals: int, factor: float = 1.0, think: float = 1.0) -> Script:
    steps = (Loop((Think(Exponential(think * factor)), Call(Exponential(12 * MS), "record"))),)
    return Script(name, steps, terminals, 9600.0 / factor, start=Uniform(0.0, factor))


@pytest.mark.parametrize(
    ("scheduler", "factor"), [(Sptf, 2.0), (Sptf, 0.25), (Fcfs, 3.0), (Sstf, 10.0), (Look, 0.1)]
)
def test_all_times_multiplied_are_all_responses_multiplied(scheduler: Callable[[], Scheduler], factor: float) -> None:
    """Powers of two change no digit. For SPTF it must be one: of two sectors at one angle the last digit decides."""
    one, other = Office(1.0, scheduler), Office(factor, scheduler)
    rows = one.work([clerks("clerk", 10), clerks("boss", 2, think=0.2)], 30.0)
    scaled = other.work([clerks("clerk", 10, factor), clerks("boss", 2, factor, 0.2)], 30.0)
    assert len(rows) > 250
    assert one.cache.late_hits > 0
    # Two that end at one instant may be recorded in either order, so that rows are compared terminal by terminal.
    for row, times in zip(sorted(rows), sorted(scaled), strict=True):
        assert times[:2] == row[:2]
        assert times[2:4] == pytest.approx([factor * when for when in row[2:4]], rel=1e-9)
        assert times.responded - times.began == pytest.approx(factor * (row.responded - row.began), rel=1e-9)
        assert times.phases == pytest.approx([factor * phase for phase in row.phases], rel=1e-9, abs=1e-9)


def test_it_does_not_matter_in_which_order_terminals_are_made() -> None:
    """A terminal's randomness hangs on its name; nothing happens at one instant, so that no order decides."""
    scripts = [clerks("clerk", 5), clerks("boss", 1, think=0.2), clerks("guest", 3, think=2.0)]
    rows = Office().work(scripts, 60.0)
    assert len(rows) > 400
    assert Office().work(scripts[::-1], 60.0) == rows


@pytest.mark.parametrize("names", ["zyxwv", "vxzwy", "aeiou"])
def test_names_that_no_randomness_hangs_on_change_no_response(names: str) -> None:
    """All ask at the same instants: who comes first must not hang on what he is called."""

    def nameless(names: str) -> list[tuple[object, ...]]:
        office = Office()
        scripts = [Script(name, (Loop((Think(Constant(0.1)), Call(None, "page"))),)) for name in names]
        return [row[1:] for row in office.work(scripts, 20.0, walk(office))]

    rows = nameless("vwxyz")
    assert len(rows) > 400
    assert nameless(names) == rows


def walk(office: Office) -> Perform:
    """A program that reads a page, one in seven on from the last that anybody read."""
    file = OpenFile(File("walk", office.cache, [Span(0, 400 * PAGE)]))

    def perform(_: object, session: Session) -> Iterator[Wait]:
        first = (file.position + 6 * PAGE) % (400 * PAGE)
        yield office.machine.read(file, first, PAGE, session.account)

    return perform
