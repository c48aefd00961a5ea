"""A drive on a shared channel: the phases of a request are known only as the channel becomes free."""

from math import inf
from typing import Protocol

import simpy

from sim.clock import succeed_after
from sim.disc.drive import Drive
from sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from sim.disc.scheduling import Scheduler
from sim.request import Request, Service


class Attachment(Protocol):
    """How drives are tied to a channel. It has no memory of a drive, so that all on one channel may have the same."""

    def serve(self, drive: "SharingDrive", request: Request, arm: ArmPosition, detour: float) -> None:
        """Bring about that *drive* moves its arm, holds the channel and finishes *request*.

        It is the turn of *request* now. The arm needs *detour* seconds to get to *arm*, where its move begins.
        """


class SharingDrive(Drive):
    """A Drive whose requests cross a channel by the rules of its *attachment*.

    An access takes one event more than a Drive's, and the channel one more if a drive waits for it.
    """

    def __init__(
        self,
        env: simpy.Environment,
        disc: DiscType,
        attachment: Attachment,
        scheduler: Scheduler | None = None,
        name: str = "drive",
    ) -> None:
        self.moving = MovingArm(disc)
        super().__init__(env, self.moving, scheduler, name)
        self._attachment = attachment

    def _serve(self, now: float) -> None:
        request, arm, detour = self._next(now)
        self.counts.begin(now, Service(now - request.submitted, inf, 0.0, 0.0, 0.0, 0.0))
        self._attachment.serve(self, request, arm, detour)

    def finish(self, request: Request, service: Service, seconds: float) -> None:
        """Nothing can change *service* any more; it ends *seconds* from now."""
        self.counts.revise(service)
        succeed_after(request, seconds, service)
