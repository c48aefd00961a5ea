"""The working set manager: takes pages from working sets on the off chance that nobody uses them."""

import simpy

from models.windows_nt.caller import thread
from models.windows_nt.memory.memory_manager import MemoryManager
from models.windows_nt.memory.page import PAGE
from models.windows_nt.memory.page_writer import PageWriter
from models.windows_nt.memory.working_set import WorkingSet
from models.windows_nt.parameters import Parameters
from sim.clock import Daemon, Wait, pause
from sim.cpu import Cpu

PRIORITY = 16


class Trimmer:
    """Looks once a period; where too few bytes are available it goes round the working sets, inactive ones first.

    From each it takes a share of what it has above its minimum. Where the set has since had half as many page faults
    as pages were taken from it, the share is halved: it is in use. Where it had fewer, the share is doubled again.
    """

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, memory: MemoryManager, writer: PageWriter, parameters: Parameters
    ) -> None:
        self._env = env
        self._memory = memory
        self._writer = writer
        self._parameters = parameters
        self._caller = thread(cpu, "System: working set manager", PRIORITY)
        self.account = self._caller.account
        self.passes = self.trimmed = 0
        Daemon(env, self._live())

    def _live(self) -> Wait:
        parameters = self._parameters
        while True:
            yield pause(self._env, parameters.trim_period)
            if self._memory.lists.available_bytes < parameters.trim_below:
                self.passes += 1
                taken = self._pass()
                self.trimmed += taken
                self._writer.look()
                yield self._caller.burst(taken * parameters.trim_page)

    def _pass(self) -> int:
        """Go round once; how many pages were taken."""
        parameters, memory, taken = self._parameters, self._memory, 0
        goal = (parameters.trim_below + parameters.trim_goal) // PAGE
        for each in sorted(memory.sets, key=self._turn):
            self._judge(each)
            wanted = goal - memory.lists.available
            each.trimmed = max(0, min(wanted, self._portion(each)))
            each.faults_before = each.faults
            for _ in range(each.trimmed):
                memory.remove(each, each.oldest())
            taken += each.trimmed
        return taken

    def _turn(self, each: WorkingSet) -> tuple[bool, int, float]:
        """Who comes first: the inactive, the longest of them first; then by favour."""
        inactive = self._is_inactive(each)
        return not inactive, 0 if inactive else each.favour, each.active_at if inactive else 0.0

    def _portion(self, each: WorkingSet) -> int:
        """How many pages it would have to give; with each favour half of what it were with one less."""
        spare = len(each) - each.minimum
        if each.maximum is not None or spare <= 0:
            return 0
        share = each.share if self._is_inactive(each) else each.share / 2**each.favour
        return min(spare, max(1, round(share * spare)))

    def _is_inactive(self, each: WorkingSet) -> bool:
        return self._env.now - each.active_at > self._parameters.inactive_after

    def _judge(self, each: WorkingSet) -> None:
        """Halve or double the share of *each* by how it fared after pages were taken from it."""
        parameters = self._parameters
        if not each.trimmed:
            return
        share = each.share / 2 if (each.faults - each.faults_before) * 2 > each.trimmed else each.share * 2
        each.share = min(max(share, parameters.trim_least), parameters.trim_share)

    def reading(self) -> dict[str, float]:
        return {"passes": float(self.passes), "trimmed": float(self.trimmed)}
