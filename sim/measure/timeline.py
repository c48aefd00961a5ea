"""A timeline of one run: the activity of each part, written as a trace for ui.perfetto.dev while the run goes on.

Before the run begins it wraps the counters of the machine's parts. A run without a timeline is not affected; one with
it gives the same result, because it adds no event.
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
from spindle.sim.measure.timeline_files import ChromeJson, PerfettoTrace
from spindle.sim.measure.tracing.drives import Levels, TimelineTrace, TracedCounts, TracedLanes, nanoseconds
from spindle.sim.measure.tracing.jobs import TracedCpu, TracedLock, TracedOwners, TracedResponses, locks_of
from spindle.sim.memory import SharedMemory
from spindle.sim.terminal import Transaction

TracedDrive = TracedCounts | TracedLanes


@runtime_checkable
class Levelled(Protocol):
    """A part with present levels, by name; a name ends with its unit, as in ``used_bytes``."""

    def levels(self) -> Mapping[str, float]: ...


class TracedRun(Observer):
    """Observes one run, and says in *trace* what its parts do.

    The last word is that of ``finish``, which a run that fails has as well.
    """

    def __init__(self, trace: TimelineTrace) -> None:
        self._trace = trace
        self._finish: list[Callable[[], None]] = []
        self._responses: TracedResponses

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        env, trace = machine.env, self._trace
        run, parts = trace.track("run"), machine.built()
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
        """Show what is under way, as far as it has got."""
        for finish in self._finish:
            finish()


class Timeline(Observer):
    """Observes one run and writes *path*: Chrome's JSON if it ends with ``.json``, else what Perfetto reads best.

    ``with`` finishes the file. A run that fails has its timeline up to there. *name* is that of the file to be, where
    *path* is a draft of it.
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
    """Mark warm-up, measured window and tail on the trace."""
    start, end = min(window.start, now), min(window.end, now)
    for name, begin, until in (("warm-up", 0.0, start), ("measured", start, end), ("tail", end, now)):
        if until > begin:
            trace.begin(run, name, nanoseconds(begin))
            trace.end(run, nanoseconds(until))
