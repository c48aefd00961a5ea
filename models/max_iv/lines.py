"""Counts characters lost on asynchronous lines while FHL, Jacobson's cache code, locks out the CPU's interrupts.

A receiver holds a fixed number of characters until the CPU takes them; one more loses one. Between lock-outs nothing is
lost as long as the CPU can take all characters in time, so only the time from each lock-out on is followed, until all
characters that waited are taken.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heapify, heapreplace
from random import Random
from typing import NamedTuple

import simpy

from spindle.models.max_iv.cache import Fhl
from spindle.sim.clock import Account
from spindle.sim.error import UserError
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Window
from spindle.sim.measure.observer import Observer
from spindle.sim.terminal import BITS_A_CHARACTER
from spindle.sim.units import MS, US

# The times at which FHL locks interrupts out, observed by the work that it gives the CPU.

class LockOut(NamedTuple):
    """Interrupts locked out from instant *begin* on, for *seconds*."""

    begin: float
    seconds: float


class LockOuts(Observer):
    """Observer of one run: records each time that FHL works at interrupt level, after the warm-up."""

    def __init__(self) -> None:
        self.seen: list[LockOut] = []

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        fhl, env = machine.parts["fhl"], machine.env
        assert isinstance(fhl, Fhl)
        work = fhl.work

        def note_work(seconds: float, account: Account) -> simpy.Event:
            if env.now >= window.start:
                self.seen.append(LockOut(env.now, seconds))
            return work(seconds, account)

        fhl.work = note_work  # type: ignore[method-assign] # FHL finds it so from now on


DATA_LEVEL, SERVICE_LEVEL = 12, 13
"""Interrupt levels of data without DMA, and of the operating system's part of handlers (Jacobson 2)."""

MAX_CPU = 0.99
"""The share of the CPU that lines may take, so that characters that waited in a lock-out are taken in the end."""


@dataclass(frozen=True)
class Lines:
    """*count* lines of *baud* that never stop sending; a character takes the CPU *interrupt* seconds.

    A receiver holds *buffer* characters. Lines interrupt on *level*; the cache works on SERVICE_LEVEL, and locks out a
    smaller, more urgent level only if that is *masked*.
    """

    count: int
    baud: float = 9600.0
    interrupt: float = 100 * US
    buffer: int = 1
    level: int = SERVICE_LEVEL
    masked: bool = False

    def __post_init__(self) -> None:
        share = self.count * self.interrupt / self.character
        if share > MAX_CPU:
            lines = f"{self.count} lines of {self.baud:g} baud take {share:.0%} of the CPU"
            raise UserError(f"{lines}, at {self.interrupt / MS:g} ms a character, and may take at most {MAX_CPU:.0%}")

    @property
    def character(self) -> float:
        """Seconds between two characters of one line."""
        return BITS_A_CHARACTER / self.baud


def count_lost(lock_outs: Iterable[LockOut], lines: Lines, random: Random) -> int:
    """Count the characters lost in all; each line is at a random point of a character when a lock-out begins."""
    if lines.level < SERVICE_LEVEL and not lines.masked:
        return 0
    return sum(_count_lost(each.seconds, lines, random) for each in lock_outs)


def _count_lost(seconds: float, lines: Lines, random: Random) -> int:
    """Count the characters lost in one lock-out of *seconds* that begins at 0."""
    character = lines.character
    arrivals = [(random.random() * character, line) for line in range(lines.count)]
    heapify(arrivals)
    held = [0] * lines.count
    waiting: deque[int] = deque()
    free, lost = seconds, 0
    while waiting or arrivals[0][0] < free:
        instant, line = arrivals[0]
        if waiting and free <= instant:
            held[waiting.popleft()] -= 1
            free += lines.interrupt
            continue
        heapreplace(arrivals, (instant + character, line))
        if held[line] == lines.buffer:
            lost += 1
        else:
            held[line] += 1
            waiting.append(line)
    return lost
