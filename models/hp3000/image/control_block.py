"""The data base control block: an extra data segment with tables and buffers, locked for a call or for part of one."""

from collections.abc import Callable, Mapping
from typing import Protocol

from models.hp3000.memory.segments import MpeSegment, SegmentManager
from sim.account import Account
from sim.clock import Wait
from sim.lock import Lock


class Hold(Protocol):
    """Until when a call holds the control block."""

    def computed(self, lock: Lock) -> None:
        """The call has done its computing; its disc accesses follow."""

    def done(self, lock: Lock) -> None:
        """The call has done its disc accesses."""


class WholeCall:
    """Until the call is over: "single-threaded to assure data integrity and correct linkage" (McBride & Boles 1983)."""

    def computed(self, lock: Lock) -> None:
        pass

    def done(self, lock: Lock) -> None:
        lock.release()


class CpuPart:
    """Until the call goes to the disc. The paper does not exclude it.

    A call for a block that another call is reading then finds it in its buffer, and does not wait for the disc.
    """

    def computed(self, lock: Lock) -> None:
        lock.release()

    def done(self, lock: Lock) -> None:
        pass


HOLDS: Mapping[str, Callable[[], Hold]] = {"whole-call": WholeCall, "cpu-part": CpuPart}


class ControlBlock:
    """*lock* and *segment* of it. A call brings the segment in, where it is absent, while it holds the lock."""

    def __init__(self, lock: Lock, segments: SegmentManager, segment: MpeSegment, hold: Hold) -> None:
        self.lock = lock
        self.hold = hold
        self._segments = segments
        self._segment = (segment,)

    def need(self, account: Account) -> Wait | None:
        """For the holder of the lock: the wait for the segment, where it is absent."""
        return self._segments.need(self._segment, account)
