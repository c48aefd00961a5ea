"""Tests a thread of Response Probe by hand: what it gathers, when it spends that, and which cycles are measured."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
import simpy

from spindle.models.windows_nt.caller import Caller, thread
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.probe import Action, ProbeProcess, ProbeThread
from spindle.models.windows_nt.working_set import PAGE, FileSection
from spindle.sim.clock import CPU, PHASE_COUNT, Phase, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.parameter import change
from spindle.sim.request import READ, WRITE, Op, Span
from spindle.workloads.probe.bell import Bell
from spindle.workloads.probe.script import FileAction, ProbeFile, Thread
from spindle.workloads.probe.walk import ProbeWalk
from tests.doubles import KeptRows

CHOOSE, HIT, COMPUTE, SOFT, DISC = 0.25, 0.125, 0.5, 0.0625, 4.0
FILE = ProbeFile("file", 8 * PAGE)


class Told:
    """An access that hits but at some *misses*, places of the file in pages; it notes what was asked, and when."""

    calls = 0

    def __init__(self, env: simpy.Environment, *misses: int) -> None:
        self._env = env
        self._misses = misses
        self.asked: list[tuple[str, Op, int, float]] = []

    def try_now(self, op: Op, first: int, size: int) -> float | None:
        assert size == PAGE
        if first // PAGE in self._misses:
            return None
        self.asked.append(("hit", op, first // PAGE, self._env.now))
        return HIT

    def wait(self, op: Op, first: int, size: int, caller: Caller) -> Wait:
        self.asked.append(("wait", op, first // PAGE, self._env.now))
        yield caller.burst(1.0)
        return HIT


class Made:
    """A thread of *script* above a disc of four seconds, whose actions go to one file."""

    def __init__(
        self, script: Thread, quantum: float, misses: Sequence[int] = (), data: int = 0, code: int = 0,
        operations: tuple[Op, ...] = (),
    ) -> None:  # fmt: skip
        self.env = simpy.Environment()
        costs = change(NtParameters(), soft_fault=SOFT, paging_call=0.0, zero_page=0.0, local_pages=0)
        self.memory = MemoryManager(self.env, Drive(self.env, FixedService(DISC)), 32, costs)
        sections = [FileSection(name, Span(place * PAGE, pages * PAGE)) if pages else None
                    for name, place, pages in (("data", 0, data), ("code", 32, code))]  # fmt: skip
        self.data, self.code = sections
        self.process = ProbeProcess(self.memory, self.memory.working_set("probe", 0, 1), *sections)
        self.access = Told(self.env, *misses)
        walk = ProbeWalk(FileAction(FILE, operations or (READ,)), Random(1))
        actions = [Action(self.access, walk, CHOOSE)] if operations else []
        self.caller = thread(FcfsCpu(self.env), "probe 1/1", 7)
        self.thread = ProbeThread(self.env, script, self.process, actions, self.caller, Random(1), quantum)
        self.log = KeptRows()

    def live(self, begin: float, measured_from: float, end: float) -> None:
        self.env.run(self.env.process(self.thread.live(begin, measured_from, end, self.log)))

    def cycles(self) -> list[tuple[float, float]]:
        return [(row.began, row.ended) for row in self.log.rows]


@pytest.mark.parametrize(("end", "cycles", "ended", "measured"), [
    (7.0, 4, 9.0, [(3.0, 5.0), (5.0, 7.0)]),
    (5.0, 2, 5.0, [(3.0, 5.0)]),
    (4.9, 2, 5.0, []),
])  # fmt: skip
def test_cycles_of_two_seconds_are_spent_two_at_a_time(
    end: float, cycles: int, ended: float, measured: list[tuple[float, float]]
) -> None:
    """Two reads a cycle, of two records each: 2 (1/4 + 2/8 + 1/2) s. Those that begin from 3 s on are measured.

    A cycle whose time is spent after the end is not; one that ends then is.
    """
    made = Made(Thread(reads=Bell(2.0), cpu=Bell(COMPUTE)), 4.0, operations=(READ, READ))
    made.live(1.0, 3.0, end)
    one = made.thread
    assert (one.cycles, one.measured, one.seconds) == (cycles, len(measured), 2.0 * len(measured))
    assert made.cycles() == measured
    assert all((row.terminal, row.name, row.responded) == ("probe 1/1", "cycle", row.ended) for row in made.log.rows)
    assert all(row.phases == (2.0, *[0.0] * (PHASE_COUNT - 1)) for row in made.log.rows)
    assert made.log.charges == [2, 1][: len(measured)], "the first is spent within, and the other one is gathered"
    assert (made.env.now, made.process.set.active_at) == (ended, ended)
    assert [page for _, _, page, _ in made.access.asked[:6]] == [0, 1, 2, 3, 4, 5]


def test_what_misses_is_waited_for_in_its_turn() -> None:
    """Of four records the second and the fourth miss; what was gathered before is spent first."""
    made = Made(Thread(cpu=Bell(COMPUTE)), 100.0, misses=(1, 3), operations=(READ, READ, WRITE, READ, READ))
    made.live(0.0, 0.0, 0.1)
    gathered = CHOOSE + HIT
    second = gathered + 1.0 + 2 * HIT
    assert made.access.asked == [
        ("hit", READ, 0, 0.0), ("wait", READ, 1, gathered), ("wait", WRITE, 1, gathered + 1.0 + HIT),
        ("hit", READ, 2, second + 1.0 - HIT), ("wait", READ, 3, second + 1.0 + HIT),
    ]  # fmt: skip
    assert made.cycles() == []
    assert made.env.now == second + 2.0 + HIT


def test_a_wait_is_a_phase_of_its_cycle_and_the_rest_is_computing() -> None:
    made = Made(Thread(cpu=Bell(COMPUTE), code=Bell(2.0)), 0.5, code=8)
    made.live(0.0, 0.0, 6.0)
    assert made.cycles() == [(0.0, DISC + SOFT + COMPUTE), *[(at, at + 0.5) for at in (4.5625, 5.0625, 5.5625)][:2]]
    first = made.log.rows[0].phases
    assert (first[CPU], sum(first)) == (SOFT + COMPUTE, DISC + SOFT + COMPUTE)
    assert made.log.charges[0] == made.caller.account.charges - 2


@pytest.mark.parametrize(("page", "touched"), [(2.0, 2), (7.0, 7), (8.0, 7), (99.0, 7)])
def test_a_page_of_data_and_one_of_code_are_touched_before_each_computing(page: float, touched: int) -> None:
    """A page beyond the end is the last. Both were trimmed: two soft faults, once."""
    made = Made(Thread(cpu=Bell(1.0), data=Bell(page), code=Bell(page)), 1.0, data=8, code=8)
    assert made.data is not None
    assert made.code is not None
    made.memory.populate(made.process.set, made.code, range(8), dirty=False)
    made.env.run(made.env.process(made.process.start(made.caller)))
    for section in (made.data, made.code):
        made.memory.remove(made.process.set, section.pages[touched])
        section.pages[touched].dirty = False
    began = made.env.now
    assert began == 8 * SOFT
    made.live(began, 0.0, began + 2.0)
    assert made.cycles() == [(began, began + 1.0 + 2 * SOFT)]
    assert (made.data.pages[touched].dirty, made.code.pages[touched].dirty) == (True, False)
    assert (made.process.set.soft_faults, made.thread.cycles) == (2, 2)


@pytest.mark.parametrize("page", [3.0, 9.0])
def test_pages_that_are_not_in_memory_are_waited_for_in_turn(page: float) -> None:
    """Of eight pages of code; what was gathered is spent before the wait."""
    made = Made(Thread(cpu=Bell(1.0), data=Bell(0.0), code=Bell(page)), 100.0, data=1, code=8)
    made.live(0.0, 0.0, 0.1)
    assert made.code is not None
    assert list(made.code.pages) == [min(int(page), 7)]
    assert made.env.now == SOFT + SOFT + DISC, "the page of data was made at the start"
    assert made.thread._pending == 1.0


def test_private_pages_are_made_once_for_all_threads() -> None:
    made = Made(Thread(cpu=Bell(1.0)), 1.0, data=3)
    for _ in range(2):
        made.env.run(made.env.process(made.process.start(made.caller)))
    assert made.env.now == 3 * SOFT
    assert made.memory.demand_zero_faults == 3


@pytest.mark.parametrize(("reads", "seconds"), [
    (0.0, 1.0), (1.0, 1.0 + CHOOSE + HIT), (3.0, 3 * (1.0 + CHOOSE + HIT)),
])  # fmt: skip
def test_who_reads_nothing_computes_once_and_does_no_action(reads: float, seconds: float) -> None:
    made = Made(Thread(reads=Bell(reads), cpu=Bell(1.0)), 1.0, operations=(READ,))
    made.live(0.0, 0.0, 0.1)
    assert len(made.access.asked) == reads
    assert (made.env.now, made.thread.cycles, made.thread.measured, made.thread.seconds) == (seconds, 1, 0, 0.0)


def test_a_thinker_spends_what_he_has_gathered_before_he_thinks() -> None:
    made = Made(Thread(think=Bell(2.0), cpu=Bell(0.5)), 100.0)
    made.live(0.0, 0.0, 5.5)
    assert made.cycles() == [(2.0, 2.5), (4.5, 5.0)]
    assert made.env.now == 7.0
    assert made.caller.account.seconds[Phase.CPU] == 1.0


def test_times_are_drawn_from_the_threads_own_stream() -> None:
    bell = Bell(1.0, 0.25)
    made = Made(Thread(think=bell, cpu=bell), 0.01)
    made.live(0.0, 0.0, 3.0)
    random, ends, now = Random(1), list[tuple[Any, Any]](), 0.0
    while now < 3.0:
        now += bell.draw(random)
        began = now
        now += bell.draw(random)
        ends += [(pytest.approx(began), pytest.approx(now))] if now <= 3.0 else []
    assert made.cycles() == ends
