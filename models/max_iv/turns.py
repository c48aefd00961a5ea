"""Simulates the Modcomp's CPU: the tasks of users share it in time slices, and interrupts pre-empt all of them."""

import simpy

from spindle.sim.clock import Account, Phase
from spindle.sim.cpu import Burst, Cpu, PreemptiveCpu

TASK_LEVEL = 2
GOING_ON_LEVEL = 1
"""Level of a task that has not waited, above that of other tasks."""


def taking_turns(env: simpy.Environment, seconds: float) -> Cpu:
    """Build a CPU on which users take turns of *seconds* seconds."""
    return PreemptiveCpu(env, {TASK_LEVEL: seconds})


class GoingOn(PreemptiveCpu):
    """A CPU shared by tasks in slices of *seconds* seconds; a task that has not waited continues before the others.

    A REX is a subroutine of the task that calls it, and the cache's code an interrupt (Jacobson 2). So no other turn
    comes between a task's computing and its request, or between a request that the cache answers and what the task
    does next. A task that waited for the disc is queued behind the others. A task is known by the list of seconds
    of its account, which its account on a timeline shares.
    """

    def __init__(self, env: simpy.Environment, seconds: float) -> None:
        super().__init__(env, {GOING_ON_LEVEL: seconds, TASK_LEVEL: seconds})
        self._task: list[float] | None = None
        self._went_on = env.now

    def burst(self, seconds: float, level: int, kind: Phase, account: Account, call: float = 0.0) -> Burst:
        goes_on = account.seconds is self._task and self._env.now == self._went_on
        ahead = goes_on and level == TASK_LEVEL
        burst = super().burst(seconds, GOING_ON_LEVEL if ahead else level, kind, account, call)
        burst.level = level  # so that it goes behind the others at the end of its slice
        if goes_on or level == TASK_LEVEL:
            assert burst.callbacks is not None
            burst.callbacks.append(self._go_on)
        return burst

    def _go_on(self, ended: simpy.Event) -> None:
        assert isinstance(ended, Burst)
        self._task, self._went_on = ended.account.seconds, self._env.now
