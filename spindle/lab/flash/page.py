"""Answers ``spindle measure --drive``: fits flash to half of fio's jobs, judges it on the rest, writes a drive file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from spindle.lab.fit.page import SHEET_DIGITS, source_of, yaml_text
from spindle.lab.fit.sheet_number import SheetNumber
from spindle.lab.flash.closed_loop import seconds_of
from spindle.lab.flash.determined import determined_numbers, write_numbers
from spindle.lab.flash.fio_answer import FioAnswer, MeasuredFlash
from spindle.lab.flash.fio_job import DEPTHS, FITTED_SIZES, GRID, FioJob, is_fitted
from spindle.lab.flash.fit import fit_reads
from spindle.lab.flash.run_fio import check_armless
from spindle.lab.flash.writes import fit_writes
from spindle.sim.disc.flash.sheet import FlashType, Front
from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.sim.units import US

MAX_HELD_ERROR, MAX_CONTRADICTION = 0.10, 0.03
"""Largest error of a held-out job, and largest gain of a request with more under way, without a warning."""
FITTED, HELD, SEQUENTIAL = "fitted", "held out", "in sequence"


@dataclass(frozen=True)
class JudgedJob:
    """A job with its measured *answer*, the seconds *predicted* for it, and its *kind*: FITTED, HELD or SEQUENTIAL."""

    answer: FioAnswer
    predicted: float
    kind: str

    @property
    def error(self) -> float:
        return self.predicted / self.answer.seconds - 1.0


@dataclass(frozen=True)
class JudgedFlash:
    """The result of a fit: the *sheet*, the source of each of its *numbers*, and all *jobs* with predictions."""

    sheet: FlashType
    numbers: tuple[SheetNumber, ...]
    jobs: tuple[JudgedJob, ...]

    def worst(self, kind: str) -> JudgedJob:
        return max((each for each in self.jobs if each.kind == kind), key=lambda each: abs(each.error))

    def contradiction(self) -> float:
        """Return the largest share by which requests were faster with more under way; no drive does that."""
        seconds = {each.answer.job: each.answer.seconds for each in self.jobs}
        return max(seconds[FioJob(READ, size, few)] / seconds[FioJob(READ, size, many)] - 1.0
                   for size in FITTED_SIZES for few, many in pairwise(DEPTHS))

    def mean(self, kind: str) -> float:
        errors = [abs(each.error) for each in self.jobs if each.kind == kind]
        return sum(errors) / len(errors)


def judge(drive: MeasuredFlash) -> JudgedFlash:
    """Fit and judge *drive*; UserError if an answer is missing, or if the drive has an arm."""
    answers = {each.job: each for each in drive.answers}
    if lacking := [job.name for job in GRID if job not in answers]:
        raise UserError(f"{len(lacking)} of the {len(GRID)} jobs that a fit takes are missing: {lacking[0]}, ...")
    check_armless(drive)
    fitted = [each for each in drive.answers if each.job.op is READ and is_fitted(each.job)]
    fits = fit_reads(fitted)
    writes = fit_writes(fits[0].knobs, answers)
    sheet = fits[0].knobs.sheet(f"{drive.name} as measured", drive.capacity, None if writes is None else writes.knobs)
    jobs = tuple(JudgedJob(each, seconds_of(each.job, sheet), _kind(each.job)) for each in drive.answers)
    return JudgedFlash(sheet, (*determined_numbers(fits, fitted), *write_numbers(sheet, writes)), jobs)


def _kind(job: FioJob) -> str:
    return FITTED if is_fitted(job) else HELD if job.random else SEQUENTIAL


def page(flash: JudgedFlash) -> Iterator[str]:
    """Yield the text of the answer, in lines of at most 80 columns."""
    yield f"{flash.sheet.name}: {flash.sheet.capacity:,} bytes"
    yield from ("", f"{'job':<32}{'measured, us':>13}{'predicted, us':>14}{'error, %':>10}")
    for each in flash.jobs:
        measured, predicted = each.answer.seconds / US, each.predicted / US
        yield f"{each.answer.job.name:<32}{measured:>13.1f}{predicted:>14.1f}{100 * each.error:>10.1f}  {each.kind}"
    yield ""
    yield from (_summary(flash, kind) for kind in (FITTED, HELD))
    if abs(flash.worst(HELD).error) > MAX_HELD_ERROR:
        yield f"That is more than {MAX_HELD_ERROR:.0%}: the fit does not describe this drive well."
    if (apart := flash.contradiction()) > MAX_CONTRADICTION:
        yield f"Some requests were up to {apart:.0%} faster with more under way: did others use the drive?"
    yield from ("", f"{'number':<28}{'value':>10}  {'source':<9}the times also allow")
    for number in flash.numbers:
        yield f"{number.name:<28}{number.value[:10]:>10}  {number.source:<9}{number.bears}".rstrip()


def _summary(flash: JudgedFlash, kind: str) -> str:
    worst = flash.worst(kind)
    return (f"{kind}: {sum(each.kind == kind for each in flash.jobs)} jobs, off by {flash.mean(kind):.1%} on average, "
            f"at most {abs(worst.error):.1%}")


def sheet_text(flash: JudgedFlash, head: Sequence[str]) -> str:
    """Return the drive file, with *head* as comments above it."""
    return yaml_text(sheet_sections(flash.sheet, flash.numbers), head)


def sheet_sections(sheet: FlashType, numbers: Sequence[SheetNumber]) -> dict[str, Any]:
    """Return the sections of the file of *sheet*, with the sources of its *numbers*."""
    return {
        "name": sheet.name, "sector_bytes": sheet.sector_bytes,
        "capacity_sectors": sheet.capacity // sheet.sector_bytes, "flash": _nand(sheet), "front": _front(sheet.front),
        **({"flush_units": sheet.flush, "buffer_bytes": sheet.buffer} if sheet.flush > 1 else {}),
        "sources": {each.name: source_of(each) for each in numbers},
    }  # fmt: skip


def _nand(sheet: FlashType) -> dict[str, Any]:
    nand = sheet.nand
    counts = {name: getattr(nand, name) for name in ("channels", "ways", "planes", "blocks", "pages", "page_bytes")}
    times = {f"{name}_us": round(getattr(nand, name) / US, SHEET_DIGITS) for name in ("read", "program", "erase")}
    return {**counts, **times, "bus_mb_s": round(nand.bus / 1e6, SHEET_DIGITS)}


def _front(front: Front) -> dict[str, Any]:
    queues = {"queues": front.queues, "entries": front.tags // front.queues} if front.name == "NVMe" else {}
    return {
        "kind": front.name, "rate_mb_s": round(front.rate / 1e6, SHEET_DIGITS),
        "command_us": round(front.command / US, SHEET_DIGITS),
        "write_rate_mb_s": round(front.write_rate / 1e6, SHEET_DIGITS),
        "write_command_us": round(front.write_command / US, SHEET_DIGITS), **queues,
        **({} if front.write_handling is None else
           {"write_handling_us": round(front.write_handling / US, SHEET_DIGITS)}),
    }  # fmt: skip
