"""Traces locks: who holds each, from when until when."""

from collections.abc import Iterable, Iterator

import simpy

from sim.lock import Lock
from sim.measure.tracing.trace import TimelineTrace, nanoseconds

DEEP = 3
"""Attributes of attributes in which a part may keep a lock."""


class TracedLock:
    """Shows each time for which *lock* was held, when it is released."""

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
        """Who holds it at the end of the run."""
        if self._lock.holder is not None:
            self._show(self._lock.holder_name, self._lock._since)

    def _show(self, name: str, since: float) -> None:
        begin, end = nanoseconds(since), nanoseconds(self._env.now)
        if end > begin:
            self._trace.begin(self._track, "held", begin, (("for", name),))
            self._trace.end(self._track, end)


def locks_of(parts: Iterable[object]) -> list[Lock]:
    """The locks that *parts* hold in their attributes, each once; a part has no list of its own."""
    return list(dict.fromkeys(lock for part in parts for lock in _within(part, DEEP)))


def _within(part: object, deep: int) -> Iterator[Lock]:
    if isinstance(part, Lock):
        yield part
    elif deep and not type(part).__module__.startswith("simpy"):
        for each in _attributes(part):
            yield from _within(each, deep - 1)


def _attributes(part: object) -> Iterator[object]:
    """The values of the attributes of *part*; one that was compiled has a list of their names and no dictionary."""
    yield from getattr(part, "__dict__", {}).values()
    for name in getattr(type(part), "__mypyc_attrs__", ()):
        if hasattr(part, name):
            yield getattr(part, name)
