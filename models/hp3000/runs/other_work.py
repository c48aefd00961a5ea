"""Programs outside of the load that keep the CPU busy without disc accesses."""

import simpy

from models.hp3000.machine import SESSION_LEVEL
from sim.account import Account, Phase
from sim.clock import Wait, pause
from sim.cpu import Cpu
from sim.machine import Machine
from sim.measure.load import Load
from sim.measure.observer import Observer
from sim.measure.window import Window
from sim.streams import stream
from sim.units import MS

BURST = 20 * MS
"""Mean CPU time of a burst of the other work; about what an answer of ORDERS computes at a time."""


class OtherWork(Observer):
    """Observer that keeps the CPU busy for a *share* of the time with bursts at random moments, urgent as sessions."""

    def __init__(self, share: float, seed: object) -> None:
        self._share = share
        self._random = stream(seed, "other work")

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        machine.spawn("other work", self._come(machine.env, machine.cpu))

    def _come(self, env: simpy.Environment, cpu: Cpu) -> Wait:
        account, every = Account("other work"), BURST / self._share
        while True:
            yield pause(env, self._random.expovariate(1 / every))
            cpu.burst(self._random.expovariate(1 / BURST), SESSION_LEVEL, Phase.CPU, account)
