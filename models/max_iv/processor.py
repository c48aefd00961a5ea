"""The Modcomp's CPU: users take turns, interrupts come before all of them, and it can be asked whether it is idle."""

from math import inf
from typing import Protocol, runtime_checkable

import simpy
from simpy.events import URGENT

from sim.cpu import Cpu, PreemptiveCpu

TASK_LEVEL = 2


@runtime_checkable
class SaysIdle(Protocol):
    def idle(self) -> bool:
        """Whether nobody is using it or waiting for it."""
        ...


class Processor(PreemptiveCpu):
    def idle(self) -> bool:
        return self._running is None


def taking_turns(env: simpy.Environment, seconds: float) -> Cpu:
    """A CPU on which users take turns of so many *seconds*."""
    return Processor(env, {TASK_LEVEL: seconds})


def taking_turns_unseen(env: simpy.Environment, seconds: float) -> Cpu:
    """The same, but one that nobody can ask whether it is idle."""
    return PreemptiveCpu(env, {TASK_LEVEL: seconds})


def quiet_until(env: simpy.Environment) -> float:
    """The instant of the next event of the machine.

    Those who only look on put urgent marks into the future, which do not count: SimPy's own peek would count them,
    and a run would round differently where somebody looks on.
    """
    queue = env._queue
    if not queue:
        return inf
    instant, priority = queue[0][:2]
    if priority != URGENT or instant == env.now:
        return float(instant)
    return float(min((entry[0] for entry in queue if entry[1] != URGENT), default=inf))


def never() -> bool:
    """What is taken for the answer of a CPU that cannot be asked whether it is idle."""
    return False
