"""A disc that reads whole tracks, which would explain why each of the book's reads takes one revolution."""

from math import fsum

import simpy
from simpy.resources.resource import Request as Turn

from spindle.sim.clock import Phase, Wait, pause
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.request import Access, wait_for


class WholeTracks:
    """A *disc* that begins to read a track anywhere and hands sectors over as they pass under the head.

    It takes the next access once it has been round each of the tracks that the last one touched, and keeps none of
    them. Its overhead lies within the revolution.
    """

    def __init__(self, env: simpy.Environment, disc: DiscType) -> None:
        self._env = env
        self._drive = Drive(env, disc)
        self._arm = simpy.Resource(env)
        self._revolution = disc.revolution
        self._track = disc.layout.zones[0].sectors_per_track * disc.layout.sector_bytes
        self._asked = 0
        self._since = self.busy = self.number_seconds = 0.0

    def read(self, access: Access) -> Wait:
        asked = self._env.now
        self._since = self._since if self._asked else asked
        self._asked += 1
        turn = self._arm.request()
        yield turn
        began, request = self._env.now, self._drive.start(access)
        yield from wait_for(request, access.account)
        seek = fsum(end - begin for part, begin, end in request.pieces() if part is Phase.SEEK)
        tracks = (access.span.end - 1) // self._track - access.span.first // self._track + 1
        self._env.process(self._go_round(turn, began + seek + tracks * self._revolution))
        self._asked -= 1
        self.number_seconds += self._env.now - asked
        self.busy += 0.0 if self._asked else self._env.now - self._since

    def _go_round(self, turn: Turn, until: float) -> Wait:
        yield pause(self._env, max(0.0, until - self._env.now))
        self._arm.release(turn)

    def reading(self) -> dict[str, float]:
        """Seconds in which something was asked for, and those of all accesses together, as the system above counts."""
        return {"busy": self.busy, "number_seconds": self.number_seconds}
