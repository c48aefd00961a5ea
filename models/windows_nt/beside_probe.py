"""Simulates programs that may run beside Response Probe, Blake's load: clearmem before the trial, a server during it.

The server reads by memory descriptor lists (MDL): it gets pages of the cache itself, and copies nothing.
"""

from typing import NamedTuple, Protocol

import simpy

from spindle.models.windows_nt.cache import CacheManager
from spindle.models.windows_nt.caller import thread
from spindle.models.windows_nt.disc import NtVolume
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.processes import ORDINARY_FAVOUR
from spindle.models.windows_nt.read_ahead import CachedFile
from spindle.sim.clock import Wait, pause
from spindle.sim.cpu import Cpu


class Surroundings(NamedTuple):
    """The parts of the machine that a program beside Probe uses."""

    env: simpy.Environment
    cpu: Cpu
    memory: MemoryManager
    cache: CacheManager
    volume: NtVolume
    parameters: NtParameters


class BesideProbe(Protocol):
    """Programs beside Probe, made for each run: *works* returns the work of each for a trial from *begin* to *end*."""

    def works(self, system: Surroundings, begin: float, end: float) -> dict[str, Wait]: ...


class Nobody:
    """No program: Probe runs alone, with the background work."""

    def works(self, system: Surroundings, begin: float, end: float) -> dict[str, Wait]:
        return {}


class ClearMem:
    """The program clearmem (Blake): creates a page for every frame, which evicts all others, and frees its pages."""

    def works(self, system: Surroundings, begin: float, end: float) -> dict[str, Wait]:
        return {"clearmem": self._live(system)}

    def _live(self, system: Surroundings) -> Wait:
        memory, pages = system.memory, system.memory.frames
        holder = memory.working_set("clearmem", system.parameters.inactive_least, ORDINARY_FAVOUR)
        section = system.volume.private("clearmem", pages)
        caller = thread(system.cpu, "clearmem", 7)
        for number in range(pages):
            holder.active_at = system.env.now
            yield from memory.create(holder, section, number, caller)
        for page in list(section.pages.values()):
            if page in holder.pages:
                memory.remove(holder, page)
            memory.lists.delete(page)
        memory.make_known()


class FileServer:
    """The server's thread: a client reads a file over and over, a large block at a time, handed over by MDL."""

    def works(self, system: Surroundings, begin: float, end: float) -> dict[str, Wait]:
        return {"server": self._live(system, begin, end)}

    def _live(self, system: Surroundings, begin: float, end: float) -> Wait:
        env, parameters = system.env, system.parameters
        file = CachedFile(system.volume.create("served file", parameters.served_file))
        caller = thread(system.cpu, "server", 9)
        block, first = min(parameters.served_block, parameters.served_file), 0
        yield pause(env, begin)
        while env.now < end:
            yield caller.burst(parameters.read_call)
            yield from system.cache.read_by_list(file, first, block, caller)
            first = first + block if first + 2 * block <= parameters.served_file else 0
            yield pause(env, parameters.served_period)
