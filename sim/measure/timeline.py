"""Timeline writes the activity of each part during a run, for ui.perfetto.dev, in Perfetto's format or Chrome's JSON.

It is written during the run. Before the run begins, the counters of the machine's parts are wrapped. A run has the
same result with a timeline and without, because it adds no event.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self, runtime_checkable

from spindle.sim.cpu import Cpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.error import UserError
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Window
from spindle.sim.measure.observer import Observer
from spindle.sim.measure.tracing.chrome import ChromeJson
from spindle.sim.measure.tracing.cpu import TracedCpu
from spindle.sim.measure.tracing.drives import Levels, TracedCounts, TracedLanes
from spindle.sim.measure.tracing.locks import TracedLock, locks_of
from spindle.sim.measure.tracing.memory import TracedOwners
from spindle.sim.measure.tracing.perfetto import PerfettoTrace
from spindle.sim.measure.tracing.responses import TracedResponses
from spindle.sim.measure.tracing.trace import TimelineTrace, nanoseconds
from spindle.sim.memory import SharedMemory
from spindle.sim.terminal import Transaction

TracedDrive = TracedCounts | TracedLanes


@runtime_checkable
class Levelled(Protocol):
    """A part with amounts that rise and fall, by name; a name ends with its unit, as in ``used_bytes``."""

    def levels(self) -> Mapping[str, float]: ...


class TracedRun(Observer):
    """An observer that writes the activity of a run's parts to *trace*; ``finish`` also ends that of a failed run."""

    def __init__(self, trace: TimelineTrace) -> None:
        self._trace = trace
        self._finish: list[Callable[[], None]] = []
        self._responses: TracedResponses

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        env, trace = machine.env, self._trace
        run, parts = trace.track("run"), machine.all_parts()
        levelled = {name: part.levels for name, part in parts if isinstance(part, Levelled)}
        cpus = [TracedCpu(part, trace, env, window.over) for _, part in parts if isinstance(part, Cpu)]
        counted = [traced_drive(part, trace, name) for name, part in parts if isinstance(part, Drive)]
        locks = [TracedLock(lock, trace, env) for lock in locks_of(part for _, part in parts)]
        names = {id(part): name for name, part in parts}
        for name, part in parts:
            if isinstance(part, SharedMemory):
                TracedOwners(part, trace, env, name, names)
        levels = Levels(levelled, trace, env)
        for each in counted:
            each.then = levels.look
        self._responses = TracedResponses(load, trace, env, levels.look)
        self._finish = [
            *(each.finish for each in counted), *(cpu.finish for cpu in cpus), *(lock.finish for lock in locks),
            levels.look, self._responses.finish, lambda: _periods(trace, run, window, env.now), trace.finish,
        ]  # fmt: skip

    def record(self, row: Transaction) -> None:
        self._responses.record(row)

    def finish(self) -> None:
        """Draw unfinished work up to the end of the run."""
        for finish in self._finish:
            finish()


class Timeline(Observer):
    """An observer that writes a run to *path*: Chrome's JSON if it ends with ``.json``, else Perfetto's format.

    ``with`` finishes the file. A run that fails has its timeline up to there. *name* is the final file's name, for
    messages, if *path* is a draft.
    """

    def __init__(self, path: Path, name: Path | None = None) -> None:
        self._path = path
        self._name = name or path
        self._file: BinaryIO | None = None
        self._run: TracedRun

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        if self._file is not None:
            raise UserError(f"{self._name}: a timeline is of one run")
        try:
            self._file = self._path.open("wb")
        except OSError as error:
            raise self._unwritable(error) from error
        self._run = TracedRun(ChromeJson(self._file) if self._path.suffix == ".json" else PerfettoTrace(self._file))
        self._run.attend(machine, load, window)

    def record(self, row: Transaction) -> None:
        self._run.record(row)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is None:
            return
        try:
            with self._file:
                self._run.finish()
        except OSError as full:
            raise self._unwritable(full) from full

    def _unwritable(self, error: OSError) -> UserError:
        return UserError(f"cannot write {self._name}: {error.strerror}")


def traced_drive(drive: Drive, trace: TimelineTrace, name: str) -> TracedDrive:
    """Return the tracer of *drive*, whether it serves one request at a time or several."""
    return (TracedLanes if isinstance(drive, FlashDrive) else TracedCounts)(drive, trace, name)


def _periods(trace: TimelineTrace, run: int, window: Window, now: float) -> None:
    start, end = min(window.start, now), min(window.end, now)
    for name, begin, until in (("warm-up", 0.0, start), ("measured", start, end), ("tail", end, now)):
        if until > begin:
            trace.begin(run, name, nanoseconds(begin))
            trace.end(run, nanoseconds(until))
