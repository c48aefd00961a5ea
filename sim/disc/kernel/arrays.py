"""Copies arms and buffers into arrays, on which compiled loops call functions of ``arm`` and ``buffer``."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import fields
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.kernel import arm, buffer, buffered
from spindle.sim.disc.kernel.arm import Pass, new_tuple
from spindle.sim.disc.kernel.buffer import (
    BLOCKS,
    BufferSegment,
    BufferState,
    Pair,
    show,
)
from spindle.sim.disc.layout import Layout
from spindle.sim.disc.mechanism import MovingArm
from spindle.sim.jit import let_loops_call

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Records = Any
"""An array of records, whose fields are attributes of each."""

MAX_NUMBER = 1 << 40
"""The largest number for compiled loops: sums of larger ones might overflow."""
SMALL = 1 << 10
"""Bytes; MAX_NUMBER times this is still exact in a float."""
MAX_SEGMENTS = 1 << 8
"""More than any drive has; each request is compared with all of them."""
MAX_AHEAD = 1 << 20
"""Blocks read ahead at most; each may be a track, and Ctrl-C cannot stop the loops while these are followed."""


# Fields of a class in records.

_KINDS: dict[Any, tuple[Any, ...]] = {int: ("i8",), float: ("f8",), bool: ("?",), Pair: ("f8", 2)}


def _record_of(described: type) -> np.dtype[Any]:
    return np.dtype([(each.name, *_KINDS[each.type]) for each in fields(described)])


def records(count: int | tuple[int, int], kind: np.dtype[Any]) -> Records:
    return np.zeros(count, dtype=kind).view(np.recarray)


def _records_of(described: Sequence[Any]) -> Records:
    """Make records, one for each of *described*, which are all of one class."""
    made = records(len(described), _record_of(type(described[0])))
    for record, each in zip(made, described, strict=True):
        for field in fields(each):
            record[field.name] = getattr(each, field.name)
    return made


def _fits(numbers: Sequence[object]) -> bool:
    """Tell if *numbers* are whole and small enough that compiled loops add them up without overflow."""
    return all(isinstance(each, int) and 0 <= each <= MAX_NUMBER for each in numbers)


# An arm.

class MapArrays(NamedTuple):
    """A BlockMap in arrays."""

    firsts: Integers
    pieces: Records
    order: int
    heads: int


class ArmArrays(NamedTuple):
    """ArmTimes in arrays; *least* is the shortest move over at least that many cylinders, in seconds."""

    blocks: MapArrays
    seeks: Floats
    switches: Floats
    sector_bytes: int
    overhead: float
    revolution: float
    least: Floats


ArmTables = Any
"""ArmArrays, which functions of an arm take for ArmTimes, as they take a BufferArrays for a DriveBuffer."""


def tables_of(arm: MovingArm) -> ArmTables | None:
    """Make the arrays of *arm*; None if its layout is of another class, or numbers are too large for compiled loops."""
    layout, times = arm.disc.layout, arm.times
    tracks = layout.cylinders * layout.heads * max(zone.sectors_per_track for zone in layout.zones)
    if type(layout) is not Layout or not _fits([tracks, tracks * layout.sector_bytes // SMALL]):
        return None
    blocks = times.blocks
    return ArmArrays(
        MapArrays(np.array(blocks.firsts), _records_of(blocks.pieces), blocks.order, blocks.heads),
        np.array(times.seeks),
        np.array(times.switches, dtype=np.float64), times.sector_bytes, float(times.overhead), times.revolution,
        np.array(arm.lower_bound[1]),
    )  # fmt: skip


# Buffers.

class DriveBuffers(NamedTuple):
    """The buffers of several drives: *states*, *segments* and *ends* of reported writes by drive; one *sheet*."""

    sheet: Records
    states: Records
    segments: Records
    ends: Floats


class BufferArrays(NamedTuple):
    """A DriveBuffer in arrays."""

    sheet: Records
    state: Records
    segments: Records
    ends: Floats
    watch: None = None


def buffers_of(mechanism: BufferedArm, drives: int) -> DriveBuffers | None:
    """Make empty buffers for *drives* drives like *mechanism*; None if its numbers are too large for compiled loops."""
    one = mechanism.buffer
    sheet = one.sheet
    if not _fits([sheet.blocks, sheet.least_ahead, sheet.holds, sheet.most_ahead]):
        return None
    if max(len(one.segments), sheet.reports) > MAX_SEGMENTS:
        return None
    if sheet.ahead == BLOCKS and sheet.most_ahead > MAX_AHEAD:
        return None
    segments = records((drives, len(one.segments)), _record_of(BufferSegment))
    ends = np.zeros((drives, len(one.ends)))
    return DriveBuffers(_records_of([sheet]), _records_of([BufferState()] * drives), segments, ends)


# Functions that loops call unchanged, but for three that numba cannot compile.

def _search(values: Integers, value: int) -> int:
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


def _make_named(kind: Any, values: Any) -> Any:
    return kind(*values)


def _unseen(buffer: BufferArrays, cylinder: int, start: float, each: Pass) -> None:
    pass


let_loops_call(bisect_right, _search)
let_loops_call(new_tuple, _make_named)
let_loops_call(show, _unseen)
for _shared in (arm, buffer, buffered):
    for _function in vars(_shared).values():
        if isinstance(_function, FunctionType) and _function.__module__ == _shared.__name__ and _function is not show:
            let_loops_call(_function)
