"""COBOL, FORTRAN and BASIC development sessions: edit, compile, test.

McBride & Boles (1983) name the three languages and what their programmers do; all numbers are assumed, so
that 38 such sessions take about 35 disc accesses a second and leave the CPU half idle.
"""

from sim.streams import Constant, Exponential, Uniform
from sim.units import KIB, MS
from workloads.programs.program import Compute, Program, ReadFile, Reply, WriteFile

_RECORD = 80


def _development(name: str, compile_cpu: float, code_segments: int) -> Program:
    """A language's development session: the subsystems differ in size and in what a compilation costs."""
    return Program(
        name=name,
        code_segments=code_segments,
        segment_bytes=14 * KIB,
        stack_bytes=28 * KIB,
        starting=(Compute(Constant(80 * MS)), ReadFile("SOURCE", _RECORD, Constant(20)), Reply(60)),
        answers={
            "EDIT": (
                Compute(Exponential(15 * MS)),
                ReadFile("SOURCE", _RECORD, Uniform(1, 4), sequential=False),
                WriteFile("WORK", _RECORD, Constant(1), sequential=False),
                Reply(80),
            ),
            "COMPILE": (
                Compute(Constant(50 * MS)),
                Reply(40),
                ReadFile("SOURCE", _RECORD, Uniform(900, 1700)),
                Compute(Exponential(compile_cpu)),
                WriteFile("OBJECT", 128, Uniform(300, 700)),
                Reply(120),
            ),
            "TEST": (
                Compute(Exponential(60 * MS)),
                ReadFile("TESTDATA", 128, Uniform(900, 1800)),
                Reply(200),
            ),
        },
    )


COBOL = _development("COBOL", 800 * MS, 14)
FORTRAN = _development("FORTRAN", 600 * MS, 10)
BASIC = _development("BASIC", 300 * MS, 8)
