"""``python -m benchmarks.calls [SHARE]``: Python's calls and resumptions a logical read by function, at two hit ratios.

Functions of less than SHARE of them (0.01) are added up. What is compiled calls nothing that a profiler sees.
"""

import sys
from collections import Counter
from inspect import CO_GENERATOR
from pathlib import Path
from types import CodeType, FrameType

from benchmarks.reads import FILE, MEMORY_A_TERMINAL, logical_reads, readers
from spindle.models.hp3000.machine import MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.sim.cpu import FcfsCpu
from spindle.sim.measure.result import Result
from spindle.sim.units import KIB

TERMINALS = 10
ROOMY = 400 * KIB
"""Of memory a terminal: most of its file."""
ROOT = Path(__file__).parents[1]
Calls = Counter[CodeType]


def counted(minutes: float, memory_a_terminal: int) -> tuple[Calls, Result]:
    """How often each function was called in a run, or resumed where it is a generator."""
    calls: Calls = Counter()

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls[frame.f_code] += 1

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


class ReadCost:
    """Calls of each function and events a logical read, between the end of a short run and that of a longer one."""

    def __init__(self, memory_a_terminal: int) -> None:
        (few, short), (many, long) = (counted(minutes, memory_a_terminal) for minutes in (0.2, 0.6))
        reads = logical_reads(long) - logical_reads(short)
        self.hit_ratio = long.extras["hit_ratio"]
        self.events = (long.events - short.events) / reads
        self.by_function = {code: (count - few[code]) / reads for code, count in many.most_common()}
        self.calls = sum(self.by_function.values())


def name(code: CodeType) -> str:
    path = Path(code.co_filename)
    where = path.relative_to(ROOT) if path.is_relative_to(ROOT) else Path(*path.parts[-2:])
    return f"{where.with_suffix('')}:{code.co_qualname}"


def show(cost: ReadCost, share: float) -> None:
    """A line a function, the most frequent first; resumptions of generators in a column of their own."""
    print(f"\n{100 * cost.hit_ratio:.0f} % hits: {cost.calls:.1f} calls and {cost.events:.2f} events a logical read\n"
          f"{'calls':>8}{'resumed':>9}")  # fmt: skip
    rest = cost.calls
    for code, each in sorted(cost.by_function.items(), key=lambda item: -item[1]):
        if each < share * cost.calls:
            break
        column = f"{'':8}{each:9.2f}" if code.co_flags & CO_GENERATOR else f"{each:8.2f}{'':9}"
        print(f"{column}  {name(code)}")
        rest -= each
    print(f"{rest:8.2f}{'':9}  all others")


def main(arguments: list[str]) -> int:
    for memory in (MEMORY_A_TERMINAL, ROOMY):
        show(ReadCost(memory), float(arguments[0]) if arguments else 0.01)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
