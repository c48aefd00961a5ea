"""C-LOOK that serves a few requests of a cylinder at a time, as HP-UX's driver of 1992 did."""

from bisect import bisect_left
from collections.abc import Sequence

from sim.disc.layout import SectorPlace
from sim.disc.mechanism import ArmPosition
from sim.disc.sweeping import CylinderQueue
from sim.error import UserError
from sim.request import Request


class CLookFew:
    """C-LOOK, but after *most* requests of one cylinder it goes on up, if any lie above; where none do, it stays.

    So a stream of writes to one place cannot hold up reads above it. Four is fitted: of the traced host hplajw the
    order in which a copied file was served; without the copy, too, its responses are nearer than under C-LOOK.
    """

    via: Sequence[SectorPlace] = ()

    def __init__(self, most: int = 4) -> None:
        if most < 1:
            raise UserError(f"c-look-few serves at least 1 request of a cylinder at a time, not {most}")
        self._most = most
        self._cylinder, self._served = -1, 0
        self._queue = CylinderQueue()
        self.attach, self.add = self._queue.attach, self._queue.add

    def __len__(self) -> int:
        return len(self._queue)

    def take(self, arm: ArmPosition, now: float) -> Request:
        ready = self._queue.ready
        index = self._queue.at_or_above(arm.cylinder)
        if index == len(ready):
            index = 0
        elif self._served >= self._most and ready[index][0] == self._cylinder:
            above = bisect_left(ready, (self._cylinder + 1,))
            if above < len(ready):
                index = above
            else:
                self._served = 0
        cylinder = ready[index][0]
        if cylinder != self._cylinder:
            self._cylinder, self._served = cylinder, 0
        self._served += 1
        return self._queue.pop(index)
