"""Simulates the working set manager of Windows NT, which trims working sets, and the rules that choose pages."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Protocol

import simpy

from spindle.models.windows_nt.caller import thread
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.working_set import PAGE, Page, WorkingSet
from spindle.sim.clock import Daemon, Wait, pause
from spindle.sim.cpu import Cpu


class TrimRule(Protocol):
    """Rule that chooses the pages which a working set loses when it is trimmed; made anew for each run."""

    def __init__(self, parameters: NtParameters) -> None: ...

    def give_up(self, each: WorkingSet, wanted: int, inactive: bool) -> Sequence[Page]:
        """Return the pages that *each* loses in this look, at most *wanted* and its excess above the minimum."""


class ByShare:
    """A rule that takes a share of a set's excess above its minimum, used or not, first in first out.

    If the set has since had half as many page faults as pages were taken from it, it is in use, and the share is
    halved. With fewer faults the share is doubled again. Each step of favour halves it as well.
    """

    def __init__(self, parameters: NtParameters) -> None:
        self._parameters = parameters

    def give_up(self, each: WorkingSet, wanted: int, inactive: bool) -> Sequence[Page]:
        self._judge(each)
        each.trimmed = max(0, min(wanted, self._portion(each, inactive)))
        each.faults_before = each.faults
        return list(islice(each.pages, each.trimmed))

    def _portion(self, each: WorkingSet, inactive: bool) -> int:
        spare = len(each) - each.minimum
        share = each.share if inactive else each.share / 2**each.favour
        return min(spare, max(1, round(share * spare)))

    def _judge(self, each: WorkingSet) -> None:
        if each.trimmed:
            share = each.share / 2 if (each.faults - each.faults_before) * 2 > each.trimmed else each.share * 2
            each.share = min(max(share, self._parameters.trim_least), self._parameters.trim_share)


class ByReference:
    """A rule that takes pages not used since the last pass; all pages then count as unused until their next use."""

    def __init__(self, parameters: NtParameters) -> None:
        pass

    def give_up(self, each: WorkingSet, wanted: int, inactive: bool) -> Sequence[Page]:
        most = max(0, min(wanted, len(each) - each.minimum))
        unused = [page for page, used in each.pages.items() if not used]
        for page in each.pages:
            each.pages[page] = False
        return unused[:most]


TRIMMER_PRIORITY = 16


class Trimmer:
    """The working set manager: it trims sets once a period while too few bytes are available, inactive ones first.

    Each gives up pages by the *rule*; one with a fixed size gives none. *wake* wakes the page writers behind a pass.
    """

    def __init__(
        self, env: simpy.Environment, cpu: Cpu, memory: MemoryManager, wake: Callable[[], None], rule: TrimRule,
        parameters: NtParameters,
    ) -> None:  # fmt: skip
        self._env = env
        self._memory = memory
        self._wake = wake
        self._rule = rule
        self._parameters = parameters
        self._caller = thread(cpu, "System: working set manager", TRIMMER_PRIORITY)
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
                self._wake()
                yield self._caller.burst(count * parameters.trim_page)

    def _pass(self) -> int:
        """Trim each working set once; return the number of pages taken."""
        parameters, memory, count = self._parameters, self._memory, 0
        goal = (parameters.trim_below + parameters.trim_goal) // PAGE
        for trimmed in sorted((each for each in memory.sets if each.maximum is None), key=self._turn):
            pages = self._rule.give_up(trimmed, max(0, goal - memory.lists.available), self._is_inactive(trimmed))
            for page in pages:
                memory.remove(trimmed, page)
            count += len(pages)
        return count

    def _turn(self, each: WorkingSet) -> tuple[bool, int, float]:
        """Sort working sets for trimming: inactive ones, longest inactive first; then by favour."""
        inactive = self._is_inactive(each)
        return not inactive, 0 if inactive else each.favour, each.active_at if inactive else 0.0

    def _is_inactive(self, each: WorkingSet) -> bool:
        return self._env.now - each.active_at > self._parameters.inactive_after

    def reading(self) -> dict[str, float]:
        return {"passes": float(self.passes), "trimmed": float(self.trimmed)}
