"""Fit of a flash drive to fio's times of random reads.

A kind is the counts of a drive: queues, channels, ways, stripe; these are chosen and have no interval. A formula ranks
the kinds, simulation corrects each in turn, and the best is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from scipy.optimize import least_squares

from spindle.lab.flash.closed_loop import seconds_of
from spindle.lab.flash.fio_answer import FioAnswer
from spindle.lab.flash.formula import Numbers
from spindle.lab.flash.kinds import HIGH, LOW, ReadTimes, rank_kinds
from spindle.lab.flash.knobs import FlashKnobs
from spindle.sim.units import MIB

TRIED = ((1, 16, 0.15), (3, 3, 0.5))
"""Turns, the number of best kinds in each, and the share of the usual number of requests."""
FIO_ERROR, NOISY_ERRORS = 0.01, 2.0
"""Relative error of a time that fio reports for an idle drive; if a fit is off by NOISY_ERRORS of it, that is used."""
DIE_BYTES = 8 * MIB
"""Flash of a die during the fit: the place of requests does not depend on it."""
SETTLED_CORRECTION = 0.002


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


def fit_reads(answers: Sequence[FioAnswer]) -> list[FlashFit]:
    """Fit the knobs whose simulation is nearest to *answers*, of random reads; behind them those of other kinds."""
    fits = _fits(ReadTimes(answers, FIO_ERROR))
    return fits if fits[0].off <= NOISY_ERRORS * FIO_ERROR else _fits(ReadTimes(answers, fits[0].off))


def _fits(times: ReadTimes) -> list[FlashFit]:
    none = np.zeros(len(times.jobs))
    fits = [FlashFit(knobs_of(*each), *each, inf, inf, none) for each in rank_kinds(times)]
    for turns, tried, share in TRIED:
        better = sorted((_fit_kind(times, fit, turns, share) for fit in fits[:tried]), key=lambda each: each.cost)
        fits = [*better, *fits[tried:]]
    simulated = [fit for fit in fits if fit.off < inf]
    others = [_estimate_kind(times, fit, simulated[0].correction) for fit in fits if fit.off == inf]
    return simulated + others


def _estimate_kind(times: ReadTimes, fit: FlashFit, correction: Numbers) -> FlashFit:
    """Estimate a kind that was not simulated by the formula, with the error of the best kind."""
    numbers = _minimise(times, fit.numbers, fit.kind, correction)
    apart = times.log_ratios(numbers, fit.kind)[0] + correction
    return replace(fit, knobs=knobs_of(numbers, fit.kind), numbers=numbers, off=float(np.sqrt(np.mean(apart**2))))


def _fit_kind(times: ReadTimes, start: FlashFit, turns: int, share: float) -> FlashFit:
    """Fit one kind from *start*: minimise the formula, corrected by the simulation in each turn."""
    numbers, kind, correction = start.numbers, start.kind, start.correction
    best = replace(start, cost=inf)
    for _ in range(turns):
        numbers = _minimise(times, numbers, kind, correction)
        knobs = knobs_of(numbers, kind)
        apart = _simulate(times, knobs, share) - times.measured
        before, correction = correction, apart - times.log_ratios(numbers, kind)[0]
        cost = float((apart**2).sum() + times.unusual_cost(numbers, kind))
        if cost < best.cost:
            best = FlashFit(knobs, numbers, kind, float(np.sqrt(np.mean(apart**2))), cost, correction)
        if np.abs(correction - before).max() < SETTLED_CORRECTION:
            break
    return best


def _minimise(times: ReadTimes, start: Numbers, kind: Numbers, correction: Numbers) -> Numbers:
    """Fit the numbers of *kind* to the corrected formula; unusual ones cost where times say nothing."""

    def residuals(numbers: Numbers) -> Numbers:
        unusual_cost: Numbers = np.sqrt(times.pull) * (numbers - times.usual)
        return np.concatenate([times.log_ratios(numbers, kind)[0] + correction, unusual_cost])

    best: Numbers = least_squares(residuals, np.clip(start, LOW, HIGH), bounds=(LOW, HIGH), x_scale=0.1).x
    return best


def _simulate(times: ReadTimes, knobs: FlashKnobs, share: float) -> Numbers:
    sheet = knobs.sheet("flash", DIE_BYTES * knobs.dies)
    seconds: Numbers = np.log([seconds_of(job, sheet, share) for job in times.jobs])
    return seconds


def knobs_of(numbers: Numbers, kind: Numbers) -> FlashKnobs:
    """Build the knobs from logarithms of numbers, and a kind."""
    command, read, unit, rate = (float(each) for each in np.exp(numbers))
    queues, channels, ways, stripe = (int(each) for each in kind)
    return FlashKnobs(command, read, unit, rate, queues, channels, ways, stripe)
