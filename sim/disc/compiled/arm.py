"""A moving arm as numbers in arrays: where blocks lie, and the seconds to get there; those of MovingArm, to the bit."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.sim.disc.buffer.sheet import FAR
from spindle.sim.disc.layout import HeadOrder, Layout, ascending, turning, turning_in_zone
from spindle.sim.disc.mechanism import LATEST, MovingArm
from spindle.sim.jit import compiled

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Records = Any
"""An array of records, whose fields are attributes of each."""

PIECE = np.dtype([
    ("first", "i8"), ("shift", "i8"), ("first_cylinder", "i8"), ("per_track", "i8"), ("track_skew", "f8"),
    ("cylinder_skew", "f8"), ("offset", "f8"),
])  # fmt: skip

HEADS: tuple[HeadOrder, ...] = (ascending, turning, turning_in_zone)
TURNING = 1
SMALL = 1 << 10
"""Bytes: so many times FAR, sums of bytes are whole numbers in floats, too."""


class ArmTables(NamedTuple):
    """What MovingArm knows of a disc. *pieces* are its stretches of blocks; the last begins after all, and has none.

    *order* is the place of the disc's in HEADS. *seeks* are seconds by distance, of reads and of writes, and *least*
    what so many cylinders or more take at least; *switches* are those to select another head. After the instant
    *latest* nothing is served.
    """

    pieces: Records
    order: int
    seeks: Floats
    least: Floats
    switches: Floats
    heads: int
    sector_bytes: int
    overhead: float
    revolution: float
    latest: float


def tables_of(arm: MovingArm) -> ArmTables | None:
    """None where loops do not know how blocks lie, or numbers are too large for them."""
    layout = arm.disc.layout
    tracks = layout.cylinders * layout.heads * max(zone.sectors_per_track for zone in layout.zones)
    known = type(layout) is Layout and layout.order in HEADS
    if not known or not fits([tracks, tracks * layout.sector_bytes // SMALL]):
        return None
    firsts, stretches = layout._map
    pieces = records(len(firsts), PIECE)
    pieces.first = firsts
    for piece, each in zip(pieces, stretches, strict=False):
        piece.shift, piece.first_cylinder, piece.per_track = each.shift, each.first_cylinder, each.sectors_per_track
        piece.track_skew, piece.cylinder_skew, piece.offset = each.track_skew, each.cylinder_skew, each.offset
    (reads, read_switch), (writes, write_switch) = arm._reading, arm._writing
    return ArmTables(
        pieces, HEADS.index(layout.order), np.array([reads, writes]), np.array(arm.least[1]),
        np.array([read_switch, write_switch], dtype=np.float64),
        layout.heads, layout.sector_bytes, float(arm.disc.overhead), arm.disc.revolution, LATEST,
    )  # fmt: skip


def records(count: int, kind: np.dtype[Any]) -> Records:
    return np.zeros(count, dtype=kind).view(np.recarray)


def fits(numbers: Sequence[object]) -> bool:
    """Whether these are whole, and small enough to be added up as loops do it, where others wrap round."""
    return all(isinstance(each, int) and 0 <= each <= FAR for each in numbers)


@compiled
def blocks_of(arm: ArmTables, first: int, length: int) -> tuple[int, int]:
    """The first block of *length* bytes from byte *first* on, and the one after the last."""
    return first // arm.sector_bytes, -(-(first + length) // arm.sector_bytes)


@compiled
def piece_of(arm: ArmTables, block: int) -> int:
    """The number of the piece in which *block* lies."""
    low, high = 0, len(arm.pieces) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if arm.pieces[middle].first <= block:
            low = middle
        else:
            high = middle
    return low


@compiled
def locate(arm: ArmTables, number: int, block: int) -> tuple[int, int, int, float]:
    """The cylinder, head and sector of *block*, which lies in that piece, and its angle."""
    piece = arm.pieces[number]
    track, sector = divmod(block + piece.shift, piece.per_track)
    within, head = divmod(track, arm.heads)
    skew = (track - within) * piece.track_skew + within * piece.cylinder_skew + piece.offset
    cylinder = within + piece.first_cylinder
    if arm.order and (cylinder if arm.order == TURNING else within) % 2:
        head = arm.heads - 1 - head
    return cylinder, head, sector, (sector + skew) % piece.per_track / piece.per_track


@compiled
def approach(
    arm: ArmTables, write: bool, distance: int, other_head: bool, start: float, angle: float
) -> tuple[float, float]:
    """Seconds to move from *start* on, and then to wait for *angle*."""
    move = arm.seeks[int(write), distance]
    if other_head and move < arm.switches[int(write)]:
        move = arm.switches[int(write)]
    return move, wait_for(arm, start + move, angle)


@compiled
def wait_for(arm: ArmTables, start: float, angle: float) -> float:
    """Seconds from *start* until *angle* is under the heads; negative by no more than the clock's rounding."""
    turns = start / arm.revolution
    wait = (angle - turns) % 1.0
    if wait >= 1.0 - 1e-9 - 1e-15 * turns:
        wait -= 1.0
    return wait * arm.revolution


@compiled
def around(arm: ArmTables, block: int, tracks: int) -> tuple[int, int]:
    """The first block, and the one after the last, of the track around *block*, or of the cylinder's *tracks*."""
    pieces = arm.pieces
    before = after = piece_of(arm, block)
    sectors = tracks * pieces[before].per_track
    low = (block + pieces[before].shift) // sectors * sectors
    while before and low - pieces[before].shift < pieces[before].first and goes_on(arm, before - 1, low, low + sectors):
        before -= 1
    while after + 2 < len(pieces) and goes_on(arm, after, low, low + sectors):
        after += 1
    return max(pieces[before].first, low - pieces[before].shift), min(
        pieces[after + 1].first, low + sectors - pieces[after].shift)


@compiled
def goes_on(arm: ArmTables, number: int, low: int, high: int) -> bool:
    """Whether the piece after that one goes on where it ends, or later among the sectors *low* to *high*."""
    piece, other = arm.pieces[number], arm.pieces[number + 1]
    ends, begins = other.first - 1 + piece.shift, other.first + other.shift
    return bool(low <= ends < begins < high and piece.first_cylinder == other.first_cylinder)
