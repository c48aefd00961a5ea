"""The passes of a head over blocks of one track each, in arrays; and a request served by a bare arm, pass by pass."""

from typing import NamedTuple

import numpy as np

from spindle.sim.disc.compiled.arm import ArmTables, approach, around, blocks_of, locate, piece_of, wait_for
from spindle.sim.jit import compiled


class TrackRun(NamedTuple):
    """The blocks *first* up to *stop* of one track, and how many sectors have gone by with the last: a SectorRun."""

    cylinder: int
    head: int
    angle: float
    per_track: int
    first: int
    stop: int
    passed: int


class ArmPass(NamedTuple):
    """A Pass over the blocks *first* up to *stop*."""

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
    """The seconds of a request's phases, and where it leaves the arm; some are nan where the clock was too coarse."""

    overhead: float
    seek: float
    rotation: float
    transfer: float
    channel: float
    cylinder: int
    head: int


@compiled
def run_at(arm: ArmTables, block: int, stop: int) -> TrackRun:
    """As many of the blocks before *stop* as go by in one pass over the track of *block*."""
    number = piece_of(arm, block)
    per_track = arm.pieces[number].per_track
    cylinder, head, sector, angle = locate(arm, number, block)
    blocks = passed = min(stop - block, per_track - sector)
    if block + blocks > arm.pieces[number + 1].first:
        blocks = min(stop, around(arm, block, 1)[1]) - block
        last = block + blocks - 1
        passed = locate(arm, piece_of(arm, last), last)[2] - sector + 1
    return TrackRun(cylinder, head, angle, per_track, block, block + blocks, passed)


@compiled
def over(
    arm: ArmTables, cylinder: int, head: int, start: float, write: bool, run: TrackRun, ready: float = -np.inf
) -> ArmPass:
    """The pass over *run*, from *start* on and not before it is *ready*; nan where the clock is too coarse."""
    if start > arm.latest:
        start = np.nan
    move, wait = approach(arm, write, abs(run.cylinder - cylinder), run.head != head, start, run.angle)
    idle = ready - (start + move)
    if idle > 0.0:
        wait = idle + wait_for(arm, start + move + idle + arm.seeks[int(write), 0], run.angle)
    passing = run.passed / run.per_track * arm.revolution
    if wait < 0.0:
        passing += wait
        wait = 0.0
    end = start + move + wait + passing
    return ArmPass(run.cylinder, run.head, run.per_track, run.first, run.stop, move, wait, passing, end)


@compiled
def partly(arm: ArmTables, run: TrackRun, first: int, length: int) -> bool:
    """Whether *length* bytes from byte *first* on cover one of these blocks only partly."""
    size = arm.sector_bytes
    begin, end = max(first, run.first * size), min(first + length, run.stop * size)
    return bool(begin % size > 0 or end % size > 0)


@compiled
def later(each: ArmPass, seconds: float) -> ArmPass:
    return ArmPass(each.cylinder, each.head, each.per_track, each.first, each.stop, each.move, each.wait + seconds,
                   each.transfer, each.end + seconds)  # fmt: skip


@compiled
def instant(each: ArmPass, blocks: int) -> float:
    """When the first *blocks* of it have gone by."""
    return each.end - each.transfer * (1.0 - blocks / (each.stop - each.first))


@compiled
def cut(each: ArmPass, stop: int) -> ArmPass:
    """The part of it that ends before block *stop*."""
    blocks = stop - each.first
    return ArmPass(each.cylinder, each.head, each.per_track, each.first, stop, each.move, each.wait,
                   each.transfer * blocks / (each.stop - each.first), instant(each, blocks))  # fmt: skip


@compiled
def delivery(each: ArmPass, first: int, stop: int, link: float) -> float:
    """When the host has the blocks *first* up to *stop* at the earliest, at *link* seconds a block, for this pass."""
    return max(each.end + (stop - each.stop + 1) * link, instant(each, 1) + (stop - max(each.first, first)) * link)


@compiled
def within(each: ArmPass, revolution: float) -> ArmPass:
    """The same begun with whatever block comes first, and therefore over a *revolution* after the arm came in."""
    late = each.wait + each.transfer - revolution
    return ArmPass(each.cylinder, each.head, each.per_track, each.first, each.stop, each.move, each.wait,
                   each.transfer - late, each.end - late)  # fmt: skip


@compiled
def serve(
    arm: ArmTables, cylinder: int, head: int, now: float, write: bool, first: int, length: int
) -> ArmService:
    """Serve *length* bytes from byte *first* on, from the instant *now*."""
    block, stop = blocks_of(arm, first, length)
    start = now + arm.overhead
    seek = rotation = transfer = 0.0
    while block < stop:
        run = run_at(arm, block, stop)
        each = over(arm, cylinder, head, start, write, run)
        if write and partly(arm, run, first, length):
            each = later(each, arm.revolution)
        seek, rotation, transfer = seek + each.move, rotation + each.wait, transfer + each.transfer
        start, block, cylinder, head = each.end, each.stop, each.cylinder, each.head
    return ArmService(arm.overhead, seek, rotation, transfer, 0.0, cylinder, head)
