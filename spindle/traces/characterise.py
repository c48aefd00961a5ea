"""Characterises a trace: distributions of request sizes, sequential runs, times between requests, and locality."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import nan
from random import Random

import numpy as np

from spindle.sim.error import UserError
from spindle.sim.measure.result import rank
from spindle.sim.request import Op
from spindle.traces.blocks import Blocks, BlockString, mix_bits
from spindle.traces.curve.fastest import stack_distances
from spindle.workloads.traces.record import Record

# Counts of whole numbers: exact while there are few different ones, then of rounded numbers.

MAX_COUNTED = 4096
"""Different numbers that are counted exactly; beyond them numbers are rounded to KEPT_BITS."""
KEPT_BITS = 8
"""Bits that a rounded number keeps after its first bit, so that it changes by 0.2 % at most."""


@dataclass(frozen=True)
class Histogram:
    """A histogram: *counts* of ascending *values*, which may be rounded, and the *mean* of the exact numbers."""

    values: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    mean: float = nan

    @property
    def total(self) -> int:
        return self._up_to[-1] if self.counts else 0

    @cached_property
    def _up_to(self) -> Sequence[int]:
        return list(accumulate(self.counts))

    def quantile(self, share: float) -> float:
        """The smallest value that at least *share* of the numbers do not exceed; NaN where there are none."""
        return self.values[bisect_right(self._up_to, rank(share, self.total) - 1)] if self.counts else nan

    def draw(self, random: Random) -> int:
        """Draw one of the values, each with the probability of its count."""
        return self.values[bisect_right(self._up_to, int(random.random() * self.total))]


class NumberCounts:
    """Counts numbers from 0 on, in bounded memory."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._exact = True
        self._sum = 0

    def add(self, value: int, times: int = 1) -> None:
        self._sum += value * times
        key = value if self._exact else _round(value)
        counts = self._counts
        counts[key] = counts.get(key, 0) + times
        if self._exact and len(counts) > MAX_COUNTED:
            self._exact = False
            self._counts = {}
            for key, times in counts.items():
                self._counts[_round(key)] = self._counts.get(_round(key), 0) + times

    def histogram(self) -> Histogram:
        values = sorted(self._counts)
        counts = tuple(self._counts[value] for value in values)
        return Histogram(tuple(values), counts, self._sum / sum(counts)) if counts else Histogram()


def _round(value: int) -> int:
    """Return the middle of the numbers that share the first bits of *value*."""
    low = max(0, value.bit_length() - 1 - KEPT_BITS)
    return (value >> low << low) + (1 << low >> 1)


# Locality of a trace: the number of blocks, the share of references to the hottest ones, and distances of reuse.

HOTTEST_SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Shares of the blocks, counted from the hottest, for which the share of references is computed."""
KEPT_REFERENCES = 1 << 22
"""Most references that are kept; when there are more, those to half of the blocks are dropped."""
MAX_HALVINGS = 16
"""How often half of the blocks are dropped: more would leave too few, so memory grows with the trace from then on."""


@dataclass(frozen=True)
class TraceLocality:
    """Locality of *references* to blocks, one for each block of a request; the rest is estimated from a *sample*.

    *hot* is the share of the references that goes to the hottest blocks, for each share of HOTTEST_SHARES. *distances*
    are stack distances: the number of other blocks used since the block was last used, without first uses.
    """

    references: int
    blocks: int
    first_uses: float
    hot: tuple[float, ...]
    distances: Histogram
    sample: float


class SampledReferences:
    """Keeps references to those blocks that a hash picks (SHARDS, Waldspurger et al., FAST 2015): all, while few."""

    def __init__(self, most: int = KEPT_REFERENCES) -> None:
        self._most = most
        self._kept = np.empty(0, dtype=np.int64)
        self._halvings = 0
        self._count = 0

    def add(self, blocks: Blocks) -> None:
        self._count += len(blocks)
        self._kept = np.concatenate([self._kept, self._select_sample(blocks)])
        while len(self._kept) > self._most and self._halvings < MAX_HALVINGS:
            self._halvings += 1
            self._kept = self._select_sample(self._kept)

    def _select_sample(self, blocks: Blocks) -> Blocks:
        if not self._halvings:
            return blocks
        sampled: Blocks = blocks[mix_bits(blocks.astype(np.uint64)) >> np.uint64(64 - self._halvings) == 0]
        return sampled

    def locality(self) -> TraceLocality:
        _, uses = np.unique(self._kept, return_counts=True)
        up_to = np.cumsum(np.sort(uses)[::-1])
        held = max(1, len(self._kept))
        places = [max(0, round(share * len(uses)) - 1) for share in HOTTEST_SHARES]
        distances = stack_distances(self._kept)
        counts = NumberCounts()
        values, times = np.unique(distances[distances >= 0] << self._halvings, return_counts=True)
        for value, times_seen in zip(values.tolist(), times.tolist(), strict=True):
            counts.add(value, times_seen)
        return TraceLocality(
            self._count, len(uses) << self._halvings, len(uses) / held,
            tuple(float(up_to[place]) / held if len(uses) else 0.0 for place in places),
            counts.histogram(), 0.5**self._halvings,
        )  # fmt: skip


DEFAULT_BLOCK = 4096
GAP_TICK = 1e-9
"""Unit of times between requests, in seconds."""


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
    """Distributions of a trace. *gaps* are nanoseconds between requests, none without times; a falling time counts 0.

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
        """Return the share of requests that go on where the one before on their device, of the same kind, ended."""
        return 1.0 - sum(kind.runs.total for kind in self.kinds.values()) / self.requests


def characterise(records: Iterable[Record], block: int = DEFAULT_BLOCK) -> Characterisation:
    """Characterise *records* in one pass, in bounded memory."""
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
                self._gaps.add(max(0, round((time - self._latest) / GAP_TICK)))
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
