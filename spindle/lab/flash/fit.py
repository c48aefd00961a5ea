"""Fits a flash drive to fio's times of random reads.

A kind is the whole numbers of a drive: queues, channels, ways (dies on a channel), stripe. They are chosen, and have no
interval. A formula ranks the kinds, simulation corrects the formula for the best of them, and the nearest is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from scipy.optimize import least_squares

from spindle.lab.flash.closed_loop import seconds_of
from spindle.lab.flash.fio_answer import FioAnswer
from spindle.lab.flash.formula import Numbers
from spindle.lab.flash.kinds import HIGH_LOGS, LOW_LOGS, ReadTimes, rank_kinds
from spindle.lab.flash.knobs import FlashKnobs
from spindle.sim.units import MIB

SIMULATED_KINDS = ((1, 16, 0.15), (3, 3, 0.5))
"""For each stage: turns of a fit, the number of best kinds, and the share of the usual number of requests."""
FIO_ERROR, NOISY_ERRORS = 0.01, 2.0
"""Relative error of a time of fio on an idle drive; a fit that is off by NOISY_ERRORS times that uses its own error."""
DIE_BYTES = 8 * MIB
"""Bytes of a die during the fit; times hardly depend on it."""
SETTLED_CORRECTION = 0.002


@dataclass(frozen=True)
class FlashFit:
    """A fit of one kind: its *knobs*, also as *numbers* (logarithms) and *kind*, and how far its simulation is *off*.

    *off* is the root mean square of logarithms of times; *cost* adds that of unusual numbers. The logarithm of the
    formula plus *correction*, for each job, is that of the simulation.
    """

    knobs: FlashKnobs
    numbers: Numbers
    kind: Numbers
    off: float
    cost: float
    correction: Numbers


def fit_reads(answers: Sequence[FioAnswer]) -> list[FlashFit]:
    """Return fits to *answers* of random reads: first that whose simulation is nearest, then those of other kinds."""
    fits = _fits(ReadTimes(answers, FIO_ERROR))
    return fits if fits[0].off <= NOISY_ERRORS * FIO_ERROR else _fits(ReadTimes(answers, fits[0].off))


def _fits(times: ReadTimes) -> list[FlashFit]:
    none = np.zeros(len(times.jobs))
    fits = [FlashFit(knobs_of(*each), *each, inf, inf, none) for each in rank_kinds(times)]
    for turns, tried, share in SIMULATED_KINDS:
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
    """Fit the numbers of *kind* to the corrected formula; where times do not decide, usual numbers are preferred."""

    def residuals(numbers: Numbers) -> Numbers:
        unusual_cost: Numbers = np.sqrt(times.pull) * (numbers - times.usual)
        return np.concatenate([times.log_ratios(numbers, kind)[0] + correction, unusual_cost])

    best: Numbers = least_squares(residuals, np.clip(start, LOW_LOGS, HIGH_LOGS), bounds=(LOW_LOGS, HIGH_LOGS),
                                  x_scale=0.1).x  # fmt: skip
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
