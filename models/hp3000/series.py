"""The HP3000 Series III, 44, 48, 64 and 68 as sheets, every number with its source. They have a CPU, memory, discs and
the paths to them (General I/O Channel, HP 13037 controller, separate links).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
from spindle.sim.disc.sheets import HP7925, HP7933
from spindle.sim.disc.sources import assumed, cited, fitted
from spindle.sim.error import UserError
from spindle.sim.parameter import ParameterSource
from spindle.sim.request import Request, Service
from spindle.sim.units import KIB, MIB

# How the discs of an HP3000 reach its memory: by a GIC on HP-IB, or by the 13037 controller on a selector channel.

class DiscPath(Protocol):
    """The path between drives and memory."""

    def drive(
        self, env: simpy.Environment, disc: DriveType, channel: Channel, scheduler: Scheduler, name: str
    ) -> Drive:
        """A drive of the sheet *disc* on *channel*; UserError where it cannot be tied to one."""


@dataclass(frozen=True)
class Gic:
    """A General I/O Channel: one HP-IB, which carries one message or transfer at a time.

    The *overhead* of a CS/80 drive's sheet is that of controller and HP-IB together; the bus's part is taken off.
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
    """The HP 13037: one to eight drives that seek at once, and one that searches for its sector and transfers it."""

    def drive(
        self, env: simpy.Environment, disc: DriveType, channel: Channel, scheduler: Scheduler, name: str
    ) -> Drive:
        return SharingDrive(env, _disc(disc), Searching(channel), scheduler, name)


@dataclass(frozen=True)
class OwnLinks:
    """A separate link for every drive, from its sheet, as with SCSI behind a controller, SATA and NVMe, roughly."""

    def drive(
        self, env: simpy.Environment, disc: DriveType, channel: Channel, scheduler: Scheduler, name: str
    ) -> Drive:
        return drive_of(env, disc, scheduler, name)


def _disc(sheet: DriveType) -> DiscType:
    if isinstance(sheet, FlashType):
        raise UserError(f"{sheet.name} has a link of its own, and cannot be on the channel of an HP3000")
    return sheet


class Searching:
    """An Attachment: a drive seeks by itself, then holds the controller from the command to its last sector.

    That the rotational delay holds the controller too is inferred: SIMH's controller library overlaps seeks alone, and
    has a phase Rotate in each read and write.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def serve(self, drive: SharingDrive, request: Request, arm: ArmPosition, detour: float, now: float) -> None:
        place = drive.moving.locate(request.access.span.first)
        seek = detour + drive.moving.travel(arm, place)
        drive.arm = ArmPosition(place.cylinder, place.head)
        drive.counts.begin(now, Service(now - request.submitted, 0.0, seek, 0.0, 0.0, inf))
        granted = partial(self._transfer, drive, request, now, seek)
        pause(drive.env, seek).callbacks.append(partial(self._channel.seize, granted))

    def _transfer(self, drive: SharingDrive, request: Request, turn: float, seek: float, now: float) -> float:
        access = request.access
        queue = turn - request.submitted
        service, drive.arm = drive.moving.serve(drive.arm, now, access.op, access.span, queue)
        waited = max(0.0, now - (turn + seek))
        drive.finish(request, service._replace(seek=seek + service.seek, channel=waited), service.total)
        return service.total


@dataclass(frozen=True)
class SeriesModel:
    """*discs* drives over *channels* of the kind *path*. The numbers are defaults of a run's parameters."""

    name: str
    mips: float
    memory: int
    resident: int
    discs: int
    channels: int
    drive: DriveType
    path: DiscPath
    sources: Mapping[str, ParameterSource] = field(compare=False, repr=False)

    def settings(self) -> dict[str, float]:
        """The parameters that this series gives."""
        return {name: getattr(self, name) for name in ("mips", "memory", "resident", "discs", "channels")}


SERIES_64 = SeriesModel(
    name="HP3000 Series 64",
    mips=1.0,
    memory=8 * MIB,
    resident=1280 * KIB,
    discs=6,
    channels=3,
    drive=HP7933,
    path=Gic(),
    sources={
        "mips": cited("McBride: Series 64 and 68, 1.0 MIPS"),
        "memory": cited("McBride: 8 Megabytes on the Series 64 and 68"),
        "resident": fitted("B13: 5 to 6 of 8 MB in use, uncached, the segments of 101 sessions being the rest; MPE's "
                           "tables and resident code, not published"),
        "discs": assumed("number of discs not published; with six the uncached row is met and no drive is busy most of "
                         "the time. An I/O-only load gets 137 accesses a second from them, and about 23 more a drive"),
        "channels": assumed("up to three IMBs (cctalk msg51357), one GIC with discs on each; GICs not published"),
        "drive": assumed("McBride names the 7935, which is a 7933 with a removable pack"),
        "path": cited("cctalk msg51357: mostly GICs and ATPs on the IMBs"),
    },
)

SERIES_44 = replace(
    SERIES_64,
    name="HP3000 Series 44",
    mips=0.5,
    memory=4 * MIB,
    resident=1024 * KIB,
    discs=4,
    channels=2,
    sources={
        **SERIES_64.sources,
        "mips": assumed("not in the paper; 0.7 of the 64's by its microcycle of 105 ns against 75, less for want "
                        "of a CPU cache and of a second ALU"),
        "memory": assumed("4 MB as remembered, not verified"),
        "resident": assumed("as the 64's, less tables for fewer sessions; not published"),
        "discs": assumed("a smaller system's; not published"),
        "channels": assumed("two drives a GIC, as on the 64"),
    },
)

SERIES_III = SeriesModel(
    name="HP3000 Series III",
    mips=0.3,
    memory=2 * MIB,
    resident=512 * KIB,
    discs=2,
    channels=1,
    drive=HP7925,
    path=MacController(),
    sources={
        "mips": cited("McBride: about 0.3 MIPS; SIMH's 2.5 us an instruction would be 0.4"),
        "memory": cited("McBride: 2 Megabytes on the Series III; SIMH: at most 1024 KW"),
        "resident": assumed("MPE without the 64's tables for a hundred sessions; not published"),
        "discs": assumed("not published; two 7925 hold 240 MB. An I/O-only load gets 40 accesses a second of them, "
                         "and 76 of eight, when the controller is always busy"),
        "channels": cited("SIMH: one selector channel, which stays with a device until its transfer is done"),
        "drive": cited("SIMH: 7905, 7906, 7920 and 7925 on the 13037; the 7925 is the largest"),
        "path": cited("SIMH: the 13037 overlaps seeks and transfers for one drive at a time"),
    },
)

SERIES: Mapping[str, SeriesModel] = {
    "iii": SERIES_III,
    "44": SERIES_44,
    "48": replace(SERIES_44, name="HP3000 Series 48"),
    "64": SERIES_64,
    "68": replace(SERIES_64, name="HP3000 Series 68"),
}
"""Series by their names on the command line. McBride gives the 64 and the 68 alike; the 48 is taken to be a 44."""
