"""Tests a machine: system calls cost CPU time, then access the storage; parts are read by name."""

import pytest
import simpy

from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.machine import File, Machine, OpenFile, SystemCalls
from spindle.sim.request import Span


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
