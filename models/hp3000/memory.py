"""Manages the segments (pieces of memory) of programs: reads absent ones from disc, writes dirty ones if evicted."""

from collections.abc import Hashable, Iterable, Sequence
from enum import Enum

import simpy

from spindle.models.hp3000.discs import Volumes
from spindle.sim.clock import Account, Phase, TimeWeighted, Wait
from spindle.sim.cpu import Cpu, Stopped
from spindle.sim.disc.drive import Drive
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Arrival, Op, Span, access, wait_for


class SegmentKind(Enum):
    """The kind of a segment: a program's code, a process's stack, or an extra data segment."""

    CODE = "code"
    STACK = "stack"
    DATA = "extra_data"


class MpeSegment:
    """A segment of *size* bytes, with a copy at *place* on *drive*.

    A stack or data segment is *written*: each use makes it dirty. A segment belongs to the process *owner*; it is
    shared where that is empty.
    """

    __slots__ = (
        "arrival", "dirty", "drive", "kind", "name", "owner", "place", "present", "size", "written",
    )  # fmt: skip

    def __init__(self, name: str, size: int, drive: Drive, place: Span, kind: SegmentKind, owner: str = "") -> None:
        self.name = name
        self.size = size
        self.drive = drive
        self.place = place
        self.kind = kind
        self.owner = owner
        self.written = kind is not SegmentKind.CODE
        self.present = False
        self.dirty = False
        self.arrival: Arrival | None = None


class SegmentManager:
    """MPE's memory manager: brings segments into *memory*, which it may share with the disc cache, and evicts them.

    Code is read from its program file; stacks and extra data have their copies in virtual memory, on the first of
    *drives*. The manager accesses the drives themselves, not their caches.
    """

    def __init__(
        self, env: simpy.Environment, memory: SharedMemory, drives: Sequence[Drive], volumes: Volumes, cpu: Cpu,
        fault_cpu: float, level: int, stopped: Stopped | None = None,
    ) -> None:
        self._env = env
        self._memory = memory
        self._drives = drives
        self._volumes = volumes
        self._cpu = cpu
        self._fault_cpu = fault_cpu
        self._level = level
        self._account = Account("memory manager")
        self._stopped = stopped or Stopped()
        self._in_memory = {kind: TimeWeighted(env) for kind in SegmentKind}
        self.segments: list[MpeSegment] = []
        self.faults = 0
        self.swap_writes = 0

    def code(self, program: str, count: int, size: int, owner: str = "") -> list[MpeSegment]:
        """Add *count* code segments, of *size* bytes each, of a program file."""
        disc, first = self._volumes.place(f"program {program}", count * size)
        drive, places = self._drives[disc], [Span(first + number * size, size) for number in range(count)]
        made = [
            MpeSegment(f"{program} code {number}", size, drive, place, SegmentKind.CODE, owner)
            for number, place in enumerate(places)
        ]
        self.segments += made
        return made

    def stack(self, owner: str, size: int) -> MpeSegment:
        return self._virtual(f"stack of {owner}", size, SegmentKind.STACK, owner)

    def data(self, name: str, size: int, owner: str = "") -> MpeSegment:
        """Add an extra data segment; it is read into memory when it is first needed."""
        return self._virtual(name, size, SegmentKind.DATA, owner)

    def _virtual(self, name: str, size: int, kind: SegmentKind, owner: str) -> MpeSegment:
        self.segments.append(MpeSegment(name, size, self._drives[0], self._volumes.virtual(name, size), kind, owner))
        return self.segments[-1]

    def need(self, segments: Iterable[MpeSegment], account: Account) -> Wait | None:
        """Use *segments*; return the wait for those that are absent, or None."""
        touch, absent = self._memory.touch, []
        for segment in segments:
            if segment.present:
                touch(segment)
                segment.dirty = segment.written
            else:
                absent.append(segment)
        return self._bring(absent, account) if absent else None

    def _bring(self, absent: Sequence[MpeSegment], account: Account) -> Wait:
        self._stopped.enter()
        for segment in absent:
            if segment.arrival is None and not segment.present:
                yield from self._fault(segment, account)
            while segment.arrival is not None:
                yield from segment.arrival.wait(self._env, account)
            segment.dirty = segment.written
        self._stopped.leave()

    def _fault(self, segment: MpeSegment, account: Account) -> Wait:
        self.faults += 1
        segment.arrival = Arrival()
        yield self._cpu.burst(self._fault_cpu, self._level, Phase.MANAGER, account)
        yield from self._memory.claim(self, segment, segment.size, account)
        self._in_memory[segment.kind].change(segment.size)
        request = segment.drive.start(access(Op.READ, *segment.place, self._account))
        assert request.callbacks is not None
        request.callbacks.append(lambda _: self._finish_arrival(segment))
        segment.arrival.start(request)

    def _finish_arrival(self, segment: MpeSegment) -> None:
        segment.present = True
        segment.arrival = None
        self._memory.unpin(segment)

    def write_back_victim(self, key: Hashable) -> Wait | None:
        assert isinstance(key, MpeSegment)
        return self._swap_out(key) if key.dirty else None

    def _swap_out(self, segment: MpeSegment) -> Wait:
        self.swap_writes += 1
        segment.dirty = False
        yield self._cpu.burst(self._fault_cpu, self._level, Phase.MANAGER, self._account)
        self._stopped.enter()
        yield from wait_for(segment.drive.start(access(Op.WRITE, *segment.place, self._account)), self._account)
        self._stopped.leave()

    def forget(self, key: Hashable) -> None:
        assert isinstance(key, MpeSegment)
        key.present = False
        self._in_memory[key.kind].change(-key.size)

    def reading(self) -> dict[str, float]:
        held = {f"{kind.value}_byte_seconds": amount.seconds() for kind, amount in self._in_memory.items()}
        return {"faults": float(self.faults), "swap_writes": float(self.swap_writes), **held}
