"""Percentiles: exact ones of times that were kept, and of any number of times in bounded memory."""

from collections.abc import Sequence
from math import nan

from sim.error import UserError

BITS = 9
"""Of a time, after the first one: 512 buckets from a time to its double."""
ERROR = 0.5 / 2**BITS
"""How far a percentile may be off, 0.1 % of it, or a tick where that is more."""
TICKS = 2.0**40
"""Ticks a second, about a picosecond each."""
MOST = 2.0**40
"""Seconds, 35 000 years: so there can never be more than 36 864 buckets."""


def rank(share: float, count: int) -> int:
    """The place, from 1 on, of the smallest of *count* values that at least *share* of them do not exceed."""
    return max(1, min(count, -int(-share * count // 1)))


def percentile(sorted_values: Sequence[float], share: float) -> float:
    """The smallest value that at least *share* of the values do not exceed; NaN where there are none."""
    return sorted_values[rank(share, len(sorted_values)) - 1] if sorted_values else nan


class Quantiles:
    """Counts of times, in buckets as an HDR histogram (G. Tene) has them: of equal width between powers of 2.

    Whole numbers are counted in whole numbers, so that those of many runs merge to the same in whatever order.
    """

    def __init__(self) -> None:
        self._buckets: dict[int, int] = {}

    @property
    def count(self) -> int:
        return sum(self._buckets.values())

    def add(self, seconds: float) -> None:
        """Count a time; UserError where that is none."""
        if not 0.0 <= seconds < MOST:
            raise UserError(f"a time that is counted lies between 0 and {MOST:.3g} s, not at {seconds!r}")
        bucket = int(seconds * TICKS)
        octave = bucket.bit_length() - 1 - BITS
        if octave > 0:
            bucket = (octave << BITS) + (bucket >> octave)
        self._buckets[bucket] = self._buckets.get(bucket, 0) + 1

    def merge(self, other: "Quantiles") -> None:
        """Count all that *other* counted, too."""
        for bucket, count in other._buckets.items():
            self._buckets[bucket] = self._buckets.get(bucket, 0) + count

    def quantile(self, share: float) -> float:
        """As percentile gives it, within ERROR of that; NaN where nothing was counted."""
        ordered = sorted(self._buckets.items())
        seen, wanted = 0, rank(share, self.count)
        for bucket, count in ordered:
            seen += count
            if seen >= wanted:
                return _middle(bucket)
        return nan


def _middle(bucket: int) -> float:
    """The seconds in the middle of *bucket*, which may be one tick wide."""
    octave = max(0, (bucket >> BITS) - 1)
    return float(((bucket - (octave << BITS)) << octave) + (1 << octave) // 2) / TICKS
