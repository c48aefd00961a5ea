"""TimelineTrace is the protocol of a timeline's formats: tracks, slices on them, and counters."""

from typing import Protocol

Notes = tuple[tuple[str, str | int | float], ...]
"""Annotations of a slice, by name."""


class TimelineTrace(Protocol):
    """A format of traces. Instants are nanoseconds; slices of one track follow one another, or lie one in another."""

    def track(self, name: str, parent: int = 0) -> int: ...

    def counter(self, name: str, unit: str, parent: int = 0) -> int: ...

    def begin(self, track: int, name: str, instant: int, notes: Notes = ()) -> None: ...

    def end(self, track: int, instant: int) -> None: ...

    def value(self, counter: int, instant: int, value: int) -> None: ...

    def finish(self) -> None: ...


def nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)
