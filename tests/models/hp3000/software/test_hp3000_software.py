"""Tests programs on the machine: working sets, files, messages, the terminal's delay, memory pressure."""

from types import SimpleNamespace
from typing import Any

import pytest
import simpy

from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.models.hp3000.software import SessionWork, SubsystemPlace
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.request import Hint
from spindle.sim.script import Call, Loop, Script, Think
from spindle.sim.streams import Constant, Uniform, stream
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


def test_a_session_is_given_its_segments_and_files_once(env: simpy.Environment) -> None:
    """Sizes of programs are half as large again; a file has 3 buffers of 10 records, a keyed one 5 of a key block."""
    bench = Bench(env, program_scale=1.5, file_buffers=3, block_records=10, key_buffers=5, file_bytes=9000,
                  keyed_records=55)  # fmt: skip
    part = Subsystem("PART", 1, 2 * KIB, 2, KIB, shared=False)
    acts = (Enter(part), ReadFile("F", 100, Constant(95)), WriteFile("F", 100, sequential=False), KeyedFile("K"),
            Enter(part), KeyedFile("K"), ReadFile("F", 100))  # fmt: skip
    runs, known = program(*acts, work_segments=1, work_bytes=512), len(bench.machine.segments.segments)
    one, other = (bench.session(runs).state for _ in range(2))
    made = [(each.name, each.size, each.kind.value, each.owner) for each in bench.machine.segments.segments[known:]]
    code = [(f"PROGRAM code {number}", 6 * KIB, "code", "") for number in range(2)]
    own = {
        user: [
            (f"stack of {user}", 12 * KIB, "stack", user), (f"PROGRAM data 0 of {user}", 768, "extra_data", user),
            (f"PART of {user} code 0", 3 * KIB, "code", user),
            (f"PART data 0 of {user}", 1536, "extra_data", user), (f"PART data 1 of {user}", 1536, "extra_data", user),
            *[(f"buffers of F of {user}", 3 * 10 * 100, "extra_data", user)] * 2,
            (f"key buffers of K of {user}", 5 * 2 * KIB, "extra_data", user),
        ]
        for user in ("user 1", "user 2")
    }  # fmt: skip
    assert made == [own["user 1"][0], *code, *own["user 1"][1:], *own["user 2"]]
    opened = one.files
    assert {key: (each._file.hint, each.buffers.limit) for key, each in opened.items()} == {
        ("F", True): (Hint.SEQUENTIAL, 3), ("F", False): (Hint.RANDOM, 3)}  # fmt: skip
    files = [opened["F", True]._file.file, opened["F", False]._file.file, other.files["F", True]._file.file]
    assert files[0] is files[1] is not files[2]
    assert (files[0].name, files[2].name) == ("F of user 1", "F of user 2")
    assert files[0].size == 8 * 5 * 256  # 95 records, in 8 extents of whole sectors
    keyed = one.keyed["K"]
    assert keyed._file.file is other.keyed["K"]._file.file
    assert (keyed._file.file.name, keyed._file.hint, keyed._records) == ("K", Hint.RANDOM, 55)
    assert keyed._file.file.size == 8 * 10 * 256  # 3 key blocks and 55 records, 20,224 bytes
    assert (one.programs, bench.machine.data_base._users) == ([runs], set())


def test_who_calls_the_data_base_has_it_open(env: simpy.Environment) -> None:
    bench = Bench(env)
    session = bench.session(program(Compute(Constant(0.1)), DataBaseCalls(Intrinsic.CONTROL, "CONTROL")))
    before = list(bench.machine.segments.segments)
    bench.machine.software.prepare(session.state.programs[0], session)
    assert len(session.state.programs) == 1, "it is prepared already"
    assert bench.machine.data_base._users == {"user 1"}
    bench.machine.software.prepare(program(ReadFile("F", 128)), session)
    assert [each.name for each in bench.machine.segments.segments[len(before):]] == ["buffers of F of user 1"]
    assert len(session.state.programs) == 2


def test_a_place_goes_round_its_code_and_no_segment_is_smaller_than_a_byte(env: simpy.Environment) -> None:
    place: Any = SubsystemPlace("stack", ["a", "b", "c"], ["x", "y"])  # type: ignore[arg-type, list-item]
    assert [place.step()[1] for _ in range(4)] == ["b", "c", "a", "b"]
    assert place.step() == ("stack", "c", "x", "y")
    bench = Bench(env, program_scale=1e-5)
    bench.session(program(Compute(Constant(0.1)), work_segments=1, work_bytes=1))
    assert [each.size for each in bench.machine.segments.segments[-4:]] == [1] * 4


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


@pytest.mark.parametrize(("act", "reads", "writes", "code"), [
    (ReadFile("F", 128, Uniform(40, 40)), 3, 0, 2),
    (WriteFile("F", 128, Constant(40)), 0, 2, 2),
    (ReadFile("F", 128, Constant(3), sequential=False), 1, 0, 2),
    (WriteFile("F", 128, Constant(3), sequential=False), 1, 1, 2),
    (ReadFile("F", 128, Constant(0)), 1, 0, 2),
    (KeyedFile("K", Constant(1)), 4, 0, 1),
    (KeyedFile("K", Constant(0)), 4, 0, 1),
    (KeyedFile("K", Uniform(2, 2)), 5, 0, 1),
])  # fmt: skip
def test_what_files_ask_of_the_disc(act: Act, reads: int, writes: int, code: int, env: simpy.Environment) -> None:
    """16 records a block, four blocks an extent; changed near a line, a block is read before it is written."""
    bench = Bench(env, records_scale=1.0, near=1.0, file_bytes=64 * KIB)
    runs = program(act)
    account = bench.does(runs, bench.session(runs))
    counted = bench.counted()
    assert (counted["reads"], counted["writes"]) == (reads, writes)
    assert counted["faults"] == 1 + code + 1  # the stack, the next code segment for each block, and the buffers
    assert account.total() == pytest.approx(env.now)


def test_a_file_has_a_position_and_buffers_for_each_who_opens_it(env: simpy.Environment) -> None:
    bench = Bench(env, records_scale=1.0)
    runs = program(ReadFile("F", 128, Constant(8)))
    one, other = bench.session(runs), bench.session(runs)
    assert isinstance(one.state, SessionWork)
    for session, reads in ((one, 1), (one, 1), (one, 2), (other, 3)):
        bench.does(runs, session)
        assert bench.counted()["reads"] == reads


@pytest.mark.parametrize("kind", [ReadFile, WriteFile])
def test_what_is_not_in_order_goes_to_any_line(kind: type[ReadFile | WriteFile]) -> None:
    """Of the 512 records the one in the middle, and on behind it."""
    bench = Bench(simpy.Environment(), near=0.0, records_scale=1.0, file_bytes=64 * KIB)
    runs = program(kind("F", 128, sequential=False))
    session = bench.session(runs)
    session.random = SimpleNamespace(random=lambda: 0.5)  # type: ignore[assignment]
    bench.does(runs, session)
    assert session.state.files["F", False]._next == 257


def test_what_a_buffer_holds_is_written_without_being_read(env: simpy.Environment) -> None:
    """An editor changes 3 records twice, and then half as many of 18: the 9 end in the second block."""
    bench = Bench(env, near=1.0, records_scale=0.5)
    few, more = (program(WriteFile("F", 128, Constant(count), sequential=False)) for count in (6, 18))
    session = bench.session(few)
    bench.machine.software.prepare(more, session)
    for runs, asked in ((few, (1, 1)), (few, (1, 2)), (few, (1, 3)), (more, (2, 5))):
        bench.does(runs, session)
        assert (bench.counted()["reads"], bench.counted()["writes"]) == asked


# Costs --------------------------------------------------------------------------------------------


def test_an_answer_costs_its_messages_and_one_dispatch(env: simpy.Environment) -> None:
    """The inquiry's message where it first computes, that of its reply the next time."""
    bench = Bench(env, terminal_message=1 * MS, dispatch=0.5 * MS, mips=0.5)
    runs = program(Compute(Constant(5 * MS)), Reply(1))
    session = bench.session(runs)
    first, second = bench.does(runs, session), bench.does(runs, session)
    assert first.seconds[Phase.CPU] == pytest.approx(2 * 6.5 * MS)
    assert second.seconds[Phase.CPU] == pytest.approx(2 * 7.5 * MS)
    twice = program(Reply(1), Reply(1), Compute(Constant(5 * MS)))
    assert bench.does(twice, bench.session(twice)).seconds[Phase.CPU] == pytest.approx(2 * 8.5 * MS)


def test_the_terminals_delay_is_a_part_of_the_response_that_uses_nothing(env: simpy.Environment) -> None:
    bench = Bench(env, terminal_delay=0.1)
    runs = program(Compute(Constant(0.0)))
    account = bench.does(runs, bench.session(runs))
    assert account.seconds[Phase.LINE] == 0.1


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.5])
def test_the_number_of_calls_can_be_scaled(scale: float, env: simpy.Environment) -> None:
    bench = Bench(env, calls_scale=scale)
    runs = program(DataBaseCalls(Intrinsic.CONTROL, "CONTROL", Uniform(200, 200)))
    bench.does(runs, bench.session(runs))
    assert bench.machine.data_base.calls == 200 * scale
    assert bench.machine.data_base.reading()["block_reads"] == 0.0


def test_a_call_is_of_its_kind_and_moves_its_session(env: simpy.Environment) -> None:
    bench = Bench(env, calls_scale=1.0, hot_share=0.0)
    runs = program(DataBaseCalls(Intrinsic.UPDATE, "STOCK", Constant(2)))
    session = bench.session(runs)
    assert bench.does(runs, session).total() == pytest.approx(env.now)
    counted = bench.machine.data_base.reading()
    assert (counted["calls"], counted["block_reads"], counted["block_writes"]) == (2.0, 1.0, 2.0)
    assert list(session.state.positions.now) == ["STOCK"]
    place = session.state.positions.now["STOCK"]
    bench.does(runs, session)
    assert session.state.positions.before == {"STOCK": place}


@pytest.mark.parametrize(("rolled", "calls"), [(0.49, 0), (0.5, 1)])
def test_half_a_call_is_made_every_other_time(rolled: float, calls: int, env: simpy.Environment) -> None:
    bench = Bench(env, calls_scale=0.5)
    runs = program(DataBaseCalls(Intrinsic.CONTROL, "CONTROL"))
    session = bench.session(runs)
    session.random = SimpleNamespace(random=lambda: rolled)  # type: ignore[assignment]
    bench.does(runs, session)
    assert bench.machine.data_base.calls == calls


def test_what_computes_for_long_goes_through_its_code(env: simpy.Environment) -> None:
    bench = Bench(env, slice=0.1, terminal_message=1 * MS, dispatch=0.5 * MS)
    runs = program(Compute(Constant(0.35 - 1.5 * MS)))  # besides what a message and a dispatch take
    session, bursts, burst = bench.session(runs), [], bench.machine.cpu.burst

    def noted(seconds: float, level: int, *rest: Any) -> simpy.Event:
        bursts.append((round(seconds, 9), level))
        return burst(seconds, level, *rest)

    bench.machine.cpu.burst = noted  # type: ignore[method-assign]
    bench.does(runs, session)
    assert bench.counted()["faults"] == 3
    assert [each for each in bursts if each[1] != 1] == [(0.1, 2), (0.1, 3), (0.1, 3), (0.05, 3)]  # less urgent later
    assert len(bursts) == 4 + 3  # four quanta (the fourth the rest), three faults


def test_what_computes_for_a_quantum_needs_no_more_code(env: simpy.Environment) -> None:
    bench = Bench(env, slice=0.1, terminal_message=0.0, dispatch=0.0)
    runs = program(Compute(Uniform(0.1, 0.1)))
    account = bench.does(runs, bench.session(runs))
    assert account.seconds[Phase.CPU] == pytest.approx(0.1)
    assert bench.counted()["faults"] == 2  # the stack, and one of code


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
