"""Logical reads of a whole HP3000: programs that do nothing but read, on files that memory holds about 70 % of."""

from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import NamedTuple

from benchmarks.unit import unit
from spindle.models.hp3000.machine import MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.sim.cpu import FcfsCpu
from spindle.sim.measure.result import Result
from spindle.sim.script import Call, Loop, Script, Think
from spindle.sim.streams import Constant, Exponential
from spindle.sim.units import KIB
from spindle.workloads.programs import Answer, Program, ReadFile, Reply

READS_AN_ANSWER = 50
RECORD = 64
"""Sixteen to a block, so that a logical read is 1 KiB, as those of IMAGE are; each is of a record anywhere in the file,
for which the file has one buffer."""
FILE = 192 * KIB
MEMORY_A_TERMINAL = 130 * KIB
"""Of each session's FILE and its stack, so that about 70 % of the reads hit.

Costs compare only at equal hit ratios, and a file is read for the first time in 48 fetches that must miss: give every
terminal a thousand reads or so.
"""

READER = Program(
    name="READER",
    code_segments=2,
    segment_bytes=12 * KIB,
    stack_bytes=16 * KIB,
    starting=(Reply(1),),
    answers={"READ": (*[ReadFile("DATA", RECORD, Constant(1), sequential=False)] * READS_AN_ANSWER, Reply(40))},
)


class Cost(NamedTuple):
    """What one run cost: microseconds and bare timeouts a read, events a read, and the largest memory so far."""

    terminals: int
    reads: int
    hit_ratio: float
    events: float
    microseconds: float
    units: float
    resident_mib: float


def readers(terminals: int) -> list[Script]:
    """*terminals* users, each with so much think time that the load does not grow with their number."""
    answer = Answer(READER, READER.answers["READ"])
    think = Think(Exponential(0.25 * terminals))
    return [Script("READERS", (Loop((think, Call(answer, "READ"))),), terminals)]


def cost(
    terminals: int, reads: int, choices: MpeOptions | None = None, memory_a_terminal: int = MEMORY_A_TERMINAL,
    **others: object,
) -> Cost:  # fmt: skip
    """The cost of about *reads* logical reads with the recorder, the breakdown and the laws on."""
    seconds_a_read = 0.25 / READS_AN_ANSWER
    before = unit()
    began = process_time()
    result = run(
        scripts=readers(terminals), choices=choices or MpeOptions(cpu=FcfsCpu), seed=1, warm_up=0.0,
        minutes=reads * seconds_a_read / 60,
        memory=MpeParameters().resident + 128 * KIB + terminals * memory_a_terminal,
        discs=6, near=0.0, records_scale=1.0, file_bytes=FILE, file_buffers=1, **others,  # type: ignore[arg-type]
    )  # fmt: skip
    seconds = process_time() - began
    done = logical_reads(result)
    each = seconds / done
    resident = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    hit_ratio = result.extras["hit_ratio"]
    return Cost(terminals, done, hit_ratio, result.events / done, each * 1e6, each / min(before, unit()), resident)


def logical_reads(result: Result) -> int:
    """All reads that programs made, hit or miss."""
    kinds = ("hits", "late_hits", "misses")
    return int(
        sum(value for name, value in result.counters.items() if name.startswith("cache") and name.endswith(kinds))
    )
