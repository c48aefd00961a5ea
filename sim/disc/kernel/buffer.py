"""Keeps the state of a drive's buffer: the blocks in its segments, and how far the arm has read ahead into one.

Plain functions over the state of one drive, shared by BufferedArm and compiled loops; they use only what numba can
compile. The arm's work between requests is followed when the next one comes: it costs no events.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from spindle.sim.disc.kernel.arm import (
    ArmTimes,
    BlockMap,
    Pass,
    TrackRun,
    cut,
    delivery,
    instant,
    new_tuple,
    next_to_pass,
    pass_over,
    reach,
    run_at,
    target_of,
    track_range,
)

NO_AHEAD, BLOCKS, TRACK, CYLINDER, BY_TRACK = range(5)
"""Kinds of read-ahead: none, a number of blocks, to the end of the track or cylinder, or track by track."""
NOWHERE = -1
"""Number for no segment and no block."""
Pair = tuple[float, float]
"""Seconds after a command that read, and after one that wrote."""


@dataclass(frozen=True, slots=True)
class BufferTimes:
    """The numbers of a drive's sheet that these functions need; see Buffer and Overheads in ``buffer_sheet``.

    Reads fill *segments* segments, and writes one of their *own*; *reports* writes may be reported before they are on
    the medium; *ahead* is the kind of read-ahead, of at most *most_ahead* blocks; *twice* adds a second disconnect.
    """

    segments: int
    own: bool
    reports: int
    ahead: int
    most_ahead: int
    blocks: int
    write_segments: int
    keeps_requested: bool
    keeps_passing: bool
    goes_on: bool
    least_ahead: int
    starts_anywhere: bool
    reads_written: bool
    high_water: float
    holds: int
    miss: Pair
    commanded: Pair
    link_reading: float
    link_writing: float
    read_hit: Pair
    reading_off: Pair
    preparation: float
    reselect: float
    reselect_again: float
    read_done: float
    write_done: float
    to_medium: float
    twice: bool
    command: float
    disconnect: float
    interval: float
    seek_delay: float


@dataclass(slots=True)
class BufferSegment:
    """A segment with blocks *first* up to *stop*, *written* or read; *used* grows with each use, and is 0 if empty."""

    first: int = 0
    stop: int = 0
    written: bool = False
    used: int = 0


@dataclass(slots=True)
class BufferState:
    """State of an arm behind a buffer: it is on *cylinder* and *head*, and *free* from an instant on."""

    cylinder: int = 0
    head: int = 0
    free: float = 0.0
    # The request before: whether it wrote, and the block at which it came to a stop
    wrote: int = 0
    stop: int = 0
    # How often segments were used
    uses: int = 0
    # How many writes are not on the medium, the blocks of the last, and when all are
    waiting: int = 0
    report_first: int = NOWHERE
    report_stop: int = NOWHERE
    settled: float = 0.0
    # Reading ahead: into which segment, if any, up to which block; before *least* no other request may have the arm
    ahead: int = NOWHERE
    limit: int = 0
    least: int = 0
    ahead_free: float = 0.0
    # The present Pass of the read-ahead, if there is one
    passing: bool = False
    pass_first: int = 0
    pass_stop: int = 0
    pass_transfer: float = 0.0
    pass_end: float = 0.0
    # From when on the next request can have the arm, for a scheduler
    reads_from: float = 0.0
    writes_from: float = 0.0
    # Reads that the buffer answered, those of which it had the beginning, and the others
    hits: int = 0
    late_hits: int = 0
    misses: int = 0


@dataclass(slots=True)
class DriveBuffer:
    """The buffer of one drive: *segments*, the last of which may be for writes alone, and *ends* of reported writes."""

    sheet: BufferTimes
    state: BufferState
    segments: Sequence[BufferSegment]
    ends: list[float]
    watch: Callable[[int, float, Pass], object] | None = None


def show(buffer: DriveBuffer, cylinder: int, start: float, each: Pass) -> None:
    """Report the pass *each*, begun at *start* with the arm on *cylinder*, to the drive's observer, if it has one."""
    if buffer.watch is not None:
        buffer.watch(cylinder, start, each)


# Segments of blocks in a row, the one used longest ago replaced first.

def extend(segment: BufferSegment, room: int, stop: int) -> None:
    """Extend the segment by the blocks up to *stop*; drop its first ones if there are more than *room*."""
    segment.stop = stop
    if segment.first < stop - room:
        segment.first = stop - room


def holding(buffer: DriveBuffer, first: int, stop: int) -> int:
    """Find the segment that has all of these blocks, or else one that has the first; NOWHERE if none has."""
    segments, reading = buffer.segments, buffer.sheet.segments
    whole = partly = NOWHERE
    for number in range(reading):
        each = segments[number]
        if each.used and each.first <= first < each.stop:
            if stop <= each.stop:
                if whole == NOWHERE or each.used < segments[whole].used:
                    whole = number
            elif partly == NOWHERE or each.used > segments[partly].used:
                partly = number
    if whole == NOWHERE and buffer.sheet.own:
        each = segments[reading]
        if each.used and each.first <= first < each.stop and (partly == NOWHERE or stop <= each.stop):
            return reading
    return partly if whole == NOWHERE else whole


def ending_at(buffer: DriveBuffer, block: int) -> int:
    """Find the segment whose blocks end before *block*; NOWHERE if none does."""
    segments, found = buffer.segments, NOWHERE
    for number in range(buffer.sheet.segments):
        each = segments[number]
        if each.stop == block and each.used and (found == NOWHERE or each.used < segments[found].used):
            found = number
    return found


def use(buffer: DriveBuffer, number: int) -> None:
    """Mark segment *number* as the one used last."""
    buffer.state.uses += 1
    buffer.segments[number].used = buffer.state.uses


def fill(buffer: DriveBuffer, first: int, stop: int, written: bool) -> int:
    """Fill a segment with these blocks, an empty one or the one used longest ago, and return its number."""
    number = buffer.sheet.segments if written and buffer.sheet.own else choose_segment(buffer, written)
    segment = buffer.segments[number]
    segment.first, segment.written = first, written
    extend(segment, buffer.sheet.blocks, stop)
    if buffer.sheet.segments:
        use(buffer, number)
    return number


def choose_segment(buffer: DriveBuffer, written: bool) -> int:
    """Choose the segment to replace; not more *written* segments are kept than the sheet allows."""
    segments, empty, oldest, oldest_written, writes = buffer.segments, NOWHERE, 0, 0, 0
    for number in range(buffer.sheet.segments):
        each = segments[number]
        if not each.used:
            empty = number
            continue
        if each.used < segments[oldest].used:
            oldest = number
        if each.written:
            writes += 1
            if writes == 1 or each.used < segments[oldest_written].used:
                oldest_written = number
    if written and writes >= buffer.sheet.write_segments:
        return oldest_written
    return oldest if empty == NOWHERE else empty


def forget(buffer: DriveBuffer, first: int, stop: int) -> None:
    """Drop every segment that holds one of these blocks, except the segment that only writes use."""
    for number in range(buffer.sheet.segments):
        each = buffer.segments[number]
        if each.first < stop and first < each.stop:
            each.used = 0


# Reading ahead, as far as the drive does while it has no other request.

def ahead_limit(blocks: BlockMap, kind: int, most: int, first: int, stop: int) -> int:
    """The block before which reading ahead stops, behind the blocks *first* up to *stop* of a segment."""
    if kind == NO_AHEAD:
        return stop
    if kind == BLOCKS:
        return stop + most
    if kind == TRACK:
        return min(track_range(blocks, stop - 1, 1)[1], stop + most)
    if kind == CYLINDER:
        return min(track_range(blocks, stop - 1, blocks.heads)[1], stop + most)
    return track_by_track(blocks, first, stop)


def track_by_track(blocks: BlockMap, first: int, stop: int) -> int:
    """Limit read-ahead to the end of the track; of the next track, if the segment begins on the track before."""
    sectors = blocks.firsts[len(blocks.pieces)]
    if stop >= sectors:
        return stop
    begins, ends = track_range(blocks, stop, 1)
    return track_range(blocks, ends, 1)[1] if first < begins and ends < sectors else ends


def head_over(arm: ArmTimes, state: BufferState, start: float, write: int, run: TrackRun, ready: float) -> Pass:
    """Move the arm over *run*, and return the pass."""
    each = pass_over(arm, state.cylinder, state.head, start, write, run, ready)
    state.cylinder, state.head = each.cylinder, each.head
    return each


def read_ahead(state: BufferState, segment: int, begin: float, stop: int, least: int) -> None:
    """Read into *segment* up to block *stop*, from *begin* on."""
    state.ahead, state.ahead_free, state.limit, state.least, state.passing = segment, begin, stop, least, False


def begin_pass(arm: ArmTimes, buffer: DriveBuffer, limit: int) -> None:
    """Begin the next pass into the segment, over blocks before *limit*."""
    state = buffer.state
    run = run_at(arm.blocks, buffer.segments[state.ahead].stop, limit)
    each = head_over(arm, state, state.ahead_free, 0, run, -inf)
    state.passing = True
    state.pass_first, state.pass_stop = each.first, each.stop
    state.pass_transfer, state.pass_end = each.transfer, each.end


def present_pass(state: BufferState) -> Pass:
    return new_tuple(Pass, (state.cylinder, state.head, 0, state.pass_first, state.pass_stop, 0.0, 0.0,
                            state.pass_transfer, state.pass_end))  # fmt: skip


def end_pass(state: BufferState, segment: BufferSegment, room: int) -> None:
    extend(segment, room, state.pass_stop)
    state.ahead_free = state.pass_end
    state.passing = False


def follow(arm: ArmTimes, buffer: DriveBuffer, now: float) -> None:
    """Take into the segment the blocks that have passed under the head by *now*; the read-ahead ends at its limit."""
    state, room = buffer.state, buffer.sheet.blocks
    if state.ahead == NOWHERE:
        return
    segment = buffer.segments[state.ahead]
    while True:
        if not state.passing:
            if segment.stop >= state.limit:
                state.ahead = NOWHERE
                return
            if state.ahead_free > now:
                return
            begin_pass(arm, buffer, state.limit)
        if state.pass_end > now:
            extend(segment, room, max(segment.stop, next_to_pass(present_pass(state), now)))
            return
        end_pass(state, segment, room)


def leaves_track(arm: ArmTimes, buffer: DriveBuffer, now: float) -> float:
    """The instant, from *now* on, from which another request may have the arm; after follow()."""
    state = buffer.state
    stop, free, cylinder, head = buffer.segments[state.ahead].stop, state.ahead_free, state.cylinder, state.head
    passing = state.passing
    while stop < state.least:
        if passing:
            each = present_pass(state)
        else:
            each = pass_over(arm, cylinder, head, free, 0, run_at(arm.blocks, stop, state.least), -inf)
        if each.stop >= state.least:
            return max(now, instant(each, state.least - each.first))
        stop, free, cylinder, head, passing = each.stop, each.end, each.cylinder, each.head, False
    return now


def leave(arm: ArmTimes, buffer: DriveBuffer, now: float) -> None:
    """Stop reading ahead, but not before the least that the drive reads."""
    state = buffer.state
    if state.ahead != NOWHERE and buffer.sheet.least_ahead:
        free_from = leaves_track(arm, buffer, now)
        follow(arm, buffer, free_from)
        state.free = max(state.free, free_from)
    state.ahead = NOWHERE


def next_block_passes(arm: ArmTimes, buffer: DriveBuffer, now: float) -> float:
    """The instant, from *now* on, from which the next block that the segment will get passes; after follow()."""
    state = buffer.state
    if state.passing:
        return max(now, state.pass_end - state.pass_transfer)
    target = target_of(arm.blocks, buffer.segments[state.ahead].stop)
    return state.ahead_free + reach(arm, (state.cylinder, state.head), state.ahead_free, 0, target)


def read_until(arm: ArmTimes, buffer: DriveBuffer, first: int, stop: int) -> float:
    """Read ahead until the blocks *first* up to *stop* are in the segment; return when the host can have them."""
    state, room, link, last = buffer.state, buffer.sheet.blocks, buffer.sheet.link_reading, -inf
    segment = buffer.segments[state.ahead]
    while segment.stop < stop:
        if not state.passing:
            begin_pass(arm, buffer, stop)
        each = present_pass(state)
        if each.stop > stop:
            last = max(last, delivery(cut(each, stop), first, stop, link))
            extend(segment, room, stop)
            return last
        last = max(last, delivery(each, first, stop, link))
        end_pass(state, segment, room)
    return last


def read_on(arm: ArmTimes, buffer: DriveBuffer, segment: int, first: int, stop: int, begin: float) -> None:
    """Go on reading into *segment* after the blocks from *first* up to *stop*."""
    sheet, state, kept = buffer.sheet, buffer.state, buffer.segments[segment]
    end = ahead_limit(arm.blocks, sheet.ahead, sheet.most_ahead, kept.first, stop)
    end = min(end, arm.blocks.firsts[len(arm.blocks.pieces)])
    if sheet.keeps_requested:
        end = min(end, first + sheet.blocks)
    least = min(end, stop + sheet.least_ahead)
    if state.ahead == segment:
        state.limit, state.least = max(state.limit, end), least
    elif end > kept.stop:
        read_ahead(state, segment, max(begin, state.free), end, least)
