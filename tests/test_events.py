"""What a logical read costs in events of the clock: counted, not timed, so that no fast machine hides a slow model."""

from collections.abc import Callable
from typing import Any

import pytest
import simpy

from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.sim.cache.block_cache import BlockCache, CpuOverhead
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.cpu import Cpu, FcfsCpu, PreemptiveCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.lru import Lru
from spindle.sim.lock import Lock
from spindle.sim.machine import File, Machine, OpenFile, SystemCalls
from spindle.sim.memory import SharedMemory
from spindle.sim.request import BlockDevice, Op, Span, access
from spindle.sim.units import MS

PAGE = 4096
WHO = Account("reader")


def events(env: simpy.Environment, work: Wait) -> int:
    """How many events *env* handles until nothing is left, without the process's own begin and end."""
    env.process(work)
    handled = 0
    while env.peek() < float("inf"):
        env.step()
        handled += 1
    return handled - 2


def machine_over(env: simpy.Environment, cpu: Cpu, storage: BlockDevice) -> tuple[Machine, OpenFile]:
    machine = Machine(env, {}, cpu, SystemCalls(read=1 * MS, write=1 * MS))
    return machine, OpenFile(File("data", storage, [Span(0, 100 * PAGE)]))


def drive(env: simpy.Environment) -> Drive:
    return Drive(env, FixedService(25 * MS, capacity=1000 * PAGE))


def test_a_bare_drive_takes_one_event_an_access(env: simpy.Environment) -> None:
    disc = drive(env)

    def work() -> Wait:
        for number in range(50):
            op = (Op.READ, Op.WRITE)[number % 2]
            perform = (disc.read, disc.write)[number % 2]
            yield from perform(access(op, number * PAGE, PAGE, WHO))

    assert events(env, work()) == 50


def test_a_queue_at_a_drive_takes_no_more(env: simpy.Environment) -> None:
    disc = drive(env)
    for number in range(50):
        disc.start(access(Op.READ, number * PAGE, PAGE, WHO))
    handled = 0
    while env.peek() < float("inf"):
        env.step()
        handled += 1
    assert handled == 50


def test_without_a_cache_a_read_takes_a_burst_and_an_access(env: simpy.Environment) -> None:
    machine, file = machine_over(env, FcfsCpu(env), drive(env))

    def work() -> Wait:
        for page in range(20):
            yield from machine.read(file, page * PAGE, PAGE, WHO)

    assert events(env, work()) == 2 * 20


@pytest.mark.parametrize("cpu", [FcfsCpu, PreemptiveCpu])
def test_a_cache_that_costs_no_cpu_adds_nothing(
    cpu: Callable[[simpy.Environment], Cpu], env: simpy.Environment
) -> None:
    """The one burst is the system call's: a hit is that alone, a miss that and the access."""
    cache = BlockCache(env, drive(env), PAGE, SharedMemory(env, 50 * PAGE, Lru()))
    machine, file = machine_over(env, cpu(env), cache)

    def read_all() -> Wait:
        for page in range(20):
            yield from machine.read(file, page * PAGE, PAGE, WHO)

    misses = events(env, read_all())
    hits = events(env, read_all())
    assert (cache.misses, cache.hits) == (20, 20)
    assert hits == 20
    assert misses == 2 * 20


def test_a_cache_that_costs_cpu_adds_a_burst(env: simpy.Environment) -> None:
    cpu = FcfsCpu(env)
    memory = SharedMemory(env, 50 * PAGE, Lru())
    cache = BlockCache(env, drive(env), PAGE, memory, overhead=CpuOverhead(cpu, 1 * MS, 0.0))
    machine, file = machine_over(env, cpu, cache)

    def read_all() -> Wait:
        for page in range(20):
            yield from machine.read(file, page * PAGE, PAGE, WHO)

    assert [events(env, read_all()), events(env, read_all())] == [3 * 20, 2 * 20]


def test_evicting_what_is_clean_takes_no_event(env: simpy.Environment) -> None:
    cache = BlockCache(env, drive(env), PAGE, SharedMemory(env, 2 * PAGE, Lru()))
    machine, file = machine_over(env, FcfsCpu(env), cache)

    def read_all() -> Wait:
        for page in range(20):
            yield from machine.read(file, page * PAGE, PAGE, WHO)

    assert [events(env, read_all()), events(env, read_all())] == [2 * 20, 2 * 20]
    assert cache.misses == 40


# The HP3000 ---------------------------------------------------------------------------------------


def hp3000(env: simpy.Environment, cpu: Callable[[simpy.Environment], Cpu], caching: bool, **changes: Any) -> Hp3000:
    return Hp3000(env, MpeParameters(**changes), MpeOptions(cpu=cpu), caching)


def read_blocks(series: Hp3000, file: OpenFile, blocks: int) -> Wait:
    """Reads of a block each, so far apart that one fetch never brings two."""
    for block in range(blocks):
        yield from series.machine.read(file, block * 4096, 1024, WHO)


@pytest.mark.parametrize("cpu", [FcfsCpu, PreemptiveCpu])
def test_a_hit_of_the_hp3000_takes_a_burst_and_a_miss_two_and_two_for_the_access(
    cpu: Callable[[simpy.Environment], Cpu], env: simpy.Environment
) -> None:
    series = hp3000(env, cpu, caching=True)
    file = OpenFile(series.volumes.build("data", 8 * 64 * 1024))
    misses = events(env, read_blocks(series, file, 100))
    hits = events(env, read_blocks(series, file, 100))
    read = [cache.reading() for cache in series.caching.caches]
    assert sum(each["misses"] for each in read) == sum(each["hits"] for each in read) == 100
    assert hits == 100
    assert misses == 4 * 100


def test_without_caching_the_hp3000_takes_a_burst_and_two_for_the_access(env: simpy.Environment) -> None:
    series = hp3000(env, FcfsCpu, caching=False)
    file = OpenFile(series.volumes.build("data", 8 * 64 * 1024))
    assert events(env, read_blocks(series, file, 100)) == (1 + 2) * 100


def test_a_write_behind_takes_a_burst_and_its_post(env: simpy.Environment) -> None:
    series = hp3000(env, FcfsCpu, caching=True)
    file = OpenFile(series.volumes.build("data", 8 * 64 * 1024))

    def work() -> Wait:
        for block in range(100):
            yield from series.machine.write(file, block * 4096, 1024, WHO)
            yield pause(env, 1.0)

    assert events(env, work()) == (1 + 2 + 1) * 100


# CPU and lock -------------------------------------------------------------------------------------


@pytest.mark.parametrize("cpu", [FcfsCpu, PreemptiveCpu])
def test_a_burst_takes_one_event(cpu: Callable[[simpy.Environment], Cpu], env: simpy.Environment) -> None:
    serves = cpu(env)

    def work() -> Wait:
        for _ in range(30):
            yield serves.burst(1 * MS, 2, Phase.CPU, WHO)

    assert events(env, work()) == 30


def test_a_preemption_takes_one_more() -> None:
    def handled(level: int) -> tuple[int, int]:
        """A burst of 10 ms, and five of 1 ms at *level* that come while it lasts: events, preemptions."""
        env = simpy.Environment()
        cpu = PreemptiveCpu(env)

        def long() -> Wait:
            yield cpu.burst(10 * MS, 2, Phase.CPU, WHO)

        def short() -> Wait:
            for _ in range(5):
                yield pause(env, 1 * MS)
                yield cpu.burst(1 * MS, level, Phase.CPU, WHO)

        env.process(short())
        return events(env, long()), cpu.preemptions

    waiting, preempting = handled(2), handled(1)
    assert (waiting[1], preempting[1]) == (0, 5)
    assert preempting[0] == waiting[0] + 5


def test_a_lock_that_nobody_else_wants_takes_no_event(env: simpy.Environment) -> None:
    lock = Lock(env, "control block")

    def work() -> Wait:
        for _ in range(10):
            yield from lock.acquire(WHO)
            lock.release()

    assert events(env, work()) == 0
    assert (lock.acquired, lock.impedes) == (10, 0)


def test_an_impede_takes_one_event(env: simpy.Environment) -> None:
    lock = Lock(env, "control block")

    def work() -> Wait:
        yield from lock.acquire(WHO)
        yield pause(env, 1.0)
        lock.release()

    for _ in range(7):
        env.process(work())
    pauses, begins_and_ends = 8, 2 * 7
    assert events(env, work()) == pauses + begins_and_ends + lock.impedes
    assert lock.impedes == 7
