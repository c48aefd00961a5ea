"""How much there is in the parts of a machine that can say so, as counters of a trace."""

from collections.abc import Callable, Mapping

import simpy

from sim.measure.tracing.trace import TimelineTrace, nanoseconds


class Levels:
    """Looks at *levels* whenever somebody tells it that he has done something, so that no event is needed for it."""

    def __init__(
        self, levels: Mapping[str, Callable[[], Mapping[str, float]]], trace: TimelineTrace, env: simpy.Environment
    ) -> None:
        self._levels = levels
        self._trace = trace
        self._env = env
        self._counters: dict[tuple[str, str], int] = {}
        self._shown: dict[int, int] = {}
        self.look()

    def look(self) -> None:
        """Show what is not as it was."""
        for part, levels in self._levels.items():
            for name, level in levels().items():
                counter = self._counters.get((part, name)) or self._counter(part, name)
                value = round(level)
                if self._shown.get(counter) != value:
                    self._shown[counter] = value
                    self._trace.value(counter, nanoseconds(self._env.now), value)

    def _counter(self, part: str, name: str) -> int:
        what, _, unit = name.rpartition("_")
        counter = self._counters[part, name] = self._trace.counter(f"{part} {what}".rstrip(), unit)
        return counter
