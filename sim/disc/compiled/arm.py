"""A moving arm as numbers in arrays, and the seconds that it takes for one request: those of MovingArm, to the bit."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.disc.heads import ascending
from sim.disc.layout import Layout
from sim.disc.mechanism import LATEST, MovingArm
from sim.jit import compiled

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class ArmTables(NamedTuple):
    """What MovingArm knows of a disc. *firsts* are the first blocks of its pieces, and at last the one after them all.

    *order* has the heads of each cylinder by track, where they are not counted from 0 up. *seeks* are seconds by
    distance, of reads and of writes; *switches* those to select another head.
    """

    firsts: Integers
    shifts: Integers
    first_cylinders: Integers
    per_tracks: Integers
    track_skews: Floats
    cylinder_skews: Floats
    offsets: Floats
    order: Integers
    seeks: tuple[Floats, Floats]
    switches: tuple[float, float]
    heads: int
    sector_bytes: int
    overhead: float
    revolution: float


class ArmService(NamedTuple):
    """The seconds of a request's phases, and where it leaves the arm; all nan where the clock had become too coarse."""

    seek: float
    rotation: float
    transfer: float
    cylinder: int
    head: int


def tables_of(arm: MovingArm) -> ArmTables:
    layout = arm.disc.layout
    firsts, pieces = layout._map
    (reads, read_switch), (writes, write_switch) = arm._reading, arm._writing

    def whole(name: str) -> Integers:
        return np.array([getattr(piece, name) for piece in pieces], dtype=np.int64)

    def real(name: str) -> Floats:
        return np.array([getattr(piece, name) for piece in pieces], dtype=np.float64)

    return ArmTables(
        np.array(firsts), whole("shift"), whole("first_cylinder"), whole("sectors_per_track"),
        real("track_skew"), real("cylinder_skew"), real("offset"), _order(layout),
        (np.array(reads), np.array(writes)), (float(read_switch), float(write_switch)),
        layout.heads, layout.sector_bytes, float(arm.disc.overhead), arm.disc.revolution,
    )  # fmt: skip


def _order(layout: Layout) -> Integers:
    if layout.order is ascending:
        return np.empty((0, layout.heads), dtype=np.int64)
    starts = [zone.first_cylinder for zone in layout.zones]
    tracks = range(layout.heads)
    return np.array([[layout.order(layout.heads, track, cylinder, first) for track in tracks]
                     for first, end in pairwise([*starts, layout.cylinders]) for cylinder in range(first, end)])


@compiled
def serve(
    arm: ArmTables, cylinder: int, head: int, now: float, write: bool, first: int, length: int
) -> ArmService:
    """Serve *length* bytes from byte *first* on, from the instant *now*."""
    size, stop = arm.sector_bytes, first + length
    block, last = first // size, -(-stop // size)
    partly = write and (first % size != 0 or length % size != 0)
    start = now + arm.overhead
    seek = rotation = transfer = 0.0
    while block < last:
        if start > LATEST:
            return ArmService(np.nan, np.nan, np.nan, cylinder, head)
        piece = int(np.searchsorted(arm.firsts, block, side="right")) - 1
        per_track = arm.per_tracks[piece]
        track, sector = divmod(block + arm.shifts[piece], per_track)
        blocks, passed = run(arm, piece, block, last - block, sector)
        within, under = divmod(track, arm.heads)
        skew = (track - within) * arm.track_skews[piece] + within * arm.cylinder_skews[piece] + arm.offsets[piece]
        angle = (sector + skew) % per_track / per_track
        to = within + arm.first_cylinders[piece]
        if len(arm.order):
            under = arm.order[to, under]
        move, wait = approach(arm, write, abs(to - cylinder), under != head, start, angle)
        passing = passed / per_track * arm.revolution
        if wait < 0.0:
            passing += wait
            wait = 0.0
        end = start + move + wait + passing
        if partly and (max(first, block * size) % size > 0 or min(stop, (block + blocks) * size) % size > 0):
            wait += arm.revolution
            end += arm.revolution
        seek, rotation, transfer = seek + move, rotation + wait, transfer + passing
        start, block, cylinder, head = end, block + blocks, to, under
    return ArmService(seek, rotation, transfer, cylinder, head)


@compiled
def approach(
    arm: ArmTables, write: bool, distance: int, other_head: bool, start: float, angle: float
) -> tuple[float, float]:
    """Seconds to move from *start* on, and then to wait for *angle*; negative by no more than the clock's rounding."""
    if write:
        move, switch = arm.seeks[1][distance], arm.switches[1]
    else:
        move, switch = arm.seeks[0][distance], arm.switches[0]
    if other_head and move < switch:
        move = switch
    turns = (start + move) / arm.revolution
    wait = (angle - turns) % 1.0
    if wait >= 1.0 - 1e-9 - 1e-15 * turns:
        wait -= 1.0
    return move, wait * arm.revolution


@compiled
def run(arm: ArmTables, piece: int, block: int, most: int, sector: int) -> tuple[int, int]:
    """How many of *most* blocks from *block* on go by in one pass over its track, and how many sectors by then."""
    per_track = arm.per_tracks[piece]
    blocks = min(most, per_track - sector)
    if block + blocks <= arm.firsts[piece + 1]:
        return blocks, blocks
    low, after = block + arm.shifts[piece] - sector, piece
    while after + 1 < len(arm.shifts) and goes_on(arm, after, low, low + per_track):
        after += 1
    blocks = min(most, min(arm.firsts[after + 1], low + per_track - arm.shifts[after]) - block)
    last = block + blocks - 1
    of = np.searchsorted(arm.firsts, last, side="right") - 1
    return blocks, (last + arm.shifts[of]) % arm.per_tracks[of] - sector + 1


@compiled
def goes_on(arm: ArmTables, piece: int, low: int, high: int) -> bool:
    """Whether the piece after *piece* goes on where that ends, or later on the track of sectors *low* to *high*."""
    meet = arm.firsts[piece + 1]
    ends, begins = meet - 1 + arm.shifts[piece], meet + arm.shifts[piece + 1]
    joined = low <= ends and ends < begins and begins < high
    return bool(joined and arm.first_cylinders[piece] == arm.first_cylinders[piece + 1])
