"""Counts data at risk: bytes whose write was acknowledged to a program, and which are not on the medium yet."""

from collections.abc import Hashable
from math import inf
from typing import NamedTuple

import simpy

from spindle.sim.clock import TimeWeighted


class Loss(NamedTuple):
    """A write that is lost if the power fails: *bytes* on disc *ldev*, acknowledged to the writer at *since*.

    It is *overtaken* if a write that was acknowledged later is on the medium already. The disc then has a state that no
    program ever made, and from which no log recovers.
    """

    ldev: int
    bytes: int
    since: float
    overtaken: bool = False


class UnwrittenPosts:
    """The writes of one disc that are acknowledged and not on the medium, oldest first.

    A write that waits for the medium puts nothing at risk, as it is not acknowledged before. Bytes in the buffer of a
    drive with immediate reporting count as on the medium, as they do for MPE.
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
        """List the writes that a power failure would lose now.

        *newest* is the latest acknowledgement of a write that is on any medium.
        """
        return [Loss(ldev, size, since, since < newest) for size, since in self._writes.values()]
