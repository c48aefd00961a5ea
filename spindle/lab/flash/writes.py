"""Fits the numbers of a flash sheet for writes to three jobs, after reads have determined all other numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from spindle.lab.flash.closed_loop import seconds_of
from spindle.lab.flash.fio_answer import FioAnswer
from spindle.lab.flash.fio_job import FITTED_WRITES, WRITE_JOBS, FioJob
from spindle.lab.flash.fit import DIE_BYTES
from spindle.lab.flash.formula import Numbers
from spindle.lab.flash.intervals import standard_errors
from spindle.lab.flash.knobs import UNIT, FlashKnobs, WriteKnobs
from spindle.sim.units import US

USUAL_PROGRAM = WriteKnobs(0.0, 1.0).program
WRITE_LOW = np.log([0.3 * US, 1e6, 1 * US])
WRITE_HIGH = np.log([5e3 * US, 30e9, 100e3 * US])
"""Bounds of the logarithms of command, rate and program."""
WRITE_PULL = 0.01
"""Weight of the distance of a number from its first estimate, which decides if times do not."""
WRITE_REQUEST_SHARE = 0.5
WRITE_STEP = 0.02
EVALUATIONS = 12


@dataclass(frozen=True)
class WriteFit:
    """The fitted *knobs* of writes; *wide* are two standard errors of the logarithm of each."""

    knobs: WriteKnobs
    wide: tuple[float, ...]


def fit_writes(knobs: FlashKnobs, answers: Mapping[FioJob, FioAnswer]) -> WriteFit | None:
    """Fit the numbers of writes; None if *answers* lack one of the three jobs that are needed."""
    jobs = WRITE_JOBS[:FITTED_WRITES]
    if any(job not in answers for job in jobs):
        return None
    measured = np.log([answers[job].seconds for job in jobs])
    first = np.log(_start(knobs, answers))

    def residuals(numbers: Numbers) -> Numbers:
        sheet = knobs.sheet("flash", DIE_BYTES * knobs.dies, WriteKnobs(*np.exp(numbers).tolist()))
        simulated = np.log([seconds_of(job, sheet, WRITE_REQUEST_SHARE) for job in jobs])
        apart: Numbers = np.concatenate([simulated - measured, WRITE_PULL * (numbers - first)])
        return apart

    best = least_squares(residuals, np.clip(first, WRITE_LOW, WRITE_HIGH), bounds=(WRITE_LOW, WRITE_HIGH),
                         diff_step=WRITE_STEP,
                          max_nfev=EVALUATIONS)  # fmt: skip
    wide = standard_errors(best.jac[: len(jobs)], float(np.sqrt(np.mean(best.fun[: len(jobs)] ** 2))))
    return WriteFit(WriteKnobs(*np.exp(best.x).tolist()), tuple(wide.tolist()))


def _start(knobs: FlashKnobs, answers: Mapping[FioJob, FioAnswer]) -> tuple[float, float, float]:
    """Estimate command, rate and program: one write takes command and link; many wait for controller, link or flash."""
    sequence, alone, many = (answers[job] for job in WRITE_JOBS[:FITTED_WRITES])
    rate = sequence.rate
    command = max(0.3 * US, alone.seconds - UNIT / rate)
    each = many.seconds / many.job.depth
    units = knobs.dies * knobs.stripe
    held_up = each > 1.1 * max(command / knobs.queues, UNIT / rate)
    program = each * units if held_up else min(USUAL_PROGRAM, 0.5 * units * UNIT / rate)
    return command, rate, program
