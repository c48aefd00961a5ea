"""How often each of some whole numbers was there: exactly while they are few, then within a share of themselves."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import nan
from random import Random

from sim.measure.quantiles import rank

MOST = 4096
"""Different numbers that are counted one by one."""
BITS = 8
"""Of a number, after its first one, that count where there are more: 0.2 % of it at most is lost."""


@dataclass(frozen=True)
class Histogram:
    """*counts* of ascending *values*; the *mean* is that of the numbers as they were."""

    values: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    mean: float = nan

    @property
    def total(self) -> int:
        return self._up_to[-1] if self.counts else 0

    @cached_property
    def _up_to(self) -> Sequence[int]:
        return list(accumulate(self.counts))

    def quantile(self, share: float) -> float:
        """The smallest value that at least *share* of the numbers do not exceed; NaN where there are none."""
        return self.values[bisect_right(self._up_to, rank(share, self.total) - 1)] if self.counts else nan

    def draw(self, random: Random) -> int:
        """One of the values, as likely as it was there."""
        return self.values[bisect_right(self._up_to, int(random.random() * self.total))]


class NumberCounts:
    """Takes numbers from 0 on, and has room for them whatever they are."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._exact = True
        self._sum = 0

    def add(self, value: int, times: int = 1) -> None:
        self._sum += value * times
        key = value if self._exact else _rounded(value)
        counts = self._counts
        counts[key] = counts.get(key, 0) + times
        if self._exact and len(counts) > MOST:
            self._exact = False
            self._counts = {}
            for key, times in counts.items():
                self._counts[_rounded(key)] = self._counts.get(_rounded(key), 0) + times

    def histogram(self) -> Histogram:
        values = sorted(self._counts)
        counts = tuple(self._counts[value] for value in values)
        return Histogram(tuple(values), counts, self._sum / sum(counts)) if counts else Histogram()


def _rounded(value: int) -> int:
    """The middle of the numbers that have the first bits of *value*."""
    low = max(0, value.bit_length() - 1 - BITS)
    return (value >> low << low) + (1 << low >> 1)
