"""One pass of the head over blocks of one track: how long it takes to get there, and when each block has gone by."""

from collections.abc import Iterable
from typing import NamedTuple

from spindle.sim.disc.layout import SectorPlace


class Pass(NamedTuple):
    """The blocks *first* up to *stop* going by under the head; seconds, and at *end* the instant when all have.

    *place* is that of the first. The arm needs *move* to get to the track and *wait* until the first block comes;
    in *transfer* they go by.
    """

    place: SectorPlace
    first: int
    stop: int
    move: float
    wait: float
    transfer: float
    end: float

    def passed(self, now: float) -> int:
        """The block before which everything has gone by at *now*."""
        gone = 1.0 - (self.end - now) / self.transfer
        return self.first + max(0, int(gone * (self.stop - self.first) + 1e-9))

    def instant(self, blocks: int) -> float:
        """When the first *blocks* of them have gone by."""
        return self.end - self.transfer * (1.0 - blocks / (self.stop - self.first))

    def cut(self, stop: int) -> "Pass":
        """The part of it that ends before block *stop*."""
        blocks = stop - self.first
        return self._replace(stop=stop, transfer=self.transfer * blocks / (self.stop - self.first),
                             end=self.instant(blocks))

    def within(self, revolution: float) -> "Pass":
        """The same begun with whatever block comes first, and therefore over a *revolution* after the arm came in."""
        late = self.wait + self.transfer - revolution
        return self._replace(transfer=self.transfer - late, end=self.end - late)

    def later(self, seconds: float) -> "Pass":
        """The same after so much more waiting."""
        return self._replace(wait=self.wait + seconds, end=self.end + seconds)


def together(passes: Iterable[Pass]) -> tuple[float, float, float]:
    """Seconds in which the arm moves, waits for blocks and has them go by."""
    move = wait = transfer = 0.0
    for each in passes:
        move += each.move
        wait += each.wait
        transfer += each.transfer
    return move, wait, transfer
