"""The numbers of a sheet that writes hang on, fitted to three jobs where reads have told all others."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from models.drives.flash.answer import FioAnswer
from models.drives.flash.closed_loop import seconds_of
from models.drives.flash.fit import ROOM
from models.drives.flash.formula import Numbers
from models.drives.flash.jobs import FITTED_WRITES, WRITES, FioJob
from models.drives.flash.knobs import UNIT, FlashKnobs, WriteKnobs
from models.drives.flash.spread import standard_errors
from sim.units import US

USUAL_PROGRAM = WriteKnobs(0.0, 1.0).program
LOW = np.log([0.3 * US, 1e6, 1 * US])
HIGH = np.log([5e3 * US, 30e9, 100e3 * US])
"""Of command, rate and program."""
PULL = 0.01
"""Of a number that the times do not tell towards the one to begin with."""
SHARE = 0.5
STEP = 0.02
EVALUATIONS = 12


@dataclass(frozen=True)
class WriteFit:
    """The *knobs*, and how *wide* the logarithm of each is: two standard errors to each side."""

    knobs: WriteKnobs
    wide: tuple[float, ...]


def fitted_writes(knobs: FlashKnobs, answers: Mapping[FioJob, FioAnswer]) -> WriteFit | None:
    """None where *answers* lack one of the three jobs that it takes."""
    jobs = WRITES[:FITTED_WRITES]
    if any(job not in answers for job in jobs):
        return None
    measured = np.log([answers[job].seconds for job in jobs])
    first = np.log(_start(knobs, answers))

    def residuals(numbers: Numbers) -> Numbers:
        sheet = knobs.sheet("flash", ROOM * knobs.dies, WriteKnobs(*np.exp(numbers).tolist()))
        simulated = np.log([seconds_of(job, sheet, SHARE) for job in jobs])
        apart: Numbers = np.concatenate([simulated - measured, PULL * (numbers - first)])
        return apart

    best = least_squares(residuals, np.clip(first, LOW, HIGH), bounds=(LOW, HIGH), diff_step=STEP,
                          max_nfev=EVALUATIONS)  # fmt: skip
    wide = standard_errors(best.jac[: len(jobs)], float(np.sqrt(np.mean(best.fun[: len(jobs)] ** 2))))
    return WriteFit(WriteKnobs(*np.exp(best.x).tolist()), tuple(wide.tolist()))


def _start(knobs: FlashKnobs, answers: Mapping[FioJob, FioAnswer]) -> tuple[float, float, float]:
    """One write alone is command and link; many are held up by controller, link or flash."""
    sequence, alone, many = (answers[job] for job in WRITES[:FITTED_WRITES])
    rate = sequence.rate
    command = max(0.3 * US, alone.seconds - UNIT / rate)
    each = many.seconds / many.job.depth
    units = knobs.dies * knobs.stripe
    held_up = each > 1.1 * max(command / knobs.queues, UNIT / rate)
    program = each * units if held_up else min(USUAL_PROGRAM, 0.5 * units * UNIT / rate)
    return command, rate, program
