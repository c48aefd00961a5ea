"""COBOL, FORTRAN and BASIC development sessions: edit, compile, test.

McBride & Boles (1983) name the three languages and what their programmers do; all numbers are assumed, so
that 38 such sessions take about 35 disc accesses a second and leave the CPU half idle. A session moves between
an editor that all share, its language's compiler, and a program of its own, so that its working set is largest
while it compiles.
"""

from sim.streams import Constant, Exponential, Uniform
from sim.units import KIB, MS
from workloads.programs.program import Compute, Enter, Program, ReadFile, Reply, Subsystem, WriteFile

_RECORD = 80
_SEGMENT = 14 * KIB
_EDITOR = Subsystem("EDITOR", 6, _SEGMENT, work_segments=1, work_bytes=4 * KIB)


def _development(name: str, compile_cpu: float, code_segments: int) -> Program:
    """A language's development session: the compilers differ in size and in what a compilation costs."""
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
