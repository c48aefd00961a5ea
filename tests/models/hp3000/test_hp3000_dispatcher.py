"""Tests how idle CPU time is divided into paused and idle, by what the stopped processes wait for, by hand."""

import pytest
import simpy

from spindle.models.hp3000.caching.control import CacheSettings, Control
from spindle.models.hp3000.caching.costs import CacheCosts
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.discs import IdleCauses, PlainDisc, Volumes
from spindle.models.hp3000.memory import MpeSegment, SegmentManager
from spindle.sim.clock import CPU, Account, Wait, pause
from spindle.sim.cpu import Cpu, FcfsCpu, PreemptiveCpu, Stopped
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Access, Hint, Op, Span, access
from spindle.sim.units import KIB, MS

WHO = Account("somebody")
DISC = 20 * MS
FILE = Span(0, 64 * KIB)


def spent(dispatcher: IdleCauses) -> tuple[float, float, float]:
    """Milliseconds paused for user I/O, paused for swap I/O, idle."""
    reading = dispatcher.reading()
    return tuple(round(reading[name] / MS, 6) for name in ("paused_disc", "paused_swap", "idle"))  # type: ignore[return-value]


# The rule -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [FcfsCpu, PreemptiveCpu])
def test_idle_seconds_go_to_user_io_before_swap_io_and_busy_ones_to_nobody(
    env: simpy.Environment, make: type[FcfsCpu | PreemptiveCpu]
) -> None:
    cpu: Cpu = make(env)
    dispatcher = IdleCauses(env, cpu)

    def wait(stopped: Stopped, begin: float, end: float) -> Wait:
        yield pause(env, begin)
        stopped.enter()
        yield pause(env, end - begin)
        stopped.leave()

    def work(begin: float, seconds: float) -> Wait:
        yield pause(env, begin)
        yield cpu.burst(seconds, 1, CPU, WHO)

    for stopped, begin, end in [
        (dispatcher.disc, 1.0, 4.0), (dispatcher.cache, 3.0, 5.0), (dispatcher.swap, 4.5, 7.0),
        (dispatcher.swap, 6.0, 8.0), (dispatcher.disc, 10.0, 11.0),
    ]:  # fmt: skip
        env.process(wait(stopped, begin, end))
    env.process(work(2.0, 0.5))
    env.process(work(10.5, 4.0))
    env.run(until=12.0)
    assert cpu.busy() == 2.0
    assert spent(dispatcher) == (4000.0, 3000.0, 3000.0)  # 1-2, 2.5-5, 10-10.5; 5-8; 0-1, 8-10
    assert dispatcher.disc.ever == 2
    env.run(until=20.0)
    assert spent(dispatcher) == (4000.0, 3000.0, 8500.0)


def test_nobody_goes_on_who_was_not_stopped() -> None:
    with pytest.raises(AssertionError, match="not stopped"):
        Stopped().leave()


# In the parts that stop processes -----------------------------------------------------------------


class Bench:
    def __init__(self, env: simpy.Environment) -> None:
        self.env = env
        self.cpu = FcfsCpu(env)
        self.dispatcher = IdleCauses(env, self.cpu)
        self.drive = Drive(env, FixedService(DISC, capacity=512 * KIB))

    def cache(self) -> DiscCache:
        memory, control = SharedMemory(self.env, 64 * KIB, Lru()), Control(self.env, CacheSettings(4 * KIB, 4 * KIB))
        costs = CacheCosts(1 * MS, 1 * MS, 1 * MS, 2)
        return DiscCache(self.env, self.drive, self.cpu, memory, costs, control, self.dispatcher.cache)

    def after(self, work: Wait) -> tuple[float, float, float]:
        """What *work* added, until it was done."""
        before = spent(self.dispatcher)
        self.env.run(until=self.env.process(work))
        one, two, three = (round(now - then, 6) for now, then in zip(spent(self.dispatcher), before, strict=True))
        return one, two, three


@pytest.fixture
def bench(env: simpy.Environment) -> Bench:
    return Bench(env)


def test_an_uncached_access_pauses_for_as_long_as_the_disc_takes(bench: Bench) -> None:
    disc = PlainDisc(bench.drive, bench.cpu, 2 * MS, 2, bench.dispatcher.disc)
    assert bench.after(disc.read(access(Op.READ, 0, KIB, WHO))) == (20.0, 0.0, 0.0)
    assert bench.after(disc.write(access(Op.WRITE, 0, KIB, WHO))) == (20.0, 0.0, 0.0)
    assert bench.dispatcher.reading()["disc_stops"] == 2.0


def test_what_nobody_waits_for_pauses_nobody(bench: Bench) -> None:
    bench.drive.start(access(Op.WRITE, 0, KIB, WHO))
    bench.env.run()
    assert spent(bench.dispatcher) == (0.0, 0.0, 20.0)


def test_of_a_cached_access_a_miss_and_a_wait_for_a_post_pause(bench: Bench) -> None:
    cache = bench.cache()

    def request(op: Op) -> Access:
        return Access(op, Span(0, KIB), FILE, None, Hint.NONE, False, WHO)

    def idle(seconds: float) -> Wait:
        yield pause(bench.env, seconds)

    assert bench.after(cache.read(request(Op.READ))) == (20.0, 0.0, 0.0)
    assert bench.after(cache.read(request(Op.READ))) == (0.0, 0.0, 0.0)
    assert bench.after(cache.write(request(Op.WRITE))) == (0.0, 0.0, 0.0)
    assert bench.after(idle(8 * MS)) == (0.0, 0.0, 8.0)  # the post is under way, and nobody waits for it
    assert bench.after(cache.read(request(Op.READ))) == (11.0, 0.0, 0.0)  # after 1 ms of search it is waited for


def test_absent_segments_and_room_for_them_pause_for_swap_io(bench: Bench) -> None:
    memory = SharedMemory(bench.env, 4 * KIB, Lru())
    volumes = Volumes([bench.drive], [bench.drive.capacity], reserved=64 * KIB)
    manager = SegmentManager(
        bench.env, memory, [bench.drive], volumes, bench.cpu, 3 * MS, 1, bench.dispatcher.swap
    )

    def needed(segment: MpeSegment) -> Wait:
        yield from manager.need([segment], WHO) or ()

    stack, data = manager.stack("CLERKS 1", 4 * KIB), manager.data("tables", 4 * KIB)
    assert bench.after(needed(stack)) == (0.0, 20.0, 0.0)
    assert manager.need([stack], WHO) is None
    assert bench.after(needed(data)) == (0.0, 40.0, 0.0)  # the stack is written first
    held = {name: seconds for name, seconds in manager.reading().items() if name.endswith("_byte_seconds")}
    in_stack = 20 * MS + 3 * MS + 3 * MS + 20 * MS  # until its copy is written
    assert held == pytest.approx({
        "code_byte_seconds": 0.0, "stack_byte_seconds": 4 * KIB * in_stack,
        "extra_data_byte_seconds": 4 * KIB * 20 * MS,
    })  # fmt: skip
