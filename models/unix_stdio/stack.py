"""Builds the layers below one program (C library, kernel, file, disc), and computes the measures of its run."""

from collections.abc import Callable
from math import fsum, log, nan

import simpy

from spindle.models.unix_stdio.disc import FileDisc
from spindle.models.unix_stdio.layers import CallLayer, Freads, Fwrites, InputBuffer, OutputBuffer, Reads, Writes
from spindle.models.unix_stdio.page_cache.at_risk import WriteHistory
from spindle.models.unix_stdio.page_cache.folios import Folios, warm_folios
from spindle.models.unix_stdio.page_cache.read_ahead import FileReadAhead, PageReadAhead, ReadAheadLimits
from spindle.models.unix_stdio.page_cache.reading import CachedReading, DirectReading, ReadCall
from spindle.models.unix_stdio.page_cache.write_back import PageWriteBack
from spindle.models.unix_stdio.page_cache.writing import CachedWriting, DirectWriting, SynchronousWriting, Writing
from spindle.models.unix_stdio.parameters import PAGE, UnixParameters
from spindle.models.unix_stdio.performer import Performer
from spindle.models.unix_stdio.program_calls import ProgramWork, SystemCallList
from spindle.sim.clock import Phase, Wait, pause
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.error import UserError
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Programs
from spindle.sim.request import READ
from spindle.sim.streams import stream
from spindle.sim.terminal import ResponseLog
from spindle.workloads.stdio import Advice, StdioProgram
from spindle.workloads.stdio import Layer as Called

CHECK_PERIOD = 1.0
"""Seconds between two checks for bytes at risk after the program's end."""
WINDOW_FACTORS = {Advice.NORMAL: 1, Advice.SEQUENTIAL: 2, Advice.RANDOM: 0}
"""Factor of an advice on the largest window of read-ahead."""

Prefetcher = Callable[[Folios, ReadAheadLimits], PageReadAhead]


class UnixStack:
    """The layers below *program*. A file that it reads is on the disc before, and if *warm* in the page cache.

    The first *listed* system calls are kept in ``work``.
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
        """Return the load: the program, which ends when nothing that it wrote is at risk any more."""
        return Programs({"program": self._until_safe}, self.performer.share)

    def _until_safe(self, log: ResponseLog) -> Wait:
        yield from self.performer.perform(log)
        while self.write_back.unsafe:
            yield pause(self._env, CHECK_PERIOD)

    def _reads(self, warm: bool) -> CallLayer:
        program, parameters = self.program, self._parameters
        pages = -(-program.size // PAGE)
        for folio in warm_folios(pages) if warm else ():
            self.folios.add(folio)
        window = parameters.read_ahead * WINDOW_FACTORS[program.advice] // PAGE
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


# The measures of a program's run: rate, calls, the disc's requests, times by phase, and data at risk.

DISC_PHASES = (Phase.QUEUE, Phase.OVERHEAD, Phase.SEEK, Phase.ROTATION, Phase.TRANSFER, Phase.CHANNEL)


def extras(stack: UnixStack, seed: object) -> dict[str, float]:
    """Return the measures by name; *seed* draws the moment at which the power fails."""
    return _speed(stack) | _counts(stack) | _seconds(stack) | _risk(stack, seed)


def _speed(stack: UnixStack) -> dict[str, float]:
    progress = stack.performer.progress
    rate = progress.bytes / progress.seconds if progress.seconds else nan
    return {
        "rate": rate,
        "ln_rate": log(rate) if rate > 0 else nan,
        "us_per_call": 1e6 * progress.seconds / progress.calls if progress.calls else nan,
        "interrupted": float(progress.interrupted),
    }


def _counts(stack: UnixStack) -> dict[str, float]:
    work, progress = stack.work, stack.performer.progress
    reading = stack.program.operation is READ
    return {
        "calls": float(progress.calls),
        "system_calls": float(work.reads + work.writes),
        "seeks": float(work.seeks),
        "device_reads": float(len(stack.sizes)) if reading else 0.0,
        "device_writes": 0.0 if reading else float(len(stack.sizes)),
        "device_writes_meanwhile": 0.0 if reading else float(progress.requests),
        "device_bytes": float(sum(stack.sizes)),
        **_read_growth(stack.sizes if reading else []),
        "amplification": work.bytes_read / progress.bytes if reading and progress.bytes else nan,
    }


def _read_growth(sizes: list[int]) -> dict[str, float]:
    """Return the mean bytes of the first tenth of the reads, and of the last."""
    tenth = max(1, len(sizes) // 10)
    return {"first_reads": sum(sizes[:tenth]) / tenth, "last_reads": sum(sizes[-tenth:]) / tenth}


def _seconds(stack: UnixStack) -> dict[str, float]:
    """Split the program's time into the seconds of each layer."""
    work, progress = stack.work, stack.performer.progress
    return {
        "elapsed": progress.seconds,
        "in_library": progress.library,
        "in_calls": progress.in_calls,
        "in_copying": progress.copying,
        "in_pages": progress.pages,
        "in_disc": fsum(progress.phases[phase] for phase in DISC_PHASES),
        "in_waiting_to_write": progress.phases[Phase.WRITE_WAIT],
        "of_others": work.account.total() - fsum(progress.phases),
    }


def _risk(stack: UnixStack, seed: object) -> dict[str, float]:
    """Compute the bytes at risk, and those left by a power failure at a random moment while something is at risk."""
    history = stack.at_risk
    until = max(history.safe_at(), stack.performer.progress.seconds)
    fails_at = until * stream(seed, "power").random()
    left = history.left_at(fails_at)
    return {
        "most_at_risk": float(history.max_risk()),
        "safe_after": max(0.0, history.safe_at() - stack.performer.progress.seconds),
        "power_fails_at": fails_at,
        "written_then": float(left.handed_over),
        "lost_then": float(left.lost_bytes),
        "whole_then": float(left.whole),
    }
