"""Drives without a buffer: what passes under the head goes over the channel at that moment, or a revolution later."""

from math import inf

import simpy

from sim.clock import pause
from sim.disc.channel.channel import Channel
from sim.disc.channel.sharing import SharingDrive
from sim.disc.mechanism import ArmPosition
from sim.request import Request


class Unbuffered:
    """An Attachment: seeks overlap, and a drive whose sector comes while the channel is held loses a revolution.

    So it is with drives on a controller that transfers for one of them at a time. A drive with rotational position
    sensing claims the channel when its first sector comes, and holds it to the end of the last, head switches included.
    """

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    def serve(self, drive: SharingDrive, request: Request, arm: ArmPosition, detour: float) -> None:
        now: float = drive.env.now
        op, span = request.access.op, request.access.span
        moving = drive.moving
        service, drive.arm = moving.serve(arm, now + detour, op, span, now - request.submitted)
        approach = moving.positioning(arm, now + detour, moving.locate(span.first), op, span)
        hold = service.total - approach
        service = service._replace(seek=service.seek + detour)
        lost = 0.0

        def first_sector(_: simpy.Event) -> None:
            nonlocal lost
            if self.channel.claim(hold):
                drive.finish(request, service._replace(rotation=service.rotation + lost), hold)
            else:
                lost += moving.disc.revolution
                pause(drive.env, moving.disc.revolution).callbacks.append(first_sector)

        drive.counts.revise(service._replace(rotation=inf))
        pause(drive.env, max(0.0, detour + approach)).callbacks.append(first_sector)
