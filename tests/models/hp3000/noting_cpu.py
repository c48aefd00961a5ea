"""A CPU that notes how urgent each burst was, and what it was for."""

import simpy

from spindle.sim.clock import Account, Phase
from spindle.sim.cpu import FcfsCpu


class NotingCpu(FcfsCpu):
    """Serves bursts in order; *asked* has the level and the kind of each."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self.asked: list[tuple[int, Phase]] = []

    def burst(self, seconds: float, level: int, kind: Phase, account: Account, call: float = 0.0) -> simpy.Event:
        self.asked.append((level, kind))
        return super().burst(seconds, level, kind, account, call)
