"""Queues of drives for compiled loops: requests wait in the host, in the drive, or for one that they overlap.

The queues equal TaggedQueue's; with one tag they are first come, first served, and with more tags than requests the
drive has every request. The next request is chosen as by Sptf, Sstf, Look and CLook, with the same ties and rounding.
"""

from typing import Any, NamedTuple

import numpy as np

from spindle.sim.disc.kernel.arm import approach, target_of
from spindle.sim.disc.kernel.arrays import ArmTables, BufferArrays, DriveBuffers, Integers, Records
from spindle.sim.disc.kernel.buffered import look, read_positioning, write_positioning
from spindle.sim.jit import compile_loop

MAX_QUEUED = 1 << 10
"""Requests that a drive may have at most; each new one is compared with all of them."""
NOBODY = -1
SPTF, SSTF, LOOK, C_LOOK = 0, 1, 2, 3
"""Orders of a QueueRule: shortest positioning time, shortest seek, and the two elevators."""
UNLIMITED_DEPTH = 1 << 62
"""A depth of the drive's queue that is never full: the drive has all requests."""

REQUEST = np.dtype([
    ("drive", "i8"), ("write", "?"), ("first", "i8"), ("length", "i8"), ("came", "f8"), ("cylinder", "i8"),
    ("head", "i8"), ("angle", "f8"), ("predecessors", "i8"), ("after", "i8"),
])  # fmt: skip
"""Requests, numbered by arrival. *predecessors* counts those that one must follow; *after* is the next in the host."""
DRIVE = np.dtype([
    ("cylinder", "i8"), ("head", "i8"), ("end", "f8"), ("event", "i8"), ("ready", "i8"), ("held", "i8"),
    ("first", "i8"), ("last", "i8"), ("down", "?"), ("woken", "i8"),
])  # fmt: skip
"""Record of a drive: position of its arm, *end* of its service, infinity while idle, and the number of that event.

*ready* and *held* count requests; *first* and *last* are those of the host; *down* is the direction of the sweep;
*woken* is the number of the event with which it begins at the end of this instant, or 0."""


class QueueRule(NamedTuple):
    """A rule of queues: a drive has up to *depth* requests, with the one in service, and serves them by *order*.

    With a *depth* of 1 it is first come, first served, whatever the order. If it *gathers*, an idle drive sees all
    requests of an instant before it begins one.
    """

    depth: int
    order: int = SPTF
    ageing: float = 0.0
    gathers: bool = False


class Queues(NamedTuple):
    """The queues of all drives: their records, *ready* requests by cylinder and arrival, and *held* ones."""

    drives: Records
    ready: Integers
    held: Integers


@compile_loop
def arrive(arm: ArmTables, rule: QueueRule, queues: Queues, requests: Records, each: int) -> bool:
    """Enter request *each* into the queue of its drive; False if the drive has no room."""
    drive = queues.drives[requests[each].drive]
    if drive.ready + drive.held < rule.depth - 1:
        return hand_over(arm, queues, requests, each)
    if drive.first == NOBODY:
        drive.first = each
    else:
        requests[drive.last].after = each
    drive.last = each
    requests[each].after = NOBODY
    return True


@compile_loop
def hand_over(arm: ArmTables, queues: Queues, requests: Records, each: int) -> bool:
    """Give request *each* to its drive, ready unless it must follow one that it overlaps; False if there is no room."""
    request = requests[each]
    number = request.drive
    drive = queues.drives[number]
    if drive.ready + drive.held == MAX_QUEUED:
        return False
    block = request.first // arm.sector_bytes
    request.cylinder, request.head, request.angle = target_of(arm.blocks, block)
    predecessors = 0
    for place in range(drive.ready):
        predecessors += conflict(requests, queues.ready[number, place], each)
    for place in range(drive.held):
        predecessors += conflict(requests, queues.held[number, place], each)
    request.predecessors = predecessors
    if predecessors:
        queues.held[number, drive.held] = each
        drive.held += 1
    else:
        enter(queues, requests, number, each)
    return True


@compile_loop
def conflict(requests: Records, one: int, other: int) -> bool:
    """Tell if the two requests overlap and one of them writes."""
    if not (requests[one].write or requests[other].write):
        return False
    first, second = requests[one], requests[other]
    return bool(first.first < second.first + second.length and second.first < first.first + first.length)


@compile_loop
def enter(queues: Queues, requests: Records, number: int, each: int) -> None:
    """Insert request *each* among those that are ready, which are in the order of cylinder and arrival."""
    ready, place = queues.ready[number], queues.drives[number].ready
    cylinder = requests[each].cylinder
    while place:
        before = ready[place - 1]
        if requests[before].cylinder < cylinder or (requests[before].cylinder == cylinder and before < each):
            break
        ready[place] = before
        place -= 1
    ready[place] = each
    queues.drives[number].ready += 1


@compile_loop
def refill(arm: ArmTables, rule: QueueRule, queues: Queues, requests: Records, number: int) -> None:
    """Give requests of the host to drive *number*, up to its depth."""
    drive = queues.drives[number]
    while drive.first != NOBODY and drive.ready + drive.held < min(rule.depth, MAX_QUEUED):
        each = drive.first
        drive.first = requests[each].after
        hand_over(arm, queues, requests, each)


@compile_loop
def take(queues: Queues, requests: Records, number: int, place: int) -> int:
    """Take the request at that *place* of those that are ready out of its queue."""
    drive, ready = queues.drives[number], queues.ready[number]
    chosen = ready[place]
    drive.ready -= 1
    for each in range(place, drive.ready):
        ready[each] = ready[each + 1]
    if drive.held:
        release(queues, requests, number, chosen)
    return int(chosen)


@compile_loop
def release(queues: Queues, requests: Records, number: int, chosen: int) -> None:
    """Make ready the requests that waited for no other than *chosen*, which begins now."""
    held, kept = queues.held[number], 0
    for place in range(queues.drives[number].held):
        each = held[place]
        requests[each].predecessors -= conflict(requests, chosen, each)
        if requests[each].predecessors:
            held[kept] = each
            kept += 1
        else:
            enter(queues, requests, number, each)
    queues.drives[number].held = kept


@compile_loop
def renumber(queues: Queues, numbers: Integers) -> None:
    """Replace the numbers of requests by new *numbers*, in the same order."""
    for number in range(len(queues.drives)):
        drive = queues.drives[number]
        for place in range(drive.ready):
            queues.ready[number, place] = numbers[queues.ready[number, place]]
        for place in range(drive.held):
            queues.held[number, place] = numbers[queues.held[number, place]]
        if drive.first != NOBODY:
            drive.first, drive.last = numbers[drive.first], numbers[drive.last]


# Which of the requests that a drive has is next.

@compile_loop
def next_by_cylinder(rule: QueueRule, queues: Queues, requests: Records, number: int) -> int:
    """The place of the next among those that are ready, by their cylinders; there is one."""
    ready, drive = queues.ready[number], queues.drives[number]
    above = at_or_above(requests, ready, drive.ready, drive.cylinder)
    if rule.order == C_LOOK:
        return above if above < drive.ready else 0
    below = at_or_above(requests, ready, drive.ready, requests[ready[above - 1]].cylinder) if above else 0
    if rule.order == SSTF:
        return shortest_seek(requests, ready, drive.ready, drive.cylinder, above, below)
    on_cylinder = above < drive.ready and requests[ready[above]].cylinder == drive.cylinder
    drive.down = (above > 0 or on_cylinder) if drive.down else above == drive.ready
    return above if on_cylinder or not drive.down else below


@compile_loop
def at_or_above(requests: Records, ready: Integers, count: int, cylinder: int) -> int:
    """The place of the first request on the nearest cylinder from *cylinder* up; *count* if none is."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if requests[ready[middle]].cylinder < cylinder:
            low = middle + 1
        else:
            high = middle
    return low


@compile_loop
def shortest_seek(requests: Records, ready: Integers, count: int, cylinder: int, above: int, below: int) -> int:
    """The nearer of the places *above* and *below* the arm's *cylinder*; of both, that which came first."""
    if above == 0 or above == count:
        return below if above else above
    up, down = requests[ready[above]].cylinder - cylinder, cylinder - requests[ready[below]].cylinder
    return above if up < down or (up == down and ready[above] < ready[below]) else below


@compile_loop
def shortest_positioning(
    arm: ArmTables, buffers: DriveBuffers | None, ageing: float, queues: Queues, requests: Records, number: int,
    now: float,
) -> int:  # fmt: skip
    """The place of the request with the shortest positioning time, from the arm's cylinder outwards; there is one."""
    ready, drive = queues.ready[number], queues.drives[number]
    if drive.ready == 1:
        return 0
    if buffers is not None:
        prepare(arm, buffers, number, now)
    above = at_or_above(requests, ready, drive.ready, drive.cylinder)
    below = above - 1
    oldest = now
    if ageing > 0.0:
        for place in range(drive.ready):
            oldest = min(oldest, requests[ready[place]].came)
    rounding, shortest, nearest, earliest = 1e-9 + 1e-15 * now, np.inf, 0, 0
    while above < drive.ready or below >= 0:
        up = requests[ready[above]].cylinder - drive.cylinder if above < drive.ready else len(arm.least)
        down = drive.cylinder - requests[ready[below]].cylinder if below >= 0 else len(arm.least)
        place, apart = (above, up) if up < down else (below, down)
        above, below = (above + 1, below) if up < down else (above, below - 1)
        least = arm.overhead + arm.least[apart] if buffers is None else -np.inf
        if least - ageing * (now - oldest) > shortest + rounding:
            break
        request = requests[ready[place]]
        aged = ageing * (now - request.came)
        if least - aged > shortest + rounding:
            continue
        if buffers is None:
            other_head, start = request.head != drive.head, now + arm.overhead
            move, wait = approach(arm, int(request.write), apart, other_head, start, request.angle)
            seconds = arm.overhead + move + wait - aged
        else:
            seconds = positioning(arm, buffers, number, now, request) - aged
        if seconds < shortest - rounding or (ready[place] < earliest and seconds <= shortest + rounding):
            earliest, nearest = ready[place], place
        shortest = min(shortest, seconds)
    return nearest


@compile_loop
def prepare(arm: ArmTables, buffers: DriveBuffers, number: int, now: float) -> None:
    """Bring the buffer of drive *number* up to *now*, before its requests are compared."""
    sheet, state = buffers.sheet[0], buffers.states[number]
    buffer: Any = BufferArrays(sheet, state, buffers.segments[number], buffers.ends[number], None)
    look(arm, buffer, now)


@compile_loop
def positioning(arm: ArmTables, buffers: DriveBuffers, number: int, now: float, request: Records) -> float:
    """Seconds until *request* could be served, if it were next; after prepare()."""
    sheet, state = buffers.sheet[0], buffers.states[number]
    buffer: Any = BufferArrays(sheet, state, buffers.segments[number], buffers.ends[number], None)
    at, target = (state.cylinder, state.head), (request.cylinder, request.head, request.angle)
    if request.write:
        return write_positioning(arm, buffer, at, now, target)
    first, stop = request.first // arm.sector_bytes, -(-(request.first + request.length) // arm.sector_bytes)
    return read_positioning(arm, buffer, at, True, now, target, first, stop)
