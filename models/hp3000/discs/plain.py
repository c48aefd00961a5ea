"""A disc without caching: the CPU starts a physical I/O, the process waits for it."""

from models.hp3000.dispatcher import Stopped
from models.hp3000.parameters import MpeParameters
from sim.account import Phase
from sim.clock import Wait
from sim.cpu import Cpu
from sim.disc.drive import Drive
from sim.request import Access, Request, Span


class PlainDisc:
    """*drive* behind the driver that costs *initiate* CPU seconds an I/O; a BlockDevice. Who waits is *stopped*.

    The system calls before it, of *read_call* and *write_call* seconds, are part of the same burst.
    """

    def __init__(
        self, drive: Drive, cpu: Cpu, initiate: float, level: int, stopped: Stopped | None = None,
        read_call: float = 0.0, write_call: float = 0.0,
    ) -> None:  # fmt: skip
        self.drive = drive
        self._cpu = cpu
        self._read = read_call + initiate
        self._write = write_call + initiate
        self._level = level
        self._stopped = stopped or Stopped()

    def read(self, access: Access) -> Wait:
        yield self._cpu.burst(self._read, self._level, Phase.CPU, access.account)
        self._stopped.enter()
        yield from self.drive.read(access)
        self._stopped.leave()

    def write(self, access: Access) -> Wait:
        yield self._cpu.burst(self._write, self._level, Phase.CPU, access.account)
        self._stopped.enter()
        yield from self.drive.write(access)
        self._stopped.leave()

    def start(self, access: Access) -> Request:
        return self.drive.start(access)

    def flush(self, span: Span) -> Wait:
        yield from self.drive.flush(span)

    def discard(self, span: Span) -> None:
        self.drive.discard(span)


def plain_disc(drive: Drive, cpu: Cpu, parameters: MpeParameters, level: int, stopped: Stopped) -> PlainDisc:
    """The disc as *parameters* have it."""
    p = parameters
    return PlainDisc(drive, cpu, p.awaited, level, stopped, p.read_call, p.write_call)
