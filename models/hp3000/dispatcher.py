"""What MPE's dispatcher finds whenever no process is ready: what those that are stopped wait for."""

from collections.abc import Callable

import simpy

from spindle.sim.cpu import Cpu


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

    An instant is paused if a process waits for a disc then, for user I/O before swap I/O; posts and swap-outs in the
    background do not count. It is updated only when the first wait begins or the last one ends, and what the CPU has
    idled until then is exact, so this takes no event.
    """

    def __init__(self, env: simpy.Environment, cpu: Cpu) -> None:
        self._env = env
        self._cpu = cpu
        self.disc = Stopped(self._advance)
        self.cache = Stopped(self._advance)
        self.swap = Stopped(self._advance)
        self._idled = 0.0
        self._spent = (0.0, 0.0, 0.0)

    def _advance(self) -> None:
        self._spent = self._until_now()
        self._idled = self._env._now - self._cpu.busy()

    def _until_now(self) -> tuple[float, float, float]:
        """Seconds paused for user disc I/O, paused for swap I/O, and idle. To look changes no bit."""
        seconds = self._env._now - self._cpu.busy() - self._idled
        disc, swap, idle = self._spent
        if self.disc.now or self.cache.now:
            return disc + seconds, swap, idle
        return (disc, swap + seconds, idle) if self.swap.now else (disc, swap, idle + seconds)

    def reading(self) -> dict[str, float]:
        """*disc_stops* are those of uncached discs, each of which costs a dispatch beside the I/O."""
        disc, swap, idle = self._until_now()
        return {"paused_disc": disc, "paused_swap": swap, "idle": idle, "disc_stops": float(self.disc.ever)}
