"""Reads behind a buffer, in arrays: what answers one, and how far the drive reads ahead after it."""

from typing import NamedTuple

import numpy as np

from spindle.sim.disc.compiled.arm import ArmTables, Records, around
from spindle.sim.disc.compiled.buffer import BLOCKS, BY_TRACK, CYLINDER, NOTHING, NOWHERE, TRACK, DriveBuffers, Phases
from spindle.sim.disc.compiled.passes import ArmPass, delivery, instant, run_at, within
from spindle.sim.disc.compiled.prefetch import head_over, leave, read_ahead, until
from spindle.sim.disc.compiled.segments import ending_at, extend, fill, holding, use
from spindle.sim.jit import compiled


class MediumRead(NamedTuple):
    """The *wait* for the first block, on a track of so many; phases in seconds; instants of what the link waits for.

    Enough was *gathered* to begin with; all can be *delivered*, at the earliest; the arm was done at the *end*.
    """

    wait: float
    per_track: int
    seek: float
    rotation: float
    transfer: float
    gathered: float
    delivered: float
    end: float


@compiled
def serve_read(arm: ArmTables, buffers: DriveBuffers, number: int, now: float, first: int, stop: int) -> Phases:
    sheet, state, segment = buffers.sheet[0], buffers.states[number], answering(buffers, number, first, stop)
    if segment == NOWHERE:
        return serve_miss(arm, buffers, number, now, first, stop)
    if not buffers.segments[number, segment].written:
        use(buffers, number, segment)
    overhead, sent, waited = hit_overhead(buffers, number, first), (stop - first) * sheet.link_reading, 0.0
    late = stop > buffers.segments[number, segment].stop
    if late:
        if state.ahead != segment:
            read_ahead(state, segment, max(state.free, now + sheet.miss), stop, 0)
        begin = now + overhead
        waited = max(begin + sent, until(arm, buffers, number, first, stop)) - (begin + sent)
    state.late_hits += late
    state.hits += not late
    if late or sheet.goes_on or state.ahead == segment:
        read_on(arm, buffers, number, segment, first, stop, now, True)
    return overhead, 0.0, 0.0, max(0.0, waited), sent + sheet.read_done


@compiled
def answering(buffers: DriveBuffers, number: int, first: int, stop: int) -> int:
    """The segment that answers a read, or into which the arm is just reading ahead what it begins with."""
    segment = holding(buffers, number, first, stop)
    state = buffers.states[number]
    if segment == NOWHERE and state.ahead != NOWHERE and first < state.limit:
        return int(state.ahead) if buffers.segments[number, state.ahead].stop == first else NOWHERE
    return segment


@compiled
def hit_overhead(buffers: DriveBuffers, number: int, first: int) -> float:
    """What it takes before the first block of a hit leaves."""
    sheet, state = buffers.sheet[0], buffers.states[number]
    elsewhere = 0.0 if state.wrote or first == state.stop else sheet.at_rest
    return float(sheet.read_hit[int(state.wrote)] + elsewhere + sheet.preparation)


@compiled
def serve_miss(arm: ArmTables, buffers: DriveBuffers, number: int, now: float, first: int, stop: int) -> Phases:
    sheet, state = buffers.sheet[0], buffers.states[number]
    state.misses += 1
    leave(arm, buffers, number, now)
    begin = max(now + sheet.miss, state.free)
    medium = read_medium(arm, buffers, number, begin, first, stop)
    on_bus = max(medium.gathered, now + sheet.miss + sheet.reading_off[int(state.wrote)]) + (
        sheet.reselect + sheet.preparation)
    end = max(on_bus + (stop - first) * sheet.link_reading, medium.delivered) + sheet.read_done
    segment = ending_at(buffers, number, first)
    sequential = segment != NOWHERE
    if sequential:
        extend(buffers.segments[number, segment], sheet.blocks, stop)
        use(buffers, number, segment)
    else:
        segment = fill(buffers, number, kept_from(arm, sheet, medium, first), stop, False)
    read_on(arm, buffers, number, segment, first, stop, medium.end, sequential)
    return begin - now, medium.seek, medium.rotation, medium.transfer, end - medium.end


@compiled
def read_medium(
    arm: ArmTables, buffers: DriveBuffers, number: int, begin: float, first: int, stop: int
) -> MediumRead:
    """Read blocks *first* up to *stop*, from *begin* on."""
    sheet, start, block = buffers.sheet[0], begin, first
    needs = max(1, int(min(stop - first, sheet.blocks) * sheet.high_water))
    wait = seek = rotation = transfer = 0.0
    per_track, last, gathered = 0, -np.inf, np.nan
    while block < stop:
        each = read_pass(arm, buffers, number, start, block, stop)
        if block == first:
            wait, per_track = each.wait, each.per_track
        if np.isnan(gathered) and needs <= each.stop - first:
            gathered = instant(each, needs - (each.first - first))
        last = max(last, delivery(each, first, stop, sheet.link_reading))
        seek, rotation, transfer = seek + each.move, rotation + each.wait, transfer + each.transfer
        start, block = each.end, each.stop
    buffers.states[number].free = start
    return MediumRead(wait, per_track, seek, rotation, transfer, gathered, last, start)


@compiled
def kept_from(arm: ArmTables, sheet: Records, medium: MediumRead, first: int) -> int:
    """The first block that is kept: of those that went by while the arm waited for *first*, if the drive keeps them."""
    if not sheet.keeps_passing:
        return first
    gone_by = int(medium.wait / arm.revolution * medium.per_track)
    return max(around(arm, first, 1)[0], first - gone_by)


@compiled
def read_pass(arm: ArmTables, buffers: DriveBuffers, number: int, start: float, block: int, stop: int) -> ArmPass:
    """The next pass of a read; one that may start anywhere is over a revolution after the head has come in."""
    each = head_over(arm, buffers.states[number], start, False, run_at(arm, block, stop), -np.inf)
    if buffers.sheet[0].starts_anywhere and each.wait + each.transfer > arm.revolution:
        return within(each, arm.revolution)
    return each


@compiled
def read_on(
    arm: ArmTables, buffers: DriveBuffers, number: int, segment: int, first: int, stop: int, begin: float,
    sequential: bool,
) -> None:  # fmt: skip
    """Go on reading into *segment* after the blocks from *first* up to *stop*."""
    sheet, state, kept = buffers.sheet[0], buffers.states[number], buffers.segments[number, segment]
    end = min(ahead_limit(arm, buffers, kept.first, stop, sequential), arm.pieces[len(arm.pieces) - 1].first)
    if sheet.keeps_requested:
        end = max(stop, min(end, first + sheet.blocks))
    least = min(end, stop + sheet.least_ahead)
    if state.ahead == segment:
        state.limit, state.least = max(state.limit, end), least
    elif end > kept.stop:
        read_ahead(state, segment, max(begin, state.free), end, least)


@compiled
def ahead_limit(arm: ArmTables, buffers: DriveBuffers, first: int, stop: int, sequential: bool) -> int:
    """The block before which reading ahead stops, behind the blocks *first* up to *stop* of a segment."""
    sheet = buffers.sheet[0]
    end: int = stop + sheet.most_ahead
    if sheet.ahead == NOTHING:
        return stop
    if sheet.ahead == BLOCKS:
        return end
    if sheet.ahead == TRACK:
        return min(around(arm, stop - 1, 1)[1], end)
    if sheet.ahead == CYLINDER:
        return min(around(arm, stop - 1, arm.heads)[1], end)
    assert sheet.ahead == BY_TRACK
    sectors: int = arm.pieces[len(arm.pieces) - 1].first
    if stop >= sectors:
        return stop
    begins, ends = around(arm, stop, 1)
    if not sequential and sheet.most_ahead < ends - begins:
        return stop
    if first < begins and ends < sectors:
        return min(around(arm, ends, 1)[1], end)
    return min(ends, end)
