"""Drives of a sheet as the storage that a trace is replayed on."""

from collections.abc import Callable
from dataclasses import dataclass

import simpy

from models.replay.drives import Drives
from sim.disc.mechanism import DiscType
from sim.disc.scheduling import Scheduler
from sim.disc.sheet_file.sheet import DriveSheet
from workloads.traces.replay.caching import CachePlan


@dataclass(frozen=True)
class StoragePlan:
    """A Plan of drives of a *sheet*, each behind a scheduler of its own, on one bus where the sheet says which."""

    sheet: DriveSheet
    scheduler: Callable[[], Scheduler]
    cache: CachePlan | None = None
    count: int | None = None
    wrap: bool = False

    @property
    def disc(self) -> DiscType:
        return self.sheet.disc

    def drives(self, env: simpy.Environment) -> Drives:
        return Drives(env, self.sheet, self.scheduler)
