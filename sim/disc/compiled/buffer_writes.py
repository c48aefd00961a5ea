"""Writes behind a buffer, in arrays: through it to the medium, or reported before they are there."""

from spindle.sim.disc.compiled.arm import ArmTables, blocks_of, locate, piece_of
from spindle.sim.disc.compiled.buffer import NOWHERE, DriveBuffers, Phases
from spindle.sim.disc.compiled.passes import TrackRun, later, partly, run_at
from spindle.sim.disc.compiled.prefetch import head_over, leave
from spindle.sim.disc.compiled.segments import fill, forget
from spindle.sim.jit import compiled


@compiled
def serve_write(arm: ArmTables, buffers: DriveBuffers, number: int, now: float, first: int, length: int) -> Phases:
    block, stop = blocks_of(arm, first, length)
    leave(arm, buffers, number, now)
    forget(buffers, number, block, stop)
    if buffers.sheet[0].reports:
        phases = report(arm, buffers, number, now, first, length)
    else:
        phases = write_through(arm, buffers, number, now, first, length)
    if buffers.sheet[0].reads_written:
        fill(buffers, number, block, stop, True)
    return phases


@compiled
def write_command(arm: ArmTables, buffers: DriveBuffers, number: int, first: int) -> float:
    block = first // arm.sector_bytes
    cylinder, head, _, _ = locate(arm, piece_of(arm, block), block)
    return float(buffers.sheet[0].commanded[int(near(buffers, number, cylinder, head))])


@compiled
def near(buffers: DriveBuffers, number: int, cylinder: int, head: int) -> bool:
    """Whether a write there takes what it takes after a write."""
    sheet, state = buffers.sheet[0], buffers.states[number]
    return bool(state.wrote and (not sheet.cheaper or (cylinder == state.cylinder and head == state.head)))


@compiled
def write_through(arm: ArmTables, buffers: DriveBuffers, number: int, now: float, first: int, length: int) -> Phases:
    sheet, state = buffers.sheet[0], buffers.states[number]
    command = write_command(arm, buffers, number, first)
    data, back = now + command, sheet.reselect
    if sheet.twice and state.wrote and first // arm.sector_bytes != state.stop:
        command = sheet.command + sheet.seek_delay
        data = now + sheet.command + sheet.disconnect + sheet.interval + sheet.reselect
        back = sheet.reselect_again
    begin = max(now + command, state.free)
    seek, rotation, transfer = write_out(arm, buffers, number, begin, data + sheet.preparation, first, length)
    return begin - now, seek, rotation, transfer, back + sheet.write_done


@compiled
def report(arm: ArmTables, buffers: DriveBuffers, number: int, now: float, first: int, length: int) -> Phases:
    sheet, state = buffers.sheet[0], buffers.states[number]
    block, stop = blocks_of(arm, first, length)
    begin = max(now + write_command(arm, buffers, number, first), acceptance(buffers, number, now, block, stop))
    data = begin + sheet.preparation
    write_out(arm, buffers, number, max(begin, state.free), data, first, length)
    add_report(buffers, number, block, stop, state.free)
    return data - now, 0.0, 0.0, 0.0, (stop - block) * sheet.link_writing + sheet.write_done


@compiled
def write_out(
    arm: ArmTables, buffers: DriveBuffers, number: int, begin: float, data: float, first: int, length: int
) -> tuple[float, float, float]:
    """Seek, rotation and transfer of what leaves the host at *data*; the arm moves from *begin* on."""
    state = buffers.states[number]
    block, stop = blocks_of(arm, first, length)
    data_of, start, seek, rotation, transfer = block, begin, 0.0, 0.0, 0.0
    while block < stop:
        run = run_at(arm, block, stop)
        each = head_over(arm, state, start, True, run, ready(arm, buffers, run, data, data_of, stop))
        if partly(arm, run, first, length):
            each = later(each, arm.revolution)
        seek, rotation, transfer = seek + each.move, rotation + each.wait, transfer + each.transfer
        start, block = each.end, each.stop
    state.free = start
    return seek, rotation, transfer


@compiled
def ready(arm: ArmTables, buffers: DriveBuffers, run: TrackRun, data: float, start: int, stop: int) -> float:
    """From when on the head can pass over *run* and never be ahead of the link."""
    sheet, blocks, sector = buffers.sheet[0], run.stop - run.first, arm.revolution / run.per_track
    held = min(run.first + sheet.holds, stop) - start
    last = (run.first + blocks - start) * sheet.link_writing - (blocks - 1) * sector
    return float(data + max(held * sheet.link_writing, last) + sheet.to_medium)


@compiled
def acceptance(buffers: DriveBuffers, number: int, now: float, first: int, stop: int) -> float:
    """The instant, from *now* on, at which a write of these blocks can be taken into the buffer: that of WriteBack."""
    sheet, state, ends = buffers.sheet[0], buffers.states[number], buffers.ends[number]
    gone = 0
    while gone < state.reports and ends[gone] <= now:
        gone += 1
    count = state.reports = state.reports - gone
    for place in range(count):
        ends[place] = ends[place + gone]
    if not count or (first == state.report_stop and stop - state.report_first <= sheet.blocks):
        return now
    state.report_stop = NOWHERE  # it needs a segment of its own, wherever it begins
    return now if count < sheet.reports else float(ends[count - sheet.reports])


@compiled
def add_report(buffers: DriveBuffers, number: int, first: int, stop: int, end: float) -> None:
    """These blocks were taken and will be on the medium at *end*."""
    state, ends = buffers.states[number], buffers.ends[number]
    if state.reports and first == state.report_stop:
        ends[state.reports - 1] = end
    else:
        state.report_first = first
        ends[state.reports] = end
        state.reports += 1
    state.report_stop = stop
