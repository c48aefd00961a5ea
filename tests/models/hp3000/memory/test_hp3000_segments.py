"""Tests segments (pieces of a program's memory): faults, dirty ones written when evicted, one memory for all."""

import pytest
import simpy

from spindle.models.hp3000.caching.control import CacheSettings, Control
from spindle.models.hp3000.caching.costs import CacheCosts
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.discs import Volumes
from spindle.models.hp3000.memory import MpeSegment, SegmentManager
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.cpu import Stopped
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Arrival, Op, Span, access
from spindle.sim.units import KIB, MS
from tests.models.hp3000.noting_cpu import NotingCpu

DISC = 25 * MS
FAULT_CPU = 3 * MS
FAULT = FAULT_CPU + DISC
SEGMENT = 4 * KIB


class Bench:
    """Room for three segments of 4 KB, and people who need segments at given times."""

    def __init__(self, env: simpy.Environment, memory: int = 3 * SEGMENT) -> None:
        self.env = env
        self.cpu = NotingCpu(env)
        self.memory = SharedMemory(env, memory, Lru())
        self.drive = Drive(env, FixedService(DISC, capacity=512 * KIB))
        volumes = Volumes([self.drive], [self.drive.capacity], reserved=256 * KIB)
        self.stopped = Stopped()
        self.manager = SegmentManager(env, self.memory, [self.drive], volumes, self.cpu, FAULT_CPU, 1, self.stopped)
        self.log: list[tuple[str, float]] = []
        self.accounts: dict[str, Account] = {}

    def needs(self, segment: MpeSegment, who: str, when: float = 0.0) -> None:
        self.env.process(self._work(segment, who, when))

    def _work(self, segment: MpeSegment, who: str, when: float) -> Wait:
        yield pause(self.env, when)
        yield from self.manager.need([segment], self.accounts.setdefault(who, Account(who))) or ()
        self.log.append((who, self.env.now))

    def run(self) -> list[tuple[str, float]]:
        self.env.run()
        assert (self.memory._pins, self.stopped.now) == ({}, 0)
        assert set(self.cpu.asked) <= {(1, Phase.MANAGER)}
        return [(who, round(when, 9)) for who, when in self.log]

    def code(self, name: str) -> MpeSegment:
        return self.manager.code(name, 1, SEGMENT)[0]

    def stack(self, name: str) -> MpeSegment:
        return self.manager.data(name, SEGMENT)


@pytest.fixture
def bench(env: simpy.Environment) -> Bench:
    return Bench(env)


def test_a_segment_that_is_fetched_once_more_is_waited_for_once_more(bench: Bench) -> None:
    """It has come and gone before the waiter looks, and somebody else has begun to fetch it."""
    code, first, second = bench.code("code"), Arrival(), Arrival()
    code.arrival = first
    bench.needs(code, "waiter")

    def fetch() -> Wait:
        yield pause(bench.env, 1.0)
        code.arrival = second
        first.start(None)
        yield pause(bench.env, 1.0)
        code.arrival, code.present = None, True
        second.start(None)

    bench.env.process(fetch())
    assert bench.run() == [("waiter", 2.0)]


def test_an_absent_segment_is_read_and_then_is_there(bench: Bench) -> None:
    code = bench.code("code")
    bench.needs(code, "first")
    bench.needs(code, "again", when=1.0)
    assert bench.run() == [("first", FAULT), ("again", 1.0)]
    assert (bench.manager.faults, bench.manager.swap_writes) == (1, 0)
    account = bench.accounts["first"]
    assert account.seconds[Phase.MANAGER] == pytest.approx(FAULT_CPU)
    assert account.seconds[Phase.OVERHEAD] == pytest.approx(DISC)
    assert account.total() == pytest.approx(FAULT)
    assert bench.accounts["again"].total() == 0.0
    assert (bench.manager.write_back_victim(code), bench.stopped.ever) == (None, 1)


def test_two_sessions_share_one_fault(bench: Bench) -> None:
    code = bench.code("code")
    bench.needs(code, "one")
    bench.needs(code, "other", when=10 * MS)
    assert bench.run() == [("one", FAULT), ("other", FAULT)]
    assert bench.manager.faults == 1
    assert bench.accounts["other"].seconds[Phase.OVERHEAD] == pytest.approx(FAULT - 10 * MS)


def test_sessions_wait_together_for_the_room_of_a_segment(env: simpy.Environment) -> None:
    """The stack in memory is written first, from 3 to 31 ms; the other has asked at 10 ms, and waits for that too."""
    bench = Bench(env, memory=SEGMENT)
    old, new = bench.stack("old"), bench.stack("new")
    for segment, who, when in ((old, "first", 0.0), (new, "one", 1.0), (new, "other", 1.0 + 10 * MS)):
        bench.needs(segment, who, when)
    done = 1.0 + 2 * FAULT
    assert bench.run() == [("first", FAULT), ("one", pytest.approx(done)), ("other", pytest.approx(done))]
    waited = bench.accounts["other"].seconds
    assert (waited[Phase.MEMORY], waited[Phase.OVERHEAD]) == pytest.approx((21 * MS, DISC))
    assert (bench.manager.faults, bench.manager.swap_writes, new.dirty) == (2, 1, True)


def test_segments_have_places_of_their_own_in_whole_sectors(bench: Bench) -> None:
    places = [bench.manager.data(name, size).place for name, size in (("a", 1), ("b", 256), ("c", 257))]
    assert places == [Span(0, 256), Span(256, 256), Span(512, 512)]
    assert [segment.owner for segment in (*bench.manager.segments, *bench.manager.code("d", 1, 1))] == [""] * 4


def test_the_code_segments_of_a_program_lie_together_in_its_file_behind_virtual_memory(bench: Bench) -> None:
    one, other = bench.manager.code("program", 2, 1000)
    assert one.place.first >= 256 * KIB
    assert (one.place.length, other.place) == (1000, Span(one.place.first + 1000, 1000))


def test_the_file_of_a_program_is_as_large_as_its_code(bench: Bench) -> None:
    bench.manager.code("large", 63, SEGMENT)
    bench.manager.code("small", 1, SEGMENT)
    with pytest.raises(UserError, match="no room for file program third on disc 1"):
        bench.manager.code("third", 1, SEGMENT)
    assert [each.name for each in bench.manager.segments[-2:]] == ["large code 62", "small code 0"]


def test_what_is_absent_is_brought_in_one_after_the_other(bench: Bench) -> None:
    segments = [bench.stack("stack"), *bench.manager.code("program", 2, SEGMENT)]
    account = Account("user")

    def work() -> Wait:
        yield from bench.manager.need(segments, account) or ()

    bench.env.process(work())
    bench.run()
    assert bench.env.now == pytest.approx(3 * FAULT)
    assert bench.manager.need(segments, account) is None


def test_clean_code_goes_without_being_written(bench: Bench) -> None:
    segments = [bench.code(f"code {number}") for number in range(4)]
    for number, segment in enumerate(segments):
        bench.needs(segment, segment.name, when=float(number))
    bench.needs(segments[0], "again", when=4.0)
    bench.run()
    assert (bench.manager.faults, bench.manager.swap_writes) == (5, 0)
    assert [segment.present for segment in segments] == [True, False, True, True]
    assert bench.memory.evictions == 2


def test_a_dirty_stack_is_written_before_its_place_is_used_again(bench: Bench) -> None:
    stacks = [bench.stack(f"stack {number}") for number in range(4)]
    asked, start = [], bench.drive.start
    bench.drive.start = lambda access: (asked.append(access), start(access))[1]  # type: ignore[method-assign]
    for number, segment in enumerate(stacks):
        bench.needs(segment, segment.name, when=float(number))
    done = bench.run()
    order = [(Op.READ, 0), (Op.READ, 1), (Op.READ, 2), (Op.WRITE, 0), (Op.READ, 3)]
    assert asked == [access(op, *stacks[number].place, bench.manager._account) for op, number in order]
    swapped = FAULT_CPU + DISC
    assert done[3] == ("stack 3", pytest.approx(3.0 + FAULT + swapped))
    assert (bench.manager.faults, bench.manager.swap_writes) == (4, 1)
    assert [segment.present for segment in stacks] == [False, True, True, True]
    # The wait for room is memory's, the fault's own CPU and disc are the faulting session's.
    assert bench.accounts["stack 3"].seconds[Phase.MEMORY] == pytest.approx(swapped)
    assert bench.accounts["stack 3"].total() == pytest.approx(FAULT + swapped)


def test_a_stack_that_is_used_while_it_is_written_stays(bench: Bench) -> None:
    stacks = [bench.stack(f"stack {number}") for number in range(4)]
    for number, segment in enumerate(stacks):
        bench.needs(segment, segment.name, when=float(number))
    bench.needs(stacks[0], "in time", when=3.0 + 10 * MS)
    assert ("in time", 3.01) in bench.run()
    assert [segment.present for segment in stacks] == [True, False, True, True]
    assert (bench.memory.rescues, bench.manager.swap_writes, bench.manager.faults) == (1, 2, 4)


def test_a_stack_is_clean_from_its_writing_to_its_next_use(bench: Bench) -> None:
    stack, account = bench.stack("stack"), Account("user")
    bench.needs(stack, "user")
    bench.run()
    writing = bench.manager.write_back_victim(stack)
    assert writing is not None
    bench.env.process(writing)
    bench.run()
    assert bench.manager.write_back_victim(stack) is None
    assert bench.manager.need([stack], account) is None
    assert bench.manager.write_back_victim(stack) is not None
    assert bench.manager.swap_writes == 1


def test_code_stacks_and_domains_compete_under_one_policy(env: simpy.Environment) -> None:
    """Room for three: what was used least recently goes, whoever it belongs to."""
    bench = Bench(env)
    costs = CacheCosts(1 * MS, 1 * MS, 1 * MS, 2)
    drive = Drive(env, FixedService(DISC, capacity=1024 * KIB))
    cache = DiscCache(env, drive, bench.cpu, bench.memory, costs, Control(env, CacheSettings(SEGMENT, SEGMENT)))
    code, stack = bench.code("code"), bench.stack("stack")
    extent = Span(0, 512 * KIB)

    def read(first: int, when: float) -> Wait:
        yield pause(env, when)
        yield from cache.read(access(Op.READ, first, 1024, Account("reader"), extent))

    bench.needs(code, "code", when=0.0)
    bench.needs(stack, "stack", when=1.0)
    env.process(read(0, 2.0))  # three regions: memory is full
    env.process(read(100 * KIB, 3.0))  # the code goes, for it is clean and oldest
    env.process(read(200 * KIB, 4.0))  # the stack is written and goes
    bench.needs(code, "code again", when=5.0)  # and the first domain goes
    env.run()
    assert (code.present, stack.present) == (True, False)
    assert [each.first for each in cache.directory.find(extent)] == [100 * KIB, 200 * KIB]
    assert (bench.manager.faults, bench.manager.swap_writes, bench.memory.evictions) == (3, 1, 3)


def test_memory_that_segments_leave_is_the_caches(env: simpy.Environment) -> None:
    bench = Bench(env)
    stack = bench.stack("stack")
    bench.needs(stack, "user")
    bench.run()
    assert bench.memory.used_bytes == SEGMENT
    assert bench.memory.reading()["used_seconds"] == pytest.approx(SEGMENT * DISC)


def test_virtual_memory_that_does_not_fit_the_disc_is_refused(bench: Bench) -> None:
    for number in range(128):
        bench.stack(f"stack {number}")
    with pytest.raises(UserError, match="virtual memory: no room for stack 128 on disc 1"):
        bench.stack("stack 128")
