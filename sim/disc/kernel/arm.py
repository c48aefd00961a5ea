"""Computes where blocks of a disc are, and the seconds that an arm needs to seek, to wait and to transfer them.

Plain functions over plain numbers: MovingArm calls them as they are, loops compile them; so they use only what numba
can compile. The classes say which fields they need; loops give them arrays and records with the same fields.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

ASCENDING, TURNING_IN_ZONE, TURNING = range(3)
"""Orders in which the tracks of a cylinder are filled, by the number that DiskSim 4.0 gives them (layout_g1)."""
LATEST_INSTANT = 2e9
"""Seconds, 63 years: after them the clock's steps are a quarter of a microsecond or more, too coarse for the angle of a
disc."""

new_tuple = tuple.__new__
"""Makes a named tuple in half the time of its constructor; a request makes several."""


class LateClockError(Exception):
    """It is later than LATEST_INSTANT."""


@dataclass(frozen=True, slots=True)
class LayoutPiece:
    """A piece of a layout: consecutive blocks of a zone; a block's number plus *shift* is its sector in the zone."""

    shift: int
    first_cylinder: int
    per_track: int
    track_skew: float
    cylinder_skew: float
    offset: float


@dataclass(frozen=True, slots=True)
class BlockMap:
    """A map from blocks to places: *firsts* are the first blocks of all *pieces*, and one after the last."""

    firsts: Sequence[int]
    pieces: Sequence[LayoutPiece]
    order: int
    heads: int


class TrackRun(NamedTuple):
    """A run of blocks, *first* up to *stop*, of one track; *passed* sectors pass from the first to the last of them."""

    cylinder: int
    head: int
    angle: float
    per_track: int
    first: int
    stop: int
    passed: int


class Pass(NamedTuple):
    """A pass of the blocks *first* up to *stop* under the head; *end* is the instant when all have passed.

    The arm needs *move* seconds to reach the track and *wait* until the first block; in *transfer* they pass.
    """

    cylinder: int
    head: int
    per_track: int
    first: int
    stop: int
    move: float
    wait: float
    transfer: float
    end: float


class ArmService(NamedTuple):
    """The seconds of a request's phases, and where it leaves the arm."""

    overhead: float
    seek: float
    rotation: float
    transfer: float
    channel: float
    cylinder: int
    head: int


@dataclass(frozen=True, slots=True)
class ArmTimes:
    """The times of an arm: *seeks* are seconds by distance, of reads and of writes; *switches* of a head switch."""

    blocks: BlockMap
    seeks: Sequence[Sequence[float]]
    switches: Sequence[float]
    sector_bytes: int
    overhead: float
    revolution: float


# Where blocks lie.

def piece_of(blocks: BlockMap, block: int) -> int:
    """The number of the piece in which *block* lies."""
    return bisect_right(blocks.firsts, block) - 1


def place_in(blocks: BlockMap, number: int, block: int) -> tuple[int, int, int, float, int]:
    """The cylinder, head, sector, angle and sectors per track of *block*, which lies in the piece of that *number*."""
    piece = blocks.pieces[number]
    per_track = piece.per_track
    track, sector = divmod(block + piece.shift, per_track)
    cylinder, head = divmod(track, blocks.heads)
    # Every track but the first of its cylinder adds a track skew, every cylinder but the first a cylinder skew.
    skew = (track - cylinder) * piece.track_skew + cylinder * piece.cylinder_skew + piece.offset
    if blocks.order:
        head = head_at(blocks.order, blocks.heads, head, cylinder + piece.first_cylinder, piece.first_cylinder)
    return cylinder + piece.first_cylinder, head, sector, (sector + skew) % per_track / per_track, per_track


def head_at(order: int, heads: int, index: int, cylinder: int, first: int) -> int:
    """The head of track *index* of *cylinder*, whose zone begins at cylinder *first*.

    It ascends from 0; if it turns, only on even cylinders (of the disc, or of the zone), so that the next cylinder
    needs no other head.
    """
    turned = order != ASCENDING and (cylinder if order == TURNING else cylinder - first) % 2
    return heads - 1 - index if turned else index


def place_of(blocks: BlockMap, block: int) -> tuple[int, int, int, float, int]:
    """The cylinder, head, sector, angle and sectors per track of *block*."""
    return place_in(blocks, bisect_right(blocks.firsts, block) - 1, block)


def target_of(blocks: BlockMap, block: int) -> tuple[int, int, float]:
    """The cylinder, head and angle of *block*."""
    cylinder, head, _, angle, _ = place_of(blocks, block)
    return cylinder, head, angle


def track_range(blocks: BlockMap, block: int, tracks: int) -> tuple[int, int]:
    """Return the first block, and the one after the last, of *tracks* tracks (one, or a cylinder's) around *block*."""
    firsts, pieces = blocks.firsts, blocks.pieces
    before = after = piece_of(blocks, block)
    sectors = tracks * pieces[before].per_track
    low = (block + pieces[before].shift) // sectors * sectors
    high = low + sectors
    while before and goes_on(blocks, before - 1, low, high):
        before -= 1
    while after + 1 < len(pieces) and goes_on(blocks, after, low, high):
        after += 1
    return max(firsts[before], low - pieces[before].shift), min(firsts[after + 1], high - pieces[after].shift)


def goes_on(blocks: BlockMap, number: int, low: int, high: int) -> bool:
    """Tell if the piece after *number* continues it, or begins later among the sectors *low* to *high*."""
    meet, piece, other = blocks.firsts[number + 1], blocks.pieces[number], blocks.pieces[number + 1]
    return low <= meet - 1 + piece.shift < meet + other.shift < high and piece.first_cylinder == other.first_cylinder


def run_at(blocks: BlockMap, block: int, stop: int) -> TrackRun:
    """Return the run of blocks from *block* on, before *stop*, that go by in one pass over its track."""
    number = bisect_right(blocks.firsts, block) - 1
    cylinder, head, sector, angle, per_track = place_in(blocks, number, block)
    passed = per_track - sector
    if stop - block < passed:
        passed = stop - block
    end = block + passed
    if end > blocks.firsts[number + 1]:
        end = min(stop, track_range(blocks, block, 1)[1])
        passed = place_of(blocks, end - 1)[2] - sector + 1
    return new_tuple(TrackRun, (cylinder, head, angle, per_track, block, end, passed))


# Seconds to move to a block, to wait for it, and to pass over it.

def approach(
    arm: ArmTimes, write: int, distance: int, other_head: bool, start: float, angle: float
) -> tuple[float, float]:
    """Return the seconds to move from *start* on, and then to wait for *angle*.

    The wait may be slightly negative. A billionth of a revolution, and a few units in the last place of the count of
    revolutions, count as rounding of the clock.
    """
    move = arm.seeks[write][distance]
    if other_head and move < arm.switches[write]:
        move = arm.switches[write]
    turns = (start + move) / arm.revolution
    wait = (angle - turns) % 1.0
    if wait >= 1.0 - 1e-9 - 1e-15 * turns:
        wait -= 1.0
    return move, wait * arm.revolution


def reach(
    arm: ArmTimes, at: tuple[int, int], start: float, write: int, target: tuple[int, int, float]
) -> float:
    """Seconds from *start* until *target* is under the head, if the arm sets out *at* once from that track."""
    cylinder, head, angle = target
    move, wait = approach(arm, write, abs(cylinder - at[0]), head != at[1], start, angle)
    return move + wait


def pass_over(
    arm: ArmTimes, cylinder: int, head: int, start: float, write: int, run: TrackRun, ready: float
) -> Pass:
    """The pass over *run*, from *start* on and not before it is *ready*."""
    if start > LATEST_INSTANT:
        raise LateClockError
    to_cylinder, to_head, angle, per_track, first, stop, passed = run
    move, wait = approach(arm, write, abs(to_cylinder - cylinder), to_head != head, start, angle)
    idle = ready - (start + move)
    if idle > 0.0:
        # The arm is there, and waits for the blocks before it waits for their angle.
        wait = idle + approach(arm, write, 0, False, start + move + idle, angle)[1]
    transfer = passed / per_track * arm.revolution
    if wait < 0.0:
        transfer += wait
        wait = 0.0
    end = start + move + wait + transfer
    return new_tuple(Pass, (to_cylinder, to_head, per_track, first, stop, move, wait, transfer, end))


def serve(
    arm: ArmTimes, cylinder: int, head: int, now: float, write: int, first: int, length: int
) -> ArmService:
    """Serve *length* bytes from byte *first* on, from the instant *now*.

    Where the wanted angle has only just gone by, by no more than the clock's own rounding, it has not gone by: the
    transfer is shortened by as much, so that rounding neither adds up nor costs a revolution.
    """
    size, start = arm.sector_bytes, now + arm.overhead
    block, stop = first // size, -(-(first + length) // size)
    unaligned = write and (first % size or length % size)
    seek = rotation = transfer = 0.0
    while block < stop:
        each = pass_over(arm, cylinder, head, start, write, run_at(arm.blocks, block, stop), -inf)
        if unaligned and covers_partly(size, first, length, block, each.stop):
            each = delayed_pass(each, arm.revolution)
        cylinder, head, _, _, block, move, wait, passing, start = each
        seek, rotation, transfer = seek + move, rotation + wait, transfer + passing
    return new_tuple(ArmService, (arm.overhead, seek, rotation, transfer, 0.0, cylinder, head))


def covers_partly(size: int, first: int, length: int, block: int, stop: int) -> bool:
    """Tell if *length* bytes from byte *first* on cover one of the blocks from *block* up to *stop* only partly.

    Those sectors are read as they pass, and written when they come round again.
    """
    begin, end = max(first, block * size), min(first + length, stop * size)
    return begin % size > 0 or end % size > 0


# Which blocks of a pass have gone by, and when.

def next_to_pass(each: Pass, now: float) -> int:
    """Return the block before which all blocks of the pass have gone by at *now*."""
    gone = 1.0 - (each.end - now) / each.transfer
    return each.first + max(0, int(gone * (each.stop - each.first) + 1e-9))


def instant(each: Pass, blocks: int) -> float:
    """Return the instant at which the first *blocks* of a pass have gone by."""
    return each.end - each.transfer * (1.0 - blocks / (each.stop - each.first))


def cut(each: Pass, stop: int) -> Pass:
    """Return the part of the pass that ends before block *stop*."""
    cylinder, head, per_track, first, end, move, wait, transfer, _ = each
    blocks = stop - first
    return new_tuple(Pass, (cylinder, head, per_track, first, stop, move, wait, transfer * blocks / (end - first),
                       instant(each, blocks)))  # fmt: skip


def begin_anywhere(each: Pass, revolution: float) -> Pass:
    """Return the pass begun with whichever block comes first, which ends one *revolution* after the arm arrived."""
    cylinder, head, per_track, first, stop, move, wait, transfer, end = each
    late = wait + transfer - revolution
    return new_tuple(Pass, (cylinder, head, per_track, first, stop, move, wait, transfer - late, end - late))


def delayed_pass(each: Pass, seconds: float) -> Pass:
    """Return the pass with *seconds* more of waiting."""
    cylinder, head, per_track, first, stop, move, wait, transfer, end = each
    return new_tuple(Pass, (cylinder, head, per_track, first, stop, move, wait + seconds, transfer, end + seconds))


def delivery(each: Pass, first: int, stop: int, link: float) -> float:
    """Return the earliest instant at which the host has blocks *first* up to *stop* of this pass, at *link* seconds a
    block.

    Its blocks cannot leave before they have passed. As blocks leave and pass at steady rates, its last or its first
    decides.
    """
    end = each.end + (stop - each.stop + 1) * link
    return max(end, instant(each, 1) + (stop - max(each.first, first)) * link)
