"""Work on pages in the background: writing modified and mapped ones once memory is tight, and zeroing free ones."""

from itertools import islice

import simpy

from models.windows_nt.caller import thread
from models.windows_nt.memory.memory_manager import MemoryManager
from models.windows_nt.memory.page import Page
from models.windows_nt.memory.page_lists import PageLists
from models.windows_nt.parameters import NtParameters
from sim.clock import Daemon, Gate, Wait, pause
from sim.cpu import Cpu

PRIORITY, LOWEST = 17, 0
"""Of the page writer, and of the zero page thread, which runs when no other thread is ready."""


class PageWriter:
    """Checks when it is woken: if memory is tight or the modified list long, it writes that list, in clusters."""

    def __init__(self, env: simpy.Environment, cpu: Cpu, memory: MemoryManager, parameters: NtParameters) -> None:
        self._env = env
        self._memory = memory
        self._parameters = parameters
        self._caller = thread(cpu, "System: modified page writer", PRIORITY)
        self.account = self._caller.account
        self._work: Gate | None = None
        memory.on_short = self.look
        # No daemon, for others wait for what it does.
        env.process(self._live())

    def look(self) -> None:
        """Pages may have come to the modified list."""
        if self._work is not None and self._next():
            self._work.succeed()
            self._work = None

    def _live(self) -> Wait:
        memory = self._memory
        while True:
            self._work = Gate(self._env, "modified pages")
            yield self._work
            while pages := self._next():
                yield from memory.write(pages, self._caller)
                memory.page_writes += 1
                memory.pages_output += len(pages)

    def _next(self) -> list[Page]:
        """What is to be written next, if anything is: whole clusters, and less only where it must be."""
        memory, parameters = self._memory, self._parameters
        lists, available = memory.lists, memory.lists.available
        must = memory.wanted or available < parameters.cluster or len(lists.modified) > parameters.modified_most
        if not must and lists.available_bytes >= parameters.trim_below + parameters.trim_goal:
            return []
        for page in lists.modified:
            cluster = self._cluster(page)
            if must or len(cluster) == parameters.cluster:
                return cluster
        return []

    def _cluster(self, page: Page) -> list[Page]:
        """The pages of the modified list that can be written with *page*, up to a cluster.

        Those of the page file get places in a row; those of a file must follow each other there.
        """
        modified, most = self._memory.lists.modified, self._parameters.cluster
        if page.section.private:
            return list(islice((each for each in modified if each.section.private), most))
        cluster, pages = [page], page.section.pages
        while len(cluster) < most and (following := pages.get(page.number + len(cluster))) in modified:
            assert following is not None
            cluster.append(following)
        return cluster


class Zeroing:
    """Takes free pages in batches at the lowest priority."""

    def __init__(self, env: simpy.Environment, cpu: Cpu, lists: PageLists, parameters: NtParameters) -> None:
        self._env = env
        self._lists = lists
        self._parameters = parameters
        self._caller = thread(cpu, "System: zero page thread", LOWEST)
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
