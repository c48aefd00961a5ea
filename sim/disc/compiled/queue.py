"""The queues of drives in arrays: which requests wait in the host, in the drive, or for another that they overlap.

As TaggedQueue has it, of which both ends are special cases: with one tag a drive serves first come, first served; with
more tags than requests it has all of them, and none is in the host.
"""

from typing import NamedTuple

import numpy as np

from spindle.sim.disc.compiled.arm import ArmTables, Integers, Records, locate, piece_of
from spindle.sim.jit import compiled

ROOM = 1 << 10
"""Requests that a drive may have: each of them is looked at for those that overlap it."""
NOBODY = -1
SPTF, SSTF, LOOK, C_LOOK = 0, 1, 2, 3
"""Orders of a QueueRule."""
ALL = 1 << 62
"""A depth: the drive has all requests."""

REQUEST = np.dtype([
    ("drive", "i8"), ("write", "?"), ("first", "i8"), ("length", "i8"), ("came", "f8"), ("cylinder", "i8"),
    ("head", "i8"), ("angle", "f8"), ("leaders", "i8"), ("after", "i8"),
])  # fmt: skip
"""Numbered by their arrival. *leaders* are those that it must follow; *after* is the next in the host."""
DRIVE = np.dtype([
    ("cylinder", "i8"), ("head", "i8"), ("end", "f8"), ("event", "i8"), ("ready", "i8"), ("held", "i8"),
    ("first", "i8"), ("last", "i8"), ("down", "?"),
])  # fmt: skip
"""Where its arm is, when its service *ends*, infinity while it is idle, and which event that is; how many requests it
has that are *ready*, and *held* by others; the *first* and *last* of those in the host; and which way it sweeps."""


class QueueRule(NamedTuple):
    """A drive has up to *depth* requests, the one in service among them; by which *order*, and with what *ageing*.

    With a *depth* of 1 it is first come, first served, whatever the order.
    """

    depth: int
    order: int = SPTF
    ageing: float = 0.0


class Queues(NamedTuple):
    """Of each of *drives* the requests that are *ready*, by cylinder and arrival, and those *held*."""

    drives: Records
    ready: Integers
    held: Integers


@compiled
def arrive(arm: ArmTables, rule: QueueRule, queues: Queues, requests: Records, each: int) -> bool:
    """Request *each* comes into the queue of its drive; whether that has room for it."""
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


@compiled
def hand_over(arm: ArmTables, queues: Queues, requests: Records, each: int) -> bool:
    """The drive gets request *each*: it is ready unless it must follow one that it overlaps; whether there is room."""
    request = requests[each]
    number = request.drive
    drive = queues.drives[number]
    if drive.ready + drive.held == ROOM:
        return False
    block = request.first // arm.sector_bytes
    request.cylinder, request.head, _, request.angle = locate(arm, piece_of(arm, block), block)
    leaders = 0
    for place in range(drive.ready):
        leaders += conflict(requests, queues.ready[number, place], each)
    for place in range(drive.held):
        leaders += conflict(requests, queues.held[number, place], each)
    request.leaders = leaders
    if leaders:
        queues.held[number, drive.held] = each
        drive.held += 1
    else:
        enter(queues, requests, number, each)
    return True


@compiled
def conflict(requests: Records, one: int, other: int) -> bool:
    """Whether they overlap, and one of them writes."""
    if not (requests[one].write or requests[other].write):
        return False
    first, second = requests[one], requests[other]
    return bool(first.first < second.first + second.length and second.first < first.first + first.length)


@compiled
def enter(queues: Queues, requests: Records, number: int, each: int) -> None:
    """Among those that are ready, behind all on lower cylinders, and on its own behind those that came before it."""
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


@compiled
def refill(arm: ArmTables, rule: QueueRule, queues: Queues, requests: Records, number: int) -> None:
    """The drive of that *number* gets as many from the host as it may have."""
    drive = queues.drives[number]
    while drive.first != NOBODY and drive.ready + drive.held < min(rule.depth, ROOM):
        each = drive.first
        drive.first = requests[each].after
        hand_over(arm, queues, requests, each)


@compiled
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


@compiled
def release(queues: Queues, requests: Records, number: int, chosen: int) -> None:
    """*chosen* begins: a request that overlapped it, and no other before it, is ready now."""
    held, kept = queues.held[number], 0
    for place in range(queues.drives[number].held):
        each = held[place]
        requests[each].leaders -= conflict(requests, chosen, each)
        if requests[each].leaders:
            held[kept] = each
            kept += 1
        else:
            enter(queues, requests, number, each)
    queues.drives[number].held = kept


@compiled
def renumber(queues: Queues, numbers: Integers) -> None:
    """Requests have other *numbers* from now on, in the same order."""
    for number in range(len(queues.drives)):
        drive = queues.drives[number]
        for place in range(drive.ready):
            queues.ready[number, place] = numbers[queues.ready[number, place]]
        for place in range(drive.held):
            queues.held[number, place] = numbers[queues.held[number, place]]
        if drive.first != NOBODY:
            drive.first, drive.last = numbers[drive.first], numbers[drive.last]
