"""Computes the phases of reads (hits, misses) and writes (through, or reported early) of an arm with a buffer.

Plain functions over the state of one drive, shared by BufferedArm and compiled loops; they use only what numba can
compile.
"""

from math import inf

from spindle.sim.disc.kernel.arm import (
    ArmService,
    ArmTimes,
    Pass,
    TrackRun,
    begin_anywhere,
    covers_partly,
    delayed_pass,
    delivery,
    instant,
    new_tuple,
    reach,
    run_at,
    target_of,
    track_range,
)
from spindle.sim.disc.kernel.buffer import (
    NOWHERE,
    BufferTimes,
    DriveBuffer,
    ending_at,
    extend,
    fill,
    follow,
    forget,
    head_over,
    holding,
    leave,
    leaves_track,
    next_block_passes,
    read_ahead,
    read_on,
    read_until,
    show,
    use,
)

Phases = tuple[float, float, float, float, float]
"""Overhead, seek, rotation, transfer and channel of a request, in seconds."""


# Reads.

def answering(buffer: DriveBuffer, first: int, stop: int) -> int:
    """Return the segment that answers a read, or into which the arm is already reading its first block."""
    state, segment = buffer.state, holding(buffer, first, stop)
    if segment == NOWHERE and state.ahead != NOWHERE and buffer.segments[state.ahead].stop == first < state.limit:
        return state.ahead
    return segment


def hit_overhead(buffer: DriveBuffer) -> float:
    """Return the seconds before the first block of a hit leaves the buffer."""
    return buffer.sheet.read_hit[buffer.state.wrote] + buffer.sheet.preparation


def serve_read(arm: ArmTimes, buffer: DriveBuffer, now: float, first: int, stop: int) -> Phases:
    """The phases of a read of these blocks, from the instant *now* after the command."""
    sheet, state, segment = buffer.sheet, buffer.state, answering(buffer, first, stop)
    if segment == NOWHERE:
        return serve_miss(arm, buffer, now, first, stop)
    kept = buffer.segments[segment]
    if not kept.written:
        use(buffer, segment)
    overhead, sent, waited = hit_overhead(buffer), (stop - first) * sheet.link_reading, 0.0
    late = stop > kept.stop
    if late:
        state.late_hits += 1
        if state.ahead != segment:
            read_ahead(state, segment, max(state.free, now + sheet.miss[state.wrote]), stop, 0)
        waited = read_until(arm, buffer, first, stop) - (now + overhead + sent)
    else:
        state.hits += 1
    if late or sheet.goes_on or state.ahead == segment:
        read_on(arm, buffer, segment, first, stop, now)
    return overhead, 0.0, 0.0, max(0.0, waited), sent + sheet.read_done


def serve_miss(arm: ArmTimes, buffer: DriveBuffer, now: float, first: int, stop: int) -> Phases:
    """The phases of a read from the medium."""
    sheet, state = buffer.sheet, buffer.state
    state.misses += 1
    leave(arm, buffer, now)
    command = now + sheet.miss[state.wrote]
    begin = max(command, state.free)
    opening, seek, rotation, transfer, gathered, delivered = read_medium(arm, buffer, begin, first, stop)
    medium = state.free
    on_bus = max(gathered, command + sheet.reading_off[state.wrote]) + (sheet.reselect + sheet.preparation)
    end = max(on_bus + (stop - first) * sheet.link_reading, delivered) + sheet.read_done
    segment = ending_at(buffer, first)
    if segment != NOWHERE:
        extend(buffer.segments[segment], sheet.blocks, stop)
        use(buffer, segment)
    else:
        segment = fill(buffer, kept_from(arm, sheet, opening, first), stop, False)
    read_on(arm, buffer, segment, first, stop, medium)
    return begin - now, seek, rotation, transfer, end - medium


def read_medium(
    arm: ArmTimes, buffer: DriveBuffer, begin: float, first: int, stop: int
) -> tuple[Pass, float, float, float, float, float]:
    """Return the first pass over these blocks, the seconds of all passes, and the instants of enough and of all blocks.

    Enough is the high-water mark, from which the transfer to the host may begin; at the last instant all can be there.
    """
    sheet, state = buffer.sheet, buffer.state
    needs = max(1, int(min(stop - first, sheet.blocks) * sheet.high_water))
    opening = each = read_pass(arm, buffer, begin, first, stop)
    gathered = inf
    seek = rotation = transfer = 0.0
    delivered = -inf
    while True:
        if gathered == inf and needs <= each.stop - first:
            gathered = instant(each, needs - (each.first - first))
        delivered = max(delivered, delivery(each, first, stop, sheet.link_reading))
        seek, rotation, transfer = seek + each.move, rotation + each.wait, transfer + each.transfer
        if each.stop >= stop:
            break
        each = read_pass(arm, buffer, each.end, each.stop, stop)
    state.free = each.end
    return opening, seek, rotation, transfer, gathered, delivered


def read_pass(arm: ArmTimes, buffer: DriveBuffer, start: float, block: int, stop: int) -> Pass:
    """Make the next pass of a read; one that may start anywhere ends a revolution after the arm has arrived."""
    cylinder = buffer.state.cylinder
    each = head_over(arm, buffer.state, start, 0, run_at(arm.blocks, block, stop), -inf)
    if buffer.sheet.starts_anywhere and each.wait + each.transfer > arm.revolution:
        each = begin_anywhere(each, arm.revolution)
    show(buffer, cylinder, start, each)
    return each


def kept_from(arm: ArmTimes, sheet: BufferTimes, opening: Pass, first: int) -> int:
    """The first block that is kept: of those that went by while the arm waited for *first*, if the drive keeps them."""
    if not sheet.keeps_passing:
        return first
    gone_by = int(opening.wait / arm.revolution * opening.per_track)
    return max(track_range(arm.blocks, first, 1)[0], first - gone_by)


# Writes: through the buffer to the medium, or reported before they are there.

def serve_write(arm: ArmTimes, buffer: DriveBuffer, now: float, first: int, length: int) -> Phases:
    """The phases of a write of *length* bytes from byte *first* on, from the instant *now* after the command."""
    size, state = arm.sector_bytes, buffer.state
    block, stop = first // size, -(-(first + length) // size)
    leave(arm, buffer, now)
    forget(buffer, block, stop)
    if buffer.sheet.reports:
        phases = report(arm, buffer, now, first, length)
    else:
        phases = write_through(arm, buffer, now, first, length)
    if buffer.sheet.reads_written:
        fill(buffer, block, stop, True)
    state.settled = state.free
    return phases


def write_through(arm: ArmTimes, buffer: DriveBuffer, now: float, first: int, length: int) -> Phases:
    """The phases of a write that is answered when it is on the medium."""
    sheet, state = buffer.sheet, buffer.state
    command = sheet.commanded[state.wrote]
    data, back = now + command, sheet.reselect
    if sheet.twice and state.wrote and first // arm.sector_bytes != state.stop:
        command = sheet.command + sheet.seek_delay
        data = now + sheet.command + sheet.disconnect + sheet.interval + sheet.reselect
        back = sheet.reselect_again
    begin = max(now + command, state.free)
    seek, rotation, transfer = write_out(arm, buffer, begin, data + sheet.preparation, first, length)
    return begin - now, seek, rotation, transfer, back + sheet.write_done


def report(arm: ArmTimes, buffer: DriveBuffer, now: float, first: int, length: int) -> Phases:
    """Answer a write as soon as the buffer has it; return its phases."""
    sheet, state, size = buffer.sheet, buffer.state, arm.sector_bytes
    block, stop = first // size, -(-(first + length) // size)
    begin = max(now + sheet.commanded[state.wrote], acceptance(buffer, now, block, stop))
    data = begin + sheet.preparation
    write_out(arm, buffer, max(begin, state.free), data, first, length)
    add_report(buffer, block, stop, state.free)
    return data - now, 0.0, 0.0, 0.0, (stop - block) * sheet.link_writing + sheet.write_done


def write_out(
    arm: ArmTimes, buffer: DriveBuffer, begin: float, data: float, first: int, length: int
) -> tuple[float, float, float]:
    """Write what leaves the host at *data*; return seek, rotation and transfer. The arm moves from *begin* on."""
    state, size, start = buffer.state, arm.sector_bytes, begin
    first_block, stop = first // size, -(-(first + length) // size)
    block, unaligned = first_block, first % size or length % size
    seek = rotation = transfer = 0.0
    while block < stop:
        run, cylinder = run_at(arm.blocks, block, stop), state.cylinder
        each = head_over(arm, state, start, 1, run, ready_from(arm, buffer.sheet, run, data, first_block, stop))
        if unaligned and covers_partly(size, first, length, block, each.stop):
            each = delayed_pass(each, arm.revolution)
        show(buffer, cylinder, start, each)
        seek, rotation, transfer = seek + each.move, rotation + each.wait, transfer + each.transfer
        start, block = each.end, each.stop
    state.free = start
    return seek, rotation, transfer


def ready_from(arm: ArmTimes, sheet: BufferTimes, run: TrackRun, data: float, start: int, stop: int) -> float:
    """Return the instant from which the head can pass over *run* and never be ahead of the link."""
    blocks, sector = run.stop - run.first, arm.revolution / run.per_track
    held = min(run.first + sheet.holds, stop) - start
    last = (run.first + blocks - start) * sheet.link_writing - (blocks - 1) * sector
    return data + max(held * sheet.link_writing, last) + sheet.to_medium


def acceptance(buffer: DriveBuffer, now: float, first: int, stop: int) -> float:
    """The instant, from *now* on, at which a write of these blocks can be taken into the buffer.

    Writes are destaged one after the other. Those that go on where the one before ended share its segment, as long as
    there is room in it.
    """
    sheet, state, ends = buffer.sheet, buffer.state, buffer.ends
    gone = 0
    while gone < state.waiting and ends[gone] <= now:
        gone += 1
    if gone:
        state.waiting -= gone
        for place in range(state.waiting):
            ends[place] = ends[place + gone]
    if not state.waiting or (first == state.report_stop and stop - state.report_first <= sheet.blocks):
        return now
    state.report_stop = NOWHERE  # it needs a segment of its own, wherever it begins
    return now if state.waiting < sheet.reports else ends[state.waiting - sheet.reports]


def add_report(buffer: DriveBuffer, first: int, stop: int, end: float) -> None:
    """Note that the buffer has these blocks, which will be on the medium at *end*."""
    state, ends = buffer.state, buffer.ends
    if state.waiting and first == state.report_stop:
        ends[state.waiting - 1] = end
    else:
        state.report_first = first
        ends[state.waiting] = end
        state.waiting += 1
    state.report_stop = stop


# A request, and how soon one could be served.

def serve_buffered(
    arm: ArmTimes, buffer: DriveBuffer, now: float, write: int, first: int, length: int
) -> ArmService:
    """Serve *length* bytes from byte *first* on, from the instant *now*."""
    follow(arm, buffer, now)
    begin, state, size = now + arm.overhead, buffer.state, arm.sector_bytes
    block, stop = first // size, -(-(first + length) // size)
    phases = serve_write(arm, buffer, begin, first, length) if write else serve_read(arm, buffer, begin, block, stop)
    overhead, seek, rotation, transfer, channel = phases
    state.wrote, state.stop = write, stop
    whole = overhead + arm.overhead
    return new_tuple(ArmService, (whole, seek, rotation, transfer, channel, state.cylinder, state.head))


def look(arm: ArmTimes, buffer: DriveBuffer, now: float) -> None:
    """Compute the earliest instants at which the arm may set out for a next read, write or nearby write."""
    follow(arm, buffer, now)
    sheet, state = buffer.sheet, buffer.state
    command, free = now + arm.overhead, state.free
    if state.ahead != NOWHERE and sheet.least_ahead:
        free = max(free, leaves_track(arm, buffer, now))
    state.reads_from = max(command + sheet.miss[state.wrote], free)
    state.writes_from = max(command + sheet.commanded[state.wrote], free)


def write_positioning(
    arm: ArmTimes, buffer: DriveBuffer, at: tuple[int, int], now: float, target: tuple[int, int, float]
) -> float:
    """Seconds until a write to *target* could be served with the arm *at* a track; after look()."""
    begin = buffer.state.writes_from
    return begin - now + reach(arm, at, begin, 1, target)


def read_positioning(
    arm: ArmTimes, buffer: DriveBuffer, at: tuple[int, int], here: bool, now: float,
    target: tuple[int, int, float], first: int, stop: int,
) -> float:  # fmt: skip
    """Seconds until a read could be served with the arm *at* a track, where it is (*here*) or assumed; after look().

    If the buffer has the beginning of a read, the seconds are until its first missing block is under the head.
    """
    state, segment, begin = buffer.state, answering(buffer, first, stop), buffer.state.reads_from
    if segment == NOWHERE:
        return begin - now + reach(arm, at, begin, 0, target)
    command, kept_stop = arm.overhead + hit_overhead(buffer), buffer.segments[segment].stop
    if stop <= kept_stop:
        return command
    if here and state.ahead == segment:
        return max(command, next_block_passes(arm, buffer, now) - now)
    return max(command, begin - now + reach(arm, at, begin, 0, target_of(arm.blocks, kept_stop)))
