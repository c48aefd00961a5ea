"""Lock excludes processes from each other, first come, first served; it counts waits, and refuses circular ones."""

from collections import deque

import simpy

from spindle.sim.clock import LOCK, Account, Wait
from spindle.sim.error import UserError


class CircularWait(UserError):
    """Processes wait for one another's locks in a circle; none of them would ever continue."""


class Turn(simpy.Event):
    """The event of a waiter being granted the lock."""

    def __init__(self, env: simpy.Environment, lock: "Lock", account: Account) -> None:
        super().__init__(env)
        self.lock = lock
        self.account = account
        self.process = env.active_process


class Lock:
    """A lock that one process has from ``acquire`` to ``release``. An impede is an ``acquire`` that has to wait.

    >>> Lock(simpy.Environment(), "control block").holder is None
    True
    """

    def __init__(self, env: simpy.Environment, name: str) -> None:
        self._env = env
        self.name = name
        self.holder: simpy.Process | None = None
        self.holder_name: str
        self._waiting: deque[Turn] = deque()
        self._held = 0.0
        self._since: float
        self.acquired = 0
        self.impedes = 0

    def acquire(self, account: Account) -> Wait:
        """Wait for the lock; the wait is charged to *account*. CircularWait where it would never come."""
        yield from self.take(account) or ()

    def take(self, account: Account) -> Wait | None:
        """Acquire a free lock at once and return None; else the wait."""
        process = self._env.active_process
        if process is None:
            raise RuntimeError(f"lock {self.name} is asked for by {account.name} outside any process")
        self.acquired += 1
        if self.holder is not None:
            return self._take_turn(account)
        self._give(process, account)
        return None

    def _take_turn(self, account: Account) -> Wait:
        env = self._env
        self.impedes += 1
        self._refuse_circle(account)
        turn = Turn(env, self, account)
        self._waiting.append(turn)
        joined = env._now
        yield turn
        account.charge(LOCK, joined, env._now)

    def release(self) -> None:
        """Release the lock; the longest waiter holds it from this instant on."""
        if self.holder is None or self.holder is not self._env.active_process:
            raise RuntimeError(f"lock {self.name} is released by a process that does not hold it")
        self._held += self._env._now - self._since
        self.holder = None
        if self._waiting:
            turn = self._waiting.popleft()
            self._give(turn.process, turn.account)
            turn.succeed()

    def _give(self, process: simpy.Process | None, account: Account) -> None:
        self.holder = process
        self.holder_name = account.name
        self._since = self._env._now

    def _refuse_circle(self, account: Account) -> None:
        """Follow the waits from the holder on, by the event that SimPy has each process wait for."""
        asker = self._env.active_process
        lock, waits = self, [(account, self)]
        while lock.holder is not asker:
            turn = lock.holder.target if lock.holder is not None else None
            if not isinstance(turn, Turn) or turn.triggered:
                return
            lock = turn.lock
            waits.append((turn.account, lock))
        circle = [f"{waiter.name} waits for {lock.name} held by {lock.holder_name}" for waiter, lock in waits]
        raise CircularWait("circular wait: " + ", ".join(circle))

    def held_seconds(self) -> float:
        """Seconds held until now."""
        return self._held + (self._env.now - self._since if self.holder is not None else 0.0)

    def reading(self) -> dict[str, float]:
        return {"acquired": float(self.acquired), "impedes": float(self.impedes), "held": self.held_seconds()}
