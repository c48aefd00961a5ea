"""The working set manager: takes pages from working sets that may not use them."""

import simpy

from models.windows_nt.caller import thread
from models.windows_nt.memory.memory_manager import MemoryManager
from models.windows_nt.memory.page import PAGE
from models.windows_nt.memory.page_writer import PageWriter
from models.windows_nt.memory.trim_rule import TrimRule
from models.windows_nt.memory.working_set import WorkingSet
from models.windows_nt.parameters import NtParameters
from sim.clock import Daemon, Wait, pause
from sim.cpu import Cpu

PRIORITY = 16


class Trimmer:
    """Looks once a period; where too few bytes are available it goes round the working sets, inactive ones first.

    Each gives up pages by the *rule*; one that is limited to a size of its own gives none.
    """

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, memory: MemoryManager, writer: PageWriter, rule: TrimRule,
        parameters: NtParameters,
    ) -> None:  # fmt: skip
        self._env = env
        self._memory = memory
        self._writer = writer
        self._rule = rule
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
                count = self._pass()
                self.trimmed += count
                self._writer.look()
                yield self._caller.burst(count * parameters.trim_page)

    def _pass(self) -> int:
        """Go round once; how many pages were taken."""
        parameters, memory, count = self._parameters, self._memory, 0
        goal = (parameters.trim_below + parameters.trim_goal) // PAGE
        for each in sorted((each for each in memory.sets if each.maximum is None), key=self._turn):
            pages = self._rule.give_up(each, max(0, goal - memory.lists.available), self._is_inactive(each))
            for page in pages:
                memory.remove(each, page)
            count += len(pages)
        return count

    def _turn(self, each: WorkingSet) -> tuple[bool, int, float]:
        """The order of trimming: inactive working sets, longest inactive first; then by favour."""
        inactive = self._is_inactive(each)
        return not inactive, 0 if inactive else each.favour, each.active_at if inactive else 0.0

    def _is_inactive(self, each: WorkingSet) -> bool:
        return self._env.now - each.active_at > self._parameters.inactive_after

    def reading(self) -> dict[str, float]:
        return {"passes": float(self.passes), "trimmed": float(self.trimmed)}
