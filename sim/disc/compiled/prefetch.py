"""What a drive reads ahead, in arrays: followed when the next request comes, as Prefetch is."""

import numpy as np

from spindle.sim.disc.compiled.arm import ArmTables, Records, approach, locate, piece_of
from spindle.sim.disc.compiled.buffer import NOWHERE, DriveBuffers
from spindle.sim.disc.compiled.passes import ArmPass, TrackRun, cut, delivery, instant, over, run_at
from spindle.sim.disc.compiled.segments import extend
from spindle.sim.jit import compiled


@compiled
def head_over(arm: ArmTables, state: Records, start: float, write: bool, run: TrackRun, ready: float) -> ArmPass:
    """The arm of a buffer goes over *run*."""
    each = over(arm, state.cylinder, state.head, start, write, run, ready)
    state.cylinder, state.head = run.cylinder, run.head
    state.coarse |= start > arm.latest
    return each


@compiled
def read_ahead(state: Records, segment: int, begin: float, stop: int, least: int) -> None:
    """Read into *segment* up to block *stop*, from *begin* on."""
    state.ahead, state.ahead_free, state.limit, state.least, state.passing = segment, begin, stop, least, False


@compiled
def begin_pass(arm: ArmTables, buffers: DriveBuffers, number: int, limit: int) -> None:
    """Begin the next pass into the segment, over blocks before *limit*."""
    state = buffers.states[number]
    run = run_at(arm, buffers.segments[number, state.ahead].stop, limit)
    each = head_over(arm, state, state.ahead_free, False, run, -np.inf)
    state.passing = True
    state.pass_cylinder, state.pass_head, state.pass_per_track = each.cylinder, each.head, each.per_track
    state.pass_first, state.pass_stop = each.first, each.stop
    state.pass_transfer, state.pass_end = each.transfer, each.end


@compiled
def present_pass(state: Records) -> ArmPass:
    return ArmPass(state.pass_cylinder, state.pass_head, state.pass_per_track, state.pass_first, state.pass_stop,
                   0.0, 0.0, state.pass_transfer, state.pass_end)  # fmt: skip


@compiled
def follow(arm: ArmTables, buffers: DriveBuffers, number: int, now: float) -> None:
    """Take into the segment what has passed under the head by *now*; the read-ahead ends at its limit."""
    state, room = buffers.states[number], buffers.sheet[0].blocks
    if state.ahead == NOWHERE:
        return
    segment = buffers.segments[number, state.ahead]
    while True:
        if not state.passing:
            if segment.stop >= state.limit:
                state.ahead = NOWHERE
                return
            if state.ahead_free > now:
                return
            begin_pass(arm, buffers, number, state.limit)
        if state.pass_end > now:
            extend(segment, room, max(segment.stop, block_under_head(state, now)))
            return
        end_pass(state, segment, room)


@compiled
def block_under_head(state: Records, now: float) -> int:
    """The block before which everything of the present pass has gone by at *now*."""
    gone = 1.0 - (state.pass_end - now) / state.pass_transfer
    return int(state.pass_first + max(0, int(gone * (state.pass_stop - state.pass_first) + 1e-9)))


@compiled
def end_pass(state: Records, segment: Records, room: int) -> None:
    extend(segment, room, state.pass_stop)
    state.ahead_free = state.pass_end
    state.passing = False


@compiled
def leave(arm: ArmTables, buffers: DriveBuffers, number: int, now: float) -> None:
    """Stop reading ahead, but not before the least that the drive reads."""
    state = buffers.states[number]
    if state.ahead != NOWHERE and buffers.sheet[0].least_ahead:
        free_from = leaves(arm, buffers, number, now)
        follow(arm, buffers, number, free_from)
        state.free = max(state.free, free_from)
    state.ahead = NOWHERE


@compiled
def leaves(arm: ArmTables, buffers: DriveBuffers, number: int, now: float) -> float:
    """The instant, from *now* on, from which another request may have the arm."""
    state = buffers.states[number]
    stop, free = buffers.segments[number, state.ahead].stop, state.ahead_free
    cylinder, head, passing = state.cylinder, state.head, state.passing
    while stop < state.least:
        each = present_pass(state)
        if not passing:
            each = over(arm, cylinder, head, free, False, run_at(arm, stop, state.least), -np.inf)
            state.coarse |= free > arm.latest
        if each.stop >= state.least:
            return max(now, instant(each, state.least - each.first))
        stop, free, cylinder, head, passing = each.stop, each.end, each.cylinder, each.head, False
    return now


@compiled
def comes(arm: ArmTables, buffers: DriveBuffers, number: int, now: float) -> float:
    """The instant, from *now* on, from which the next block that the segment will get passes."""
    state = buffers.states[number]
    if state.passing:
        return float(max(now, state.pass_end - state.pass_transfer))
    stop = buffers.segments[number, state.ahead].stop
    return float(state.ahead_free + reach(arm, state, state.ahead_free, False, stop))


@compiled
def reach(arm: ArmTables, state: Records, start: float, write: bool, block: int) -> float:
    """Seconds from *start* until *block* is under the head, if the arm of a buffer sets out at once."""
    cylinder, head, _, angle = locate(arm, piece_of(arm, block), block)
    move, wait = approach(arm, write, abs(cylinder - state.cylinder), head != state.head, start, angle)
    return move + wait


@compiled
def until(arm: ArmTables, buffers: DriveBuffers, number: int, first: int, stop: int) -> float:
    """When the host can have the blocks *first* up to *stop*, the last of which are still to come into the segment."""
    state, room, link, last = buffers.states[number], buffers.sheet[0].blocks, buffers.sheet[0].link_reading, -np.inf
    segment = buffers.segments[number, state.ahead]
    while segment.stop < stop:
        if not state.passing:
            begin_pass(arm, buffers, number, stop)
        each = present_pass(state)
        if each.stop > stop:
            last = max(last, delivery(cut(each, stop), first, stop, link))
            extend(segment, room, stop)
            return last
        last = max(last, delivery(each, first, stop, link))
        end_pass(state, segment, room)
    return last
