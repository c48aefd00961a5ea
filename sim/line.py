"""A terminal's line: characters go one after the other at its baud rate, ten bits each, one interrupt each."""

from math import inf

import simpy

from sim.account import LINE, Account, Phase
from sim.clock import Pause, Wait
from sim.cpu import INTERRUPT, Cpu

BITS_A_CHARACTER = 10


class Line:
    """An asynchronous line of *baud* bits a second to a terminal.

    Each character costs the *cpu* *interrupt* seconds at interrupt level; they are spent in one burst a
    message, which is cheap to simulate and delays others by the same total.
    """

    def __init__(self, env: simpy.Environment, baud: float, cpu: Cpu | None = None, interrupt: float = 0.0) -> None:
        if not 0.0 < baud < inf:
            raise ValueError(f"a line's speed must be positive and finite, not {baud!r} baud")
        self._env = env
        self._cpu = cpu
        self._interrupt = interrupt
        self.character = BITS_A_CHARACTER / baud
        self.characters = 0

    def send(self, characters: int, account: Account) -> Wait:
        """Wait until *characters* have gone over the line, either way."""
        if characters <= 0:
            return
        self.characters += characters
        if self._cpu is not None and self._interrupt > 0.0:
            yield self._cpu.burst(characters * self._interrupt, INTERRUPT, Phase.INTERRUPT, account)
        begin = self._env._now
        yield Pause(self._env, characters * self.character)
        account.charge(LINE, begin, self._env._now)
