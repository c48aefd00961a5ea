"""A channel, bus or controller that several drives share: it carries one transfer at a time."""

from collections import deque
from collections.abc import Callable
from math import inf, ulp

import simpy

from sim.clock import check_delay, pause

Granted = Callable[[float], float]
"""Called when the channel is one's own, with the instant; returns for how many seconds it will be."""


class Channel:
    """Held by one drive at a time, first come, first served; a drive that can wait seizes it, another claims it.

    It puts an event on the clock only where a drive waits.
    """

    def __init__(self, env: simpy.Environment, name: str = "channel") -> None:
        self.env = env
        self.name = name
        self.grants = self.refusals = 0
        self.waited = 0.0
        self._held = 0.0
        self._until: float = env.now
        self._queue: deque[tuple[float, Granted]] = deque()
        self._coming = False

    def seize(self, granted: Granted) -> None:
        """Call *granted* when all earlier drives have had the channel; at once if it is free."""
        now: float = self.env._now
        if self._idle(now):
            self._grant(now, granted)
        else:
            self._queue.append((now, granted))
            self._watch(now)

    def claim(self, seconds: float) -> bool:
        """Hold the channel for *seconds* from now on, if it is free and has no queue."""
        now: float = self.env.now
        if not self._idle(now):
            self.refusals += 1
            return False
        self._grant(now, lambda _: seconds)
        return True

    def _idle(self, now: float) -> bool:
        """A hold that ends at this very instant has ended, also where the clock's rounding puts it just behind."""
        return not self._queue and (self._until <= now or self._until - now <= 4.0 * ulp(now))

    def _grant(self, now: float, granted: Granted) -> None:
        self._until = inf  # A seizure from within *granted* must wait, it is not known yet until when.
        seconds = granted(now)
        if not 0.0 <= seconds < inf:
            check_delay(seconds)
        self.grants += 1
        self._held += seconds
        self._until = now + seconds
        if self._queue:
            self._watch(now)

    def _watch(self, now: float) -> None:
        """With a queue, put the end of the hold on the clock."""
        if not self._coming and self._until < inf:
            self._coming = True
            pause(self.env, max(0.0, self._until - now)).callbacks.append(self._released)

    def _released(self, _: simpy.Event) -> None:
        now: float = self.env._now
        self._coming = False
        came, granted = self._queue.popleft()
        self.waited += now - came
        self._grant(now, granted)

    def busy(self) -> float:
        """Seconds until now in which the channel was held; exact at any instant."""
        return self._held - max(0.0, self._until - self.env.now)

    def reading(self) -> dict[str, float]:
        """Counters that only grow. *waited* adds up the waits that have ended."""
        return {"busy": self.busy(), "grants": float(self.grants), "refusals": float(self.refusals),
                "waited": self.waited}
