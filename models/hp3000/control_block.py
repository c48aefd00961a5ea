"""Locks the control block of an IMAGE data base, HP's own, during each call: for the whole call or for a part of it.

The control block is a segment of memory with the data base's tables and buffers.

McBride & Boles 1983, "The Autopsy": about 40 process stops a second from impedes on the data base control block. A
process is impeded if another holds a lock that it needs.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

from spindle.models.hp3000.memory import MpeSegment, SegmentManager
from spindle.sim.clock import Account, Wait
from spindle.sim.lock import Lock


class Hold(Protocol):
    """The rule that decides when a call releases the control block."""

    def after_computing(self, lock: Lock) -> None:
        """Note that the call has finished computing; its disc accesses follow."""

    def after_accesses(self, lock: Lock) -> None:
        """Note that the call has finished its disc accesses."""


class WholeCall:
    """Releases at the end: "single-threaded to assure data integrity and correct linkage" (McBride & Boles 1983)."""

    def after_computing(self, lock: Lock) -> None:
        pass

    def after_accesses(self, lock: Lock) -> None:
        lock.release()


class CpuPart:
    """Releases before the disc accesses of the call. McBride & Boles do not say that a call keeps the lock for them.

    A call for a block that another call is reading then finds it in its buffer, and does not wait for the disc.
    """

    def after_computing(self, lock: Lock) -> None:
        lock.release()

    def after_accesses(self, lock: Lock) -> None:
        pass


HOLDS: Mapping[str, Callable[[], Hold]] = {"whole-call": WholeCall, "cpu-part": CpuPart}


class ControlBlock:
    """The control block: its *lock*, and its *segment*, which the lock's holder has read from disc if it is absent."""

    def __init__(self, lock: Lock, segments: SegmentManager, segment: MpeSegment, hold: Hold) -> None:
        self.lock = lock
        self.hold = hold
        self._segments = segments
        self._segment = (segment,)

    def need(self, account: Account) -> Wait | None:
        """Return the wait of the lock's holder for the segment; None where it is present."""
        return self._segments.need(self._segment, account)
