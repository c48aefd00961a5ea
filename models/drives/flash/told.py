"""What the times of reads tell of each number of a sheet, and what they leave open."""

from collections.abc import Iterator, Sequence
from math import exp, inf, log

import numpy as np

from models.drives.fit.confidence import ASSUMED, FITTED, ToldNumber
from models.drives.flash.answer import FioAnswer
from models.drives.flash.fit import FlashFit
from models.drives.flash.formula import Numbers
from models.drives.flash.knobs import UNIT, FlashKnobs
from models.drives.flash.search import HIGH, LOW, STEP, ReadTimes
from models.drives.flash.spread import LEAST_OFF, TWICE, standard_errors
from models.drives.flash.writes import WriteFit
from sim.disc.flash.sheet import FlashType
from sim.units import US

AS_GOOD = 0.005
"""Of a time: kinds that are farther off by less are as good."""
FACTOR = 2.0
"""A number that may be so many times as large or as small is not told."""
NAMES = ("front.command_us", "flash.read_us", "flash.bus_mb_s", "front.rate_mb_s")
COUNTS = ("front.queues", "flash.channels", "flash.ways", "flash.planes x page_bytes")


def told(fits: Sequence[FlashFit], answers: Sequence[FioAnswer]) -> Iterator[ToldNumber]:
    """Of the sheet of the first of *fits*; the others that are as near leave its numbers open."""
    times, best = ReadTimes(answers, fits[0].off), fits[0]
    good = [fit for fit in fits if fit.off <= best.off + AS_GOOD]
    ranges = np.array([[fit.numbers - wide, fit.numbers + wide] for fit in good for wide in [_wide(times, fit)]])
    lows, highs = np.clip(ranges[:, 0].min(axis=0), LOW, HIGH), np.clip(ranges[:, 1].max(axis=0), LOW, HIGH)
    seen = log(times.largest_rate) - TWICE * max(best.off, LEAST_OFF)
    lows[-1] = max(lows[-1], min(seen, best.numbers[-1]))  # the link has been as fast as that
    for at, name in enumerate(NAMES):
        low, high = sorted(shown(name, float(np.exp(end))) for end in (lows[at], highs[at]))
        most = max(shown(name, float(np.exp(end))) for end in (LOW[at], HIGH[at]))
        source = FITTED if highs[at] - lows[at] <= 2.0 * log(FACTOR) else ASSUMED
        value = f"{shown(name, float(np.exp(best.numbers[at]))):.5g}"
        yield ToldNumber(name, value, source, low, high if high < most else inf)
    for at, name in enumerate(COUNTS):
        values = sorted({_count(name, fit.knobs, at) for fit in good} - {_count(name, best.knobs, at)})
        source = FITTED if not values else ASSUMED
        yield ToldNumber(name, str(_count(name, best.knobs, at)), source, others=tuple(map(str, values)))


def shown(name: str, number: float) -> float:
    """*number* of the fit in the unit of the sheet's *name*."""
    if name.endswith("_us"):
        return number / US
    return (UNIT / number if name == "flash.bus_mb_s" else number) / 1e6


def _count(name: str, knobs: FlashKnobs, at: int) -> int:
    counts = knobs.queues, knobs.channels, knobs.ways, knobs.stripe * UNIT
    return counts[at]


def _wide(times: ReadTimes, fit: FlashFit) -> Numbers:
    here = times.off(fit.numbers, fit.kind)[0]
    slopes = [(times.off(fit.numbers + STEP * one, fit.kind)[0] - here) / STEP for one in np.eye(len(NAMES))]
    return standard_errors(np.stack(slopes, axis=1), fit.off)


def told_writes(sheet: FlashType, fit: WriteFit | None) -> Iterator[ToldNumber]:
    """The numbers of *sheet* that only writes tell, which may not have been measured.

    Of the link and the flash, the slower one shows in what is written; each may be as fast as that, or faster.
    """
    front, nand = sheet.front, sheet.nand
    command, _, program = fit.wide if fit else (inf, inf, inf)
    yield _written("front.write_command_us", front.write_command / US, command)
    rate, least = front.write_rate / 1e6, front.write_rate / 1e6 if fit else inf
    yield ToldNumber("front.write_rate_mb_s", f"{rate:.5g}", ASSUMED, least, inf if fit else -inf)
    yield _written("flash.program_us", nand.program / US, program)


def _written(name: str, number: float, wide: float) -> ToldNumber:
    if wide <= log(FACTOR):
        return ToldNumber(name, f"{number:.5g}", FITTED, number / exp(wide), number * exp(wide))
    return ToldNumber(name, f"{number:.5g}", ASSUMED)
