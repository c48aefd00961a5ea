"""Selects the access time by which a policy weighs blocks: the service time, as Kim defines it, or the response."""

from collections.abc import Callable
from math import fsum

from spindle.sim.clock import Wait, happen
from spindle.sim.disc.drive import Drive
from spindle.sim.request import READ, WRITE, Access, BlockDevice, Request, Span, wait_for

AccessTime = Callable[[Drive], BlockDevice]
"""A function that turns a drive into a device whose requests cost the access time that a policy weighs."""


def service(drive: Drive) -> BlockDevice:
    """Cost an access by its service: overhead, and Kim's access time of seek, rotational latency, transfer (Kim 1)."""
    return drive


class _Waited(Request):
    """A request whose cost is its whole response time."""

    __slots__ = ()

    def cost(self) -> float:
        return fsum(end - begin for _, begin, end in self.pieces())


class _Waiting:
    """A device that is *drive*, except that requests also cost their time in its queue."""

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
    """Cost an access by its response, which includes the wait in the queue; Kim's figure 1 has times beyond 30 ms."""
    return _Waiting(drive)


ACCESS_TIMES = {"service": service, "wait": response}
