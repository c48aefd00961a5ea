"""Tests logging on a script's users: each has a name, a line and a process; characters interrupt the CPU."""

from collections.abc import Iterator

import simpy

from spindle.sim.clock import Phase, Wait
from spindle.sim.cpu import PreemptiveCpu
from spindle.sim.machine import Machine
from spindle.sim.measure import engine
from spindle.sim.measure.load import Terminals, Window
from spindle.sim.measure.result import Recorder
from spindle.sim.script import Call, Script, Think, Type
from spindle.sim.streams import Constant
from spindle.sim.terminal import Session, Users, log_on
from spindle.sim.units import MS

STEPS = (Think(Constant(2.0)), Type(8), Call("report", "report"))
THREE = Script("clerk", STEPS, terminals=3, baud=100.0, stagger=10.0)


def test_every_user_works_at_a_terminal_and_a_line_of_his_own(env: simpy.Environment) -> None:
    machine = Machine(env, {}, PreemptiveCpu(env))
    asked: list[tuple[str, object, str]] = []

    def perform(program: object, session: Session) -> Iterator[Wait]:
        asked.append((session.name, program, session.state))
        yield session.reply(3)

    def prepare(program: object, session: Session) -> None:
        session.state = f"prepared for {program}"

    load = Terminals([THREE], perform, 5 * MS, prepare)
    recorder = engine.run(machine, load, Window(0.0, 60.0)).recorder
    terminals = load.users.terminals
    names = ["clerk 1", "clerk 2", "clerk 3"]
    assert asked == [(name, "report", "prepared for report") for name in names]
    assert [name for name, _ in machine.processes] == names
    assert [terminal.session.line.characters for terminal in terminals] == [12, 12, 12]
    # 2 s of thinking, 8 characters at 4 a second, RETURN at 10 a second; each character costs 5 ms before it goes.
    assert [tuple(round(at, 6) for at in row[2:5]) for row in recorder.rows] == [
        (start + 4.105, start + 4.21, start + 4.42) for start in (0.0, 10.0, 20.0)
    ]
    assert round(machine.cpu.reading()["busy_interrupt"], 6) == 0.06
    assert {phase.name for phase in Phase if recorder.rows[0].phases[phase]} == {"INTERRUPT", "LINE"}


def test_a_line_interrupts_nobody_unless_told(env: simpy.Environment) -> None:
    machine = Machine(env, {}, PreemptiveCpu(env))

    def perform(program: object, session: Session) -> Iterator[Wait]:
        yield session.reply(1)

    result = engine.run(machine, Terminals([THREE], perform), Window(0.0, 60.0))
    assert len(result.transactions) == 3
    assert machine.cpu.busy() == 0.0
    storage = Machine(env, {})
    assert len(log_on(storage, THREE, perform, Users(env, result.recorder))) == 3  # a machine without a CPU


def test_what_users_draw_hangs_on_the_seed_which_is_1(env: simpy.Environment) -> None:
    def drawn(*seed: object) -> list[float]:
        users = Users(env, Recorder())
        return [each.session.random.random() for each in log_on(Machine(env, {}), THREE, lambda *_: (), users, *seed)]

    assert drawn() == drawn(1) != drawn(2)
