"""What a logical read of a whole machine costs, counted in Python's calls and in events."""

import sys
from types import FrameType

import pytest

from benchmarks.reads import FILE, logical_reads, readers
from models.hp3000.machine import MpeOptions
from models.hp3000.parameters import MpeParameters
from models.hp3000.run import run
from sim.compiled_parts import are_compiled
from sim.cpu import FcfsCpu
from sim.measure.result import Result
from sim.units import KIB

TERMINALS = 10

pytestmark = pytest.mark.skipif(are_compiled(), reason="what is compiled calls nothing that a profiler sees")


def counted(minutes: float, memory_a_terminal: int) -> tuple[int, Result]:
    """The calls of a run, those that resume a generator among them."""
    calls = 0

    def profile(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        result = run(
            scripts=readers(TERMINALS), choices=MpeOptions(cpu=FcfsCpu), seed=1, warm_up=0.0, minutes=minutes,
            memory=MpeParameters().resident + 128 * KIB + TERMINALS * memory_a_terminal, discs=6, near=0.0,
            records_scale=1.0, file_bytes=FILE, file_buffers=1,
        )  # fmt: skip
    finally:
        sys.setprofile(before)
    return calls, result


@pytest.mark.parametrize(("memory", "hits", "calls", "events"), [
    (400 * KIB, 0.8, 52, 1.35), (130 * KIB, 0.5, 86, 2.15),
])  # fmt: skip
def test_a_read_takes_so_many_calls_and_events(memory: int, hits: float, calls: int, events: float) -> None:
    """Between the end of a short run and that of a long one, which begins as the short one does."""
    (few, short), (many, long) = (counted(minutes, memory) for minutes in (0.2, 0.6))
    reads = logical_reads(long) - logical_reads(short)
    print(f"{(many - few) / reads:.1f} calls and {(long.events - short.events) / reads:.2f} events a logical read")
    assert long.extras["hit_ratio"] > hits
    assert (many - few) / reads < calls
    assert (long.events - short.events) / reads < events
