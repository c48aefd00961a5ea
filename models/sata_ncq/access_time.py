"""The access time that a policy weighs: the service time, as Kim defines it, or that with the wait for the drive."""

from collections.abc import Callable
from math import fsum

from spindle.sim.clock import Wait, happen
from spindle.sim.disc.drive import Drive
from spindle.sim.request import READ, WRITE, Access, BlockDevice, Request, Span, wait_for

AccessTime = Callable[[Drive], BlockDevice]
"""The drive as the cache sees it."""


def service(drive: Drive) -> BlockDevice:
    """Overhead, and what access time consists of by Kim 1: seek time, rotational latency time, data transfer time."""
    return drive


class _Waited(Request):
    """One whose cost is all of its time."""

    __slots__ = ()

    def cost(self) -> float:
        return fsum(end - begin for _, begin, end in self.pieces())


class _Waiting:
    """*drive*, whose requests also cost their time in its queue."""

    def __init__(self, drive: Drive) -> None:
        self._drive = drive

    def start(self, access: Access) -> Request:
        inner = self._drive.start(access)
        outer = _Waited(self._drive.env, access)
        assert inner.callbacks is not None
        inner.callbacks.append(lambda done: happen(outer, done.value))
        return outer

    def read(self, access: Access) -> Wait:
        assert access.op is READ
        return wait_for(self.start(access), access.account)

    def write(self, access: Access) -> Wait:
        assert access.op is WRITE
        return wait_for(self.start(access), access.account)

    def flush(self, span: Span) -> Wait:
        return self._drive.flush(span)

    def discard(self, span: Span) -> None:
        self._drive.discard(span)


def response(drive: Drive) -> BlockDevice:
    """With the wait in the drive's queue, as the access times of 30 ms and more of Kim's figure 1 must have it in."""
    return _Waiting(drive)


ACCESS_TIMES = {"service": service, "wait": response}
