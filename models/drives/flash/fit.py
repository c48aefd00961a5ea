"""The fit of reads: the likeliest kinds by the formula, each corrected by the simulation in turns; the best is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from scipy.optimize import least_squares

from models.drives.flash.answer import FioAnswer
from models.drives.flash.closed_loop import seconds_of
from models.drives.flash.formula import Numbers
from models.drives.flash.knobs import FlashKnobs
from models.drives.flash.search import HIGH, LOW, ReadTimes, likely
from sim.units import MIB

TRIED = ((1, 16, 0.15), (3, 3, 0.5))
"""So many turns, for so many of the kinds that are the best by then, with a share of the usual number of requests."""
ERROR, NOISY = 0.01, 2.0
"""Of a time, as fio says it of a drive that does nothing else; beyond so many errors another one holds."""
ROOM = 8 * MIB
"""Of a die, while the fit goes on: where reads are does not hang on how large it is."""
CLOSE = 0.002


@dataclass(frozen=True)
class FlashFit:
    """The *knobs*, the root mean square of the logarithms by which their simulation is *off*, and what that costs.

    The formula, times a *correction* of each job, is the simulation there.
    """

    knobs: FlashKnobs
    numbers: Numbers
    kind: Numbers
    off: float
    cost: float
    correction: Numbers


def fitted_reads(answers: Sequence[FioAnswer]) -> list[FlashFit]:
    """The knobs whose simulation is nearest to *answers*, of random reads; behind them those of other kinds."""
    fits = _fits(ReadTimes(answers, ERROR))
    return fits if fits[0].off <= NOISY * ERROR else _fits(ReadTimes(answers, fits[0].off))


def _fits(times: ReadTimes) -> list[FlashFit]:
    none = np.zeros(len(times.jobs))
    fits = [FlashFit(knobs_of(*each), *each, inf, inf, none) for each in likely(times)]
    for turns, tried, share in TRIED:
        better = sorted((_turned(times, fit, turns, share) for fit in fits[:tried]), key=lambda each: each.cost)
        fits = [*better, *fits[tried:]]
    simulated = [fit for fit in fits if fit.off < inf]
    others = [_untried(times, fit, simulated[0].correction) for fit in fits if fit.off == inf]
    return simulated + others


def _untried(times: ReadTimes, fit: FlashFit, correction: Numbers) -> FlashFit:
    """A kind that was not simulated, by the formula, which is as much off as it is of the best kind."""
    numbers = _least(times, fit.numbers, fit.kind, correction)
    apart = times.off(numbers, fit.kind)[0] + correction
    return replace(fit, knobs=knobs_of(numbers, fit.kind), numbers=numbers, off=float(np.sqrt(np.mean(apart**2))))


def _turned(times: ReadTimes, start: FlashFit, turns: int, share: float) -> FlashFit:
    """The best of its kind, from *start*: where the formula is best, once it is corrected by the simulation."""
    numbers, kind, correction = start.numbers, start.kind, start.correction
    best = replace(start, cost=inf)
    for _ in range(turns):
        numbers = _least(times, numbers, kind, correction)
        knobs = knobs_of(numbers, kind)
        apart = _simulated(times, knobs, share) - times.measured
        before, correction = correction, apart - times.off(numbers, kind)[0]
        cost = float((apart**2).sum() + times.unusual(numbers, kind))
        if cost < best.cost:
            best = FlashFit(knobs, numbers, kind, float(np.sqrt(np.mean(apart**2))), cost, correction)
        if np.abs(correction - before).max() < CLOSE:
            break
    return best


def _least(times: ReadTimes, start: Numbers, kind: Numbers, correction: Numbers) -> Numbers:
    """The numbers of *kind* for which the corrected formula is nearest to the times, and usual where these are dumb."""

    def residuals(numbers: Numbers) -> Numbers:
        unusual: Numbers = np.sqrt(times.pull) * (numbers - times.usual)
        return np.concatenate([times.off(numbers, kind)[0] + correction, unusual])

    best: Numbers = least_squares(residuals, np.clip(start, LOW, HIGH), bounds=(LOW, HIGH), x_scale=0.1).x
    return best


def _simulated(times: ReadTimes, knobs: FlashKnobs, share: float) -> Numbers:
    sheet = knobs.sheet("flash", ROOM * knobs.dies)
    seconds: Numbers = np.log([seconds_of(job, sheet, share) for job in times.jobs])
    return seconds


def knobs_of(numbers: Numbers, kind: Numbers) -> FlashKnobs:
    """From logarithms of numbers, and a kind."""
    command, read, unit, rate = (float(each) for each in np.exp(numbers))
    queues, channels, ways, stripe = (int(each) for each in kind)
    return FlashKnobs(command, read, unit, rate, queues, channels, ways, stripe)
