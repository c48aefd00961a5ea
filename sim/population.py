"""How many there are of something: a count, and its integral over time, exact at any instant."""

import simpy


class Population:
    """The number present of a population. ``seconds()`` is its time-weighted integral, N times T in Little's law."""

    __slots__ = ("_env", "_seconds", "_since", "count", "entered")

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._seconds = 0.0
        self._since: float = env.now
        self.count = 0
        self.entered = 0

    def enter(self) -> None:
        self._advance()
        self.count += 1
        self.entered += 1

    def leave(self) -> None:
        assert self.count > 0, "somebody leaves who never entered"
        self._advance()
        self.count -= 1

    def _advance(self) -> None:
        now: float = self._env._now
        self._seconds += self.count * (now - self._since)
        self._since = now

    def seconds(self) -> float:
        return self._seconds + self.count * (self._env.now - self._since)
