"""The drives that a sheet describes, as storage for a replay: on one bus where the sheet names it."""

from collections.abc import Callable
from dataclasses import dataclass

import simpy

from models.parts import BUSES
from sim.disc.channel.channel import Channel
from sim.disc.channel.sharing import SharingDrive
from sim.disc.channel.speed_matching import SpeedMatching
from sim.disc.drive import Drive
from sim.disc.flash.drive import DriveType, drive_of
from sim.disc.mechanism import DiscType
from sim.disc.scheduling import Scheduler
from sim.disc.sheet_file.sheet import DriveSheet
from sim.error import UserError, unknown
from workloads.traces.replay.caching import CachePlan


class Drives(dict[str, Drive]):
    """By the name of the disc; each is made on its first use."""

    def __init__(self, env: simpy.Environment, sheet: DriveSheet, scheduler: Callable[[], Scheduler]) -> None:
        super().__init__()
        self._env = env
        self._disc = sheet.disc
        self._scheduler = scheduler
        self._bus = None if sheet.bus is None else _bus(env, sheet.disc, sheet.bus)

    def __missing__(self, name: str) -> Drive:
        scheduler, title = self._scheduler(), f"disc {name}"
        if self._bus is None:
            self[name] = drive_of(self._env, self._disc, scheduler, title)
        else:
            assert isinstance(self._disc, DiscType), "flash shares no bus"
            self[name] = SharingDrive(self._env, self._disc, self._bus, scheduler, title)
        return self[name]


def _bus(env: simpy.Environment, disc: DriveType, kind: str) -> SpeedMatching:
    if kind not in BUSES:
        raise unknown("kind of bus in the sheet", kind, BUSES)
    if not isinstance(disc, DiscType):
        raise UserError(f"{disc.name} has a link of its own, and shares no bus, such as {kind}")
    if disc.buffer is not None:
        raise UserError(f"{disc.name} has a buffer, and is to share a bus, {kind}: together they are not simulated")
    return SpeedMatching(Channel(env, kind), BUSES[kind])


@dataclass(frozen=True)
class StoragePlan:
    """Drives of a *sheet*, each behind a scheduler of its own, on one bus where the sheet names it."""

    sheet: DriveSheet
    scheduler: Callable[[], Scheduler]
    cache: CachePlan | None = None
    count: int | None = None
    wrap: bool = False

    @property
    def disc(self) -> DriveType:
        return self.sheet.disc

    def drives(self, env: simpy.Environment) -> Drives:
        return Drives(env, self.sheet, self.scheduler)
