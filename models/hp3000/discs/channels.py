"""How the discs of an HP3000 reach its memory: by a GIC on HP-IB, or by the 13037 controller on a selector channel."""

from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Protocol

from sim.clock import pause
from sim.disc.channel.channel import Channel
from sim.disc.channel.link import HP_IB, Link
from sim.disc.channel.sharing import Attachment, SharingDrive
from sim.disc.channel.speed_matching import SpeedMatching
from sim.disc.mechanism import ArmPosition, DiscType
from sim.request import Request, Service


class DiscPath(Protocol):
    """What stands between drives and memory."""

    def inside(self, disc: DiscType) -> DiscType:
        """*disc* without its sheet's times of the way to memory, which are counted on the way itself."""
        ...

    def attach(self, channel: Channel) -> Attachment:
        """What ties drives to *channel*."""
        ...


@dataclass(frozen=True)
class Gic:
    """A General I/O Channel: an HP-IB of its own, one message or transfer at a time.

    The *overhead* of a CS/80 drive's sheet is that of controller and HP-IB together; the bus's part is taken off.
    """

    link: Link = HP_IB

    def inside(self, disc: DiscType) -> DiscType:
        return replace(disc, overhead=max(0.0, disc.overhead - self.link.command - self.link.connect))

    def attach(self, channel: Channel) -> Attachment:
        return SpeedMatching(channel, self.link)


@dataclass(frozen=True)
class MacController:
    """The HP 13037: one to eight drives that seek at once, and one that searches for its sector and transfers it."""

    def inside(self, disc: DiscType) -> DiscType:
        return disc

    def attach(self, channel: Channel) -> Attachment:
        return Searching(channel)


class Searching:
    """An Attachment: a drive seeks by itself; then it has the controller from the command to its last sector.

    That the rotational delay holds the controller too is inferred: SIMH's controller library overlaps seeks alone, and
    has a phase Rotate in each read and write.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def serve(self, drive: SharingDrive, request: Request, arm: ArmPosition, detour: float) -> None:
        now: float = drive.env.now
        place = drive.moving.locate(request.access.span.first)
        seek = detour + drive.moving.travel(arm, place)
        drive.arm = ArmPosition(place.cylinder, place.head)
        drive.counts.revise(Service(now - request.submitted, 0.0, seek, 0.0, 0.0, inf))
        granted = partial(self._transfer, drive, request, now, seek)
        pause(drive.env, seek).callbacks.append(lambda _: self._channel.seize(granted))

    def _transfer(self, drive: SharingDrive, request: Request, turn: float, seek: float, now: float) -> float:
        access = request.access
        queue = turn - request.submitted
        service, drive.arm = drive.moving.serve(drive.arm, now, access.op, access.span, queue)
        waited = max(0.0, now - (turn + seek))
        drive.finish(request, service._replace(seek=seek + service.seek, channel=waited), service.total)
        return service.total
