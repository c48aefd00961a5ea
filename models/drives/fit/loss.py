"""How far a sheet is from the requests it is fitted to, as one number and block by block."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from models.drives.timed import TimedRequests, Times, answered
from sim.disc.buffer.arm import mechanism_of
from sim.disc.mechanism import DiscType
from sim.statistics.demerit import demerit

BLOCKS = 16
"""Parts of the list, one after the other, whose losses are compared as if independent."""

ERRORS = 2.0
LEAST = 1e-9
"""Seconds; less is rounding."""
APART = 1.0
"""The weight of the mean difference. Fitted to demerits alone, a sheet lets errors cancel each other in the half that
it is fitted to, and is worse in the other: seen on the C2247A."""


@dataclass(frozen=True)
class FitLoss:
    """The demerits of all, of reads and of writes, and APART times the mean difference request by request.

    No request counts more than *most*, so that a revolution lost here and there says no more than that.
    """

    asked: TimedRequests
    most: float
    watch: Callable[[], object] = lambda: None
    """Called before each answer of the model to all requests, which is what a fit takes its time for."""

    @cached_property
    def groups(self) -> tuple[np.ndarray, ...]:
        reads = self.asked.reads
        return tuple(each for each in (np.ones(len(reads), bool), reads, ~reads) if each.any())

    def apart(self, times: Times) -> Times:
        """Seconds by which each of *times* is from what was measured, as far as they count."""
        return np.minimum(np.abs(times - self.asked.measured), self.most)

    def times(self, disc: DiscType) -> Times:
        self.watch()
        return answered(mechanism_of(disc), self.asked)

    def __call__(self, disc: DiscType) -> float:
        return self.of(self.times(disc))

    def of(self, times: Times, part: slice = slice(None)) -> float:
        measured = self.asked.measured[part]
        times = times[part]
        apart = np.minimum(np.abs(times - measured), self.most).mean()
        demerits = sum(demerit(measured[group[part]], times[group[part]])
                       for group in self.groups if group[part].any())
        return float(demerits + APART * apart)

    def surely_nearer(self, times: Times, than: Times, errors: float = ERRORS) -> bool:
        """Whether *times* are nearer to what was measured *than* others, request by request or block by block."""
        apart = self.apart(than) - self.apart(times)
        return surely(apart, errors) or surely(self.by_block(than) - self.by_block(times), errors)

    def by_block(self, times: Times) -> Times:
        """The loss in each of BLOCKS parts of the list."""
        edges = np.linspace(0, len(times), BLOCKS + 1).astype(int)
        return np.array([self.of(times, slice(low, high)) for low, high in pairwise(edges.tolist())])


def surely(gains: Times, errors: float) -> bool:
    """Whether their mean is above 0 by so many standard *errors*."""
    error = float(np.std(gains, ddof=1)) / len(gains) ** 0.5
    return bool(gains.mean() > max(errors * error, LEAST))
