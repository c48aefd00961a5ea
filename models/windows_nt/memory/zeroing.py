"""The zero page thread: free pages become zeroed ones while nobody else wants the processor."""

import simpy

from models.windows_nt.caller import thread
from models.windows_nt.memory.page_lists import PageLists
from models.windows_nt.parameters import NtParameters
from sim.clock import Daemon, Wait, pause
from sim.cpu import Cpu

PRIORITY = 0


class Zeroing:
    """Takes free pages one look's worth at a time; whoever else has work comes first."""

    def __init__(self, env: simpy.Environment, cpu: Cpu, lists: PageLists, parameters: NtParameters) -> None:
        self._env = env
        self._lists = lists
        self._parameters = parameters
        self._caller = thread(cpu, "System: zero page thread", PRIORITY)
        self.account = self._caller.account
        Daemon(env, self._live())

    def _live(self) -> Wait:
        lists, parameters = self._lists, self._parameters
        batch = parameters.zero_batch
        while True:
            yield pause(self._env, parameters.zero_period)
            while lists.free >= batch:
                yield self._caller.burst(batch * parameters.zero_page)
                done = min(batch, lists.free)
                lists.free -= done
                lists.zeroed += done
