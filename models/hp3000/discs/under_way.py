"""The accesses that a device has begun and not ended, for somebody who waits until there are none."""

import simpy

from sim.clock import Gate, Wait


class UnderWay:
    """So many accesses to the device *name*; who begins one adds it to the *count*, which costs no call."""

    __slots__ = ("_env", "_name", "_none", "count")

    def __init__(self, env: simpy.Environment, name: str) -> None:
        self._env = env
        self._name = name
        self._none: Gate | None = None
        self.count = 0

    def leave(self) -> None:
        """One of them has ended."""
        self.count -= 1
        if self._none is not None and not self.count:
            self._none.succeed()

    def none(self) -> Wait:
        """Wait until there are none; one waits at a time."""
        if self.count:
            self._none = Gate(self._env, f"accesses to {self._name}")
            yield self._none
            self._none = None
