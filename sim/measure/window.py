"""The window of a run: what is warm-up, what is measured, and how often readings are kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from heapq import merge
from itertools import count
from math import ceil, inf

from sim.error import UserError
from sim.units import MINUTE

MOST_MINUTES = 1e6
MOST_READINGS = 1_000_000


class Mark(Enum):
    """Why the clock stops at an instant; of several at one instant, in this order."""

    START = 0
    INTERVAL = 1
    END = 2
    OVER = 3


@dataclass(frozen=True)
class Window:
    """What is measured: from *start* to *end* seconds, or until the load has ended where *end* is infinite.

    The run goes on for a *tail* after that. Readings are kept every *interval* seconds, or one of all: of the window,
    or *throughout*, from the start of the machine to the end of the tail.
    """

    start: float = 0.0
    end: float = inf
    interval: float | None = None
    tail: float = 0.0
    throughout: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.start < inf:
            raise UserError(f"a window begins at 0 s or later, not at {self.start!r} s")
        if not self.end > self.start:
            raise UserError(f"nothing can be observed from {self.start!r} to {self.end!r} s: measure for longer")
        if self.interval is not None and not (self.interval > 0.0 and self._readings() <= MOST_READINGS):
            raise UserError(f"interval must be positive and give at most a million readings, not {self.interval!r} s")

    @classmethod
    def minutes(cls, minutes: float, warm_up: float, interval: float | None = None) -> "Window":
        """*minutes* measured after *warm_up* minutes; UserError where that cannot be."""
        if not 0.0 < minutes <= MOST_MINUTES:
            raise UserError(f"minutes must be positive and at most {MOST_MINUTES:g}, not {minutes!r}")
        if not 0.0 <= warm_up <= MOST_MINUTES:
            raise UserError(f"warm_up must be at least 0 and at most {MOST_MINUTES:g} minutes, not {warm_up!r}")
        return cls(warm_up * MINUTE, (warm_up + minutes) * MINUTE, interval)

    @property
    def bounded(self) -> bool:
        """Whether its end is known before the run."""
        return self.end < inf

    @property
    def over(self) -> float:
        """The end of the whole run."""
        return self.end + self.tail

    def marks(self) -> Iterator[tuple[float, Mark]]:
        """The instants at which the clock stops, in order; those of intervals go on for ever if the window does."""
        return merge(
            [(self.start, Mark.START)], ((instant, Mark.INTERVAL) for instant in self._intervals()),
            [(self.end, Mark.END), (self.over, Mark.OVER)], key=lambda each: (each[0], each[1].value),
        )  # fmt: skip

    def _logged(self) -> tuple[float, float]:
        """From when to when readings are kept."""
        return (0.0, self.over) if self.throughout else (self.start, self.end)

    def _readings(self) -> float:
        first, last = self._logged()
        return (last - first) / self.interval if self.interval and self.bounded else 0.0

    def _intervals(self) -> Iterator[float]:
        """When an interval ends."""
        first, last = self._logged()
        if self.interval is None:
            return iter([last])
        if not self.bounded:
            return (first + number * self.interval for number in count(1))
        # No sliver at the end where the interval divides the window.
        whole = ceil((last - first) / self.interval - 1e-6)
        return iter([*(first + number * self.interval for number in range(1, whole)), last])
