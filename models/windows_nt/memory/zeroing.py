"""The zero page thread: free pages become zeroed ones while nobody else wants the processor."""

import simpy

from models.windows_nt.caller import thread
from models.windows_nt.memory.page_lists import PageLists
from models.windows_nt.parameters import Parameters
from sim.clock import Daemon, Wait, pause
from sim.cpu import Cpu

PRIORITY = 0
ENOUGH = 8
"""Free pages that are worth beginning with; of later versions."""
LOOKS = 1.0
"""Seconds between looks at the free list; assumed."""


class Zeroing:
    """Takes free pages one look's worth at a time; whoever else has work comes first."""

    def __init__(self, env: simpy.Environment, cpu: Cpu, lists: PageLists, parameters: Parameters) -> None:
        self._env = env
        self._lists = lists
        self._seconds = parameters.zero_page
        self._caller = thread(cpu, "System: zero page thread", PRIORITY)
        self.account = self._caller.account
        Daemon(env, self._live())

    def _live(self) -> Wait:
        lists = self._lists
        while True:
            yield pause(self._env, LOOKS)
            while lists.free >= ENOUGH:
                yield self._caller.burst(ENOUGH * self._seconds)
                done = min(ENOUGH, lists.free)
                lists.free -= done
                lists.zeroed += done
