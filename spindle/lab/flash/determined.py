"""Lists the numbers of a fitted flash sheet, fitted or assumed, with the intervals that the times of requests allow."""

from collections.abc import Iterator, Sequence
from math import exp, inf, log

import numpy as np

from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.lab.flash.fio_answer import FioAnswer
from spindle.lab.flash.fit import FlashFit
from spindle.lab.flash.formula import Numbers
from spindle.lab.flash.intervals import MIN_OFF, STANDARD_ERRORS, standard_errors
from spindle.lab.flash.kinds import HIGH_LOGS, LOG_STEP, LOW_LOGS, ReadTimes
from spindle.lab.flash.knobs import UNIT, FlashKnobs
from spindle.lab.flash.writes import WriteFit
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.units import US

AS_GOOD_OFF = 0.005
"""A kind is as good as the best if its error exceeds that of the best by no more, as a share of a time."""
MAX_FACTOR = 2.0
"""A number whose error reaches this factor is not determined."""
NUMBER_NAMES = ("front.command_us", "flash.read_us", "flash.bus_mb_s", "front.rate_mb_s")
RATE_SUFFIX = "_mb_s"
"""End of the names of rates in bytes."""
COUNT_NAMES = ("front.queues", "flash.channels", "flash.ways", "flash.planes x page_bytes")


def determined_numbers(fits: Sequence[FlashFit], answers: Sequence[FioAnswer]) -> Iterator[SheetNumber]:
    """Yield the numbers of the first of *fits*, with the values of other fits that are as good.

    With requests of one size, the time of a byte cannot be told from that of a request: rates are then assumed, and
    bounded by the largest that was seen.
    """
    times, best = ReadTimes(answers, fits[0].off), fits[0]
    one_size = len({answer.job.size for answer in answers}) == 1
    good = [fit for fit in fits if fit.off <= best.off + AS_GOOD_OFF]
    ranges = np.array([[fit.numbers - wide, fit.numbers + wide] for fit in good for wide in [_wide(times, fit)]])
    lows, highs = (np.clip(ends, LOW_LOGS, HIGH_LOGS) for ends in (ranges[:, 0].min(axis=0), ranges[:, 1].max(axis=0)))
    seen = log(times.largest_rate) - STANDARD_ERRORS * max(best.off, MIN_OFF)
    lows[-1] = max(lows[-1], min(seen, best.numbers[-1]))  # the link has been as fast as that
    for at, name in enumerate(NUMBER_NAMES):
        low, high = sorted(in_sheet_unit(name, float(np.exp(end))) for end in (lows[at], highs[at]))
        most = max(in_sheet_unit(name, float(np.exp(end))) for end in (LOW_LOGS[at], HIGH_LOGS[at]))
        source = FITTED if highs[at] - lows[at] <= 2.0 * log(MAX_FACTOR) else ASSUMED
        if name.endswith(RATE_SUFFIX) and one_size:
            least = in_sheet_unit(name, float(np.exp(min(seen, best.numbers[-1]))))
            source, (low, high) = ASSUMED, (least, inf) if name == NUMBER_NAMES[-1] else (inf, -inf)
        value = f"{in_sheet_unit(name, float(np.exp(best.numbers[at]))):.5g}"
        yield SheetNumber(name, value, source, low, high if high < most else inf)
    for at, name in enumerate(COUNT_NAMES):
        values = sorted({_count(fit.knobs, at) for fit in good} - {_count(best.knobs, at)})
        source = FITTED if not values else ASSUMED
        yield SheetNumber(name, str(_count(best.knobs, at)), source, others=tuple(map(str, values)))


def in_sheet_unit(name: str, number: float) -> float:
    """Return *number* of the fit in the unit of the sheet's *name*."""
    if name.endswith("_us"):
        return number / US
    return (UNIT / number if name == "flash.bus_mb_s" else number) / 1e6


def _count(knobs: FlashKnobs, at: int) -> int:
    counts = knobs.queues, knobs.channels, knobs.ways, knobs.stripe * UNIT
    return counts[at]


def _wide(times: ReadTimes, fit: FlashFit) -> Numbers:
    here = times.log_ratios(fit.numbers, fit.kind)[0]
    slopes = [(times.log_ratios(fit.numbers + LOG_STEP * one, fit.kind)[0] - here) / LOG_STEP
              for one in np.eye(len(NUMBER_NAMES))]  # fmt: skip
    return standard_errors(np.stack(slopes, axis=1), fit.off)


def write_numbers(sheet: FlashType, fit: WriteFit | None) -> Iterator[SheetNumber]:
    """Yield the numbers of *sheet* that only writes determine, which may not have been measured.

    Writes show only the slower of the link and the flash: the rate measured is a lower bound of both.
    """
    front, nand = sheet.front, sheet.nand
    command, _, program = fit.wide if fit else (inf, inf, inf)
    yield _number_text("front.write_command_us", front.write_command / US, command)
    rate, least = front.write_rate / 1e6, front.write_rate / 1e6 if fit else inf
    yield SheetNumber("front.write_rate_mb_s", f"{rate:.5g}", ASSUMED, least, inf if fit else -inf)
    yield _number_text("flash.program_us", nand.program / US, program)


def _number_text(name: str, number: float, wide: float) -> SheetNumber:
    if wide <= log(MAX_FACTOR):
        return SheetNumber(name, f"{number:.5g}", FITTED, number / exp(wide), number * exp(wide))
    return SheetNumber(name, f"{number:.5g}", ASSUMED)
