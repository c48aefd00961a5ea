"""``make bench``: what a logical read of a whole HP3000 costs, in bare timeouts, from ten to a thousand terminals."""

import sys
from collections.abc import Sequence

from benchmarks.reads import Cost, cost
from benchmarks.textbook import parts, textbook
from models.hp3000.machine import Choices
from sim.cpu import FcfsCpu, PreemptiveCpu

HEAD = "                                 terminals    reads  hits  events   µs a read   bare timeouts   MiB"


def show(name: str, each: Cost) -> None:
    print(
        f"{name:<32}{each.terminals:10d}{each.reads:9d}{each.hit_ratio:6.2f}{each.events:8.2f}"
        f"{each.microseconds:12.2f}{each.units:16.1f}{each.resident_mib:6.0f}",
        flush=True,
    )


def main(arguments: Sequence[str]) -> int:
    """A table; ``--long`` adds the run of ten million reads that shows whether memory stays flat."""
    print("One bare timeout among 100 processes, measured in the same run, is the unit. Recorder, breakdown, laws: on.")
    print(HEAD)
    # Before all larger machines, because the largest memory so far never shrinks.
    lengths = (10_000, 100_000, 1_000_000, *([10_000_000] if "--long" in arguments else []))
    for reads in lengths:
        show("FCFS CPU, rows not kept", cost(10, reads, Choices(cpu=FcfsCpu), keep_rows=False))
    for terminals, reads in ((10, 100_000), (100, 100_000), (1000, 1_000_000)):
        show("FCFS CPU", cost(terminals, reads))
    show("FCFS CPU, room for all files", cost(100, 300_000, memory_a_terminal=400 * 1024))
    show("preemptive CPU", cost(100, 100_000, Choices(cpu=PreemptiveCpu)))
    print("\nA machine of 20 terminals without a cache, as a textbook has it and of Spindle's parts:")
    for each in (textbook(), parts("preemptive CPU", PreemptiveCpu), parts("FCFS CPU", FcfsCpu)):
        print(f"{each.style:<32}{each.reads:19d}{each.events:14.2f}{each.microseconds:12.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
