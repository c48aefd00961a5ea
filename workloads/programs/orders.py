"""ORDERS: order entry against an IMAGE data base with 56 data sets and a couple of KSAM files.

McBride & Boles (1983) give the data sets and the kinds of file; how many calls an answer takes and what it
computes is assumed: about thirteen calls an answer, six of them without a block, and a CPU that is less than
half busy with 63 clerks.
"""

from sim.streams import Constant, Exponential, Uniform
from sim.units import KIB, MS
from workloads.programs.program import Compute, DataBaseCalls, Intrinsic, KeyedFile, Program, Reply

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
