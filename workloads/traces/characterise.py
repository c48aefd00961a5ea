"""What a trace is like, in a few small distributions: sizes, reads and writes, runs, times between, and locality."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sim.error import UserError
from sim.request import Op
from workloads.traces.blocks import BlockString
from workloads.traces.histogram import Histogram, NumberCounts
from workloads.traces.locality import SampledReferences, TraceLocality
from workloads.traces.record import Record

BLOCK = 4096
TICK = 1e-9
"""Seconds; times between requests are counted in them."""


@dataclass(frozen=True)
class TraceShare:
    """The reads of a trace, or its writes: their *sizes* in bytes, and the *runs*, in requests, in which they come.

    A request belongs to the run of the one before it on its device if it is of the same kind and begins where that
    ends; streams that take turns are therefore no runs.
    """

    sizes: Histogram
    runs: Histogram


@dataclass(frozen=True)
class Characterisation:
    """*gaps* are nanoseconds from a request to the next, none where there are no times; a falling time counts as 0.

    *devices* has the requests of each, *end* the first byte beyond all requests. Locality is that of all devices
    together, in blocks of *block* bytes.
    """

    requests: int
    kinds: Mapping[Op, TraceShare]
    devices: Mapping[str, int]
    gaps: Histogram
    end: int
    block: int
    locality: TraceLocality

    @property
    def read_share(self) -> float:
        reads = self.kinds.get(Op.READ)
        return reads.sizes.total / self.requests if reads else 0.0

    @property
    def footprint(self) -> int:
        """The bytes of the blocks that are used at all."""
        return self.locality.blocks * self.block

    @property
    def sequential_share(self) -> float:
        """How many requests begin where the one before them on their device ended."""
        return 1.0 - sum(kind.runs.total for kind in self.kinds.values()) / self.requests


def characterise(records: Iterable[Record], block: int = BLOCK) -> Characterisation:
    """One pass over *records*; its memory is bounded, whatever they are."""
    counts = _Pass(block)
    for record in records:
        counts.add(record)
    return counts.result()


class _Pass:
    def __init__(self, block: int) -> None:
        self._block = block
        self._string = BlockString(block)
        self._references = SampledReferences()
        self._sizes = {op: NumberCounts() for op in Op}
        self._runs = {op: NumberCounts() for op in Op}
        self._gaps = NumberCounts()
        self._devices: dict[str, int] = {}
        self._open: dict[str, tuple[Op, int, int]] = {}
        """The run of each device that is not over: its kind, its end, and how many requests."""
        self._latest: float | None = None
        self._end = 0

    def add(self, record: Record) -> None:
        time, device, op, first, length = record[:5]
        self._sizes[op].add(length)
        if time is not None:
            if self._latest is not None:
                self._gaps.add(max(0, round((time - self._latest) / TICK)))
            self._latest = time if self._latest is None else max(time, self._latest)
        end = first + length
        self._end = max(self._end, end)
        self._run(device, op, first, end)
        self._devices[device] = self._devices.get(device, 0) + 1
        self._string.add(device, first, length)
        if self._string.full:
            self._references.add(self._string.take())

    def _run(self, device: str, op: Op, first: int, end: int) -> None:
        before = self._open.get(device)
        if before is not None and before[0] is op and before[1] == first:
            self._open[device] = (op, end, before[2] + 1)
            return
        if before is not None:
            self._runs[before[0]].add(before[2])
        self._open[device] = (op, end, 1)

    def result(self) -> Characterisation:
        if not self._devices:
            raise UserError("there is nothing to characterise: the trace has no requests")
        self._references.add(self._string.take())
        for op, _, length in self._open.values():
            self._runs[op].add(length)
        kinds = {op: TraceShare(self._sizes[op].histogram(), self._runs[op].histogram()) for op in Op}
        return Characterisation(
            sum(self._devices.values()),
            {op: kind for op, kind in kinds.items() if kind.sizes.total},
            self._devices, self._gaps.histogram(), self._end, self._block, self._references.locality(),
        )  # fmt: skip
