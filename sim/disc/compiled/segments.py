"""The segments of a drive's buffer in arrays: found, used, filled and forgotten as Segments does it."""

from spindle.sim.disc.compiled.arm import Records
from spindle.sim.disc.compiled.buffer import NOWHERE, DriveBuffers
from spindle.sim.jit import compiled


@compiled
def extend(segment: Records, room: int, stop: int) -> None:
    """Take in the blocks up to *stop*; what more there is than *room* pushes out the first."""
    segment.stop = stop
    segment.first = max(segment.first, stop - room)


@compiled
def holding(buffers: DriveBuffers, number: int, first: int, stop: int) -> int:
    """The segment that has all of these blocks, or else one that has the first."""
    state, last = buffers.states[number], NOWHERE
    for place in range(state.segments):
        each = buffers.order[number, place]
        segment = buffers.segments[number, each]
        if segment.first <= first < segment.stop:
            last = each
            if stop <= segment.stop:
                return int(each)
    if state.own:
        each = own_segment(buffers)
        segment = buffers.segments[number, each]
        if segment.first <= first < segment.stop and (last == NOWHERE or stop <= segment.stop):
            return each
    return int(last)


@compiled
def own_segment(buffers: DriveBuffers) -> int:
    """That which only writes use, where there is one."""
    return int(buffers.order.shape[1] - 1)


@compiled
def ending_at(buffers: DriveBuffers, number: int, block: int) -> int:
    for place in range(buffers.states[number].segments):
        each = buffers.order[number, place]
        if buffers.segments[number, each].stop == block:
            return int(each)
    return NOWHERE


@compiled
def use(buffers: DriveBuffers, number: int, segment: int) -> None:
    """*segment* is the one that was used last."""
    for place in range(buffers.states[number].segments):
        if buffers.order[number, place] == segment:
            drop(buffers, number, place)
            buffers.states[number].segments += 1
            return


@compiled
def drop(buffers: DriveBuffers, number: int, place: int) -> None:
    """The segment at that *place* of the order is empty, and the next to be filled."""
    order, last = buffers.order[number], buffers.states[number].segments - 1
    segment = order[place]
    for each in range(place, last):
        order[each] = order[each + 1]
    order[last] = segment
    buffers.states[number].segments = last


@compiled
def fill(buffers: DriveBuffers, number: int, first: int, stop: int, written: bool) -> int:
    """A segment with these blocks, in place of the one used longest ago if there is no other."""
    sheet, state = buffers.sheet[0], buffers.states[number]
    if written and sheet.own:
        each = own_segment(buffers)
        state.own = True
    else:
        place = place_to_empty(buffers, number, written)
        if place != NOWHERE:
            drop(buffers, number, place)
        each = buffers.order[number, state.segments]
        state.segments += sheet.segments > 0
    segment = buffers.segments[number, each]
    segment.first, segment.written = first, written
    extend(segment, sheet.blocks, stop)
    return int(each)


@compiled
def place_to_empty(buffers: DriveBuffers, number: int, written: bool) -> int:
    """The place in the order of the segment that makes room for another; NOWHERE where there is room."""
    sheet, count = buffers.sheet[0], buffers.states[number].segments
    if written:
        first, writes = NOWHERE, 0
        for place in range(count - 1, -1, -1):
            if buffers.segments[number, buffers.order[number, place]].written:
                first, writes = place, writes + 1
        if writes >= sheet.write_segments:
            return first
    return 0 if 0 < sheet.segments <= count else NOWHERE


@compiled
def forget(buffers: DriveBuffers, number: int, first: int, stop: int) -> None:
    """Drop every segment that holds one of these blocks."""
    for place in range(buffers.states[number].segments - 1, -1, -1):
        segment = buffers.segments[number, buffers.order[number, place]]
        if segment.first < stop and first < segment.stop:
            drop(buffers, number, place)
