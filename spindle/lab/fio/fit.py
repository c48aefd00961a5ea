"""Answers ``spindle drive fit`` for fio's results: fits flash, a disc or an array to them, and judges the fit.

The fit sees half of the results, and is judged on the rest. It is given as text, as a drive file and as numbers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from statistics import fmean
from typing import Any

import simpy

from spindle.lab.fio import load as fio_load
from spindle.lab.fio.basis import few_points, resting_on
from spindle.lab.fio.between import between, rate_between, waits_alike
from spindle.lab.fio.disc import DiscKnobs, DiscPoints, KnownBitmap, disc_numbers_of, fit_depth_1, max_taken, with_queue
from spindle.lab.fio.flash import fit_flash
from spindle.lab.fio.flash_answer import drive_answer, with_little_flash
from spindle.lab.fio.host_order import host_order
from spindle.lab.fio.judged import QUANTITIES, JudgedPoint, groups, judge, summary
from spindle.lab.fio.nvme import JUDGED_REQUESTS as NVME_REQUESTS
from spindle.lab.fio.nvme import fit_nvme, nvme_answer, nvme_numbers, nvme_sheet, some_points
from spindle.lab.fio.points import FioPoint, FioPoints
from spindle.lab.fio.weighed import weighed_quantiles
from spindle.lab.fit.page import SHEET_DIGITS, source_of, yaml_text
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.lab.flash.page import sheet_sections
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.raid.array import Raid
from spindle.sim.disc.raid.layout import BITMAP_REGION, AnyCopies, ParityLayout, RaidType
from spindle.sim.disc.seek import TableSeek
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, BlockDevice
from spindle.sim.units import KIB, MS, US

# The fit of any drive, and its choice of a kind of drive and of a host.

ARM_SECONDS = 1.5 * MS
"""Seconds; a drive that takes longer for a read alone has an arm."""
JUDGED_REQUESTS = 3000
"""Requests of each simulation by which a fit is judged."""
WRITES_A_REGION = 6
"""Writes for each region of a bitmap, after which 1 region of 400 has not been written to."""
SATA_RATE = 600e6
"""Bytes a second that SATA carries at most: 6 Gbit/s, of which 8 bits in 10 are data (Serial ATA 3.0)."""
FLASH_CAPACITY, DISC_CAPACITY = 256 << 30, 10**12
"""Bytes of a drive whose capacity is not given; times hardly depend on it."""


@dataclass(frozen=True)
class FioFit:
    """The result of a fit: the *sections* of its drive file, the source of each of its *numbers*, all points *judged*.

    At held-out points, *judged* has the throughput that the measured points beside them predict, and percentiles too
    where these wait at the same place. *simulated* has all points as the fitted drive answers them.
    """

    name: str
    kind: str
    sections: Mapping[str, Any]
    numbers: Sequence[SheetNumber]
    remarks: Sequence[str]
    judged: Sequence[JudgedPoint]
    simulated: Sequence[JudgedPoint]


class FioHost(StrEnum):
    """The host between fio and the drive: SATA behind one queue of the kernel, or NVMe with a queue for each CPU."""

    SATA = "sata"
    NVME = "nvme"


def fio_fit(points: FioPoints, capacity: int | None, raid: RaidType | None, host: FioHost | None = None) -> FioFit:
    """Fit one drive, or an array *raid* of such drives, behind *host*; None chooses the host by the points.

    UserError where there are writes only and they may be of a disc, for its arm is fitted by reads.
    """
    least = min(points.points, key=lambda each: (each.op is WRITE, not each.random, each.level))
    moves = least.level / least.iops > ARM_SECONDS
    if raid is not None and host is FioHost.NVME:
        raise UserError("--host nvme cannot be combined with --raid: arrays are fitted behind SATA")
    if host is None and raid is None and _is_nvme(points, moves):
        host = FioHost.NVME
    if host is FioHost.NVME:
        return _nvme_fit(points, FLASH_CAPACITY if capacity is None else capacity)
    random = points.random_ones()
    if not random.points_of(READ):
        raise UserError("there are no random reads, with which a fit behind SATA begins")
    if moves:
        return _disc_fit(random, DISC_CAPACITY if capacity is None else capacity, raid)
    room = FLASH_CAPACITY if capacity is None else capacity
    fit = _flash_fit(random, room, raid)
    if host is not None or raid is not None or random.has_twins():
        return fit
    return min(fit, _nvme_fit(random, room), key=_distance)


MIN_GAIN_BEYOND_TAGS = 1.15
"""A drive whose throughput grows by this factor with more requests under way than SATA has tags has more tags."""


def _is_nvme(points: FioPoints, moves: bool) -> bool:
    """Tell if *points* can only be of a drive behind NVMe, or cannot be fitted behind SATA."""
    if points.nvme or max(each.iops * each.size for each in points.points) > SATA_RATE:
        return True
    random = [each for each in points.points if each.random]
    if moves or not random:
        return False
    if len({each.size for each in random}) > 1 or all(each.op is WRITE for each in random):
        return True
    return any(_gains_beyond_tags(points.points_of(op)) for op in (READ, WRITE))


def _gains_beyond_tags(points: Sequence[FioPoint]) -> bool:
    """Tell if one process gets MIN_GAIN_BEYOND_TAGS times the throughput with more requests than SATA has tags."""
    alone = [each for each in points if each.jobs == 1]
    within, beyond = ([each.iops for each in alone if (each.level > fio_load.TAGS) is more] for more in (False, True))
    filled = any(each.level == fio_load.TAGS for each in alone)
    return filled and bool(beyond) and max(beyond) > MIN_GAIN_BEYOND_TAGS * max(within)


def _distance(fit: FioFit) -> float:
    """Return the mean error of the simulation at the points that *fit* saw: of throughput, median and p95, weighted."""
    return fmean(weight * abs(error) for each in fit.judged if each.fitted
                 for quantity, weight in (("throughput", 3.0), ("p50", 1.0), ("p95", 1.0))
                 if (error := each.error(quantity)) is not None)  # fmt: skip


def _without_tail(point: FioPoint) -> FioPoint:
    """Return *point* with the percentiles that drives behind SATA are fitted to."""
    return replace(point, quantiles={share: seconds for share, seconds in point.quantiles.items() if share < 0.999})


def _nvme_fit(points: FioPoints, capacity: int) -> FioFit:
    """Fit each kind of requests by itself; the drive file has the numbers of the smallest random ones."""
    seen = points.with_held_out().fitted_points()
    kinds = replace(points, points=seen).kinds()
    found = {kind: fit_nvme(some) for kind, some in kinds.items()}
    kept = set(map(id, seen))
    simulated = [JudgedPoint(each, nvme_answer(found[each.kind], each, NVME_REQUESTS), id(each) in kept)
                 for each in points.points if each.kind in found]  # fmt: skip
    judged = [each for each in simulated if each.fitted]
    judged += [JudgedPoint(each, between(seen, each), False) for each in points.points if id(each) not in kept]
    numbers = [number for kind, some in kinds.items() for number in resting_on(
        some[0].pattern, some_points(some), nvme_numbers(some[0].pattern, found[kind]))]
    _, _, size = min(found, key=lambda kind: (kind[1], kind[2]))
    random = {kind[0]: knobs for kind, knobs in found.items() if kind[2] == size}
    sheet = nvme_sheet(points.name, size, capacity, random.get(False), random.get(True))
    remark = f"NVMe, with a queue for each CPU; the sheet is that of requests of {size / KIB:g} KiB"
    return FioFit(points.name, "flash", sheet_sections(sheet, numbers), numbers, [remark], judged, simulated)


def _flash_fit(points: FioPoints, capacity: int, raid: RaidType | None) -> FioFit:
    seen = [_without_tail(each) for each in points.fitted_points()]
    host = fio_load.host_share(seen)
    found = fit_flash(points.name, capacity, seen if raid is None else list(_points_of_one_drive(seen, raid)))
    numbers = [*found.numbers, *resting_on("reads and writes", seen, _host_numbers(host))]
    if raid is None:
        order = host_order(found.sheet, seen)
        numbers += resting_on("reads and writes", seen, [SheetNumber("host.scheduler", order.value, FITTED)])
        kind, together = "flash", fio_load.TAGS if order is fio_load.HostOrder.CFQ else fio_load.NR_REQUESTS
        answer = partial(drive_answer, sheet=found.sheet, requests=JUDGED_REQUESTS, order=order)
    else:
        kind, together = f"raid {raid.level} of {raid.drives} drives of flash", max_taken(raid.drives)
        answer = partial(_array_answer, sheet=found.sheet, raid=raid, inside=together)
    simulated = judge(points, host, answer, 0, together)
    return FioFit(points.name, kind, sheet_sections(found.sheet, numbers), numbers, found.remarks,
                  _with_measured(simulated, 1 if raid is None else raid.drives), simulated)


def _with_measured(simulated: Sequence[JudgedPoint], drives: int = 1) -> list[JudgedPoint]:
    """Return *simulated*, with held-out points predicted from the measured points beside them.

    Their throughput always is; their percentiles are where the points beside wait at the same place: in the *drives*,
    in the host, or in fio. Otherwise, if all requests are in the drives, the p95 is weighed from both.
    """
    seen = [each.point for each in simulated if each.fitted]
    inside = fio_load.TAGS * drives
    bounds = (1, inside, max_taken(drives))

    def answer_at(each: JudgedPoint) -> fio_load.LoadAnswer:
        if waits_alike(seen, each.point, bounds):
            return between(seen, each.point)
        rate = rate_between(seen, each.point)
        quantiles = each.predicted.quantiles
        if each.point.level <= inside:
            quantiles = weighed_quantiles(simulated, each, inside)
        return fio_load.LoadAnswer(rate, each.point.level / rate, quantiles)

    return [each if each.fitted else replace(each, predicted=answer_at(each)) for each in simulated]


def _points_of_one_drive(points: Sequence[FioPoint], raid: RaidType) -> Iterator[FioPoint]:
    """Yield the points as one drive of an array saw them: with its share of random requests, and at least one.

    A write of RAID 5 or 6 takes several drives, so these are left out, and the numbers of writes are assumed.
    """
    layout = raid.layout
    for point in points:
        copies = 1 if point.op is READ else layout.copies if isinstance(layout, AnyCopies) else 0
        if copies:
            share = point.level * copies / raid.drives
            iops = point.iops * copies / raid.drives if share >= 1.0 else 1.0 / point.mean
            yield replace(point, depth=max(1, round(share)), jobs=1, iops=iops)


def _array_answer(load: fio_load.FioLoad, sheet: FlashType, raid: RaidType, inside: int) -> fio_load.LoadAnswer:
    less = with_little_flash(sheet, sheet.nand.dies)

    def builds(env: simpy.Environment) -> BlockDevice:
        return Raid(env, raid, [FlashDrive(env, less, name=f"drive {number}") for number in range(raid.drives)])

    span = raid.capacity(less.capacity)
    if not span:
        raise UserError(f"a chunk of {raid.chunk} bytes is too large for a fit of flash: at most {less.capacity}")
    return fio_load.answer_load(replace(load, span=span), builds, JUDGED_REQUESTS, fio_load.HostDelay(inside))


def _host_numbers(host: fio_load.HostShare) -> Iterator[SheetNumber]:
    """Yield the numbers of the host, which are in no drive file."""
    yield SheetNumber("host.submit_us", f"{host.submit / US:.4g}", FITTED if host.submit else ASSUMED)
    for op, rate in host.rates.items():
        yield SheetNumber(f"host.{op}s_a_second_in_turns", f"{rate:.6g}", FITTED)


def _disc_fit(points: FioPoints, capacity: int, raid: RaidType | None) -> FioFit:
    seen = [_without_tail(each) for each in points.fitted_points()]
    drives = 1 if raid is None else raid.drives
    data = 1 if raid is None else _data(raid)
    span = min(points.span or capacity * data, capacity * data * 9 // 10 if raid else capacity)
    disc_of = partial(_disc, name=points.name, capacity=capacity, span=max(1, span // data))
    builds = partial(_device, disc_of=disc_of, raid=raid)
    disc_points = DiscPoints(seen, builds, span, drives, list(_bitmaps(raid, span)))
    knobs = with_queue(fit_depth_1(seen), disc_points)
    host = fio_load.HostDelay(max_taken(drives), knobs.latency)

    def answer(load: fio_load.FioLoad) -> fio_load.LoadAnswer:
        return fio_load.answer_load(knobs.settle(load), partial(builds, knobs), JUDGED_REQUESTS, host)

    numbers = list(disc_numbers_of(knobs, *([each for each in seen if each.op is op] for op in (READ, WRITE))))
    kind = "disc" if raid is None else f"raid {raid.level} of {raid.drives} discs, chunk of {raid.chunk} bytes"
    simulated = judge(points, fio_load.HostShare(0.0, {}), answer, span, host.inside)
    return FioFit(points.name, kind, _sections(disc_of(knobs), knobs), numbers, (),
                  _with_measured(simulated, drives), simulated)


def _bitmaps(raid: RaidType | None, span: int) -> Iterator[KnownBitmap | None]:
    """Yield the bitmaps that *raid* may have: none, and that of mdadm, Linux's program for arrays."""
    if raid is None or not raid.layout.redundancy:
        yield None
        return
    covered = span // raid.layout.data if isinstance(raid.layout, ParityLayout) else span
    yield KnownBitmap(0, 0)
    yield KnownBitmap(BITMAP_REGION, WRITES_A_REGION * covered // BITMAP_REGION)


def _data(raid: RaidType) -> int:
    """Return the number of drives that the data would fill without copies or parity."""
    layout = raid.layout
    return max(1, raid.drives // layout.copies) if isinstance(layout, AnyCopies) else layout.data


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


def _sections(disc: DiscType, knobs: DiscKnobs) -> dict[str, Any]:
    """Return the sections of the drive file of a disc, with its queue."""
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


# The answer as text, as a drive file, and as numbers for JSON.

BOUND = 0.10
"""Mean error of held-out throughput above which the text warns."""


def page(fit: FioFit) -> Iterator[str]:
    """Yield the text of the answer, in lines of at most 100 columns."""
    held = sum(not each.fitted for each in fit.judged)
    yield f"{fit.name}: {fit.kind}, fitted to {len(fit.judged) - held} points, {held} held out, of other depths"
    yield from (*fit.remarks, *few_points(fit.numbers, held))
    yield from ("", f"{'error, %: mean / worst':<24}{'points':>7}" + "".join(f"{name:>13}" for name in QUANTITIES))
    simulated = _held_out(fit.simulated)
    for name, points in [*groups(fit.judged), ("held out, simulated", simulated)]:
        if points:
            yield f"{name:<24}{len(points):>7}" + "".join(f"{_cell(points, each):>13}" for each in QUANTITIES)
    if simulated:
        yield from ("", "held out: throughput by the measured points beside them, percentiles too where these",
                    "wait at the same place, p95 in part where all is in the drive; simulated: by the sheet")
    off = summary(_held_out(fit.judged), "throughput")
    if off is not None and off.mean > BOUND:
        yield f"Throughput is off by more than {BOUND:.0%}: the fit does not describe this drive well."
    yield from ("", f"{'run: depth x jobs':<24}{'a second':>10}{'predicted':>11}{'p95, ms':>12}{'predicted':>11}")
    for each in fit.judged:
        yield _row(each)
    yield from ("", f"{'number':<28}{'value':>20}  {'source':<9}{'points':>6}  the points also allow")
    for number in fit.numbers:
        rests = "" if number.basis is None else number.basis.points
        yield f"{number.name:<28}{number.value[:20]:>20}  {number.source:<9}{rests:>6}  {number.bears}".rstrip()


def _held_out(points: Sequence[JudgedPoint]) -> list[JudgedPoint]:
    return [each for each in points if not each.fitted]


def _cell(points: list[JudgedPoint], quantity: str) -> str:
    off = summary(points, quantity)
    return "-" if off is None else f"{100 * off.mean:.1f} / {100 * off.worst:.0f}"


def _row(each: JudgedPoint) -> str:
    point, predicted = each.point, each.predicted
    p95 = point.quantiles.get(0.95)
    said = "-" if p95 is None else f"{p95 / MS:.4g}"
    kind = "fitted" if each.fitted else "held out"
    name = f"{point.pattern} {point.depth} x {point.jobs}"
    told = predicted.quantiles.get(0.95)
    return (f"{name:<24}{point.iops:>10.1f}{predicted.iops:>11.1f}{said:>12}"
            f"{'-' if told is None else f'{told / MS:.4g}':>11}  {kind}")  # fmt: skip


def sheet_text(fit: FioFit, head: list[str]) -> str:
    """Return the drive file, with *head* as comments above it."""
    return yaml_text(fit.sections, head)


def numbers(fit: FioFit) -> dict[str, Any]:
    """Return all numbers of *fit*, for JSON."""
    return {
        "drive": fit.name, "kind": fit.kind,
        "remarks": [*fit.remarks, *few_points(fit.numbers, len(_held_out(fit.judged)))],
        "errors": {name.strip(): {each: {"mean": off.mean, "worst": off.worst} for each in QUANTITIES
                                  if (off := summary(points, each)) is not None}
                   for name, points in [*groups(fit.judged), ("simulated", _held_out(fit.simulated))] if points},
        "points": [{"op": each.point.op.value, "bs": each.point.size, "random": each.point.random,
                    "iodepth": each.point.depth, "numjobs": each.point.jobs,
                    "fitted": each.fitted, "iops": each.point.iops, "predicted_iops": each.predicted.iops,
                    **{f"{name}_error": each.error(name) for name in QUANTITIES}} for each in fit.judged],
        "numbers": {each.name: {"value": each.value, **source_of(each),
                                **({} if each.basis is None else {"points": each.basis.points})}
                    for each in fit.numbers},
    }  # fmt: skip
