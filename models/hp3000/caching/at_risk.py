"""Data at risk: bytes whose writes were acknowledged, and that are not on the medium yet."""

from collections.abc import Hashable
from math import inf
from typing import NamedTuple

import simpy

from spindle.sim.clock import TimeWeighted


class Loss(NamedTuple):
    """*bytes* of LDEV *ldev*, acknowledged to a writer at *since*, that are lost if the power fails.

    They are *overtaken* if a write that was acknowledged later is on the medium already: the disc then holds a state
    that no program ever made, and from which no log recovers.
    """

    ldev: int
    bytes: int
    since: float
    overtaken: bool = False


class UnwrittenPosts:
    """The writes of one disc that are acknowledged and not on the medium, oldest first.

    A write that waits for the medium puts nothing at risk, as it is not acknowledged before. What a drive with
    immediate reporting still has in its own buffer counts as on the medium, as it does for MPE.
    """

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._writes: dict[Hashable, tuple[int, float]] = {}
        self.bytes = TimeWeighted(env)
        self.newest = -inf
        """The latest acknowledgement of a write that is on the medium."""

    def acknowledge(self, post: Hashable, size: int) -> None:
        """Note that *size* bytes of *post* were acknowledged to their writer."""
        self._writes[post] = size, self._env._now
        self.bytes.change(size)

    def on_medium(self, post: Hashable) -> None:
        """Note that *post* is on the medium, whether it was acknowledged before or not."""
        size, since = self._writes.pop(post, (0, 0.0))
        if size:
            self.bytes.change(-size)
            self.newest = max(self.newest, since)

    def losses(self, ldev: int, newest: float = -inf) -> list[Loss]:
        """List what a power failure would lose now; *newest* is the latest acknowledgement of what is on a medium."""
        return [Loss(ldev, size, since, since < newest) for size, since in self._writes.values()]
