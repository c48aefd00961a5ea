"""Tests programs on the machine: working sets, files, messages, the terminal's delay, memory pressure."""

from typing import Any

import pytest
import simpy

from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.models.hp3000.software import SessionWork
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.script import Call, Loop, Script, Think
from spindle.sim.streams import Constant, stream
from spindle.sim.terminal import Line, Session
from spindle.sim.units import KIB, MIB, MS
from spindle.workloads.programs import (
    Act,
    Answer,
    Compute,
    DataBaseCalls,
    Enter,
    Intrinsic,
    KeyedFile,
    Program,
    ReadFile,
    Reply,
    Subsystem,
    WriteFile,
)
from spindle.workloads.shipped_programs import CATALOGUE


def program(*acts: Act, **more: Any) -> Program:
    return Program("PROGRAM", 2, 4 * KIB, 8 * KIB, (), {"DO": acts}, **more)


class Bench:
    """An idle Series 64 without caching, and sessions of a program; all that they have is absent."""

    def __init__(self, env: simpy.Environment, **parameters: Any) -> None:
        self.env = env
        self.machine = Hp3000(env, MpeParameters(**parameters), MpeOptions(cpu=FcfsCpu), caching=False)
        self.sessions = 0

    def session(self, runs: Program) -> Session:
        self.sessions += 1
        session = Session(f"user {self.sessions}", Line(self.env, 9600), stream(1, f"{self.sessions}"), self.env)
        self.machine.software.prepare(runs, session)
        return session

    def does(self, runs: Program, session: Session) -> Account:
        """Perform DO, with an account of its own."""
        account = session.account = Account(session.name)

        def work() -> Wait:
            for wait in self.machine.software.perform(Answer(runs, runs.answers["DO"]), session):
                yield from wait

        self.env.process(work())
        self.env.run()
        return account

    def counted(self) -> dict[str, float]:
        reading = self.machine.machine.reading()
        drives = [name for name in reading if name.startswith("drive")]
        return {
            "faults": reading["segments.faults"],
            "reads": sum(reading[name] for name in drives if name.endswith(".reads")) - reading["segments.faults"],
            "writes": sum(reading[name] for name in drives if name.endswith(".writes")),
        }


# Segments -----------------------------------------------------------------------------------------


def test_sessions_share_code_and_have_stacks_and_data_of_their_own(env: simpy.Environment) -> None:
    bench = Bench(env)
    runs = program(Compute(Constant(0.001)), Compute(Constant(0.001)), work_segments=1, work_bytes=4 * KIB)
    one, other = bench.session(runs), bench.session(runs)
    bench.does(runs, one)
    assert bench.counted()["faults"] == 4  # stack, work segment, two of code
    bench.does(runs, one)
    assert bench.counted()["faults"] == 4
    bench.does(runs, other)
    assert bench.counted()["faults"] == 4 + 2


def test_a_subsystem_has_segments_of_its_own_shared_or_not(env: simpy.Environment) -> None:
    for shared, faults in ((True, 1), (False, 3)):
        bench = Bench(simpy.Environment())
        part = Subsystem("PART", 2, 4 * KIB, work_segments=0, shared=shared)
        runs = program(Enter(part), Compute(Constant(0.001)), Compute(Constant(0.001)))
        one, other = bench.session(runs), bench.session(runs)
        bench.does(runs, one)
        assert bench.counted()["faults"] == 3  # stack and two of code; nothing of the program's main part
        bench.does(runs, other)
        assert bench.counted()["faults"] == 3 + faults


def test_development_edits_compiles_and_tests_each_in_segments_of_its_own() -> None:
    for name in ("COBOL", "FORTRAN", "BASIC"):
        entered = {answer: [act.subsystem for act in acts if isinstance(act, Enter)]
                   for answer, acts in CATALOGUE[name].answers.items()}
        (edit,), (compiler,), (test,) = entered["EDIT"], entered["COMPILE"], entered["TEST"]
        assert edit.shared
        assert compiler.shared
        assert not test.shared
        assert compiler.code_segments * compiler.segment_bytes > edit.code_segments * edit.segment_bytes


# Files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("act", "reads", "writes"), [
    (ReadFile("F", 128, Constant(40)), 3, 0),
    (WriteFile("F", 128, Constant(40)), 0, 2),
    (ReadFile("F", 128, Constant(3), sequential=False), 1, 0),
    (WriteFile("F", 128, Constant(3), sequential=False), 1, 1),
    (KeyedFile("K", Constant(1)), 4, 0),
])  # fmt: skip
def test_what_files_ask_of_the_disc(act: Act, reads: int, writes: int, env: simpy.Environment) -> None:
    """16 records a block, four blocks an extent; changed near a line, a block is read before it is written."""
    bench = Bench(env, records_scale=1.0, near=1.0, file_bytes=64 * KIB)
    runs = program(act)
    bench.does(runs, bench.session(runs))
    counted = bench.counted()
    assert (counted["reads"], counted["writes"]) == (reads, writes)


def test_a_file_has_a_position_and_buffers_for_each_who_opens_it(env: simpy.Environment) -> None:
    bench = Bench(env, records_scale=1.0)
    runs = program(ReadFile("F", 128, Constant(8)))
    one, other = bench.session(runs), bench.session(runs)
    assert isinstance(one.state, SessionWork)
    for session, reads in ((one, 1), (one, 1), (one, 2), (other, 3)):
        bench.does(runs, session)
        assert bench.counted()["reads"] == reads


# Costs --------------------------------------------------------------------------------------------


def test_an_answer_costs_its_messages_and_one_dispatch(env: simpy.Environment) -> None:
    """The inquiry's message where it first computes, that of its reply the next time."""
    bench = Bench(env, terminal_message=1 * MS, dispatch=0.5 * MS, mips=0.5)
    runs = program(Compute(Constant(5 * MS)), Reply(1))
    session = bench.session(runs)
    first, second = bench.does(runs, session), bench.does(runs, session)
    assert first.seconds[Phase.CPU] == pytest.approx(2 * 6.5 * MS)
    assert second.seconds[Phase.CPU] == pytest.approx(2 * 7.5 * MS)


def test_the_terminals_delay_is_a_part_of_the_response_that_uses_nothing(env: simpy.Environment) -> None:
    bench = Bench(env, terminal_delay=0.1)
    runs = program(Compute(Constant(0.0)))
    account = bench.does(runs, bench.session(runs))
    assert account.seconds[Phase.LINE] == 0.1


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.5])
def test_the_number_of_calls_can_be_scaled(scale: float, env: simpy.Environment) -> None:
    bench = Bench(env, calls_scale=scale)
    runs = program(DataBaseCalls(Intrinsic.CONTROL, "CONTROL", Constant(200)))
    bench.does(runs, bench.session(runs))
    assert bench.machine.data_base.calls == 200 * scale


def test_what_computes_for_long_goes_through_its_code(env: simpy.Environment) -> None:
    bench = Bench(env, slice=0.1)
    runs = program(Compute(Constant(0.35)))
    bench.does(runs, bench.session(runs))
    assert bench.counted()["faults"] == 3
    assert bench.machine.cpu.reading()["bursts"] == 4 + 3  # four quanta (the fourth the rest), three faults


# Memory pressure ----------------------------------------------------------------------------------


def test_memory_pressure_comes_of_less_memory_or_of_more_sessions() -> None:
    load: dict[str, Any] = {"clerks": 6, "caching": False, "minutes": 1.5, "warm_up": 0.5, "keep_rows": False}
    resident = MpeParameters().resident
    pressure = {}
    for programmers, memory in ((6, 4 * MIB), (6, MIB // 2), (12, MIB // 2)):
        extras = run(terminals=6 + programmers, memory=resident + memory, **load).extras
        pressure[programmers, memory] = extras["memory_pressure"], extras["memory_disc_rate"]
    assert pressure[6, 4 * MIB] < pressure[6, MIB // 2] < pressure[12, MIB // 2]


def test_what_fits_is_never_swapped_out() -> None:
    runs = program(Compute(Constant(0.01)), Reply(1))
    script = Script("USERS", (Loop((Think(Constant(5.0)), Call(Answer(runs, runs.answers["DO"]), "DO"))),), terminals=3)
    result = run(scripts=[script], minutes=1.0, warm_up=0.0, caching=False)
    assert result.counters["segments.swap_writes"] == 0
