"""fio's points fitted from beginning to end, by flash, a disc or an array, and judged on held-out points; its page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from typing import Any

import simpy

from spindle.lab.fio.disc import DiscKnobs, DiscPoints, KnownBitmap, disc_numbers, fit_depth_1, max_taken, with_queue
from spindle.lab.fio.flash import drive_answer, fit_flash, host_order, with_little_flash
from spindle.lab.fio.load import (
    NR_REQUESTS,
    TAGS,
    FioLoad,
    HostDelay,
    HostOrder,
    HostShare,
    LoadAnswer,
    answer_load,
    host_share,
)
from spindle.lab.fio.points import FioPoint, FioPoints
from spindle.lab.fit.confidence import ASSUMED, FITTED, SheetNumber
from spindle.lab.fit.page import SHEET_DIGITS, source_of, yaml_text
from spindle.lab.flash.page import sheet_sections
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.raid.array import Raid
from spindle.sim.disc.raid.layout import BITMAP_REGION, CopiesLayout, ParityLayout, RaidType
from spindle.sim.disc.seek import TableSeek
from spindle.sim.error import UserError
from spindle.sim.request import READ, BlockDevice
from spindle.sim.units import MS, US

# Points compared with a fitted device's answers: those fitted to, and those held out.

QUANTITIES = ("throughput", "mean", "p50", "p95", "p99")
SHARES = {"p50": 0.50, "p95": 0.95, "p99": 0.99}


@dataclass(frozen=True)
class JudgedPoint:
    """A *point*, the answer *predicted* for it, and whether the fit saw its depth."""

    point: FioPoint
    predicted: LoadAnswer
    fitted: bool

    def error(self, quantity: str) -> float | None:
        """Return the error of *quantity* as a share of the measured value; None where fio did not print that."""
        point, predicted = self.point, self.predicted
        if quantity == "throughput":
            return predicted.iops / point.iops - 1.0
        if quantity == "mean":
            return predicted.mean / point.mean - 1.0
        share = SHARES[quantity]
        measured = point.quantiles.get(share, 0.0)
        return predicted.quantiles[share] / measured - 1.0 if measured > 0.0 else None


def judge(
    points: FioPoints, host: HostShare, answer: Callable[[FioLoad], LoadAnswer], span: int, together: int = NR_REQUESTS
) -> list[JudgedPoint]:
    """Judge all *points*; *answer* is the device's answer to a load, which many points share.

    With more than *together* requests under way it matters which process each belongs to.
    """
    known: dict[FioLoad, LoadAnswer] = {}
    seen = set(map(id, points.fitted_points()))
    found = []
    for point in points.points:
        jobs = point.jobs if point.level > together else 1
        load = FioLoad(point.op, point.level, point.size, span, jobs)
        if load not in known:
            known[load] = answer(load)
        found.append(JudgedPoint(point, host.fio_answer(point, known[load]), id(point) in seen))
    return found


@dataclass(frozen=True)
class ErrorSummary:
    """Absolute errors of *count* points: the mean and the worst."""

    count: int
    mean: float
    worst: float


def summary(points: Sequence[JudgedPoint], quantity: str) -> ErrorSummary | None:
    errors = [abs(error) for each in points if (error := each.error(quantity)) is not None]
    return ErrorSummary(len(errors), fmean(errors), max(errors)) if errors else None


def groups(points: Sequence[JudgedPoint]) -> Iterator[tuple[str, list[JudgedPoint]]]:
    """Yield the fitted and the held-out points; of the latter reads, writes, and those within and beyond the tags."""
    held = [each for each in points if not each.fitted]
    yield "fitted", [each for each in points if each.fitted]
    yield "held out", held
    for op in ("read", "write"):
        yield f"  {op}s", [each for each in held if each.point.op.value == op]
    yield f"  up to {TAGS} under way", [each for each in held if each.point.level <= TAGS]
    yield "  beyond, in the host", [each for each in held if each.point.level > TAGS]


# The fit.

ARM_SECONDS = 1.5 * MS
"""A drive that takes longer for a read alone has an arm."""
JUDGED_REQUESTS = 3000
"""Requests of each load for which a fit is judged."""
TOUCHES = 6
"""Requests for each region of a bitmap, after which 1 of 400 has not been written to."""
FLASH_CAPACITY, DISC_CAPACITY = 256 << 30, 10**12
"""Capacity of a drive if nothing gives it; times hardly depend on it."""


@dataclass(frozen=True)
class FioFit:
    """A fit: the *sections* of its sheet, the source of each of its *numbers*, and all points *judged*."""

    name: str
    kind: str
    sections: Mapping[str, Any]
    numbers: Sequence[SheetNumber]
    remarks: Sequence[str]
    judged: Sequence[JudgedPoint]


def fio_fit(points: FioPoints, capacity: int | None, raid: RaidType | None) -> FioFit:
    """Fit one drive, or an array *raid* of such drives. UserError where there are no reads, with which a fit begins."""
    reads = points.points_of(READ)
    if not reads:
        raise UserError("there are no random reads, with which a fit begins")
    first = min(reads, key=lambda each: each.level)
    if first.level / first.iops > ARM_SECONDS:
        return _disc_fit(points, DISC_CAPACITY if capacity is None else capacity, raid)
    return _flash_fit(points, FLASH_CAPACITY if capacity is None else capacity, raid)


def _flash_fit(points: FioPoints, capacity: int, raid: RaidType | None) -> FioFit:
    seen = points.fitted_points()
    host = host_share(seen)
    found = fit_flash(points.name, capacity, seen if raid is None else list(_points_of_one_drive(seen, raid)))
    numbers = [*found.numbers, *_host_numbers(host)]
    if raid is None:
        order = host_order(found.sheet, seen)
        numbers.append(SheetNumber("host.scheduler", order.value, FITTED))
        kind, together = "flash", TAGS if order is HostOrder.CFQ else NR_REQUESTS
        answer = partial(drive_answer, sheet=found.sheet, requests=JUDGED_REQUESTS, order=order)
    else:
        kind, together = f"raid {raid.level} of {raid.drives} drives of flash", max_taken(raid.drives)
        answer = partial(_array_answer, sheet=found.sheet, raid=raid, inside=together)
    return FioFit(points.name, kind, sheet_sections(found.sheet, numbers), numbers, found.remarks,
                  judge(points, host, answer, 0, together))  # fmt: skip


def _points_of_one_drive(points: Sequence[FioPoint], raid: RaidType) -> Iterator[FioPoint]:
    """Yield the points as one drive of an array saw them: its share of requests spread at random, and at least one.

    Writes of RAID 5 and 6 need several drives, so they are left out, and the numbers of writes are assumed.
    """
    layout = raid.layout
    for each in points:
        copies = 1 if each.op is READ else layout.copies if isinstance(layout, CopiesLayout) else 0
        if copies:
            share = each.level * copies / raid.drives
            iops = each.iops * copies / raid.drives if share >= 1.0 else 1.0 / each.mean
            yield replace(each, depth=max(1, round(share)), jobs=1, iops=iops)


def _array_answer(load: FioLoad, sheet: FlashType, raid: RaidType, inside: int) -> LoadAnswer:
    less = with_little_flash(sheet, sheet.nand.dies)

    def builds(env: simpy.Environment) -> BlockDevice:
        return Raid(env, raid, [FlashDrive(env, less, name=f"drive {number}") for number in range(raid.drives)])

    span = raid.capacity(less.capacity)
    if not span:
        raise UserError(f"a chunk of {raid.chunk} bytes is too large for a fit of flash: at most {less.capacity}")
    return answer_load(replace(load, span=span), builds, JUDGED_REQUESTS, HostDelay(inside))


def _host_numbers(host: HostShare) -> Iterator[SheetNumber]:
    """Numbers that belong to the host, and are in no sheet of a drive."""
    yield SheetNumber("host.submit_us", f"{host.submit / US:.4g}", FITTED if host.submit else ASSUMED)
    for op, rate in host.rates.items():
        yield SheetNumber(f"host.{op}s_a_second_in_turns", f"{rate:.6g}", FITTED)


def _disc_fit(points: FioPoints, capacity: int, raid: RaidType | None) -> FioFit:
    seen = points.fitted_points()
    drives = 1 if raid is None else raid.drives
    data = 1 if raid is None else _data(raid)
    span = min(points.span or capacity * data, capacity * data * 9 // 10 if raid else capacity)
    disc_of = partial(_disc, name=points.name, capacity=capacity, span=max(1, span // data))
    builds = partial(_device, disc_of=disc_of, raid=raid)
    disc_points = DiscPoints(seen, builds, span, drives, list(_bitmaps(raid, span)))
    knobs = with_queue(fit_depth_1(seen), disc_points)
    between = HostDelay(max_taken(drives), knobs.latency)

    def answer(load: FioLoad) -> LoadAnswer:
        return answer_load(knobs.settle(load), partial(builds, knobs), JUDGED_REQUESTS, between)

    numbers = list(disc_numbers(knobs))
    kind = "disc" if raid is None else f"raid {raid.level} of {raid.drives} discs, chunk of {raid.chunk} bytes"
    return FioFit(points.name, kind, _sections(disc_of(knobs), knobs, numbers), numbers, (),
                  judge(points, HostShare(0.0, {}), answer, span, between.inside))  # fmt: skip


def _bitmaps(raid: RaidType | None, span: int) -> Iterator[KnownBitmap | None]:
    """The bitmaps that *raid* may have: none, and mdadm's."""
    if raid is None or not raid.layout.redundancy:
        yield None
        return
    covered = span // raid.layout.data if isinstance(raid.layout, ParityLayout) else span
    yield KnownBitmap(0, 0)
    yield KnownBitmap(BITMAP_REGION, TOUCHES * covered // BITMAP_REGION)


def _data(raid: RaidType) -> int:
    """Return the number of drives that the data alone would fill."""
    layout = raid.layout
    return max(1, raid.drives // layout.copies) if isinstance(layout, CopiesLayout) else layout.data


def _disc(knobs: DiscKnobs, name: str, capacity: int, span: int) -> DiscType:
    return knobs.disc(name, capacity, span)


def _device(
    knobs: DiscKnobs, env: simpy.Environment, disc_of: Callable[[DiscKnobs], DiscType], raid: RaidType | None
) -> BlockDevice:
    disc = disc_of(knobs)
    if raid is None:
        return knobs.device(env, disc)
    kind = raid if knobs.bitmap is None else replace(raid, bitmap=knobs.bitmap.region)
    return Raid(env, kind, [knobs.device(env, disc, f"drive {number}") for number in range(raid.drives)])


def _sections(disc: DiscType, knobs: DiscKnobs, numbers: Sequence[SheetNumber]) -> dict[str, Any]:
    """A sheet of the disc, with its queue."""
    layout, seek, queue = disc.layout, disc.seek, knobs.queue
    assert isinstance(seek, TableSeek), "a fit makes a table"
    ageing = {} if queue.ageing is None else {"ageing_ms_per_s": round(queue.ageing / MS, SHEET_DIGITS)}
    return {
        "name": disc.name, "sector_bytes": layout.sector_bytes, "capacity_sectors": layout.sectors,
        "cylinders": layout.cylinders, "heads": layout.heads, "sectors_per_track": layout.zones[0].sectors_per_track,
        "rpm": disc.rpm, "head_switch_ms": 0.0, "command_overhead_ms": round(disc.overhead / MS, SHEET_DIGITS),
        "seek": {"points_cyl_ms": [[far, round(seconds / MS, SHEET_DIGITS)] for far, seconds in seek.points if far]},
        "queue": {"tags": queue.tags, "planned_ahead": queue.ahead, **ageing, "writes_cached": queue.writes},
    }  # fmt: skip


# The page of a fit, its sheet, and its numbers for a program.

BOUND = 0.10
"""Mean error of held-out throughput above which the page warns."""


def page(fit: FioFit) -> Iterator[str]:
    """Lines of at most 100 columns."""
    held = sum(not each.fitted for each in fit.judged)
    yield f"{fit.name}: {fit.kind}, fitted to {len(fit.judged) - held} points, {held} held out, of other depths"
    yield from fit.remarks
    yield from ("", f"{'error, %: mean / worst':<24}{'points':>7}" + "".join(f"{name:>13}" for name in QUANTITIES))
    for name, points in groups(fit.judged):
        if points:
            yield f"{name:<24}{len(points):>7}" + "".join(f"{_cell(points, each):>13}" for each in QUANTITIES)
    off = summary([each for each in fit.judged if not each.fitted], "throughput")
    if off is not None and off.mean > BOUND:
        yield f"Throughput is off by more than {BOUND:.0%}: the sheet does not describe this drive well."
    yield from ("", f"{'run: depth x jobs':<24}{'a second':>10}{'predicted':>11}{'p95, ms':>12}{'predicted':>11}")
    for each in fit.judged:
        yield _row(each)
    yield from ("", f"{'number':<28}{'value':>20}  {'source':<9}the points also allow")
    for number in fit.numbers:
        yield f"{number.name:<28}{number.value[:20]:>20}  {number.source:<9}{number.bears}".rstrip()


def _cell(points: list[JudgedPoint], quantity: str) -> str:
    off = summary(points, quantity)
    return "-" if off is None else f"{100 * off.mean:.1f} / {100 * off.worst:.0f}"


def _row(each: JudgedPoint) -> str:
    point, predicted = each.point, each.predicted
    p95 = point.quantiles.get(0.95)
    said = "-" if p95 is None else f"{p95 / MS:.4g}"
    kind = "fitted" if each.fitted else "held out"
    return (f"{point.name:<24}{point.iops:>10.1f}{predicted.iops:>11.1f}{said:>12}"
            f"{predicted.quantiles[0.95] / MS:>11.4g}  {kind}")  # fmt: skip


def sheet_text(fit: FioFit, head: list[str]) -> str:
    """The sheet, with *head* as comments above it."""
    return yaml_text(fit.sections, head)


def numbers(fit: FioFit) -> dict[str, Any]:
    """Return all numbers of a fit, for JSON."""
    return {
        "drive": fit.name, "kind": fit.kind, "remarks": list(fit.remarks),
        "errors": {name.strip(): {each: {"mean": off.mean, "worst": off.worst} for each in QUANTITIES
                                  if (off := summary(points, each)) is not None}
                   for name, points in groups(fit.judged) if points},
        "points": [{"op": each.point.op.value, "iodepth": each.point.depth, "numjobs": each.point.jobs,
                    "fitted": each.fitted, "iops": each.point.iops, "predicted_iops": each.predicted.iops,
                    **{f"{name}_error": each.error(name) for name in QUANTITIES}} for each in fit.judged],
        "numbers": {each.name: {"value": each.value, **source_of(each)} for each in fit.numbers},
    }  # fmt: skip
