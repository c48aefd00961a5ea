"""So much of something at any instant, and its integral over time."""

import simpy


class Amount:
    """``now`` goes up and down; ``seconds()`` is its integral, which only grows. (A Population goes by ones.)"""

    __slots__ = ("_env", "_seconds", "_since", "now")

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._seconds = 0.0
        self._since: float = env.now
        self.now = 0

    def change(self, by: int) -> None:
        now: float = self._env._now
        self._seconds += self.now * (now - self._since)
        self._since = now
        self.now += by

    def seconds(self) -> float:
        return self._seconds + self.now * (self._env.now - self._since)
