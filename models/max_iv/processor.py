"""The Modcomp's CPU: users take turns, and interrupts come before all of them."""

import simpy

from sim.cpu import Cpu, PreemptiveCpu

TASK_LEVEL = 2


def taking_turns(env: simpy.Environment, seconds: float) -> Cpu:
    """A CPU on which users take turns of so many *seconds*."""
    return PreemptiveCpu(env, {TASK_LEVEL: seconds})
