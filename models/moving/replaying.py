"""Films the drives of a replay, each from when it is first used."""

from collections.abc import MutableMapping

import simpy

from models.moving.film import FilmTrace
from sim.disc.drive import Drive
from sim.disc.flash.drive import DriveType
from sim.measure.timeline import TracedDrive, traced_drive
from sim.measure.tracing.trace import nanoseconds
from workloads.traces.replay.caching import CachePlan
from workloads.traces.replay.storage import ReplayStorage


class FilmedStorage:
    """The storage of *plan*, whose drives are traced in *trace*; ``finish`` says what they do at the end."""

    def __init__(self, plan: ReplayStorage, trace: FilmTrace) -> None:
        self._plan = plan
        self._trace = trace
        self._traced: list[TracedDrive] = []

    @property
    def disc(self) -> DriveType:
        return self._plan.disc

    @property
    def cache(self) -> CachePlan | None:
        return self._plan.cache

    @property
    def count(self) -> int | None:
        return self._plan.count

    @property
    def wrap(self) -> bool:
        return self._plan.wrap

    def drives(self, env: simpy.Environment) -> MutableMapping[str, Drive]:
        self._trace.now = lambda: nanoseconds(env.now)
        return _FilmedDrives(self._plan.drives(env), self._trace, self._traced)

    def finish(self) -> None:
        for each in self._traced:
            each.finish()


class _FilmedDrives(dict[str, Drive]):
    def __init__(self, drives: MutableMapping[str, Drive], trace: FilmTrace, traced: list[TracedDrive]) -> None:
        super().__init__()
        self._drives = drives
        self._trace = trace
        self._traced = traced

    def __missing__(self, name: str) -> Drive:
        drive = self[name] = self._drives[name]
        self._traced.append(traced_drive(drive, self._trace, drive.name))
        return drive
