"""Fits a sheet of flash behind SATA to fio's results for requests of one size: first to reads, then to writes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spindle.lab.fio.basis import resting_on
from spindle.lab.fio.flash_reads import read_levels, refine_reads
from spindle.lab.fio.flash_writes import with_writes, write_numbers
from spindle.lab.fio.load import TAGS, drive_points
from spindle.lab.fio.points import FioPoint
from spindle.lab.fit.sheet_number import SheetNumber
from spindle.lab.flash.determined import determined_numbers
from spindle.lab.flash.fit import fit_reads
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.request import READ, WRITE


@dataclass(frozen=True)
class FlashFound:
    """The result of a fit: the nearest *sheet*, the source of each of its *numbers*, and *remarks* for the user."""

    sheet: FlashType
    numbers: tuple[SheetNumber, ...]
    remarks: tuple[str, ...]


def fit_flash(name: str, capacity: int, points: Sequence[FioPoint]) -> FlashFound:
    """Find the sheet of flash that is nearest to *points*."""
    levels, remarks = read_levels(points)
    fits = refine_reads(fit_reads(levels), [each for each in points if each.op is READ])
    writes = drive_points([each for each in points if each.op is WRITE])
    sheet = fits[0].knobs.sheet(name, capacity)
    if writes:
        sheet = with_writes(fits[0], name, capacity, writes)
    sheet = replace(sheet, front=replace(sheet.front, tags=min(sheet.front.tags, TAGS)))
    reads = resting_on("reads", drive_points([each for each in points if each.op is READ]),
                       determined_numbers(fits, levels))  # fmt: skip
    return FlashFound(sheet, (*reads, *resting_on("writes", writes, write_numbers(sheet, bool(writes)))),
                      tuple(remarks))
