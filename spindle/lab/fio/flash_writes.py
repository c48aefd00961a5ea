"""Fits the numbers of writes in a sheet of flash to fio's results; the controller or the flash limits them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log
from statistics import fmean, median

from spindle.lab.fio.flash_answer import drive_answer
from spindle.lab.fio.load import NR_REQUESTS, TAGS, FioLoad
from spindle.lab.fio.points import FioPoint
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.lab.flash.fit import FlashFit
from spindle.lab.flash.knobs import UNIT, WriteKnobs
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.request import WRITE
from spindle.sim.units import US

FLUSH_UNITS = (1, 16, 32, 64, 128, 256)
"""Units of a full buffer that may become free together, to try."""
PROGRAM_CORRECTIONS = 2
"""How often the program time is corrected by the simulated throughput."""
FAST_FLASH = 20 * US
"""Program time of a stripe that delays no write, used where the controller is the limit."""
BUSY_WRITES = 8
"""Number of writes under way that keep a drive busy."""
MIN_BUFFER = 64
"""The smallest buffer for writes, in units."""


def with_writes(fit: FlashFit, name: str, capacity: int, points: Sequence[FioPoint]) -> FlashType:
    """Return the nearest sheet: one where the controller limits writes, or where the flash does, behind a buffer."""
    least, most = (pick(each.level for each in points) for pick in (min, max))
    fastest = median([each.iops for each in points if each.level >= min(BUSY_WRITES, most)])
    alone = [each for each in points if each.level == least]
    command = min(each.quantiles.get(0.50, each.mean) + max(0.0, _submit(each)) for each in alone)
    handling = min(_handling(points, fastest), command)
    controller = sheet_of_writes(fit, name, capacity, command, min(1.0 / fastest, command), FAST_FLASH)
    tried = [controller]
    if handling < 0.9 / fastest:
        load = FioLoad(WRITE, TAGS // 2, points[0].size, 0)
        tried += [_slow_down(fit, name, capacity, (command, handling, fastest), flush, load) for flush in FLUSH_UNITS]
    return min(tried, key=lambda sheet: _distance(sheet, points))


def _submit(point: FioPoint) -> float:
    """Return the seconds of the mean less the median, if the host is the cause; a stall of the drive is longer."""
    apart = point.mean - point.quantiles.get(0.50, point.mean)
    return apart if apart < 0.5 * point.mean else 0.0


def _handling(points: Sequence[FioPoint], fastest: float) -> float:
    """Return the controller's seconds for a write while the buffer has room: the least median per write under way."""
    each = [point.quantiles[0.50] / point.level for point in points
            if 4 <= point.level <= TAGS and 0.50 in point.quantiles]  # fmt: skip
    return min(each, default=1.0 / fastest)


def sheet_of_writes(
    fit: FlashFit, name: str, capacity: int, command: float, handling: float, program: float, flush: int = 1
) -> FlashType:
    made = fit.knobs.sheet(name, capacity, WriteKnobs(command, fit.knobs.rate, program))
    front = replace(made.front, write_handling=handling, write_rate=10 * fit.knobs.rate)
    return replace(made, front=front, buffer=max(MIN_BUFFER, 2 * flush) * made.unit, flush=flush)


def _slow_down(
    fit: FlashFit, name: str, capacity: int, speeds: tuple[float, float, float], flush: int, load: FioLoad
) -> FlashType:
    """Build a sheet that does as many writes of *load* a second as were measured, the last of *speeds*."""
    command, handling, fastest = speeds
    program = fit.knobs.dies * fit.knobs.stripe / fastest / max(1.0, load.size / UNIT)
    for _ in range(PROGRAM_CORRECTIONS):
        sheet = sheet_of_writes(fit, name, capacity, command, handling, program, flush)
        program *= min(2.0, drive_answer(load, sheet).iops / fastest)
    return sheet_of_writes(fit, name, capacity, command, handling, program, flush)


def _distance(sheet: FlashType, points: Sequence[FioPoint]) -> float:
    """Return the mean error, in absolute logarithms, of the throughput and of percentiles within the drive's tags."""
    off = []
    for level in sorted({min(each.level, NR_REQUESTS) for each in points}):
        answer = drive_answer(FioLoad(WRITE, level, points[0].size, 0), sheet)
        for point in points:
            if min(point.level, NR_REQUESTS) == level:
                off.append(abs(log(answer.iops / point.iops)))
                off += [0.5 * abs(log(answer.quantiles[share] / seconds)) for share, seconds in point.quantiles.items()
                        if seconds > 0.0 and point.level <= TAGS]  # fmt: skip
    return fmean(off)


def write_numbers(sheet: FlashType, written: bool) -> Iterator[SheetNumber]:
    front, source = sheet.front, FITTED if written else ASSUMED
    yield SheetNumber("front.write_command_us", f"{front.write_command / US:.5g}", source)
    yield SheetNumber("front.write_handling_us", f"{(front.write_handling or 0.0) / US:.5g}", source)
    slow = sheet.nand.program > 2 * FAST_FLASH
    yield SheetNumber("flash.program_us", f"{sheet.nand.program / US:.5g}", source if slow else ASSUMED)
    yield SheetNumber("flush_units", str(sheet.flush), source if slow else ASSUMED)
