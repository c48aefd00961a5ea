"""Code, stack and extra data segments: absent ones are read from virtual memory, dirty ones written there first."""

from collections.abc import Callable, Hashable

import simpy

from sim.account import Account, Part
from sim.cache.arrival import Arrival, arrived
from sim.clock import Wait
from sim.cpu import Cpu
from sim.disc.drive import Drive
from sim.memory import Memory
from sim.request import Op, Span, access, wait_for


class Segment:
    """*size* bytes whose copy on disc is at *place*. A *written* one (a stack) is dirty whenever it is in memory."""

    __slots__ = ("arrival", "gone", "name", "place", "present", "size", "users", "written")

    def __init__(self, name: str, size: int, place: Span, written: bool) -> None:
        self.name = name
        self.size = size
        self.place = place
        self.written = written
        self.present = False
        self.arrival: Arrival | None = None
        self.users = 0
        self.gone = False


class SegmentManager:
    """MPE's memory manager as the programs see it; an owner of memory beside the disc cache.

    *place* finds room for a segment's copy in virtual memory, on *drive*.
    """

    def __init__(
        self, env: simpy.Environment, memory: Memory, drive: Drive, place: Callable[[str, int], Span], cpu: Cpu,
        fault_cpu: float, level: int,
    ) -> None:
        self._env = env
        self._memory = memory
        self._drive = drive
        self._place = place
        self._cpu = cpu
        self._fault_cpu = fault_cpu
        self._level = level
        self._account = Account("memory manager")
        self.faults = 0
        self.swap_writes = 0

    def segment(self, name: str, size: int, written: bool) -> Segment:
        """A new segment, with its place in virtual memory; it comes into memory when it is first needed."""
        return Segment(name, size, self._place(name, size), written)

    def need(self, segment: Segment, account: Account) -> Wait:
        """Return when *segment* is in memory; a fault where it is not."""
        if segment.present:
            self._memory.touch(segment)
            return
        if segment.arrival is None:
            yield from self._fault(segment, account)
        while segment.arrival is not None:
            yield from segment.arrival.wait(self._env, account)

    def _fault(self, segment: Segment, account: Account) -> Wait:
        self.faults += 1
        segment.arrival = Arrival()
        yield self._cpu.burst(self._fault_cpu, self._level, Part.MANAGER, account)
        yield from self._memory.claim(self, segment, segment.size, account)
        request = self._drive.start(access(Op.READ, *segment.place, self._account))
        assert request.callbacks is not None
        request.callbacks.append(lambda _: self._arrived(segment))
        segment.arrival.started(request)

    def _arrived(self, segment: Segment) -> None:
        segment.present = True
        segment.gone = False
        arrived(self._memory, segment, segment)

    def surrender(self, key: Hashable) -> Wait | None:
        assert isinstance(key, Segment)
        return self._swap_out(key) if key.written else None

    def _swap_out(self, segment: Segment) -> Wait:
        self.swap_writes += 1
        yield self._cpu.burst(self._fault_cpu, self._level, Part.MANAGER, self._account)
        yield from wait_for(self._drive.start(access(Op.WRITE, *segment.place, self._account)), self._account)

    def forget(self, key: Hashable) -> None:
        assert isinstance(key, Segment)
        key.present = False
        key.gone = True

    def reading(self) -> dict[str, float]:
        return {"faults": float(self.faults), "swap_writes": float(self.swap_writes)}
