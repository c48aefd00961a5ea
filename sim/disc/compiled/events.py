"""Arrivals and completions of requests at drives, in the order in which SimPy would have them happen."""

import numpy as np

from spindle.sim.disc.compiled.arm import ArmTables, Floats, Records
from spindle.sim.disc.compiled.buffer import DriveBuffers
from spindle.sim.disc.compiled.buffered import serve_buffered
from spindle.sim.disc.compiled.order import next_by_cylinder, soonest
from spindle.sim.disc.compiled.passes import serve
from spindle.sim.disc.compiled.queue import SPTF, QueueRule, Queues, arrive, refill, take
from spindle.sim.jit import compiled

OPEN = 0
"""In place of the number under way: the times of the requests decide."""

CLOCK = np.dtype([
    ("now", "f8"), ("arrival", "f8"), ("events", "i8"), ("arriving", "i8"), ("planned", "?"), ("owed", "i8"),
    ("asked", "i8"), ("served", "i8"), ("over", "?"),
])  # fmt: skip
"""The instants of the last event, and of the arrival if one is *planned*; how many events there were, and which the
arrival is; how many requests are to be asked next. Of the present batch: the next to be asked,
how many are served, and whether it is *over*."""
SERVICE = np.dtype([
    ("number", "i8"), ("began", "f8"), ("overhead", "f8"), ("seek", "f8"), ("rotation", "f8"), ("transfer", "f8"),
    ("channel", "f8"), ("ended", "f8"),
])  # fmt: skip
"""In the order in which they began: the number of the request, instants, and seconds of its phases."""


@compiled
def go_on(
    arm: ArmTables, buffers: DriveBuffers | None, rule: QueueRule, under_way: int, queues: Queues, requests: Records,
    when: Floats, last: bool, clocks: Records, services: Records, pause: int,
) -> bool:  # fmt: skip
    """Serve until the next that is asked is none of *requests*, the last of which are yet to come *when* they say.

    If it is the *last* batch, no more will come. It goes on where it was when so many were served that it made a
    *pause*. False where a drive has more requests than ROOM, or the clock is too coarse.
    """
    clock, count = clocks[0], len(requests)
    clock.over = False
    while clock.planned or not clock.owed or clock.asked < count or last:
        if clock.served == pause:
            return True
        comes = clock.owed > 0 and not clock.planned and clock.asked < count
        if comes:
            clock.owed -= 1
            if plan_arrival(clock, under_way, when[clock.asked - count]):
                continue
        number = first_done(queues)
        drive = queues.drives[number]
        if comes or arrives(clock, drive, under_way):
            requests[clock.asked].came, number = clock.now, requests[clock.asked].drive
            if not arrive(arm, rule, queues, requests, clock.asked):
                return False
            clock.asked += 1
        elif drive.end < np.inf:
            clock.now, drive.end = drive.end, np.inf
            clock.owed += under_way != OPEN
        else:
            break
        idle = queues.drives[number].end == np.inf
        if idle and not begin_next(arm, buffers, rule, queues, requests, number, clocks, services):
            return False
    clock.over = True
    return True


@compiled
def plan_arrival(clock: Records, under_way: int, when: float) -> bool:
    """Whether the next request is put on the clock; one that follows another at once is not."""
    delay = when - (clock.now if under_way == OPEN else 0.0)
    if under_way != OPEN and not delay > 0.0:
        return False
    clock.events += 1
    clock.planned, clock.arriving = True, clock.events
    clock.arrival = clock.now + delay if delay > 0.0 else clock.now
    return True


@compiled
def arrives(clock: Records, drive: Records, under_way: int) -> bool:
    """Whether the planned arrival is next, before the end of the service of *drive*; if so, it is now."""
    if not clock.planned or clock.arrival > drive.end or (
            clock.arrival == drive.end and clock.arriving > drive.event):
        return False
    clock.now, clock.planned = clock.arrival, False
    clock.owed += under_way == OPEN
    return True


@compiled
def first_done(queues: Queues) -> int:
    """The number of the drive whose service ends next."""
    first = 0
    for each in range(1, len(queues.drives)):
        one, other = queues.drives[each], queues.drives[first]
        if one.end < other.end or (one.end == other.end and one.event < other.event):
            first = each
    return first


@compiled
def begin_next(
    arm: ArmTables, buffers: DriveBuffers | None, rule: QueueRule, queues: Queues, requests: Records, number: int,
    clocks: Records, services: Records,
) -> bool:  # fmt: skip
    """The idle drive of that *number* begins with the next of its queue, if any; False if the clock is too coarse."""
    clock, drive = clocks[0], queues.drives[number]
    refill(arm, rule, queues, requests, number)
    if not drive.ready:
        return True
    if rule.order == SPTF:
        place = soonest(arm, buffers, rule.ageing, queues, requests, number, clock.now)
    else:
        place = next_by_cylinder(rule, queues, requests, number)
    each = take(queues, requests, number, place)
    request, service = requests[each], services[clock.served]
    if buffers is None:
        phases = serve(arm, drive.cylinder, drive.head, clock.now, request.write, request.first, request.length)
    else:
        phases = serve_buffered(arm, buffers, number, clock.now, request.write, request.first, request.length)
    overhead, seek, rotation, transfer, channel, drive.cylinder, drive.head = phases
    seconds = overhead + seek + rotation + transfer + channel
    if not seconds >= 0.0:  # nan, or a transfer that is shorter than the clock's rounding
        return False
    drive.end = clock.now + seconds
    clock.events += 1
    clock.served += 1
    drive.event = clock.events
    service.number, service.began, service.ended = each, clock.now, drive.end
    service.overhead, service.seek, service.rotation = overhead, seek, rotation
    service.transfer, service.channel = transfer, channel
    return True
