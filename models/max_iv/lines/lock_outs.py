"""When FHL has interrupts locked out: seen from the work that it gives the CPU."""

from typing import NamedTuple

import simpy

from models.max_iv.cache.fhl import Fhl
from sim.account import Account
from sim.machine import Machine
from sim.measure.load import Load
from sim.measure.observer import Observer
from sim.measure.window import Window


class LockOut(NamedTuple):
    """From instant *begin* on, *seconds* long."""

    begin: float
    seconds: float


class LockOuts(Observer):
    """Observes one run: every time that FHL works at interrupt level, after the warm-up.

    What is done together because nothing could come between it (hits in a row) is not seen: use a CPU that cannot be
    asked whether it is idle.
    """

    def __init__(self) -> None:
        self.seen: list[LockOut] = []

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        fhl, env = machine.parts["fhl"], machine.env
        assert isinstance(fhl, Fhl)
        work = fhl.work

        def noted(seconds: float, account: Account) -> simpy.Event:
            if env.now >= window.start:
                self.seen.append(LockOut(env.now, seconds))
            return work(seconds, account)

        fhl.work = noted  # type: ignore[method-assign] # FHL finds it so from now on
