"""Discs fitted to fio's points, step by step by hand: distances, choices one after another, and what chance allows."""

from collections.abc import Sequence
from dataclasses import replace
from math import log, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import simpy

from spindle.lab.fio import disc as discs
from spindle.lab.fio.disc import (
    AGEINGS,
    BITMAP_REQUESTS,
    LATENCIES,
    OVERHEAD,
    PLANNED_AHEAD,
    REQUESTS,
    SPEEDS,
    TRIED_WRITE_DEPTHS,
    DiscKnobs,
    DiscPoints,
    KnownBitmap,
    disc_numbers,
    max_taken,
    unless_nearer,
    with_queue,
)
from spindle.lab.fio.load import NR_REQUESTS, TAGS, FioLoad, HostDelay, LoadAnswer
from spindle.lab.fio.points import FioPoint
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.mq_deadline import MqDeadline
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.seek import TableSeek
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.units import MS

GB = 10**9
KNOBS = DiscKnobs(7200.0, 1.5 * MS, 14 * MS)
Call = tuple[Any, ...]


def point(op: Op, level: int, iops: float = 100.0, size: int = 4096, **p: float) -> FioPoint:
    shares = {float(name.replace("p", "0.")): seconds for name, seconds in p.items()}
    return FioPoint(op, level, 1, size, 1000, iops, 1.0, shares)


# The disc.

def test_a_seek_grows_with_the_root_of_the_share_of_the_span() -> None:
    """1 GB are 9 sectors of each of 30,000 x 8 tracks; half of it is 15,000 cylinders."""
    disc = KNOBS.disc("x", GB, GB // 2)
    assert (disc.name, disc.rpm, disc.overhead) == ("x", 7200.0, 0.3 * MS)
    assert (disc.layout.sectors, disc.layout.sector_bytes, disc.layout.cylinders) == (30_000 * 8 * 9, 512, 30_000)
    seek = disc.seek
    assert isinstance(seek, TableSeek)
    assert seek.points[0] == (0, 0.0)
    fars = [far for far, _ in seek.points[1:]]
    assert (fars[0], fars[-1]) == (round((1 / 39) ** 2 * 14_999), 14_999)
    for far, seconds in seek.points[1:]:
        assert seconds == pytest.approx(1.5 * MS + 14 * MS * sqrt(far / 14_999))
    assert len(seek.points) == 40
    sizes = (30_000 * 8 * 512, 30_000 * 8 * 512 + 1, 1)
    assert [KNOBS.disc("x", size, size).layout.zones[0].sectors_per_track for size in sizes] == [1, 2, 1]
    short, long = (KNOBS.disc("x", GB, span).seek for span in (1, 9 * GB))
    assert isinstance(short, TableSeek)
    assert isinstance(long, TableSeek)
    assert short.points == ((0, 0.0), (1, pytest.approx(1.5 * MS + 14 * MS * sqrt(0.5))), (2, pytest.approx(15.5 * MS)))
    assert long.points[-1] == (29_999, pytest.approx(15.5 * MS))


def test_a_queue_plans_and_chooses_by_time_or_by_seeks() -> None:
    assert replace(KNOBS, ahead=3, ageing=0.02, writes=8).queue == DriveQueue(TAGS, 3, 0.02, 8)
    assert [replace(KNOBS, ageing=ageing).queue.ageing for ageing in (0.0, -1.0)] == [0.0, None]


def test_writes_count_once_the_bits_are_set() -> None:
    load, bitmap = FioLoad(WRITE, 2, 4096, GB), replace(KNOBS, bitmap=KnownBitmap(64, 7))
    assert [each.settle(load).settling for each in (KNOBS, bitmap)] == [0, 7]
    assert bitmap.settle(replace(load, op=READ, settling=3)) == replace(load, op=READ)


@pytest.mark.parametrize("sorts", [False, True])
def test_a_device_has_a_cache_if_there_is_room_for_writes(sorts: bool) -> None:
    env, knobs = simpy.Environment(), replace(KNOBS, sorts=sorts)
    disc = knobs.disc("x", GB, GB)
    bare = knobs.device(env, disc)
    assert isinstance(bare, Drive)
    assert (bare.env, bare.name, bare.capacity) == (env, "drive", disc.layout.capacity)
    cached = replace(knobs, writes=8).device(env, disc, "b")
    assert isinstance(cached, WriteCache)
    assert (cached.name, cached._writes, cached._seconds) == ("b", 8, OVERHEAD)
    for queue in (bare.scheduler, cached.drive.scheduler, cached._waiting):
        assert type(queue._host) is (MqDeadline if sorts else Fcfs)  # type: ignore[attr-defined]


# One request under way.

def test_each_latency_has_the_speeds_that_are_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Near is four times the least square, or two percent."""
    asked: list[Call] = []
    offs = {7200.0: 0.5e-4, 5400.0: 2.2e-4, 5900.0: 4.1e-4, 10_000.0: discs.NEAR_SQUARE, 15_000.0: 1.0}

    def seeks(*call: Any) -> tuple[float, DiscKnobs]:
        asked.append(call)
        _, rpm, latency = call
        return offs[rpm] * (10 if latency else 1), replace(KNOBS, rpm=rpm, latency=latency)

    monkeypatch.setattr(discs, "_seeks", seeks)
    points = [point(READ, 2), point(READ, 1), point(WRITE, 1)]
    found = discs.fit_depth_1([points[2], *points[:2]])
    assert asked == [(points[1], rpm, latency) for latency in LATENCIES for rpm in SPEEDS]
    assert [(each.latency, each.rpm) for each in found] == [
        (0.0, 7200.0), (0.0, 5400.0), (0.0, 10_000.0), *((latency, 7200.0) for latency in LATENCIES[1:])]  # fmt: skip


@pytest.mark.parametrize(("latency", "level"), [(0.0, 1), (3 * MS, 1), (0.0, 2)])
def test_seeks_are_found_from_a_mean_and_its_percentiles(latency: float, level: int) -> None:
    """A read takes the overhead, a seek over two places at random, and a part of a turn."""
    random = np.random.default_rng(1)
    far, angle = np.abs(random.random(4000) - random.random(4000)), random.random(4000)
    times = latency + OVERHEAD + 2 * MS + 12 * MS * np.sqrt(far) + angle / 120
    shares = {share: float(np.quantile(times, share)) * (1 if level == 1 else 7) for share in (0.50, 0.95, 0.99)}
    known = FioPoint(READ, level, 1, 4096, 1000, level / float(times.mean()), 1.0, shares)
    off, knobs = discs._seeks(known, 7200.0, latency)
    assert off < 1e-9
    assert (knobs.rpm, knobs.latency) == (7200.0, latency)
    if level == 1:
        assert (knobs.least, knobs.slope) == (pytest.approx(2 * MS, rel=1e-3), pytest.approx(12 * MS, rel=1e-3))
    far_off = discs._seeks(replace(known, iops=known.iops / 2), 7200.0, latency)[0]
    assert far_off > (0.1 if level == 1 else -1.0)


def test_seeks_are_off_by_squares_of_the_mean_and_the_percentiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as many reads were measured as the seeks allow, medians of half as long, and a p99 of twice as long."""
    random = np.random.default_rng(1)
    far, angle = np.abs(random.random(4000) - random.random(4000)), random.random(4000)
    times = OVERHEAD + 2 * MS + 12 * MS * np.sqrt(far) + angle / 120
    shares = {share: factor * float(np.quantile(times, share))
              for share, factor in ((0.50, 0.5), (0.95, 1.0), (0.99, 2.0))}  # fmt: skip
    known = FioPoint(READ, 1, 1, 4096, 1000, 2 / float(times.mean()), 1.0, shares)
    numbers = np.log([2 * MS - discs.SHORTEST_SEEK, 12 * MS])
    monkeypatch.setattr(discs, "minimize", lambda distance, *_, **__: SimpleNamespace(x=numbers, fun=distance(numbers)))
    off, knobs = discs._seeks(known, 7200.0, 0.0)
    assert off == pytest.approx((2.0 + 1.0 + 0.5) * log(2) ** 2)
    assert (knobs.least, knobs.slope) == (pytest.approx(2 * MS), pytest.approx(12 * MS))


# Distances.

@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """What a device is asked, which answers 200 a second, 10 ms on average, and 2, 4 and 8 ms."""
    calls: list[Call] = []

    def answer(load: FioLoad, builds: Any, requests: int, between: HostDelay) -> LoadAnswer:
        calls.append((load, builds.func, builds.args, requests, between))
        return LoadAnswer(200.0, 10 * MS, {0.50: 2 * MS, 0.95: 4 * MS, 0.99: 8 * MS})

    monkeypatch.setattr(discs, "answer_load", answer)
    return calls


def builds(knobs: DiscKnobs, env: simpy.Environment) -> Any:
    raise AssertionError("it is not built")


def test_a_disc_is_off_by_throughput_and_weighted_percentiles(answers: list[Call]) -> None:
    """Half as many is 2 log 2; percentiles weigh a half, p99 a quarter; beyond what is taken they do not count."""
    knobs = replace(KNOBS, latency=3 * MS, bitmap=KnownBitmap(64, 5))
    points = [point(WRITE, 1, 100.0, p50=1 * MS, p95=0.0), point(WRITE, 1, 200.0, p99=16 * MS),
              point(WRITE, NR_REQUESTS, 200.0, p95=1 * MS), point(WRITE, NR_REQUESTS + 1, 400.0, p50=9.0)]  # fmt: skip
    disc_points = DiscPoints(points, builds, GB)
    two = log(2)
    offs = {1: (2 * two + 0.5 * two + 0 + 0.25 * two) / 4, NR_REQUESTS: (0.5 * 2 * two) / 2, NR_REQUESTS + 1: 2 * two}
    assert disc_points.offs(knobs) == pytest.approx(offs)
    assert len(answers) == 3
    assert {each[0].level for each in answers} == {1, NR_REQUESTS}
    assert {each[1:] for each in answers} == {(builds, (knobs,), REQUESTS, HostDelay(NR_REQUESTS, 3 * MS))}
    assert {(each[0].op, each[0].size, each[0].span, each[0].settling) for each in answers} == {(WRITE, 4096, GB, 5)}
    assert disc_points.off(knobs) == pytest.approx((2 * offs[1] + offs[NR_REQUESTS] + offs[NR_REQUESTS + 1]) / 4)


def test_an_array_takes_more_at_a_time(answers: list[Call]) -> None:
    assert [max_taken(drives) for drives in (1, 4, 5)] == [NR_REQUESTS, NR_REQUESTS, 5 * TAGS]
    many = DiscPoints([point(READ, 5 * TAGS, 200.0, p50=1 * MS)], builds, GB, 5, requests=7)
    assert many.off(KNOBS) == pytest.approx(0.5 * log(2) / 2)
    assert answers[0][3:] == (7, HostDelay(5 * TAGS, 0.0))


def test_an_order_is_off_by_percentiles_over_means(answers: list[Call]) -> None:
    """Of what finds no tag: 2 of 10 ms where 0.1 of 0.32 s were measured, and 8 of 10 where 0.4 of 0.5 were."""
    points = [point(READ, TAGS, 1.0, p50=9.0), point(READ, 2 * TAGS, 200.0, p50=0.1, p95=0.0),
              point(READ, 100, 200.0, p99=0.4)]  # fmt: skip
    assert DiscPoints(points, builds, GB).order_off(KNOBS) == pytest.approx(log(0.1 / (0.2 * 0.32)))
    assert sorted(each[0].level for each in answers) == [2 * TAGS, 100]
    assert DiscPoints(points, builds, GB, 4).order_off(KNOBS) == 0.0


# Choices.

class Chosen(DiscPoints):
    """Points from which a disc is the farther off the more of its numbers differ from KNOWN."""

    def off(self, knobs: DiscKnobs) -> float:
        names = ("latency", "ahead", "ageing") if self.points[0].op is READ else ("writes", "bitmap")
        return float(sum(getattr(knobs, name) != getattr(KNOWN, name) for name in names))

    def order_off(self, knobs: DiscKnobs) -> float:
        return float(knobs.sorts != KNOWN.sorts)


KNOWN = DiscKnobs(5900.0, 1 * MS, 9 * MS, 4, 0.05, False, 64, 1.5 * MS, True, KnownBitmap(64, 3))


def test_choices_are_made_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, Sequence[DiscKnobs], DiscPoints]] = []

    def speed(ways: Sequence[DiscKnobs], points: DiscPoints) -> DiscKnobs:
        asked.append(("speed", ways, points))
        return replace(next(each for each in ways if each.rpm == 5900.0), told=True)

    def nearer(ways: Sequence[DiscKnobs], points: DiscPoints) -> DiscKnobs:
        asked.append(("bitmap", ways, points))
        return ways[-1]

    monkeypatch.setattr(discs, "speed_of", speed)
    monkeypatch.setattr(discs, "unless_nearer", nearer)
    kinds = [DiscKnobs(rpm, 1 * MS, 9 * MS, latency=latency) for latency in (0.0, 1.5 * MS) for rpm in (7200.0, 5900.0)]
    reads = [point(READ, level) for level in (2, NR_REQUESTS, NR_REQUESTS + 1)]
    writes = [point(WRITE, level) for level in (1, NR_REQUESTS, NR_REQUESTS + 1)]
    bitmaps = [KnownBitmap(0, 0), KnownBitmap(64, 3)]
    points = Chosen([*reads, *writes], builds, GB, 1, bitmaps)
    assert with_queue(kinds, points) == KNOWN
    speeds = [each for what, *each in asked if what == "speed"]
    assert [[(each.rpm, each.latency, each.ahead, each.ageing, each.sorts) for each in ways] for ways, _ in speeds] == [
        [(rpm, 1.5 * MS, 4, 0.05, False) for rpm in (7200.0, 5900.0)]] * 2  # fmt: skip
    assert [each.points for _, each in speeds] == [reads[:2]] * 2
    ((_, ways, known),) = [each for each in asked if each[0] == "bitmap"]
    assert ways == [replace(KNOWN, bitmap=each) for each in bitmaps]
    assert (known.points, known.requests) == (writes[:2], BITMAP_REQUESTS)
    assert with_queue(kinds, replace(points, points=reads)) == replace(KNOWN, writes=0, bitmap=None)


def test_it_ends_when_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Sequence[DiscKnobs]] = []

    def best(ways: Sequence[DiscKnobs], points: DiscPoints) -> DiscKnobs:
        tried.append(ways)
        return ways[0]

    monkeypatch.setattr(discs, "_best", best)
    monkeypatch.setattr(discs, "speed_of", lambda ways, points: ways[0])
    first = replace(KNOBS, ahead=PLANNED_AHEAD[0], ageing=AGEINGS[0])
    assert with_queue([first], Chosen([point(READ, 200)], builds, GB)) == replace(first, sorts=False)
    assert [len(each) for each in tried] == [1, len(PLANNED_AHEAD), len(AGEINGS)] * 2
    tried.clear()
    same = replace(first, sorts=False)
    with_queue([same], Chosen([point(READ, 1), point(WRITE, 1)], builds, GB))
    assert [len(each) for each in tried] == [1, len(PLANNED_AHEAD), len(AGEINGS), len(TRIED_WRITE_DEPTHS)]
    monkeypatch.setattr(Chosen, "order_off", lambda self, knobs: float(not knobs.sorts))
    assert with_queue([same], Chosen([point(READ, 200)], builds, GB)).sorts


def test_the_best_is_the_nearest_and_one_alone_is_not_asked() -> None:
    points = Chosen([point(READ, 1)], builds, GB)
    assert discs._best([KNOBS, KNOWN], points) is KNOWN
    assert discs._best([KNOBS], None) is KNOBS  # type: ignore[arg-type]


class Offs(DiscPoints):
    """Points at three levels, of which a disc of each speed is off by known distances."""

    def offs(self, knobs: DiscKnobs) -> dict[int, float]:
        gains = {7200.0: (0.0, 0.0, 0.0), 5400.0: (1.0, 2.0, 3.0), 5900.0: (1.0, 2.0, 4.2), 10_000.0: (4.0, 4.0, 5.0),
                 15_000.0: (-9.0, -9.0, -9.0)}[knobs.rpm]  # fmt: skip
        return {level: 9.0 - gain for level, gain in zip((1, 2, 4), gains, strict=True)}


def test_another_is_nearer_by_more_than_chance() -> None:
    """With 2 degrees of freedom a mean exceeds 0 by chance below 2.92 standard errors: 2 / 0.577 is more, 2.4 / 0.945
    is not; it would be with 3 or 4."""
    ways = {rpm: replace(KNOBS, rpm=rpm) for rpm in (7200.0, 5400.0, 5900.0, 10_000.0, 15_000.0)}
    points = Offs([], builds, GB)

    def told(*speeds: float) -> float:
        return unless_nearer([ways[each] for each in speeds], points).rpm

    assert told(7200.0) == 7200.0
    assert told(7200.0, 5400.0) == 5400.0
    assert told(7200.0, 5900.0) == 7200.0
    assert told(7200.0, 15_000.0) == 7200.0
    assert told(7200.0, 5400.0, 10_000.0, 5900.0) == 10_000.0
    assert [discs.speed_of([ways[each] for each in speeds], points).told
            for speeds in ((7200.0,), (7200.0, 5900.0), (7200.0, 5400.0))] == [True, False, True]  # fmt: skip


def test_what_is_as_near_is_not_nearer() -> None:
    assert unless_nearer([KNOBS, replace(KNOBS, least=9.0)], Offs([], builds, GB)) is KNOBS


def test_two_depths_say_something_of_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 1 degree of freedom it is below 6.31 standard errors: 1.05 / 0.05 is more."""
    monkeypatch.setattr(Offs, "offs", lambda self, knobs: {1: 5.0, 2: 5.0} if knobs is KNOBS else {1: 4.0, 2: 3.9})
    assert unless_nearer([KNOBS, KNOWN], Offs([], builds, GB)) is KNOWN


def test_one_depth_says_nothing_of_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Offs, "offs", lambda self, knobs: {1: 5.0 if knobs is KNOBS else 0.0})
    assert unless_nearer([KNOBS, KNOWN], Offs([], builds, GB)) is KNOBS


@pytest.mark.parametrize(("knobs", "expected"), [
    (KNOWN, {"rpm": ("5900", FITTED), "seek.least_ms": ("1", FITTED), "seek.over_span_ms": ("10", FITTED),
             "queue.planned_ahead": ("4", FITTED), "queue.choice": ("sptf, ageing 0.05", FITTED),
             "queue.tags": ("32", ASSUMED), "host.scheduler": ("fcfs", FITTED), "host.latency_ms": ("1.5", FITTED),
             "queue.writes_cached": ("64", FITTED), "array.bitmap_bytes": ("64", FITTED),
             "overhead_ms": ("0.3", ASSUMED), "layout": ("30000 x 8", ASSUMED)}),
    (replace(KNOBS, ageing=-1.0, bitmap=KnownBitmap(0, 0)),
     {"rpm": ("7200", ASSUMED), "seek.least_ms": ("1.5", FITTED), "seek.over_span_ms": ("15.5", FITTED),
      "queue.planned_ahead": ("1", FITTED), "queue.choice": ("sstf", FITTED), "queue.tags": ("32", ASSUMED),
      "host.scheduler": ("deadline", FITTED), "host.latency_ms": ("0", FITTED), "queue.writes_cached": ("0", FITTED),
      "array.bitmap_bytes": ("0", ASSUMED), "overhead_ms": ("0.3", ASSUMED), "layout": ("30000 x 8", ASSUMED)}),
])  # fmt: skip
def test_numbers_of_a_disc(knobs: DiscKnobs, expected: dict[str, tuple[str, str]]) -> None:
    assert list(disc_numbers(knobs)) == [SheetNumber(name, *each) for name, each in expected.items()]
    assert "array.bitmap_bytes" not in {each.name for each in disc_numbers(replace(knobs, bitmap=None))}
    assert next(iter(disc_numbers(replace(KNOBS, ageing=0.0)))).name == "rpm"
    assert [each.value for each in disc_numbers(replace(KNOBS, ageing=0.0)) if each.name == "queue.choice"] == [
        "sptf, ageing 0"]  # fmt: skip
