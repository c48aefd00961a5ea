"""Tests a machine: system calls cost CPU time, then access the storage; parts are read by name."""

import pytest
import simpy

from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.machine import File, Machine, OpenFile, SystemCalls
from spindle.sim.parts import register
from spindle.sim.request import Op, Span, access


def test_a_read_and_a_write_by_hand(env: simpy.Environment) -> None:
    cpu, drive = FcfsCpu(env), Drive(env, FixedService(1.0))
    machine = Machine(env, {"drive": drive}, cpu, SystemCalls(read=0.25, write=0.5))
    file, account = OpenFile(File("f", drive, [Span(0, 10), Span(20, 10)])), Account("a")

    def work() -> Wait:
        yield from machine.read(file, 5, 10, account)  # two extents
        assert env.now == 2.25
        yield from machine.write(file, 0, 1, account)

    process = machine.spawn("worker", work())
    env.run()
    assert machine.processes == [("worker", process)]
    assert (env.now, account.seconds[Phase.CPU], account.seconds[Phase.OVERHEAD]) == (3.75, 0.75, 3)
    reading = machine.reading()
    assert (reading["cpu.bursts"], reading["drive.reads"], reading["drive.writes"]) == (2, 2, 1)
    assert set(machine.parts) == {"cpu", "drive"}


def test_each_extent_is_accessed_whatever_a_call_costs(env: simpy.Environment) -> None:
    """One extent or two, by calls that take 0 or 0.25 s before the accesses of a second each."""
    for seconds in (0.0, 0.25):
        for length in (5, 15):
            drive, account = Drive(env, FixedService(1.0)), Account("a")
            machine = Machine(env, {"drive": drive}, FcfsCpu(env), SystemCalls(read=seconds, write=seconds))
            file = OpenFile(File("f", drive, [Span(0, 10), Span(20, 10)]))
            for call in (machine.read, machine.write):
                env.process(call(file, 0, length, account))
                env.run()
            assert account.seconds[Phase.CPU] == 2 * seconds
            assert (drive.counts.reads, drive.counts.writes) == (1 + (length > 10), 1 + (length > 10))


def test_a_call_that_costs_nothing_is_the_access_itself(env: simpy.Environment) -> None:
    """So that no generator stands between the process and the storage."""
    drive = Drive(env, FixedService(1.0))
    machine, file = Machine(env, {}), OpenFile(File("f", drive, [Span(0, 1), Span(9, 10)]))
    for call, op, own in ((machine.read, Op.READ, drive.read), (machine.write, Op.WRITE, drive.write)):
        waits = call(file, 0, 1, Account("a")), own(access(op, 0, 1, Account("a")))
        assert len({wait.__name__ for wait in waits}) == 1  # type: ignore[attr-defined]


def test_a_call_is_performed_at_its_level(env: simpy.Environment) -> None:
    levels: list[int] = []

    class Noting(FcfsCpu):
        def burst(self, seconds, level, *others):  # type: ignore[no-untyped-def]
            levels.append(level)
            return super().burst(seconds, level, *others)

    drive = Drive(env, FixedService(1.0))
    machine = Machine(env, {}, Noting(env), SystemCalls(read=1.0, level=3))
    env.process(machine.read(OpenFile(File("f", drive, [Span(0, 10)])), 0, 5, Account("a")))
    env.run()
    assert levels == [3]


@pytest.mark.parametrize("calls", [SystemCalls(read=1.0), SystemCalls(write=1.0)])
def test_a_machine_of_storage_alone_has_no_cpu_to_spend(env: simpy.Environment, calls: SystemCalls) -> None:
    with pytest.raises(ValueError, match="system calls that cost CPU time need a CPU"):
        Machine(env, {}, None, calls)
    machine = Machine(env, {"drive": Drive(env, FixedService(1.0))})
    assert {name.partition(".")[0] for name in machine.reading()} == set(machine.parts) == {"drive"}
    with pytest.raises(ValueError, match="has no CPU"):
        assert machine.cpu


def test_counters_are_summed_by_the_beginning_of_a_name(env: simpy.Environment) -> None:
    drives = {name: Drive(env, FixedService(1.0), name=name) for name in ("drive1", "drive2", "swap")}
    machine = Machine(env, drives)
    counters = {"drive1.reads": 2.0, "drive2.reads": 3.0, "drive2.writes": 5.0, "swap.reads": 7.0}
    assert (machine.total(counters, "drive", "reads"), machine.total(counters, "swap", "reads")) == (5.0, 7.0)


def test_parts_that_nobody_listed_are_parts_too(env: simpy.Environment) -> None:
    """By the name in the machine, else by their own, else by their class; a listed part once."""

    class Nameless:
        pass

    listed, hidden, nameless = Drive(env, FixedService(1.0), name="own"), Drive(env, FixedService(1.0)), Nameless()
    register(env, nameless)
    assert Machine(env, {"mine": listed}).all_parts() == [
        ("mine", listed), (hidden.name, hidden), ("Nameless", nameless),
    ]  # fmt: skip


def test_durable_reaches_the_storage(env: simpy.Environment) -> None:
    seen = []

    class Storage(Drive):
        def write(self, access):  # type: ignore[no-untyped-def]
            seen.append(access.durable)
            return super().write(access)

    drive = Storage(env, FixedService(1.0))
    machine = Machine(env, {}, FcfsCpu(env))
    file = OpenFile(File("f", drive, [Span(0, 10)]))
    env.process(machine.write(file, 0, 5, Account("a"), durable=True))
    env.process(machine.write(file, 5, 5, Account("a")))
    env.run()
    assert seen == [True, False]


def test_what_is_not_in_the_file_is_refused(env: simpy.Environment) -> None:
    machine, drive = Machine(env, {}, FcfsCpu(env)), Drive(env, FixedService(1.0))
    file = OpenFile(File("f", drive, [Span(0, 10)]))
    with pytest.raises(ValueError, match="not within its 10 bytes"):
        machine.read(file, 5, 6, Account("a"))
