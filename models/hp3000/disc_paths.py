"""Connects the discs of an HP3000 to its memory: by a GIC, by the HP 13037 controller, or by a link for each drive.

A GIC (General I/O Channel) is the machine's interface to HP-IB, a bus that several drives share.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Protocol

import simpy

from spindle.sim.clock import pause
from spindle.sim.disc.channel import HP_IB, Channel, Link, SharingDrive, SpeedMatching
from spindle.sim.disc.drive import Drive, Scheduler
from spindle.sim.disc.flash.drive import DriveType, drive_of
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mechanism import ArmPosition, DiscType
from spindle.sim.error import UserError
from spindle.sim.request import AccessTiming, Request


class DiscPath(Protocol):
    """A kind of connection between drives and memory."""

    def drive(
        self, env: simpy.Environment, disc: DriveType, channel: Channel, scheduler: Scheduler, name: str
    ) -> Drive:
        """Make the drive of the drive file *disc* on *channel*; UserError where such a drive has no channel."""


@dataclass(frozen=True)
class Gic:
    """A General I/O Channel: one HP-IB, which carries one message or transfer at a time.

    The *overhead* in the file of a CS/80 drive (HP's Command Set 80) includes that of HP-IB, which is subtracted.
    """

    link: Link = HP_IB

    def drive(
        self, env: simpy.Environment, disc: DriveType, channel: Channel, scheduler: Scheduler, name: str
    ) -> Drive:
        tied = _disc(disc)
        inside = replace(tied, overhead=max(0.0, tied.overhead - self.link.command - self.link.connect))
        return SharingDrive(env, inside, SpeedMatching(channel, self.link), scheduler, name)


@dataclass(frozen=True)
class MacController:
    """The HP 13037 controller: its drives, up to eight, seek at once, but one at a time searches and transfers."""

    def drive(
        self, env: simpy.Environment, disc: DriveType, channel: Channel, scheduler: Scheduler, name: str
    ) -> Drive:
        return SharingDrive(env, _disc(disc), Searching(channel), scheduler, name)


@dataclass(frozen=True)
class OwnLinks:
    """A separate link for each drive, from its file: roughly as with SCSI behind a controller, SATA and NVMe."""

    def drive(
        self, env: simpy.Environment, disc: DriveType, channel: Channel, scheduler: Scheduler, name: str
    ) -> Drive:
        return drive_of(env, disc, scheduler, name)


def _disc(sheet: DriveType) -> DiscType:
    if isinstance(sheet, FlashType):
        raise UserError(f"{sheet.name} has a link of its own, and cannot be on the channel of an HP3000")
    return sheet


class Searching:
    """Attaches drives to the 13037: a drive seeks by itself, then holds the controller until its last sector.

    That the rotational delay holds the controller too is inferred: SIMH's controller library overlaps seeks alone, and
    has a phase Rotate in each read and write.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def serve(self, drive: SharingDrive, request: Request, arm: ArmPosition, detour: float, now: float) -> None:
        place = drive.moving.locate(request.access.span.first)
        seek = detour + drive.moving.travel(arm, place)
        drive.arm = ArmPosition(place.cylinder, place.head)
        drive.counts.begin(now, AccessTiming(now - request.submitted, 0.0, seek, 0.0, 0.0, inf))
        granted = partial(self._transfer, drive, request, now, seek)
        pause(drive.env, seek).callbacks.append(partial(self._channel.seize, granted))

    def _transfer(self, drive: SharingDrive, request: Request, turn: float, seek: float, now: float) -> float:
        access = request.access
        queue = turn - request.submitted
        service, drive.arm = drive.moving.serve(drive.arm, now, access.op, access.span, queue)
        waited = service._replace(seek=seek + service.seek, channel=now - (turn + seek))
        drive.finish(request, waited, service.total)
        return service.total


PATHS: Mapping[str, DiscPath] = {"gic": Gic(), "13037": MacController()}
"""Paths by their names in ``series.toml``."""
