"""Data at risk: bytes whose writers were told that they are written, and that are not on the medium yet."""

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

    A writer who waits for the medium puts nothing at risk, because he is told nothing. What a drive that reports
    early still has in its own buffer is on the medium as far as MPE knows.
    """

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._writes: dict[Hashable, tuple[int, float]] = {}
        self.bytes = Amount(env)

    def acknowledged(self, post: Hashable, size: int) -> None:
        """Somebody was told that the *size* bytes of *post* are written."""
        self._writes[post] = size, self._env._now
        self.bytes.change(size)

    def on_medium(self, post: Hashable) -> None:
        """*post* is done, whether anybody was told before or not."""
        size, _ = self._writes.pop(post, (0, 0.0))
        if size:
            self.bytes.change(-size)

    def losses(self, ldev: int) -> list[Loss]:
        """What would be lost if the power failed now."""
        return [Loss(ldev, size, since) for size, since in self._writes.values()]
