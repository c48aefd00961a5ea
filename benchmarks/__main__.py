"""``make bench``: what a logical read of a whole HP3000 costs, and a request of a drive, in bare timeouts.

Beside others: benchmarks.disksim and benchmarks.peer, where these are installed; call by call: benchmarks.calls.
"""

import sys
from collections.abc import Iterator, Sequence

from benchmarks import drives, samples, sweeps
from benchmarks.drives import table
from benchmarks.reads import Cost, cost
from benchmarks.textbook import parts, textbook
from spindle.models.hp3000.machine import MpeOptions
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu

HEAD = "                                 terminals    reads  hits  events   µs a read   bare timeouts   MiB"


def show(name: str, each: Cost) -> None:
    print(
        f"{name:<32}{each.terminals:10d}{each.reads:9d}{each.hit_ratio:6.2f}{each.events:8.2f}"
        f"{each.microseconds:12.2f}{each.units:16.1f}{each.resident_mib:6.0f}",
        flush=True,
    )


def main(arguments: Sequence[str]) -> int:
    """A table; ``--long`` adds the runs of ten million that show whether memory stays flat, and 10,000 terminals."""
    long = "--long" in arguments
    print("One bare timeout among 100 processes, measured in the same run, is the unit. Recorder, breakdown, laws: on.")
    print(HEAD)
    # Before all larger machines, because the largest memory so far never shrinks.
    lengths = (10_000, 100_000, 1_000_000, *([10_000_000] if long else []))
    for reads in lengths:
        show("FCFS CPU, rows not kept", cost(10, reads, MpeOptions(cpu=FcfsCpu), keep_rows=False))
    most = [(10_000, 10_000_000)] if long else []
    for terminals, reads in ((10, 100_000), (100, 100_000), (1000, 1_000_000), *most):
        show("FCFS CPU", cost(terminals, reads))
    show("FCFS CPU, room for all files", cost(100, 300_000, memory_a_terminal=400 * 1024))
    show("preemptive CPU", cost(100, 100_000, MpeOptions(cpu=PreemptiveCpu)))
    print("\nA machine of 20 terminals without a cache, as a textbook has it and of Spindle's parts:")
    for each in (textbook(), parts("preemptive CPU", PreemptiveCpu), parts("FCFS CPU", FcfsCpu)):
        print(f"{each.style:<32}{each.reads:19d}{each.events:14.2f}{each.microseconds:12.2f}")
    print("\nA drive, a request:                          bare timeouts          µs   MiB")
    for name, each in (*table(50_000), *(_long() if long else ())):
        print(f"{name:<40}{each.units:17.1f}{each.microseconds:12.2f}{each.resident_mib:6.0f}", flush=True)
    sweeps.show(quick=not long)
    samples.show(["1000000", "10000000", *(["100000000"] if long else [])])
    return 0


def _long() -> Iterator[tuple[str, drives.Cost]]:
    """Memory must not grow with the number of requests."""
    for number in (100_001, 1_000_000, 10_000_000):
        yield f"replayed, buffer, {number:,} requests", drives.as_replay(drives.BUFFERED, number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
