"""A timeline of one run: who did what when, written as a trace for ui.perfetto.dev while the run goes on.

Before the run begins it puts itself between the parts of the machine and whoever counts what they do. A run without
a timeline knows nothing of it; one that has it gives the same result, because it adds no event.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self, runtime_checkable

from sim.disc.drive import Drive
from sim.error import UserError
from sim.machine import Machine
from sim.measure.chrome_json import ChromeJson
from sim.measure.perfetto import PerfettoTrace
from sim.measure.seen.counts import SeenCounts
from sim.measure.seen.cpu import SeenCpu
from sim.measure.seen.desk import SeenDesk
from sim.measure.seen.levels import Levels
from sim.measure.seen.trace import Trace, nanoseconds
from sim.terminal import Desk


@runtime_checkable
class Levelled(Protocol):
    """A part that says how much there is in it now, by name; a name ends with its unit, as in ``used_bytes``."""

    def levels(self) -> Mapping[str, float]: ...


class Timeline:
    """Watches one run and writes *path*: Chrome's JSON if it ends with ``.json``, else what Perfetto reads best.

    It is a ``watch`` of the run; ``with`` finishes the file. A run that fails has its timeline up to there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._finish: list[Callable[[], None]] = []

    def __call__(self, now: float, end: float) -> None:
        """Time passes; everything is seen where it happens."""

    def attend(self, machine: Machine, desk: Desk | None, warm_up: float, end: float) -> None:
        """The run is about to begin; it is measured from *warm_up* to *end*."""
        if self._file is not None:
            raise UserError(f"{self._path}: a timeline is of one run")
        try:
            self._file = self._path.open("wb")
        except OSError as error:
            raise self._unwritable(error) from error
        trace: Trace = ChromeJson(self._file) if self._path.suffix == ".json" else PerfettoTrace(self._file)
        env, run = machine.env, trace.track("run")
        drives = {name: part for name, part in machine.parts.items() if isinstance(part, Drive)}
        levelled = {name: part.levels for name, part in machine.parts.items() if isinstance(part, Levelled)}
        cpu = SeenCpu(machine.cpu, trace, env, end)
        counted = [SeenCounts(drive, trace, name) for name, drive in drives.items()]
        levels = Levels(levelled, trace, env)
        for each in counted:
            each.then = levels.look
        self._finish = [*(each.finish for each in counted), cpu.finish, levels.look]
        if desk is not None:
            self._finish.append(SeenDesk(desk, trace, env, levels.look).finish)
        self._finish += [lambda: _periods(trace, run, warm_up, env.now), trace.finish]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is None:
            return
        try:
            with self._file:
                for finish in self._finish:
                    finish()
        except OSError as full:
            raise self._unwritable(full) from full

    def _unwritable(self, error: OSError) -> UserError:
        return UserError(f"{self._path}: the timeline cannot be written there: {error.strerror}")


def _periods(trace: Trace, run: int, warm_up: float, now: float) -> None:
    """What of the run is warm-up, and what was measured."""
    for name, begin, end in (("warm-up", 0.0, min(warm_up, now)), ("measured", warm_up, now)):
        if end > begin:
            trace.begin(run, name, nanoseconds(begin))
            trace.end(run, nanoseconds(end))
