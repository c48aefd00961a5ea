"""Data at risk: bytes whose writes were acknowledged, and that are not on the medium yet."""

from collections.abc import Hashable
from typing import NamedTuple

import simpy

from models.hp3000.memory.amount import Amount


class Loss(NamedTuple):
    """*bytes* of LDEV *ldev*, acknowledged to a writer at *since*, that go if the power does."""

    ldev: int
    bytes: int
    since: float


class UnwrittenPosts:
    """The writes of one disc that are acknowledged and not on the medium, oldest first.

    A write that waits for the medium puts nothing at risk, as it is not acknowledged before. What a drive with
    immediate reporting still has in its own buffer counts as on the medium, as it does for MPE.
    """

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._writes: dict[Hashable, tuple[int, float]] = {}
        self.bytes = Amount(env)

    def acknowledged(self, post: Hashable, size: int) -> None:
        """The *size* bytes of *post* were acknowledged to their writer."""
        self._writes[post] = size, self._env._now
        self.bytes.change(size)

    def on_medium(self, post: Hashable) -> None:
        """*post* is done, whether it was acknowledged before or not."""
        size, _ = self._writes.pop(post, (0, 0.0))
        if size:
            self.bytes.change(-size)

    def losses(self, ldev: int) -> list[Loss]:
        """What would be lost if the power failed now."""
        return [Loss(ldev, size, since) for size, since in self._writes.values()]
