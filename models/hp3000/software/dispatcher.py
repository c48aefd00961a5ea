"""What MPE's dispatcher finds whenever no process is ready: what those that are stopped wait for."""

from collections.abc import Callable

import simpy

from sim.cpu import Cpu


class Stopped:
    """The processes stopped for one cause: how many so far, and how many now."""

    __slots__ = ("_changing", "ever", "now")

    def __init__(self, changing: Callable[[], None] = lambda: None) -> None:
        self._changing = changing
        self.ever = 0
        self.now = 0

    def enter(self) -> None:
        if not self.now:
            self._changing()
        self.ever += 1
        self.now += 1

    def leave(self) -> None:
        assert self.now > 0, "a process goes on that was not stopped"
        if self.now == 1:
            self._changing()
        self.now -= 1


class Dispatcher:
    """Divides the time in which the *cpu* idles: paused for user disc I/O, paused for swap I/O, idle.

    An instant is paused if anybody waits for a disc then, for user I/O before swap I/O: what is posted or swapped out
    behind everybody's back pauses nobody. It is looked at only when the first comes or the last one goes, and
    what the CPU has idled until then is exact, so this takes no event.
    """

    def __init__(self, env: simpy.Environment, cpu: Cpu) -> None:
        self._env = env
        self._cpu = cpu
        self.disc = Stopped(self._advance)
        self.cache = Stopped(self._advance)
        self.swap = Stopped(self._advance)
        self._idled = 0.0
        self._paused_disc = self._paused_swap = self._idle = 0.0

    def _advance(self) -> None:
        idled = self._env.now - self._cpu.busy()
        seconds, self._idled = idled - self._idled, idled
        if self.disc.now or self.cache.now:
            self._paused_disc += seconds
        elif self.swap.now:
            self._paused_swap += seconds
        else:
            self._idle += seconds

    def reading(self) -> dict[str, float]:
        """*disc_stops* are those of uncached discs, each of which costs a dispatch beside the I/O."""
        self._advance()
        return {
            "paused_disc": self._paused_disc, "paused_swap": self._paused_swap, "idle": self._idle,
            "disc_stops": float(self.disc.ever),
        }
