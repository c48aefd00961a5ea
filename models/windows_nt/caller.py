"""Describes the thread that calls a function of Windows NT: its CPU, its account of time, and its priority."""

from typing import NamedTuple

import simpy

from spindle.sim.clock import CPU, Account
from spindle.sim.cpu import Cpu

PRIORITIES = 32


class Caller(NamedTuple):
    """A thread that calls; *level* is its level on the *cpu*, where 0 is for interrupts."""

    cpu: Cpu
    account: Account
    level: int

    def burst(self, seconds: float) -> simpy.Event:
        """Start *seconds* of computing by the thread."""
        return self.cpu.burst(seconds, self.level, CPU, self.account)


def thread(cpu: Cpu, name: str, priority: int) -> Caller:
    """Make a thread of Windows NT's *priority*, 0 to 31, the larger the more urgent."""
    return Caller(cpu, Account(name), PRIORITIES - priority)


WRITER_PRIORITY, LOWEST_PRIORITY = 17, 0
"""Priorities of the page writer, and of the zero page thread, which runs when no other thread is ready."""
