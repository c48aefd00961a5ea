"""Programs of the HP3000 that are shipped: development in three languages, order entry, and MPE's command interpreter.
"""

from collections.abc import Mapping

from spindle.sim.streams import Constant, Exponential, Uniform
from spindle.sim.units import KIB, MS
from spindle.workloads.programs import (
    Act,
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

# COBOL, FORTRAN and BASIC development sessions: edit, compile, test.
#
# McBride & Boles (1983) name the three languages and what their programmers do; all numbers are assumed, so
# that 38 such sessions take about 35 disc accesses a second and leave the CPU half idle. A session moves between
# an editor that all share, its language's compiler, and a program of its own, so that its working set is largest
# while it compiles.

_RECORD = 80
_SEGMENT = 14 * KIB
_EDITOR = Subsystem("EDITOR", 6, _SEGMENT, work_segments=1, work_bytes=4 * KIB)


def _development(name: str, compile_cpu: float, code_segments: int) -> Program:
    """Build a language's development session: compilers differ in size and in the CPU time of a compilation."""
    compiler = Subsystem(f"{name} compiler", code_segments, _SEGMENT, work_segments=1, work_bytes=12 * KIB)
    own = Subsystem(f"{name} test", 2, 4 * KIB, shared=False)
    return Program(
        name=name,
        code_segments=2,
        segment_bytes=_SEGMENT,
        stack_bytes=20 * KIB,
        starting=(Compute(Constant(80 * MS)), ReadFile("SOURCE", _RECORD, Constant(20)), Reply(60)),
        answers={
            "EDIT": (
                Enter(_EDITOR),
                Compute(Exponential(15 * MS)),
                ReadFile("SOURCE", _RECORD, Uniform(1, 4), sequential=False),
                WriteFile("WORK", _RECORD, Constant(1), sequential=False),
                Reply(80),
            ),
            "COMPILE": (
                Compute(Constant(50 * MS)),
                Reply(40),
                Enter(compiler),
                ReadFile("SOURCE", _RECORD, Uniform(900, 1700)),
                Compute(Exponential(compile_cpu)),
                WriteFile("OBJECT", 128, Uniform(300, 700)),
                Reply(120),
            ),
            "TEST": (
                Enter(own),
                Compute(Exponential(60 * MS)),
                ReadFile("TESTDATA", 128, Uniform(900, 1800)),
                Reply(200),
            ),
        },
    )


COBOL = _development("COBOL", 800 * MS, 14)
FORTRAN = _development("FORTRAN", 600 * MS, 10)
BASIC = _development("BASIC", 300 * MS, 8)


# ORDERS: order entry against an IMAGE data base with 56 data sets and a couple of KSAM files.
#
# McBride & Boles (1983) give the data sets and the kinds of file; how many calls an answer takes and what it
# computes is assumed: about thirteen calls an answer, six of them without a block, and a CPU that is less than
# half busy with 63 clerks.

_FORM = Reply(400)

ORDERS = Program(
    name="ORDERS",
    code_segments=8,
    segment_bytes=12 * KIB,
    stack_bytes=16 * KIB,
    starting=(Compute(Constant(60 * MS)), DataBaseCalls(Intrinsic.GET_KEYED, "CONTROL"), _FORM),
    answers={
        "FIND": (
            Compute(Exponential(15 * MS)),
            DataBaseCalls(Intrinsic.CONTROL, "CONTROL", Constant(6)),
            DataBaseCalls(Intrinsic.GET_KEYED, "CUSTOMER"),
            DataBaseCalls(Intrinsic.FIND, "ORDER"),
            DataBaseCalls(Intrinsic.GET_CHAINED, "ORDER", Uniform(1, 8)),
            _FORM,
        ),
        "STOCK": (
            Compute(Exponential(10 * MS)),
            DataBaseCalls(Intrinsic.CONTROL, "CONTROL", Constant(6)),
            DataBaseCalls(Intrinsic.GET_KEYED, "PART"),
            DataBaseCalls(Intrinsic.GET_CHAINED, "STOCK", Uniform(1, 5)),
            KeyedFile("PRICES"),
            _FORM,
        ),
        "ORDER": (
            Compute(Exponential(25 * MS)),
            DataBaseCalls(Intrinsic.GET_KEYED, "CUSTOMER"),
            DataBaseCalls(Intrinsic.GET_KEYED, "PART", Uniform(1, 4)),
            DataBaseCalls(Intrinsic.CONTROL, "CONTROL", Constant(10)),
            DataBaseCalls(Intrinsic.UPDATE, "STOCK", Constant(1)),
            DataBaseCalls(Intrinsic.PUT, "ORDER"),
            _FORM,
        ),
        "LIST": (
            Compute(Exponential(20 * MS)),
            DataBaseCalls(Intrinsic.CONTROL, "CONTROL", Constant(6)),
            DataBaseCalls(Intrinsic.GET_SERIAL, "INVOICE", Uniform(5, 25)),
            Reply(1200),
        ),
    },
)


# MPE: the command interpreter, which answers a line that begins with a colon.
#
# The commands are those of MPE; what each computes and looks up in the system's directory is assumed. HELLO is a
# tenth of a second of CPU, some look-ups of user, group and account, and the message of the day.

_DIRECTORY = "DIRECTORY"


def _command(cpu: float, look_ups: int, reply: int) -> tuple[Act, ...]:
    return Compute(Exponential(cpu)), KeyedFile(_DIRECTORY, Constant(look_ups)), Reply(reply, ((":", 100.0),))


MPE = Program(
    name="MPE",
    code_segments=4,
    segment_bytes=8 * KIB,
    stack_bytes=8 * KIB,
    starting=(Reply(1, ((":", 100.0),)),),
    answers={
        "HELLO": _command(100 * MS, 4, 300), "BYE": _command(60 * MS, 1, 120), "SHOWTIME": _command(5 * MS, 1, 40),
        "SHOWJOB": _command(30 * MS, 1, 600), "LISTF": _command(40 * MS, 6, 500), "FILE": _command(5 * MS, 1, 1),
        "BUILD": _command(40 * MS, 3, 1), "PURGE": _command(30 * MS, 3, 1), "RENAME": _command(30 * MS, 4, 1),
        "STREAM": _command(80 * MS, 4, 20), "REPORT": _command(60 * MS, 8, 400), "SETMSG": _command(5 * MS, 1, 1),
    },
)  # fmt: skip


CATALOGUE: Mapping[str, Program] = {program.name: program for program in (ORDERS, COBOL, FORTRAN, BASIC, MPE)}
