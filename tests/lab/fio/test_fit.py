"""A fit of fio's points by hand: what is fitted to which of them, what judges it, and how it is told."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import simpy

from spindle.lab.fio import fit as fits
from spindle.lab.fio import points as points_module
from spindle.lab.fio.basis import ONE_HELD_OUT
from spindle.lab.fio.between import between, rate_between
from spindle.lab.fio.disc import DiscKnobs, KnownBitmap, disc_numbers_of
from spindle.lab.fio.fit import (
    FioFit,
    FioHost,
    JudgedPoint,
    _array_answer,
    fio_fit,
    groups,
    judge,
    numbers,
    page,
    summary,
)
from spindle.lab.fio.flash import FlashFound
from spindle.lab.fio.flash_answer import drive_answer, with_little_flash
from spindle.lab.fio.flash_writes import sheet_of_writes
from spindle.lab.fio.load import NR_REQUESTS, TAGS, FioLoad, HostDelay, HostOrder, HostShare, LoadAnswer
from spindle.lab.fio.nvme import JUDGED_REQUESTS, NvmeKnobs, nvme_numbers, nvme_sheet
from spindle.lab.fio.points import FioPoint, FioPoints
from spindle.lab.fio.weighed import weighed_quantiles
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, Basis, SheetNumber
from spindle.lab.flash.fit import FlashFit
from spindle.lab.flash.knobs import FlashKnobs
from spindle.lab.flash.page import sheet_sections
from spindle.sim.disc.raid.array import Raid
from spindle.sim.disc.raid.layout import BITMAP_REGION, RaidType
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.units import KIB, MS, US

GB = 10**9
ANSWER = LoadAnswer(120.0, 1.5, {0.50: 1.2, 0.95: 2.2, 0.99: 3.3})


def point(op: Op, level: int, jobs: int = 1, iops: float = 100.0, span: int = 0, **quantiles: float) -> FioPoint:
    shares = {float(name.replace("p", "0.")): seconds for name, seconds in quantiles.items()}
    return FioPoint(op, level // jobs, jobs, 4096, 1000, iops, 1.0, shares, span)


def judged(*parts: tuple[FioPoint, bool]) -> list[JudgedPoint]:
    return [JudgedPoint(each, ANSWER, fitted) for each, fitted in parts]


def test_errors_are_shares_of_what_was_measured() -> None:
    each = JudgedPoint(replace(point(READ, 1, p50=0.8, p95=0.0), mean=2.0), replace(ANSWER, mean=3.0), False)
    assert [each.error(name) for name in ("throughput", "mean", "p50", "p95", "p99")] == [
        pytest.approx(0.2), pytest.approx(0.5), pytest.approx(0.5), None, None]  # fmt: skip


def test_a_summary_has_the_mean_and_the_worst() -> None:
    told = summary(judged((point(READ, 1, iops=100.0), False), (point(READ, 1, iops=240.0), False)), "throughput")
    assert told is not None
    assert (told.count, told.mean, told.worst) == (2, pytest.approx(0.35), pytest.approx(0.5))


def test_groups_by_what_was_seen_the_kind_and_the_tags() -> None:
    seen, read, write, many = (point(READ, 1), point(READ, TAGS), point(WRITE, 2), point(READ, TAGS + 1))
    found = [(name, [each.point for each in some])
             for name, some in groups(judged((seen, True), (read, False), (write, False), (many, False)))]  # fmt: skip
    assert found == [
        ("fitted", [seen]), ("held out", [read, write, many]), ("  reads", [read, many]), ("  writes", [write]),
        ("  up to 32 under way", [read, write]), ("  beyond, in the host", [many]),
    ]  # fmt: skip


def test_points_of_one_load_are_judged_by_one_answer() -> None:
    """Beyond what the host takes together, who asks for how many makes a load of its own."""
    levels = ((4, 1), (4, 2), (8, 1), (16, 1), (16, 2), (8, 2))
    points = FioPoints("one", [point(READ, level, jobs) for level, jobs in levels])
    asked: list[FioLoad] = []

    def answer(load: FioLoad) -> LoadAnswer:
        asked.append(load)
        return replace(ANSWER, iops=float(len(asked)))

    found = judge(points, HostShare(0.2, {}), answer, 77, 8)
    assert asked == [FioLoad(READ, 4, 4096, 77), FioLoad(READ, 8, 4096, 77), FioLoad(READ, 16, 4096, 77),
                     FioLoad(READ, 16, 4096, 77, 2)]  # fmt: skip
    assert [(each.point, each.predicted.iops, each.predicted.quantiles[0.50], each.fitted) for each in found] == [
        (each, iops, 1.0, fitted) for each, iops, fitted in
        zip(points.points, (1.0, 1.0, 2.0, 3.0, 4.0, 2.0), map(bool, (1, 1, 0, 1, 1, 0)), strict=True)]  # fmt: skip


Call = tuple[Any, ...]


@pytest.mark.parametrize(("lowest", "capacity", "kind", "given"), [
    (1000.0, None, "flash", 256 << 30), (1 / fits.ARM_SECONDS, 7, "flash", 7), (666.0, None, "disc", 10**12),
    (100.0, 0, "disc", 0),
])  # fmt: skip
def test_a_drive_whose_read_takes_long_has_an_arm(
    monkeypatch: pytest.MonkeyPatch, lowest: float, capacity: int | None, kind: str, given: int
) -> None:
    """The deeper points would say the contrary, and so would those in sequence."""
    for name in ("disc", "flash"):
        monkeypatch.setattr(fits, f"_{name}_fit", lambda *call, name=name: (name, *call))
    other = 1.0 if kind == "flash" else 1e6
    random, raid = [point(READ, 4, iops=other), point(READ, 1, iops=lowest), point(WRITE, 1)], object()
    points = FioPoints("x", [replace(point(READ, 1, iops=other), random=False), *random])
    assert fio_fit(points, capacity, raid) == (kind, FioPoints("x", random), given, raid)  # type: ignore[arg-type, comparison-overlap]
    with pytest.raises(UserError, match="there are no random reads"):
        fio_fit(FioPoints("x", [point(WRITE, 1)]), None, None)


@pytest.mark.parametrize(("capacity", "given"), [(None, 256 << 30), (7, 7)])
def test_a_drive_behind_nvme_has_the_capacity_that_is_given(
    monkeypatch: pytest.MonkeyPatch, capacity: int | None, given: int
) -> None:
    monkeypatch.setattr(fits, "_nvme_fit", lambda *call: call)
    points = FioPoints("x", [point(READ, 1)])
    assert fio_fit(points, capacity, None, FioHost.NVME) == (points, given)  # type: ignore[comparison-overlap]


def test_a_fit_is_as_far_off_as_what_it_saw() -> None:
    """Throughput is off by 0.2, of which three are counted, the median by 0.5, and p95 by 0.1; the mean does not count.
    """
    seen = point(READ, 1, p50=0.8, p95=2.0)
    fit = replace(FIT, judged=judged((seen, True), (point(READ, 2, iops=1.0), False)))
    assert fits._distance(fit) == pytest.approx((3 * 0.2 + 0.5 + 0.1) / 3)


def test_behind_sata_no_tail_is_fitted() -> None:
    known = replace(point(READ, 1), quantiles={0.5: 1.0, 0.99: 2.0, 0.999: 3.0})
    assert fits._without_tail(known) == replace(known, quantiles={0.5: 1.0, 0.99: 2.0})


KNOBS = FlashKnobs(12 * US, 70 * US, 12 * US, 540e6, 1, 4, 4, 4)
KNOWN = sheet_of_writes(FlashFit(KNOBS, np.zeros(4), np.zeros(4), 0.0, 0.0, np.zeros(1)), "known", 1 << 30,
                        30 * US, 12 * US, 2 * MS, 16)  # fmt: skip
FLASH_POINTS = FioPoints("ssd", [point(READ, level, jobs, iops, p50=0.9)
                                 for level, jobs, iops in ((1, 1, 1000.0), (2, 1, 1.0), (64, 1, 70_000.0),
                                                           (128, 2, 1.0), (256, 16, 58_000.0))])  # fmt: skip


@pytest.mark.parametrize(("order", "together"), [(HostOrder.CFQ, TAGS), (HostOrder.DEADLINE, NR_REQUESTS)])
def test_a_fit_of_flash(monkeypatch: pytest.MonkeyPatch, order: HostOrder, together: int) -> None:
    seen = FLASH_POINTS.fitted_points()
    calls: list[Call] = []

    def fit_flash(*call: Any) -> FlashFound:
        calls.append(call)
        return FlashFound(KNOWN, (SheetNumber("a", "1", FITTED),), ("so it is",))

    def host_order(*call: Any) -> HostOrder:
        calls.append(call)
        return order

    monkeypatch.setattr(fits, "fit_flash", fit_flash)
    monkeypatch.setattr(fits, "host_order", host_order)
    monkeypatch.setattr(fits, "judge", lambda *call: call)
    monkeypatch.setattr(fits, "_with_measured", lambda *call: call)
    made = fits._flash_fit(FLASH_POINTS, 1 << 30, None)
    assert calls == [("ssd", 1 << 30, seen), (KNOWN, seen)]
    told = [SheetNumber("a", "1", FITTED), SheetNumber("host.submit_us", "1e+05", FITTED),
            SheetNumber(f"host.{READ}s_a_second_in_turns", "58000", FITTED),
            SheetNumber("host.scheduler", order.value, FITTED)]  # fmt: skip
    assert made == FioFit(
        "ssd", "flash", sheet_sections(KNOWN, told), told, ("so it is",), (made.simulated, 1), made.simulated)  # type: ignore[arg-type]  # fmt: skip
    points, host, answer, span, inside = made.simulated
    assert (points, span, inside) == (FLASH_POINTS, 0, together)
    assert host == HostShare(pytest.approx(0.1), {READ: 58_000.0})
    assert isinstance(answer, partial)
    assert (answer.func, answer.keywords) == (
        drive_answer, {"sheet": KNOWN, "requests": fits.JUDGED_REQUESTS, "order": order})  # fmt: skip


def test_a_fit_of_an_array_of_flash(monkeypatch: pytest.MonkeyPatch) -> None:
    raid, calls = RaidType("0", 8), list[Call]()

    def fit_flash(*call: Any) -> FlashFound:
        calls.append(call)
        return FlashFound(KNOWN, (), ())

    monkeypatch.setattr(fits, "fit_flash", fit_flash)
    monkeypatch.setattr(fits, "judge", lambda *call: call)
    monkeypatch.setattr(fits, "_with_measured", lambda *call: call)
    made = fits._flash_fit(FLASH_POINTS, 1 << 30, raid)
    assert [each.level for each in calls[0][2]] == [1, 8, 32]
    assert made.kind == "raid 0 of 8 drives of flash"
    assert [each.name for each in made.numbers] == ["host.submit_us", f"host.{READ}s_a_second_in_turns"]
    assert made.judged == (made.simulated, 8)
    _, _, answer, span, inside = made.simulated
    assert (span, inside) == (0, 8 * TAGS)
    assert isinstance(answer, partial)
    assert (answer.func, answer.keywords) == (_array_answer, {"sheet": KNOWN, "raid": raid, "inside": 8 * TAGS})


@pytest.mark.parametrize("small_reads", [True, False])
def test_a_fit_of_nvme(monkeypatch: pytest.MonkeyPatch, small_reads: bool) -> None:
    """Of each kind 1 and 4 under way are fitted; the sheet is of the smallest random requests."""
    small = [point(READ, level) for level in (1, 2, 4)]
    large, smallest, writes = [replace(each, size=8192) for each in small], [
        replace(each, size=512, random=False) for each in small], [replace(each, op=WRITE) for each in small]
    kinds = [large, smallest, writes, *([small] if small_reads else [])]
    known = {points[0].kind: NvmeKnobs(3 * US, 20 * US, 1000.0 * number, 64, 32)
             for number, points in enumerate(kinds, 1)}  # fmt: skip
    fitted: list[list[FioPoint]] = []

    def fit_nvme(points: list[FioPoint]) -> NvmeKnobs:
        fitted.append(points)
        return known[points[0].kind]

    def answer(knobs: NvmeKnobs, of: FioPoint, requests: int) -> LoadAnswer:
        assert (knobs, requests) == (known[of.kind], JUDGED_REQUESTS)
        return replace(ANSWER, iops=knobs.rate + of.level)

    monkeypatch.setattr(fits, "fit_nvme", fit_nvme)
    monkeypatch.setattr(fits, "nvme_answer", answer)
    points = [each for some in kinds for each in some]
    made = fits._nvme_fit(FioPoints("ssd", points), 1 << 30)
    assert fitted == [[some[0], some[2]] for some in kinds]
    seen = [each for some in fitted for each in some]
    told = [number for some in kinds for number in nvme_numbers(some[0].pattern, known[some[0].kind])]
    sheet = nvme_sheet("ssd", 4096, 1 << 30, known.get(small[0].kind), known[writes[0].kind])
    simulated = [JudgedPoint(each, answer(known[each.kind], each, JUDGED_REQUESTS), each.level != 2)
                 for each in points]  # fmt: skip
    beside = [JudgedPoint(each, between(seen, each), False) for each in points if each.level == 2]
    remark = "NVMe, with a queue for each CPU; the sheet is that of requests of 4 KiB"
    assert made == FioFit("ssd", "flash", sheet_sections(sheet, told), told, [remark],
                          [*(each for each in simulated if each.fitted), *beside], simulated)  # fmt: skip


def test_the_throughput_of_what_was_held_out_is_that_of_the_points_beside_it() -> None:
    """Of 100 a second alone and 200 with four under way; what is simulated keeps its percentiles."""
    seen, end = point(READ, 1, iops=100.0), point(READ, 4, iops=200.0)
    simulated = judged((seen, True), (point(READ, 2, iops=1.0), False), (end, True))
    first, held, last = fits._with_measured(simulated)
    assert (first, last) == (simulated[0], simulated[2])
    assert held.predicted.iops == pytest.approx(rate_between([seen, end], held.point))
    assert 141.4 < held.predicted.iops < 200.0
    assert held.predicted.mean == pytest.approx(2 / held.predicted.iops)
    assert (held.point, held.predicted.quantiles) == (simulated[1].point, simulated[1].predicted.quantiles)


@pytest.mark.parametrize(("levels", "drives", "alike"), [
    ((10, 32, 34), 1, False), ((10, 32, 34), 2, True), ((2, 3, 4), 1, True), ((1, 2, 4), 1, False),
])  # fmt: skip
def test_all_of_what_was_held_out_is_that_of_points_that_wait_at_the_same_place(
    levels: tuple[int, int, int], drives: int, alike: bool
) -> None:
    """With 34 under way one drive of 32 tags is full, and two are not; one alone waits for none."""
    first, middle, last = levels
    seen, end = point(READ, first, iops=100.0, p95=0.3), point(READ, last, iops=100.0, p95=0.3)
    simulated = judged((seen, True), (point(READ, middle, iops=1.0), False), (end, True))
    held = fits._with_measured(simulated, drives)[1]
    beside = between([seen, end], held.point)
    weighed = LoadAnswer(beside.iops, middle / beside.iops, weighed_quantiles(simulated, simulated[1], 32))
    assert held.predicted == (beside if alike else weighed)
    assert held.predicted.quantiles[0.95] < ANSWER.quantiles[0.95]


def test_what_is_not_all_in_the_drive_has_simulated_percentiles() -> None:
    """Between 30 and 34 under way, 33 are more than 32 tags."""
    seen, end = point(READ, 30, iops=100.0, p95=0.3), point(READ, 34, iops=100.0, p95=0.3)
    simulated = judged((seen, True), (point(READ, 33, iops=1.0), False), (end, True))
    assert fits._with_measured(simulated)[1].predicted.quantiles == ANSWER.quantiles


def test_numbers_of_the_host_that_were_not_seen_are_assumed() -> None:
    assert list(fits._host_numbers(HostShare(0.0, {}))) == [SheetNumber("host.submit_us", "0", ASSUMED)]


def test_one_drive_of_an_array_sees_its_share() -> None:
    """Of a mirror each write; of reads fewer than drives, one that takes the mean, which is 1 s here."""
    points = [point(READ, 2, 2, 900.0), point(READ, 4, 2, 900.0), point(READ, 6, 2, 900.0), point(WRITE, 2, 1, 800.0)]
    seen = fits._points_of_one_drive(points, RaidType("10", 4))
    assert [(each.op, each.depth, each.jobs, each.iops) for each in seen] == [
        (READ, 1, 1, 1.0), (READ, 1, 1, 225.0), (READ, 2, 1, 225.0), (WRITE, 1, 1, 400.0)]  # fmt: skip
    slow = replace(points[0], mean=0.25)
    assert [each.iops for each in fits._points_of_one_drive([slow], RaidType("10", 4))] == [4.0]


def test_an_array_of_flash_answers_over_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fits.fio_load, "answer_load", lambda *call: call)
    raid = RaidType("0", 3)
    load, builds, requests, between = _array_answer(FioLoad(READ, 2, 4096, 0), KNOWN, raid, 99)  # type: ignore[misc]
    less = with_little_flash(KNOWN, KNOWN.nand.dies)
    assert (load, requests, between) == (FioLoad(READ, 2, 4096, raid.capacity(less.capacity)), fits.JUDGED_REQUESTS,
                                         HostDelay(99))  # fmt: skip
    env = simpy.Environment()
    array = builds(env)
    assert (array.env, array.kind, array.capacity) == (env, raid, load.span)
    assert [drive.name for drive in array.members.drives] == ["drive 0", "drive 1", "drive 2"]


KNOBS = DiscKnobs(7200.0, 1.5 * MS, 14 * MS, 4, 0.006, writes=8, latency=0.5 * MS)


@pytest.mark.parametrize(("raid", "asked", "span", "of_drive", "drives", "bitmaps", "kind"), [
    (None, 0, GB, GB, 1, [None], "disc"), (None, 7, 7, 7, 1, [None], "disc"), (None, 2 * GB, GB, GB, 1, [None], "disc"),
    (RaidType("5", 4), 0, 27 * GB // 10, 9 * GB // 10, 4,
     [KnownBitmap(0, 0), KnownBitmap(BITMAP_REGION, 6 * (9 * GB // 10) // BITMAP_REGION)],
     "raid 5 of 4 discs, chunk of 524288 bytes"),
    (RaidType("1", 2, 64 * KIB), GB // 2, GB // 2, GB // 2, 2,
     [KnownBitmap(0, 0), KnownBitmap(BITMAP_REGION, 3 * GB // BITMAP_REGION)],
     "raid 1 of 2 discs, chunk of 65536 bytes"),
    (RaidType("0", 2, 64 * KIB), 2, 2, 1, 2, [None], "raid 0 of 2 discs, chunk of 65536 bytes"),
    (RaidType("0", 2, 64 * KIB), 1, 1, 1, 2, [None], "raid 0 of 2 discs, chunk of 65536 bytes"),
])  # fmt: skip
def test_a_fit_of_discs(
    monkeypatch: pytest.MonkeyPatch, raid: RaidType | None, asked: int, span: int, of_drive: int, drives: int,
    bitmaps: list[KnownBitmap | None], kind: str,
) -> None:  # fmt: skip
    points = FioPoints("hdd", [point(READ, level, span=asked) for level in (1, 2, 4)])
    calls: list[Call] = []

    def with_queue(*call: Any) -> DiscKnobs:
        calls.append(call)
        return replace(KNOBS, bitmap=bitmaps[-1])

    monkeypatch.setattr(fits, "fit_depth_1", lambda seen: [seen])
    monkeypatch.setattr(fits, "with_queue", with_queue)
    monkeypatch.setattr(fits, "judge", lambda *call: call)
    monkeypatch.setattr(fits, "_with_measured", lambda *call: call)
    monkeypatch.setattr(fits.fio_load, "answer_load", lambda *call: call)
    made = fits._disc_fit(points, GB, raid)
    ((kinds, disc_points),) = calls
    assert kinds == [points.fitted_points()]
    assert (disc_points.points, disc_points.span, disc_points.drives, disc_points.bitmaps) == (
        points.fitted_points(), span, drives, bitmaps)  # fmt: skip
    assert repr((disc_points.span, disc_points.bitmaps)) == repr((span, bitmaps)), "whole bytes and whole writes"
    knobs = replace(KNOBS, bitmap=bitmaps[-1])
    told = list(disc_numbers_of(knobs, points.fitted_points(), []))
    sections = fits._sections(KNOBS.disc("hdd", GB, of_drive), KNOBS)
    assert made == FioFit("hdd", kind, sections, told, (), (made.simulated, drives), made.simulated)  # type: ignore[arg-type]
    given, host, answer, over, inside = made.simulated
    assert (given, host, over, inside) == (points, HostShare(0.0, {}), span, max(NR_REQUESTS, TAGS * drives))
    load = FioLoad(WRITE, 3, 4096, span)
    settled, builds, requests, between = answer(load)  # type: ignore[operator]
    assert settled == replace(load, settling=0 if bitmaps[-1] is None else bitmaps[-1].settling)
    assert (requests, between) == (fits.JUDGED_REQUESTS, HostDelay(inside, KNOBS.latency))
    env = simpy.Environment()
    for device in (builds(env), disc_points.builds(knobs, env)):
        if raid is None:
            assert isinstance(device, WriteCache)
            continue
        assert isinstance(device, Raid)
        assert device.kind == replace(raid, bitmap=0 if bitmaps[-1] is None else BITMAP_REGION)
        assert len(device.members.drives) == drives
        assert [each.drive.name for each in device.members.drives if isinstance(each, WriteCache)] == [
            f"drive {number}" for number in range(drives)]  # fmt: skip


def test_an_ageing_is_rounded() -> None:
    queue = fits._sections(KNOBS.disc("hdd", GB, GB), replace(KNOBS, ageing=0.00612345678))["queue"]
    assert queue["ageing_ms_per_s"] == round(6.12345678, fits.SHEET_DIGITS)


def test_data_of_an_array_fill_so_many_drives() -> None:
    assert [fits._data(RaidType(level, drives)) for level, drives in (("0", 3), ("1", 3), ("10", 5), ("5", 4), ("6", 5))
            ] == [3, 1, 2, 3, 3]  # fmt: skip


def test_the_sheet_of_a_disc() -> None:
    disc = KNOBS.disc("hdd", GB, GB)
    sections = fits._sections(disc, KNOBS)
    seek = sections.pop("seek")
    assert sections == {
        "name": "hdd", "sector_bytes": 512, "capacity_sectors": 30_000 * 8 * 9, "cylinders": 30_000, "heads": 8,
        "sectors_per_track": 9, "rpm": 7200.0, "head_switch_ms": 0.0, "command_overhead_ms": 0.3,
        "queue": {"tags": 32, "planned_ahead": 4, "ageing_ms_per_s": 6.0, "writes_cached": 8},
    }  # fmt: skip
    assert list(seek) == ["points_cyl_ms"]
    assert seek["points_cyl_ms"][0] == [20, pytest.approx(1.5 + 14 * (20 / 29_999) ** 0.5, abs=1e-4)]
    assert seek["points_cyl_ms"][-1] == [29_999, 15.5]
    assert "ageing_ms_per_s" not in fits._sections(disc, replace(KNOBS, ageing=-1.0))["queue"]


@pytest.fixture(autouse=True)
def as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points of any number of depths, which have tests of their own."""
    monkeypatch.setattr(points_module, "MIN_LEVELS", 1)


FIT = FioFit("ssd", "flash", {"name": "ssd"}, [
    SheetNumber("a", "1", FITTED, 0.5, 2.0, basis=Basis("reads", 12, 36)),
    SheetNumber("a.long_one", "x" * 30, ASSUMED, others=("b", "c"))],
    ("so it is",), judged((point(READ, 1, p50=1.0, p95=2.0), True), (point(READ, 64, 2, p50=1.5), False)), (),
)  # fmt: skip


def test_the_page_of_a_fit() -> None:
    head = f"{'':<31}" + "".join(f"{name:>13}" for name in ("throughput", "mean", "p50", "p95", "p99", "p99.9"))
    first, *lines = list(page(FIT))
    assert (first, lines.pop(1)) == ("ssd: flash, fitted to 1 points, 1 held out, of other depths", ONE_HELD_OUT)
    assert lines.pop(0) == "so it is"
    lines = ["", "", *lines]
    assert lines[2:4] == ["", "error, %: mean / worst   points" + head[31:]]
    held = "      1    20.0 / 20    50.0 / 50    20.0 / 20            -            -            -"
    assert lines[4:8] == [
        "fitted                        1    20.0 / 20    50.0 / 50    20.0 / 20    10.0 / 10            -            -",
        "held out                " + held, "  reads                 " + held, "  beyond, in the host   " + held,
    ]  # fmt: skip
    assert lines[8:11] == [
        "Throughput is off by more than 10%: the fit does not describe this drive well.", "",
        "run: depth x jobs         a second  predicted     p95, ms  predicted"]  # fmt: skip
    assert lines[11:13] == [
        "randread 4 KiB 1 x 1         100.0      120.0        2000       2200  fitted",
        "randread 4 KiB 32 x 2        100.0      120.0           -       2200  held out"]  # fmt: skip
    assert lines[13:] == ["", f"{'number':<28}{'value':>20}  source   points  the points also allow",
                          f"{'a':<28}{'1':>20}  fitted       12  0.5 to 2",
                          f"{'a.long_one':<28}{'x' * 20}  assumed          b or c"]  # fmt: skip
    several = replace(FIT, judged=judged((point(READ, 1), True), (point(READ, 2), True), (point(READ, 3), True),
                                         (point(READ, 64, iops=119.0), False)))  # fmt: skip
    assert next(page(several)) == "ssd: flash, fitted to 3 points, 1 held out, of other depths"
    assert not any("does not describe" in line for line in page(several)), "what was seen does not count"
    near = replace(FIT, judged=[JudgedPoint(point(READ, 64, 2), replace(ANSWER, iops=109.0), False)])
    assert not any("does not describe" in line for line in page(replace(FIT, judged=near.judged[:0])))
    assert not any("does not describe" in line for line in page(near))
    assert fits.sheet_text(FIT, ["first"]).splitlines()[:2] == ["# first", "name: ssd"]


def test_the_page_has_the_errors_of_what_was_held_out_and_simulated() -> None:
    """Of 20 a second 120 were simulated at one of two points, and it was held out."""
    simulated = judged((point(READ, 1), True), (point(READ, 64, 2, iops=20.0), False))
    lines = list(page(replace(FIT, simulated=simulated)))
    assert [line[:44] for line in lines if "simulated" in line and "/" in line] == [
        "held out, simulated           1  500.0 / 500"]  # fmt: skip
    assert "wait at the same place" in "".join(lines)
    assert lines[next(place for place, line in enumerate(lines) if line.startswith("held out: ")) - 1] == ""
    assert "wait at the same place" not in "".join(page(FIT))
    assert numbers(replace(FIT, simulated=simulated))["errors"]["simulated"]["throughput"] == {
        "mean": pytest.approx(5.0), "worst": pytest.approx(5.0)}  # fmt: skip


def test_the_page_leaves_out_what_is_not_known() -> None:
    """A percentile that was not predicted, and what else the points allow."""
    bare = [JudgedPoint(point(READ, 1, p95=2.0), replace(ANSWER, quantiles={}), True)]
    lines = list(page(replace(FIT, judged=bare, numbers=[SheetNumber("b", "2", FITTED)])))
    assert "randread 4 KiB 1 x 1         100.0      120.0        2000          -  fitted" in lines
    assert lines[-1] == f"{'b':<28}{'2':>20}  fitted"


def test_the_numbers_of_a_fit_for_a_program() -> None:
    told = numbers(FIT)
    held = {name: {"mean": pytest.approx(off), "worst": pytest.approx(off)}
            for name, off in (("throughput", 0.2), ("mean", 0.5), ("p50", -0.2 * -1))}  # fmt: skip
    fitted = {**held, "p95": {"mean": pytest.approx(0.1), "worst": pytest.approx(0.1)}}
    assert told == {
        "drive": "ssd", "kind": "flash", "remarks": ["so it is", ONE_HELD_OUT],
        "errors": {"fitted": fitted, "held out": held, "reads": held, "beyond, in the host": held},
        "points": [
            {"op": "read", "bs": 4096, "random": True, "iodepth": depth, "numjobs": jobs, "fitted": fitted,
             "iops": 100.0, "predicted_iops": 120.0,
             "throughput_error": pytest.approx(0.2), "mean_error": pytest.approx(0.5),
             "p50_error": pytest.approx(p50), "p95_error": p95, "p99_error": None, "p99.9_error": None}
            for depth, jobs, fitted, p50, p95 in ((1, 1, True, 0.2, pytest.approx(0.1)), (32, 2, False, -0.2, None))],
        "numbers": {"a": {"value": "1", "source": "fitted", "low": 0.5, "high": 2.0, "points": 12},
                    "a.long_one": {"value": "x" * 30, "source": "assumed", "as_good": ["b", "c"]}},
    }  # fmt: skip
