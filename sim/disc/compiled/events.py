"""Arrivals and completions of requests at drives, in the order in which SimPy would have them happen."""

import numpy as np

from sim.disc.compiled.arm import ArmTables, Floats, Records, serve
from sim.disc.compiled.order import take
from sim.disc.compiled.queue import NOBODY, QueueRule, Queues, arrive
from sim.jit import compiled

OPEN = 0
"""In place of the number under way: the times of the requests decide."""
FAILED = -1

CLOCK = np.dtype([
    ("now", "f8"), ("arrival", "f8"), ("events", "i8"), ("arriving", "i8"), ("planned", "?"), ("owed", "i8"),
])  # fmt: skip
"""The instants of the last event, and of the arrival if one is *planned*; how many events there were, and which the
arrival is; how many requests are to be asked next."""
SERVICE = np.dtype([
    ("number", "i8"), ("began", "f8"), ("seek", "f8"), ("rotation", "f8"), ("transfer", "f8"), ("ended", "f8"),
])  # fmt: skip
"""In the order in which they began: the number of the request, instants, and seconds of its phases."""


@compiled
def go_on(
    arm: ArmTables, rule: QueueRule, under_way: int, queues: Queues, requests: Records, when: Floats, over: bool,
    clocks: Records, services: Records,
) -> int:  # fmt: skip
    """Serve until the next that is asked is none of *requests*, the last of which are yet to come *when* they say.

    If it is *over*, no more will come. How many were served; FAILED where one queue or the clock has grown too large.
    """
    clock, count = clocks[0], len(requests)
    asked, done = count - len(when), 0
    while done != FAILED:
        if clock.owed and not clock.planned and asked < count:
            clock.owed -= 1
            delay = when[asked - count] - (clock.now if under_way == OPEN else 0.0)
            if under_way == OPEN or delay > 0.0:
                clock.events += 1
                clock.planned, clock.arriving = True, clock.events
                clock.arrival = clock.now + delay if delay > 0.0 else clock.now
            else:
                done = come(arm, rule, queues, requests, asked, clocks, services, done)
                asked += 1
            continue
        if clock.owed and not clock.planned and not over:
            return done
        number = first_done(queues)
        drive = queues.drives[number]
        if clock.planned and (clock.arrival < drive.end
                              or (clock.arrival == drive.end and clock.arriving < drive.event)):
            clock.now, clock.planned = clock.arrival, False
            clock.owed += under_way == OPEN
            done = come(arm, rule, queues, requests, asked, clocks, services, done)
            asked += 1
        elif drive.end < np.inf:
            clock.now, drive.end = drive.end, np.inf
            clock.owed += under_way != OPEN
            done = begin(arm, rule, queues, requests, number, clocks, services, done)
        else:
            return done
    return FAILED


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
def come(
    arm: ArmTables, rule: QueueRule, queues: Queues, requests: Records, each: int, clocks: Records, services: Records,
    done: int,
) -> int:  # fmt: skip
    """Request *each* comes now, and is served at once if its drive is idle."""
    requests[each].came = clocks[0].now
    if not arrive(arm, rule, queues, requests, each):
        return FAILED
    number = requests[each].drive
    if queues.drives[number].end < np.inf:
        return done
    return begin(arm, rule, queues, requests, number, clocks, services, done)


@compiled
def begin(
    arm: ArmTables, rule: QueueRule, queues: Queues, requests: Records, number: int, clocks: Records, services: Records,
    done: int,
) -> int:  # fmt: skip
    """The idle drive of that *number* begins with the next of its queue, if there is one."""
    clock, drive = clocks[0], queues.drives[number]
    each = take(arm, rule, queues, requests, number, clock.now)
    if each == NOBODY:
        return done
    request, service = requests[each], services[done]
    seek, rotation, transfer, cylinder, head = serve(
        arm, drive.cylinder, drive.head, clock.now, request.write, request.first, request.length)
    if np.isnan(seek):
        return FAILED
    clock.events += 1
    drive.event = clock.events
    drive.cylinder, drive.head, drive.end = cylinder, head, clock.now + (arm.overhead + seek + rotation + transfer)
    service.number, service.began, service.ended = each, clock.now, drive.end
    service.seek, service.rotation, service.transfer = seek, rotation, transfer
    return done + 1
