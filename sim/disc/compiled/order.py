"""Which of the requests that a drive has is next: as Sptf, Sstf, Look and CLook choose, ties and rounding among it."""

import numpy as np

from sim.disc.compiled.arm import ArmTables, Integers, Records, approach
from sim.disc.compiled.queue import NOBODY, ROOM, QueueRule, Queues, hand_over, release
from sim.jit import compiled

SPTF, SSTF, LOOK, C_LOOK = 0, 1, 2, 3
"""Orders of a QueueRule."""


@compiled
def take(arm: ArmTables, rule: QueueRule, queues: Queues, requests: Records, number: int, now: float) -> int:
    """Take the next request of the drive of that *number* out of its queue; NOBODY where none is waiting."""
    drive = queues.drives[number]
    while drive.first != NOBODY and drive.ready + drive.held < min(rule.depth, ROOM):
        each = drive.first
        drive.first = requests[each].after
        hand_over(arm, queues, requests, each)
    if not drive.ready:
        return NOBODY
    ready = queues.ready[number]
    place = next_of(arm, rule, queues, requests, number, now)
    chosen = ready[place]
    drive.ready -= 1
    for each in range(place, drive.ready):
        ready[each] = ready[each + 1]
    if drive.held:
        release(queues, requests, number, chosen)
    return int(chosen)


@compiled
def next_of(arm: ArmTables, rule: QueueRule, queues: Queues, requests: Records, number: int, now: float) -> int:
    """The place of the next among those that are ready; there is one."""
    ready, drive = queues.ready[number], queues.drives[number]
    if rule.order == SPTF:
        return soonest(arm, rule.ageing, queues, requests, number, now) if drive.ready > 1 else 0
    above = at_or_above(requests, ready, drive.ready, drive.cylinder)
    if rule.order == C_LOOK:
        return above if above < drive.ready else 0
    below = at_or_above(requests, ready, drive.ready, requests[ready[above - 1]].cylinder) if above else 0
    if rule.order == SSTF:
        return shortest_seek(requests, ready, drive.ready, drive.cylinder, above, below)
    on_cylinder = above < drive.ready and requests[ready[above]].cylinder == drive.cylinder
    drive.down = (above > 0 or on_cylinder) if drive.down else above == drive.ready
    return above if on_cylinder or not drive.down else below


@compiled
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


@compiled
def shortest_seek(requests: Records, ready: Integers, count: int, cylinder: int, above: int, below: int) -> int:
    """The nearer of the places *above* and *below* the arm's *cylinder*; of both, that which came first."""
    if above == 0 or above == count:
        return below if above else above
    up, down = requests[ready[above]].cylinder - cylinder, cylinder - requests[ready[below]].cylinder
    return above if up < down or (up == down and ready[above] < ready[below]) else below


@compiled
def soonest(arm: ArmTables, ageing: float, queues: Queues, requests: Records, number: int, now: float) -> int:
    """That of the shortest positioning, from the arm's cylinder outwards."""
    ready, drive = queues.ready[number], queues.drives[number]
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
        least = arm.overhead + arm.least[apart]
        if least - ageing * (now - oldest) > shortest + rounding:
            break
        request = requests[ready[place]]
        aged = ageing * (now - request.came)
        if least - aged > shortest + rounding:
            continue
        move, wait = approach(arm, request.write, apart, request.head != drive.head, now + arm.overhead, request.angle)
        seconds = arm.overhead + move + wait - aged
        if seconds < shortest - rounding or (ready[place] < earliest and seconds <= shortest + rounding):
            earliest, nearest = ready[place], place
        shortest = min(shortest, seconds)
    return nearest
