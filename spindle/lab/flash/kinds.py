"""Ranks all kinds of flash by a formula, each with the numbers for which the formula is nearest to measured times."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from spindle.lab.flash.fio_answer import FioAnswer
from spindle.lab.flash.formula import Numbers, estimate
from spindle.lab.flash.knobs import UNIT
from spindle.sim.units import US

LOW_LOGS = np.log([0.3 * US, 1 * US, UNIT / 10e9, 0.5e6])
HIGH_LOGS = np.log([20e3 * US, 50e3 * US, UNIT / 0.5e6, 30e9])
"""Bounds of the logarithms of command, read, unit and rate."""
FIRST_SHARES = np.array([0.15, 0.6, 0.15, 1.0])
"""Usual numbers: command, read and unit as shares of the shortest time, the rate as a share of the largest seen."""
EVERY_KIND = np.array(
    list(product((1, 2, 4, 8, 16), (1, 2, 4, 8, 16, 32), (1, 2, 4, 8, 16, 32), (1, 2, 4, 8, 16))), float)
"""Kinds tried: queues, channels, ways and stripe."""
USUAL_KIND = np.array([1.0, 8.0, 4.0, 4.0])
USUAL_PULL = 0.5
"""Weight of distances from usual numbers: a factor of e costs as much as a time that is off by 0.7 of its error."""
START_SHARES = np.array([(0.15, 0.8, 0.1, 1.0), (0.5, 0.4, 0.1, 1.0), (0.15, 0.6, 0.2, 4.0)])
"""Shares, as FIRST_SHARES, of the numbers to begin at."""
ROUNDS = ((5, 600), (6, 200), (14, 120))
"""For each round the number of steps, and of kinds that are kept after it."""
LOG_STEP, FIRST_DAMPING = 1e-4, 1e-2


class ReadTimes:
    """Measured times of random reads, each with a relative *error*; compares the formula with them."""

    def __init__(self, answers: Sequence[FioAnswer], error: float) -> None:
        self.pull = USUAL_PULL * error * error
        self.jobs = [each.job for each in answers]
        self.measured: Numbers = np.log([each.seconds for each in answers])
        self.largest_rate = max(each.rate for each in answers)
        shortest = min(each.seconds for each in answers)
        self._scale = np.array([shortest, shortest, shortest, self.largest_rate])
        self.usual = self.numbers(FIRST_SHARES)
        self._sizes = np.array([float(each.size) for each in self.jobs])
        self._depths = np.array([float(each.depth) for each in self.jobs])

    def log_ratios(self, numbers: Numbers, kinds: Numbers) -> Numbers:
        """Return logarithms of the formula's times over the measured ones, by rows of *numbers* and *kinds*."""
        rows = np.hstack([np.exp(np.atleast_2d(numbers)), np.atleast_2d(kinds)])
        apart: Numbers = np.log(estimate(rows, self._sizes, self._depths)) - self.measured
        return apart

    def numbers(self, shares: Numbers) -> Numbers:
        """Return the logarithms of the numbers that are *shares* of the shortest time, and of the largest rate."""
        logs: Numbers = np.log(shares * self._scale)
        return logs

    def unusual_cost(self, numbers: Numbers, kinds: Numbers) -> Numbers:
        """Return the cost of numbers and kinds that are unusual."""
        apart: Numbers = ((numbers - self.usual) ** 2).sum(axis=-1) + (np.log(kinds / USUAL_KIND) ** 2).sum(axis=-1)
        return self.pull * apart


def rank_kinds(times: ReadTimes) -> list[tuple[Numbers, Numbers]]:
    """Return the likeliest kinds, each once with its best numbers, the likeliest first."""
    kinds = np.repeat(EVERY_KIND, len(START_SHARES), axis=0)
    numbers = np.clip(np.tile(times.numbers(START_SHARES), (len(EVERY_KIND), 1)), LOW_LOGS, HIGH_LOGS)
    damped = np.full(len(kinds), FIRST_DAMPING)
    for steps, left in ROUNDS:
        for _ in range(steps):
            numbers, damped = _step(times, numbers, kinds, damped)
        best = np.argsort(_cost(times, numbers, kinds), kind="stable")[:left]
        numbers, kinds, damped = numbers[best], kinds[best], damped[best]
    _, first = np.unique(kinds, axis=0, return_index=True)
    return [(numbers[each], kinds[each]) for each in sorted(first)]


def _cost(times: ReadTimes, numbers: Numbers, kinds: Numbers) -> Numbers:
    cost: Numbers = (times.log_ratios(numbers, kinds) ** 2).sum(axis=1) + times.unusual_cost(numbers, kinds)
    return cost


def _step(times: ReadTimes, numbers: Numbers, kinds: Numbers, damped: Numbers) -> tuple[Numbers, Numbers]:
    """Make one step of the Levenberg-Marquardt method in each row where that lowers the cost."""
    here = times.log_ratios(numbers, kinds)
    slope = np.stack([(times.log_ratios(numbers + LOG_STEP * one, kinds) - here) / LOG_STEP
                      for one in np.eye(len(LOW_LOGS))], axis=2)  # fmt: skip
    hessian = np.einsum("pji,pjk->pik", slope, slope) + (times.pull + damped)[:, None, None] * np.eye(len(LOW_LOGS))
    gradient = np.einsum("pji,pj->pi", slope, here) + times.pull * (numbers - times.usual)
    candidate = np.clip(numbers - np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0], LOW_LOGS, HIGH_LOGS)
    before = (here**2).sum(axis=1) + times.unusual_cost(numbers, kinds)
    better = _cost(times, candidate, kinds) < before
    return np.where(better[:, None], candidate, numbers), np.where(better, damped / 4.0, damped * 6.0)
