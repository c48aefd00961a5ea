"""The kinds of flash that the formula finds likely: every kind is tried, with the numbers that suit it best."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from models.drives.flash.answer import FioAnswer
from models.drives.flash.formula import Numbers, about
from models.drives.flash.knobs import UNIT
from sim.units import US

LOW = np.log([0.3 * US, 1 * US, UNIT / 10e9, 0.5e6])
HIGH = np.log([20e3 * US, 50e3 * US, UNIT / 0.5e6, 30e9])
"""Of command, read, unit and rate."""
USUAL = np.array([0.15, 0.6, 0.15, 1.0])
"""The shares of command, read and unit in the shortest request, and the rate by the largest that was seen."""
KINDS = np.array(list(product((1, 2, 4, 8, 16), (1, 2, 4, 8, 16, 32), (1, 2, 4, 8, 16, 32), (1, 2, 4, 8, 16))), float)
"""What queues, channels, ways and stripe may be."""
USUAL_KIND = np.array([1.0, 8.0, 4.0, 4.0])
PULL = 0.5
"""Of a number that the times do not tell towards the usual one: a factor of e is as a time off by 0.7 of its error."""
STARTS = np.array([(0.15, 0.8, 0.1, 1.0), (0.5, 0.4, 0.1, 1.0), (0.15, 0.6, 0.2, 4.0)])
"""The same of numbers to begin at."""
HALVINGS = ((5, 600), (6, 200), (14, 120))
"""So many steps, after which so many are left."""
STEP, DAMPED = 1e-4, 1e-2


class ReadTimes:
    """What was measured of random reads, each to about an *error* of its logarithm; how far the formula is from it."""

    def __init__(self, answers: Sequence[FioAnswer], error: float) -> None:
        self.pull = PULL * error * error
        self.jobs = [each.job for each in answers]
        self.measured: Numbers = np.log([each.seconds for each in answers])
        self.largest_rate = max(each.rate for each in answers)
        shortest = min(each.seconds for each in answers)
        self._scale = np.array([shortest, shortest, shortest, self.largest_rate])
        self.usual = self.numbers(USUAL)
        self._sizes = np.array([float(each.size) for each in self.jobs])
        self._depths = np.array([float(each.depth) for each in self.jobs])

    def off(self, numbers: Numbers, kinds: Numbers) -> Numbers:
        """Logarithms of the formula's times by those measured, a row each, for logarithms of *numbers*, and *kinds*."""
        rows = np.hstack([np.exp(np.atleast_2d(numbers)), np.atleast_2d(kinds)])
        apart: Numbers = np.log(about(rows, self._sizes, self._depths)) - self.measured
        return apart

    def numbers(self, shares: Numbers) -> Numbers:
        """Logarithms of the numbers that have such *shares*."""
        logs: Numbers = np.log(shares * self._scale)
        return logs

    def unusual(self, numbers: Numbers, kinds: Numbers) -> Numbers:
        """What it costs."""
        apart: Numbers = ((numbers - self.usual) ** 2).sum(axis=-1) + (np.log(kinds / USUAL_KIND) ** 2).sum(axis=-1)
        return self.pull * apart


def likely(times: ReadTimes) -> list[tuple[Numbers, Numbers]]:
    """Numbers and kind of the likeliest, each kind once, the likeliest first."""
    kinds = np.repeat(KINDS, len(STARTS), axis=0)
    numbers = np.clip(np.tile(times.numbers(STARTS), (len(KINDS), 1)), LOW, HIGH)
    damped = np.full(len(kinds), DAMPED)
    for steps, left in HALVINGS:
        for _ in range(steps):
            numbers, damped = _step(times, numbers, kinds, damped)
        best = np.argsort(_cost(times, numbers, kinds), kind="stable")[:left]
        numbers, kinds, damped = numbers[best], kinds[best], damped[best]
    _, first = np.unique(kinds, axis=0, return_index=True)
    return [(numbers[each], kinds[each]) for each in sorted(first)]


def _cost(times: ReadTimes, numbers: Numbers, kinds: Numbers) -> Numbers:
    cost: Numbers = (times.off(numbers, kinds) ** 2).sum(axis=1) + times.unusual(numbers, kinds)
    return cost


def _step(times: ReadTimes, numbers: Numbers, kinds: Numbers, damped: Numbers) -> tuple[Numbers, Numbers]:
    """One step of Levenberg and Marquardt for each row, which is taken if it is down."""
    here = times.off(numbers, kinds)
    slope = np.stack([(times.off(numbers + STEP * one, kinds) - here) / STEP for one in np.eye(len(LOW))], axis=2)
    bend = np.einsum("pji,pjk->pik", slope, slope) + (times.pull + damped)[:, None, None] * np.eye(len(LOW))
    down = np.einsum("pji,pj->pi", slope, here) + times.pull * (numbers - times.usual)
    there = np.clip(numbers - np.linalg.solve(bend, down[:, :, None])[:, :, 0], LOW, HIGH)
    before = (here**2).sum(axis=1) + times.unusual(numbers, kinds)
    better = _cost(times, there, kinds) < before
    return np.where(better[:, None], there, numbers), np.where(better, damped / 4.0, damped * 6.0)
