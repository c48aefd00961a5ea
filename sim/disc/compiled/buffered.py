"""An arm behind a buffer, in arrays: a request served by it, and how soon one would be; as BufferedArm has both."""

import numpy as np

from spindle.sim.disc.compiled.arm import ArmTables, Records, blocks_of
from spindle.sim.disc.compiled.buffer import NOWHERE, DriveBuffers
from spindle.sim.disc.compiled.buffer_reads import answering, hit_overhead, serve_read
from spindle.sim.disc.compiled.buffer_writes import near, serve_write
from spindle.sim.disc.compiled.passes import ArmService
from spindle.sim.disc.compiled.prefetch import comes, follow, leaves, reach
from spindle.sim.jit import compiled


@compiled
def serve_buffered(
    arm: ArmTables, buffers: DriveBuffers, number: int, now: float, write: bool, first: int, length: int
) -> ArmService:
    """Serve *length* bytes from byte *first* on at the drive of that *number*, from the instant *now*."""
    follow(arm, buffers, number, now)
    begin, state = now + arm.overhead, buffers.states[number]
    block, stop = blocks_of(arm, first, length)
    if write:
        phases = serve_write(arm, buffers, number, begin, first, length)
    else:
        phases = serve_read(arm, buffers, number, begin, block, stop)
    overhead, seek, rotation, transfer, channel = phases
    state.wrote, state.stop = write, stop
    if state.coarse:
        seek = np.nan  # the drives themselves are to be asked, and refuse
    return ArmService(overhead + arm.overhead, seek, rotation, transfer, channel, state.cylinder, state.head)


@compiled
def look(arm: ArmTables, buffers: DriveBuffers, number: int, now: float) -> None:
    """What is true of each request that may come next: when the arm is free, and may set out for it."""
    follow(arm, buffers, number, now)
    sheet, state = buffers.sheet[0], buffers.states[number]
    command, free = now + arm.overhead, state.free
    if state.ahead != NOWHERE and sheet.least_ahead:
        free = max(free, leaves(arm, buffers, number, now))
    state.reads_from = max(command + sheet.miss, free)
    state.writes_from = max(command + sheet.commanded[0], free)
    state.near_writes_from = max(command + sheet.commanded[1], free)


@compiled
def positioning(arm: ArmTables, buffers: DriveBuffers, now: float, request: Records) -> float:
    """Seconds until *request* could be served, if it were next; after look()."""
    number = request.drive
    state = buffers.states[number]
    block, stop = blocks_of(arm, request.first, request.length)
    if request.write:
        begin = state.near_writes_from if near(buffers, number, request.cylinder, request.head) else state.writes_from
        return float(begin - now + reach(arm, state, begin, True, block))
    segment = answering(buffers, number, block, stop)
    if segment == NOWHERE:
        return float(state.reads_from - now + reach(arm, state, state.reads_from, False, block))
    command = arm.overhead + hit_overhead(buffers, number, block)
    kept_stop = buffers.segments[number, segment].stop
    if stop <= kept_stop:
        return command
    if state.ahead == segment:
        return max(command, comes(arm, buffers, number, now) - now)
    return max(command, float(state.reads_from - now + reach(arm, state, state.reads_from, False, kept_stop)))
