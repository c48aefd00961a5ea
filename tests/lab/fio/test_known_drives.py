"""Drives whose sheets are known: what fio would say of them, and whether the fit finds them again."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import simpy

from spindle.lab.fio import disc as discs
from spindle.lab.fio import flash_writes
from spindle.lab.fio.disc import DiscKnobs, DiscPoints, KnownBitmap, fit_depth_1, speed_of, unless_nearer, with_queue
from spindle.lab.fio.fit import _array_answer, _points_of_one_drive, fio_fit
from spindle.lab.fio.flash_answer import drive_answer
from spindle.lab.fio.flash_reads import read_levels
from spindle.lab.fio.flash_writes import sheet_of_writes, with_writes
from spindle.lab.fio.judged import JudgedPoint, groups, summary
from spindle.lab.fio.load import FioLoad, HostDelay, LoadAnswer, answer_load, drive_points, host_share
from spindle.lab.fio.points import FioPoint, FioPoints
from spindle.lab.flash.fit import FlashFit
from spindle.lab.flash.knobs import FlashKnobs
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.mq_deadline import MqDeadline
from spindle.sim.disc.raid.array import Raid
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.scheduling import TaggedQueue
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, BlockDevice, Op
from spindle.sim.units import MS, US

CAPACITY = 10**12


def said(op: Op, level: int, answer: LoadAnswer) -> FioPoint:
    quantiles = {share: seconds for share, seconds in answer.quantiles.items() if share < 0.999}
    return FioPoint(op, level, 1, 4096, 10_000, answer.iops, answer.mean, quantiles)


def device(knobs: DiscKnobs, env: simpy.Environment) -> BlockDevice:
    return knobs.device(env, knobs.disc("known", CAPACITY, CAPACITY))


def of_disc(knobs: DiscKnobs, op: Op, *levels: int) -> list[FioPoint]:
    return [said(op, level, answer_load(FioLoad(op, level, 4096, CAPACITY), lambda env: device(knobs, env), 800))
            for level in levels]  # fmt: skip


def test_seeks_are_found_from_reads_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discs, "SPEEDS", (7200.0,))
    monkeypatch.setattr(discs, "LATENCIES", (0.0,))
    known = DiscKnobs(7200.0, 1.5 * MS, 14 * MS)
    found = {(each.rpm, each.latency): each for each in fit_depth_1(of_disc(known, READ, 1))}
    at = found[7200.0, 0.0]
    assert at.least + 0.67 * at.slope == pytest.approx(known.least + 0.67 * known.slope, rel=0.03)


def test_the_plan_is_found_from_reads_at_several_depths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discs, "PLANNED_AHEAD", (1, 4))
    monkeypatch.setattr(discs, "AGEINGS", (0.0,))
    monkeypatch.setattr(discs, "TRIED_WRITE_DEPTHS", (0, 32))
    known = DiscKnobs(7200.0, 1.5 * MS, 14 * MS, ahead=4, writes=32)
    points = [*of_disc(known, READ, 1, 16), *of_disc(known, WRITE, 1)]
    found = with_queue([replace(known, ahead=1, writes=0)], DiscPoints(points, device, CAPACITY))
    assert (found.ahead, found.writes, found.told) == (4, 32, True)


def test_a_speed_is_assumed_unless_another_is_nearer() -> None:
    """A slow arm and a fast spindle add up to the same: the mean of a read alone is 13.9 ms with either."""
    usual, slow = DiscKnobs(7200.0, 1.7 * MS, 14.5 * MS), DiscKnobs(5400.0, 2.2 * MS, 10.9 * MS)
    points = of_disc(usual, READ, 1, 4, 16)
    disc_points = DiscPoints(points, device, CAPACITY, requests=200)
    found = speed_of([usual, slow], disc_points)
    assert (found.rpm, found.told) == (7200.0, False)
    other = speed_of([replace(usual, rpm=15_000.0), usual], disc_points)
    assert (other.rpm, other.told) == (7200.0, True)


def test_a_plan_leaves_few_requests_in_order() -> None:
    """With no more than are planned the response is what all of them take, with hardly a spread."""
    few, many = (of_disc(DiscKnobs(7200.0, 1.5 * MS, 14 * MS, ahead=6), READ, level)[0] for level in (4, 32))
    assert few.quantiles[0.95] < 1.4 * few.mean
    assert many.quantiles[0.95] > 2.0 * many.mean


KNOBS = FlashKnobs(12 * US, 70 * US, 12 * US, 540e6, 1, 4, 4, 4)


def test_how_a_full_buffer_is_flushed_is_found_from_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flash_writes, "FLUSH_UNITS", (1, 64))
    fit = FlashFit(KNOBS, np.zeros(4), np.zeros(4), 0.0, 0.0, np.zeros(1))
    known = sheet_of_writes(fit, "known", 1 << 30, 30 * US, 12 * US, 20 * MS, 64)
    points = [said(WRITE, level, drive_answer(FioLoad(WRITE, level, 4096, 0), known, 1000)) for level in (1, 4, 16)]
    found = with_writes(fit, "found", 1 << 30, points)
    assert found.flush == 64
    assert found.nand.program == pytest.approx(known.nand.program, rel=0.25)


@pytest.mark.parametrize("size", [4096, 65536])
def test_writes_at_few_depths(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """There are none of 8 or more; and a write of 16 units takes as many."""
    monkeypatch.setattr(flash_writes, "FLUSH_UNITS", (16,))
    fit = FlashFit(KNOBS, np.zeros(4), np.zeros(4), 0.0, 0.0, np.zeros(1))
    points = [FioPoint(WRITE, level, 1, size, 10_000, iops, level / iops, {0.50: 0.2 * MS})
              for level, iops in ((1, 3000.0), (4, 4000.0))]  # fmt: skip
    found = with_writes(fit, "few", 1 << 30, points)
    answer = drive_answer(FioLoad(WRITE, 4, size, 0), found, 300)
    assert answer.iops == pytest.approx(4000.0, rel=0.2)


def test_percentiles_of_several_under_way_say_nothing_of_one() -> None:
    several = FioPoint(READ, 4, 1, 4096, 1000, 72.0, 4 / 72.0, {0.50: 55 * MS, 0.95: 70 * MS})
    off, _ = discs._seeks(several, 7200.0, 0.0)
    assert off < 1e-4


def test_a_drive_that_wakes_up_is_said_to() -> None:
    points = [said(READ, level, LoadAnswer(iops, 1.0, {})) for level, iops in ((1, 5_000.0), (4, 40_000.0))]
    levels, remarks = read_levels(points)
    assert [each.job.depth for each in levels] == [4]
    assert remarks[0].startswith("all requests are of 4 KiB")
    assert remarks[1].startswith("1 under way took longer than 4")


def point(depth: int, jobs: int, iops: float, p50: float = 1.0) -> FioPoint:
    return FioPoint(READ, depth, jobs, 4096, 10_000, iops, 1.0, {0.50: p50})


def test_the_share_of_the_host() -> None:
    points = [point(1, 1, 1000.0, 0.9), point(1, 64, 70_000.0), point(8, 8, 58_000.0), point(16, 8, 58_200.0)]
    host = host_share(points)
    assert host.submit == pytest.approx(0.1)
    assert host.rates == {READ: 58_100.0}
    answer = LoadAnswer(72_625.0, 2.0, {0.50: 2.0})
    assert host.fio_answer(points[1], answer) == LoadAnswer(72_625.0, 2.0, {0.50: pytest.approx(1.9)})
    slowed = host.fio_answer(points[2], answer)
    assert (slowed.iops, slowed.mean) == pytest.approx((58_100.0, 2.5))
    assert host_share(points[:2]).rates == {}


def test_what_a_host_holds_back_says_nothing_of_the_drive() -> None:
    alone, others = [point(1, 64, 70_000.0), point(64, 1, 70_000.0)], [point(8, 8, 58_000.0)]
    assert drive_points([*alone, *others]) == alone
    assert drive_points(others) == others


def test_beyond_the_block_layer_requests_wait_outside() -> None:
    """But for half as many more, of who was woken."""
    knobs = DiscKnobs(7200.0, 1 * MS, 9 * MS)
    few, more, many = (answer_load(FioLoad(READ, level, 4096, CAPACITY), lambda env: device(knobs, env), 500,
                                HostDelay(inside)) for level, inside in ((8, 8), (12, 12), (24, 8)))  # fmt: skip
    assert 0.95 * few.iops < many.iops < 1.05 * more.iops
    assert many.mean == pytest.approx(24 / many.iops, rel=0.05)


@pytest.mark.parametrize(("depth", "jobs", "median", "late"), [
    (64, 1, 1.155, 1.745), (8, 16, 2.343, 3.981), (4, 64, 2.507, 21.36), (8, 32, 2.736, 13.17), (16, 16, 3.555, 9.503),
    (8, 64, 2.736, 32.90), (16, 32, 3.588, 19.27), (32, 16, 9.634, 10.42), (16, 64, 3.621, 39.06),
])  # fmt: skip
def test_what_waits_in_the_host_is_what_fio_measured(depth: int, jobs: int, median: float, late: float) -> None:
    """A drive that reads 52,924 times a second behind Linux's deadline scheduler; p50 and p95 in ms, as measured."""
    reads = FixedService(1 / 52_924, capacity=CAPACITY)

    def tagged(env: simpy.Environment) -> Drive:
        return Drive(env, reads, TaggedQueue(MqDeadline(), Fcfs(), 32))

    answer = answer_load(FioLoad(READ, depth * jobs, 4096, CAPACITY, jobs), tagged, 5000)
    assert answer.quantiles[0.50] == pytest.approx(median * MS, rel=0.06)
    assert answer.quantiles[0.95] == pytest.approx(late * MS, rel=0.08)
    assert answer.mean == pytest.approx(depth * jobs / 52_924, rel=0.01)


def test_a_process_deeper_than_a_batch_gets_its_depth() -> None:
    reads = FixedService(1 / 52_924, capacity=CAPACITY)
    load = FioLoad(READ, 1024, 4096, CAPACITY, 16)
    answer = answer_load(load, lambda env: Drive(env, reads), 5000)
    assert answer.quantiles[0.50] == pytest.approx(19.0 * MS, rel=0.05)


def test_latency_takes_no_arm() -> None:
    knobs = DiscKnobs(7200.0, 1 * MS, 9 * MS)
    load = FioLoad(READ, 1, 4096, CAPACITY)
    one, other = (answer_load(load, lambda env: device(knobs, env), 500, HostDelay(latency=late))
                  for late in (0.0, 5 * MS))  # fmt: skip
    assert other.mean == pytest.approx(one.mean + 5 * MS, rel=0.02)


def test_errors_are_of_what_was_measured() -> None:
    judged = [JudgedPoint(point(1, 1, 100.0), LoadAnswer(110.0, 0.9, {0.50: 1.0, 0.95: 2.0, 0.99: 3.0}), False)]
    both = summary(judged, "throughput")
    assert both is not None
    assert (both.count, both.worst) == (1, pytest.approx(0.1))
    assert summary(judged, "p95") is None
    assert {name: len(each) for name, each in groups(judged)}["held out"] == 1


@pytest.mark.parametrize(("depth", "jobs", "iops", "median", "late"), [
    (64, 1, 63_862, 1.0199, 1.4500), (64, 2, 50_720, 1.2534, 2.2774), (32, 2, 50_735, 0.6185, 1.0568),
    (32, 4, 50_765, 0.6267, 1.0732), (16, 4, 50_790, 0.3052, 0.4731), (16, 8, 50_812, 0.3052, 0.4813),
])  # fmt: skip
def test_turns_of_processes_are_what_fio_measured(
    depth: int, jobs: int, iops: float, median: float, late: float
) -> None:
    """A drive at the rate that it had behind Linux's CFQ: who has the turn has his own depth, and no more waits."""
    reads = FixedService(1 / iops, capacity=CAPACITY)
    answer = answer_load(FioLoad(READ, depth * jobs, 4096, CAPACITY, jobs), lambda env: Drive(env, reads), 6000,
                         HostDelay(turns=True))  # fmt: skip
    assert answer.quantiles[0.50] == pytest.approx(median * MS, rel=0.05)
    assert answer.quantiles[0.95] == pytest.approx(late * MS, rel=0.12)


@pytest.mark.parametrize(("level", "op", "under_way", "share", "iops"), [
    ("0", READ, 8, 2, 2_500.0), ("0", READ, 2, 1, 1.0), ("10", WRITE, 8, 4, 5_000.0), ("5", READ, 8, 2, 2_500.0),
    ("5", WRITE, 8, 0, 0.0),
])  # fmt: skip
def test_what_one_drive_of_an_array_saw(level: str, op: Op, under_way: int, share: int, iops: float) -> None:
    """Its share; or, with fewer than drives, one alone, which takes a second; and of parity nothing."""
    point = FioPoint(op, under_way, 1, 4096, 100, 10_000.0, 1.0, {})
    seen = list(_points_of_one_drive([point], RaidType(level, 4)))
    assert [(each.level, each.iops) for each in seen] == ([(share, iops)] if share else [])


@pytest.mark.soak
def test_an_array_of_known_flash() -> None:
    fit = FlashFit(KNOBS, np.zeros(4), np.zeros(4), 0.0, 0.0, np.zeros(1))
    known, raid = sheet_of_writes(fit, "known", 1 << 30, 30 * US, 12 * US, 2 * MS, 16), RaidType("0", 4)
    points = [said(op, level, _array_answer(FioLoad(op, level, 4096, 0), known, raid, 128))
              for op in (READ, WRITE) for level in (1, 2, 4, 8, 16, 32, 64)]  # fmt: skip
    held = dict(groups(fio_fit(FioPoints("known", points), None, raid).simulated))["held out"]
    for quantity, most in (("throughput", 0.06), ("p95", 0.15)):
        off = summary(held, quantity)
        assert off is not None
        assert off.mean < most


def test_a_chunk_that_no_flash_of_a_fit_holds() -> None:
    fit = FlashFit(KNOBS, np.zeros(4), np.zeros(4), 0.0, 0.0, np.zeros(1))
    known = sheet_of_writes(fit, "known", 1 << 30, 30 * US, 12 * US, 2 * MS, 16)
    with pytest.raises(UserError, match="too large for a fit of flash"):
        _array_answer(FioLoad(READ, 1, 4096, 0), known, RaidType("0", 4, 1 << 30), 128)


def mirror(knobs: DiscKnobs, env: simpy.Environment) -> Raid:
    assert knobs.bitmap is not None
    disc = knobs.disc("known", CAPACITY, CAPACITY)
    return Raid(env, RaidType("1", 2, bitmap=knobs.bitmap.region), [knobs.device(env, disc, each) for each in "ab"])


def test_a_bitmap_is_told_by_more_than_chance() -> None:
    """A bit of this one is of so few bytes that every write waits for one."""
    span = CAPACITY // 2
    ways = [DiscKnobs(7200.0, 1 * MS, 9 * MS, bitmap=KnownBitmap(region, 0)) for region in (0, 1 << 16)]
    for truth in ways:
        points = [said(WRITE, level, answer_load(FioLoad(WRITE, level, 4096, span), partial(mirror, truth), 200))
                  for level in (1, 2, 4)]  # fmt: skip
        disc_points = DiscPoints(points, mirror, span, 2, requests=200)
        assert unless_nearer(ways, disc_points) == truth
