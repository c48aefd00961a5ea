"""Which of the requests that a drive has is next: as Sptf, Sstf, Look and CLook choose, ties and rounding among it."""

import numpy as np

from spindle.sim.disc.compiled.arm import ArmTables, Integers, Records, approach
from spindle.sim.disc.compiled.buffer import DriveBuffers
from spindle.sim.disc.compiled.buffered import look, positioning
from spindle.sim.disc.compiled.queue import C_LOOK, SSTF, QueueRule, Queues
from spindle.sim.jit import compiled


@compiled
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
def soonest(
    arm: ArmTables, buffers: DriveBuffers | None, ageing: float, queues: Queues, requests: Records, number: int,
    now: float,
) -> int:  # fmt: skip
    """The place of that which takes the shortest positioning, from the arm's cylinder outwards; there is one."""
    ready, drive = queues.ready[number], queues.drives[number]
    if drive.ready == 1:
        return 0
    if buffers is not None:
        look(arm, buffers, number, now)
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
            move, wait = approach(arm, request.write, apart, other_head, start, request.angle)
            seconds = arm.overhead + move + wait - aged
        else:
            seconds = positioning(arm, buffers, now, request) - aged
        if seconds < shortest - rounding or (ready[place] < earliest and seconds <= shortest + rounding):
            earliest, nearest = ready[place], place
        shortest = min(shortest, seconds)
    return nearest
