"""Traces the bytes of each owner in memory on a timeline, as regions are entered and removed."""

from collections.abc import Hashable, Mapping, Sequence
from enum import Enum

import simpy

from spindle.sim.clock import Account, Wait
from spindle.sim.measure.tracing.trace import TimelineTrace, nanoseconds
from spindle.sim.memory import Owner, SharedMemory


class TracedOwners:
    """A counter of bytes for each owner in *memory*, or for each kind of its regions if they have kinds.

    *names* are those of owners by their ``id``.
    """

    def __init__(
        self, memory: SharedMemory, trace: TimelineTrace, env: simpy.Environment, name: str, names: Mapping[int, str]
    ) -> None:
        self._trace = trace
        self._env = env
        self._names = names
        self._memory = memory
        self._track = trace.track(f"{name} owners")
        self._bytes: dict[str, int] = {}
        self._counters: dict[str, int] = {}
        trace.value(trace.counter(f"{name} capacity", "bytes", self._track), nanoseconds(env.now), memory.capacity)
        for key, (owner, size) in memory._regions.items():
            self._change(owner, key, size)
        self._enter, self._remove = memory._enter, memory._remove
        memory._enter, memory._remove = self.enter, self.remove  # type: ignore[method-assign]

    def enter(self, owner: Owner, keys: Sequence[Hashable], size: int, account: Account) -> Wait | None:
        waiting = self._enter(owner, keys, size, account)
        for key in () if waiting is not None else keys:
            self._change(owner, key, size)
        return waiting

    def remove(self, key: Hashable, evicted: bool) -> None:
        owner, size = self._memory._regions[key]
        self._remove(key, evicted)
        self._change(owner, key, -size)

    def _change(self, owner: Owner, key: Hashable, size: int) -> None:
        label = self._label(owner, key)
        now = self._bytes[label] = self._bytes.get(label, 0) + size
        counter = self._counters.get(label)
        if counter is None:
            counter = self._counters[label] = self._trace.counter(label, "bytes", self._track)
        self._trace.value(counter, nanoseconds(self._env.now), now)

    def _label(self, owner: Owner, key: Hashable) -> str:
        name = self._names.get(id(owner)) or str(getattr(owner, "name", type(owner).__name__))
        kind = getattr(key, "kind", None)
        return f"{name}: {kind.value}" if isinstance(kind, Enum) else name
