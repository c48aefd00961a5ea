"""Traces locks on a timeline: the holders of each, with begin and end."""

from collections.abc import Iterable, Iterator

import simpy

from spindle.sim.lock import Lock
from spindle.sim.measure.tracing.trace import TimelineTrace, nanoseconds

LOCK_DEPTH = 3
"""Levels of attributes that are searched for a part's locks."""


class TracedLock:
    """A wrapper of *lock* that draws each time for which it was held, when it is released."""

    def __init__(self, lock: Lock, trace: TimelineTrace, env: simpy.Environment) -> None:
        self._lock = lock
        self._trace = trace
        self._env = env
        self._track = trace.track(lock.name)
        self._release = lock.release
        lock.release = self.release  # type: ignore[method-assign] # for every part that has this lock

    def release(self) -> None:
        name, since = self._lock.holder_name, self._lock._since
        self._release()
        self._show(name, since)

    def finish(self) -> None:
        """Draw the holder at the end of the run."""
        if self._lock.holder is not None:
            self._show(self._lock.holder_name, self._lock._since)

    def _show(self, name: str, since: float) -> None:
        begin, end = nanoseconds(since), nanoseconds(self._env.now)
        if end > begin:
            self._trace.begin(self._track, "held", begin, (("for", name),))
            self._trace.end(self._track, end)


def locks_of(parts: Iterable[object]) -> list[Lock]:
    """List the locks that *parts* hold in their attributes, each once."""
    return list(dict.fromkeys(lock for part in parts for lock in _find_locks(part, LOCK_DEPTH)))


def _find_locks(part: object, deep: int) -> Iterator[Lock]:
    if isinstance(part, Lock):
        yield part
    elif deep and not type(part).__module__.startswith("simpy"):
        for each in getattr(part, "__dict__", {}).values():
            yield from _find_locks(each, deep - 1)
