"""A disc without caching: the CPU starts a physical I/O, the process waits for it."""

from sim.account import Part
from sim.clock import Wait
from sim.cpu import Cpu
from sim.disc.drive import Drive
from sim.request import Access, Request, Span


class PlainDisc:
    """*drive* behind the driver that costs *initiate* CPU seconds an I/O; a BlockDevice."""

    def __init__(self, drive: Drive, cpu: Cpu, initiate: float, level: int) -> None:
        self.drive = drive
        self._cpu = cpu
        self._initiate = initiate
        self._level = level

    def read(self, access: Access) -> Wait:
        yield self._cpu.burst(self._initiate, self._level, Part.CPU, access.account)
        yield from self.drive.read(access)

    def write(self, access: Access) -> Wait:
        yield self._cpu.burst(self._initiate, self._level, Part.CPU, access.account)
        yield from self.drive.write(access)

    def start(self, access: Access) -> Request:
        return self.drive.start(access)

    def flush(self, span: Span) -> Wait:
        yield from self.drive.flush(span)

    def discard(self, span: Span) -> None:
        self.drive.discard(span)
