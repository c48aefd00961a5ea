"""Tests a thread of Response Probe by hand: which pages it touches, and the times of its cycles."""

from random import Random

import simpy

from spindle.models.windows_nt.caller import thread
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.probe import ProbeProcess, ProbeThread
from spindle.models.windows_nt.working_set import PAGE, FileSection
from spindle.sim.clock import CPU
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import Span
from spindle.sim.terminal import Transaction
from spindle.workloads.probe.bell import Bell
from spindle.workloads.probe.script import Thread


class Cycles:
    """A log that keeps the rows."""

    def __init__(self) -> None:
        self.rows: list[Transaction] = []

    def record(self, row: Transaction, charges: int) -> None:
        self.rows.append(row)


def test_a_page_that_is_always_the_same_is_the_nearest_to_its_mean(env: simpy.Environment) -> None:
    costs = NtParameters(soft_fault=0.0, paging_call=0.0)
    memory = MemoryManager(env, Drive(env, FixedService(0.25)), 16, costs)
    code, log = FileSection("code", Span(0, 8 * PAGE)), Cycles()
    process = ProbeProcess(memory, memory.working_set("probe", 0, 1), None, code)
    script = Thread(cpu=Bell(1.0), think=Bell(0.5), code=Bell(2.5))
    one = ProbeThread(env, script, process, [], thread(FcfsCpu(env), "probe", 7), Random(1), quantum=0.5)
    env.process(one.live(0.0, 1.0, 4.5, log))
    env.run()
    assert list(code.pages) == [3]
    assert [(row.began, row.ended, row.phases[CPU], sum(row.phases)) for row in log.rows] == [(2.25, 3.25, 1.0, 1.0)]


def test_the_page_that_was_drawn_is_the_one_that_is_read(env: simpy.Environment) -> None:
    memory = MemoryManager(env, Drive(env, FixedService(0.25)), 16, NtParameters())
    code, where = FileSection("code", Span(0, 8 * PAGE)), Bell(4.0, 3.0, most=7.0)
    process = ProbeProcess(memory, memory.working_set("probe", 0, 1), None, code)
    script = Thread(cpu=Bell(1.0), think=Bell(0.5), code=where)
    one = ProbeThread(env, script, process, [], thread(FcfsCpu(env), "probe", 7), Random(1), quantum=0.5)
    env.process(one.live(0.0, 1.0, 0.1, Cycles()))
    env.run()
    assert one.cycles == 1
    assert list(code.pages) == [where.pick(Random(1))] != [where.pick(Random(2))]


def test_a_page_of_data_that_is_read_back_is_written_again(env: simpy.Environment) -> None:
    memory = MemoryManager(env, Drive(env, FixedService(0.25)), 16, NtParameters())
    data, code = FileSection("data", Span(0, PAGE)), FileSection("code", Span(PAGE, PAGE))
    process = ProbeProcess(memory, memory.working_set("probe", 0, 1), data, code)
    caller = thread(FcfsCpu(env), "probe", 7)
    for section in (data, code):
        env.run(env.process(process.bring(section, 0, caller)))
    assert (data.pages[0].dirty, code.pages[0].dirty) == (True, False)
