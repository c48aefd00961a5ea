"""The stack put together for one program: its library, its kernel, one file, one disc."""

from collections.abc import Callable

import simpy

from models.unix_stdio.at_risk import WriteHistory
from models.unix_stdio.discs.disc import FileDisc
from models.unix_stdio.layers import CallLayer, Freads, Fwrites, Reads, Writes
from models.unix_stdio.page_cache.folios import Folios
from models.unix_stdio.page_cache.read_ahead import FileReadAhead, PageReadAhead, ReadAheadLimits
from models.unix_stdio.page_cache.reading import CachedReading, DirectReading, ReadCall, warmed
from models.unix_stdio.page_cache.write_back import PageWriteBack
from models.unix_stdio.page_cache.writing import CachedWriting, DirectWriting, SynchronousWriting, Writing
from models.unix_stdio.parameters import PAGE, UnixParameters
from models.unix_stdio.performer import Performer
from models.unix_stdio.stdio import InputBuffer, OutputBuffer
from models.unix_stdio.strace import SystemCallList
from models.unix_stdio.work import ProgramWork
from sim.clock import Wait, pause
from sim.cpu import FcfsCpu
from sim.disc.flash.drive import DriveType
from sim.error import UserError
from sim.machine import Machine
from sim.measure.load import Programs
from sim.request import READ
from sim.terminal import ResponseLog
from workloads.stdio import StdioProgram
from workloads.stdio.calls import Advice
from workloads.stdio.calls import Layer as Called

LOOK = 1.0
"""Seconds between two looks whether anything is at risk still."""
WINDOWS = {Advice.NORMAL: 1, Advice.SEQUENTIAL: 2, Advice.RANDOM: 0}
"""What an advice makes of the largest window of read-ahead."""

Prefetcher = Callable[[Folios, ReadAheadLimits], PageReadAhead]


class UnixStack:
    """Everything that *program* meets. A file that is read is on the disc before, and if *warm* in the page cache.

    The first system calls, as many as *listed*, are kept in ``work``.
    """

    def __init__(
        self, env: simpy.Environment, parameters: UnixParameters, drive: DriveType | None, program: StdioProgram,
        warm: bool, until: float, prefetcher: Prefetcher = FileReadAhead, listed: int = 0,
    ) -> None:  # fmt: skip
        if program.size > parameters.memory:
            raise UserError(f"size {program.size} is more than the page cache, whose memory is {parameters.memory}: "
                          "nothing is evicted from it here")  # fmt: skip
        self.program = program
        self.cpu = FcfsCpu(env)
        self.work = ProgramWork(self.cpu, parameters, SystemCallList(env, listed))
        self.disc = FileDisc(env, parameters, drive, program.size)
        self.folios = Folios()
        self.at_risk = WriteHistory()
        self.write_back = PageWriteBack(env, self.disc, parameters, self.at_risk)
        self.sizes: list[int] = self.write_back.sizes
        """Bytes of each request of the disc, in order."""
        self._env = env
        self._parameters = parameters
        self._prefetcher = prefetcher
        layer = self._reads(warm) if program.operation is READ else self._writes()
        self.performer = Performer(env, program, layer, self.work, until, self.sizes)
        self.machine = Machine(env, {"work": self.work, "drive": self.disc.drive}, self.cpu)

    def load(self) -> Programs:
        """The program, which ends when nothing that it wrote is at risk any more."""
        return Programs({"program": self._until_safe}, self.performer.share)

    def _until_safe(self, log: ResponseLog) -> Wait:
        yield from self.performer.perform(log)
        while self.write_back.unsafe:
            yield pause(self._env, LOOK)

    def _reads(self, warm: bool) -> CallLayer:
        program, parameters = self.program, self._parameters
        pages = -(-program.size // PAGE)
        for folio in warmed(pages) if warm else ():
            self.folios.add(folio)
        window = parameters.read_ahead * WINDOWS[program.advice] // PAGE
        limits = ReadAheadLimits(pages, window, parameters.request // PAGE)
        cached = CachedReading(self.work, self.disc, self.folios, self._prefetcher(self.folios, limits), program.size)
        direct = DirectReading(self.work, self.disc)
        self.sizes = direct.sizes if program.direct else cached.sizes
        reading: ReadCall = direct if program.direct else cached
        if program.layer is Called.STDIO:
            return Freads(self.work, reading, InputBuffer(parameters.buffer, program.size))
        return Reads(self.work, reading, cached=not program.direct)

    def _writes(self) -> CallLayer:
        writing = self._writing()
        if self.program.layer is Called.STDIO:
            return Fwrites(self._env, self.work, writing, OutputBuffer(self._parameters.buffer), self.at_risk)
        return Writes(self._env, self.work, writing, self.at_risk)

    def _writing(self) -> Writing:
        program = self.program
        if program.direct:
            direct = DirectWriting(self.work, self.disc, self.at_risk, program.sync)
            self.sizes = direct.sizes
            return direct
        cached = CachedWriting(self.work, self.folios, self.write_back)
        return SynchronousWriting(self.work, self.disc, cached, self.write_back) if program.sync else cached
