"""Makes synthetic traces with the distributions of a recorded one; each distribution is drawn from independently."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate, count
from math import gcd
from random import Random
from typing import TypeVar

from spindle.sim.streams import pick, stream
from spindle.traces.characterise import GAP_TICK, HOTTEST_SHARES, Characterisation
from spindle.workloads.traces.record import Record

Value = TypeVar("Value")
PIECE_RUNS = 16
"""Length of a piece of equally hot blocks, in units of the mean run of sequential requests."""
PIECE_STEP = 0x9E3779B97F4A7C15
"""Step, modulo the number of pieces, by which they are scattered over a device, hottest first: 2^64 over the golden
ratio."""


def synthetic(like: Characterisation, seed: object, requests: int | None = None) -> Iterator[Record]:
    """Make a synthetic trace *like* another, of as many requests, or of *requests*.

    Kept are: the share of reads, sizes of reads and of writes, lengths of their runs, times between requests, shares of
    the devices, the number of blocks, and how hot the hottest of them are, as far as runs begin there. Not kept are:
    which sizes come together, bursts, and the order in which a block is used again, which is that of independent
    references, so distances are longer than those of a trace whose interest moves.
    """
    kinds, devices, lengths, sizes, gaps = (
        stream(seed, f"trace/{name}") for name in ("kinds", "devices", "runs", "sizes", "gaps"))
    place, left, now = _places(like, stream(seed, "trace/places")), requests or like.requests, 0
    kind_of = _draw_weighted({op: kind.runs.total for op, kind in like.kinds.items()})
    device_of = _draw_weighted(like.devices)
    while left:
        op, device = kind_of(kinds), device_of(devices)
        kind, first = like.kinds[op], place()
        for _ in range(min(left, kind.runs.draw(lengths))):
            length = kind.sizes.draw(sizes)
            if first + length > like.end:
                first = 0
            yield Record(now * GAP_TICK if like.gaps.total else None, device, op, first, length)
            first += length
            left -= 1
            now += like.gaps.draw(gaps) if like.gaps.total else 0


def _places(like: Characterisation, random: Random) -> Callable[[], int]:
    """Return a function that draws the begin of a run. Equally hot blocks lie together, in pieces far longer than runs.

    So a run that begins in a hot place stays there. The pieces are scattered over the whole device.
    """
    blocks, hot = like.locality.blocks, like.locality.hot
    run = max(kind.sizes.mean * kind.runs.mean for kind in like.kinds.values())
    piece = min(blocks, max(1, round(PIECE_RUNS * run / like.block)))
    pieces = -(-blocks // piece)
    apart = max(piece, like.end // like.block // pieces)
    step = next(step for step in count(PIECE_STEP % pieces or 1) if gcd(step, pieces) == 1)

    def place() -> int:
        band = bisect_left(hot, random.random())
        low = round(HOTTEST_SHARES[band - 1] * blocks) if band else 0
        rank = low + pick(random, max(1, round(HOTTEST_SHARES[band] * blocks) - low))
        return (rank // piece * step % pieces * apart + rank % piece) * like.block

    return place


def _draw_weighted(weights: Mapping[Value, int]) -> Callable[[Random], Value]:
    """Return a function that draws one of the keys by their weights."""
    values, up_to = list(weights), list(accumulate(weights.values()))
    return lambda random: values[bisect_right(up_to, pick(random, up_to[-1]))]
