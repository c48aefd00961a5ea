"""An NVMe drive's knobs by hand: its sheet, its numbers, where a fit begins, what it tries, and how far off it is."""

from dataclasses import replace
from math import log
from typing import Any

import pytest

from spindle.lab.fio import fit, nvme, own_cpus
from spindle.lab.fio.load import FioLoad, LoadAnswer
from spindle.lab.fio.nvme import NvmeKnobs, fit_nvme, nvme_numbers, nvme_sheet
from spindle.lab.fio.own_cpus import MAX_TAGS, answer_on_cpus
from spindle.lab.fio.points import FioPoint, FioPoints
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.sim.disc.flash.sheet import FlashType, Front, Nand
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.streams import stream
from spindle.sim.units import US

KNOBS = NvmeKnobs(cpu=3 * US, command=20 * US, rate=500_000.0, inside=256, dies=32)
WRITES = NvmeKnobs(cpu=6 * US, command=5 * US, rate=250_000.0, inside=128, dies=64)


def point(level: int = 8, op: Op = READ, jobs: int = 1, iops: float = 100.0, mean: float = 1.0, random: bool = True,
          **quantiles: float) -> FioPoint:  # fmt: skip
    shares = {float(name.replace("p", "0.")): seconds for name, seconds in quantiles.items()}
    return FioPoint(op, level // jobs, jobs, 4096, 1000, iops, mean, shares, random=random)


# Sheets.

def test_a_sheet_whose_dies_do_so_many_requests_a_second_together() -> None:
    """A die takes 32 / 500,000 s; it has 2,048 units at least, and 1.07 times as many in blocks of 64, and six."""
    sheet = KNOBS.sheet("one", 4096)
    assert sheet == FlashType(
        "one", Nand(1, 32, 1, 35 + 6, 64, 4096, 64 * US, 64 * US, 3e-3, 1e12),
        Front("NVMe", 256, 32, 20 * US, 1e12, 20 * US, 1e12), 2048 * 4096 * 32, 4096, buffer=64 * 4096)  # fmt: skip
    assert KNOBS.sheet("one", 8192).unit == 8192


def test_a_sheet_has_whole_units_of_the_capacity_that_is_asked_for() -> None:
    sheet = KNOBS.sheet("one", 4096, (3000 * 32 + 31) * 4096 + 5)
    assert sheet.capacity == 3000 * 32 * 4096
    assert sheet.nand.blocks == 51 + 6  # 3,000 x 1.07 / 64 = 50.2


def test_a_drive_has_the_numbers_of_reads_and_of_writes() -> None:
    sheet = nvme_sheet("both", 4096, 0, KNOBS, WRITES)
    reads, writes = KNOBS.sheet("both", 4096), WRITES.sheet("both", 4096)
    assert (sheet.nand.read, sheet.nand.dies) == (reads.nand.read, 32)
    # Half as many dies as the writes' own sheet has: each takes half of its time.
    assert sheet.nand.program == pytest.approx(writes.nand.program / 2)
    assert (sheet.front.command, sheet.front.write_command, sheet.front.tags) == (20 * US, 5 * US, 256)
    swapped = nvme_sheet("both", 4096, 0, replace(KNOBS, inside=64), WRITES)
    assert swapped.front.tags == 128
    assert nvme_sheet("writes", 4096, 0, None, WRITES) == WRITES.sheet("writes", 4096)


def test_numbers_are_named_by_their_pattern() -> None:
    assert list(nvme_numbers("randread 4 KiB", KNOBS)) == [
        SheetNumber("randread_4k.host_cpu_us", "3", FITTED), SheetNumber("randread_4k.command_us", "20", FITTED),
        SheetNumber("randread_4k.a_second", "500000", FITTED), SheetNumber("randread_4k.inside", "256", FITTED),
        SheetNumber("randread_4k.dies", "32", FITTED)]  # fmt: skip
    assert list(nvme_numbers("write 128 KiB", WRITES))[-1] == SheetNumber("write_128k.dies", "64", ASSUMED)


def test_an_answer_is_to_the_load_of_the_point(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Any, ...]] = []
    monkeypatch.setattr(nvme, "answer_on_cpus", lambda *given: seen.append(given))
    nvme.nvme_answer(KNOBS, point(6, WRITE, 3, random=False), 77)
    sheet = KNOBS.sheet("nvme", 4096)
    assert seen == [(FioLoad(WRITE, 6, 4096, sheet.capacity, 3, sequential=True), sheet, 77, 3 * US)]


# Where a fit begins, and what it tries.

def test_a_fit_begins_with_the_fastest_point_and_the_lowest() -> None:
    points = [point(1, iops=1000.0, p50=1e-4), point(8, jobs=4, iops=20_000.0), point(32, jobs=4, iops=16_000.0)]
    assert nvme._first(points) == NvmeKnobs(4 / 20_000, 0.8e-4, 20_000.0, 256, 32)
    assert nvme._first([point(1, iops=1000.0, mean=2e-4)]).command == 0.8 * 2e-4
    assert nvme._first([point(2, iops=1000.0, mean=2e-4)]).command == 60 * US
    assert nvme._first([point(2, WRITE, iops=1000.0, mean=2e-4)]).command == 10 * US


def test_a_fit_sees_the_first_the_second_and_the_last() -> None:
    levels = [8, 1, 4, 2, 16]
    assert [each.level for each in nvme.some_points([point(level) for level in levels])] == [1, 2, 16]
    assert [each.level for each in nvme.some_points([point(level) for level in (4, 2)])] == [2, 4]


def test_reads_try_counts_of_dies_and_writes_keep_them() -> None:
    tried = nvme._counts(KNOBS, point())
    assert [(each.inside, each.dies) for each in tried] == [
        (inside, dies) for inside in (32, 64, 128, 256, 512, 1024) for dies in (1, 8, 16, 32, 64)]  # fmt: skip
    assert {(each.cpu, each.command, each.rate) for each in tried} == {(KNOBS.cpu, KNOBS.command, KNOBS.rate)}
    assert {each.dies for each in nvme._counts(KNOBS, point(op=WRITE))} == {32}


@pytest.mark.parametrize(("name", "factors"), [
    ("rate", (0.97, 1.0, 1.03, 1.1, 1.5)), ("cpu", (0.6, 0.9, 1.0)), ("command", (0.3, 0.6, 0.8, 1.0, 1.3)),
])  # fmt: skip
def test_times_are_tried_by_factors(name: str, factors: tuple[float, ...]) -> None:
    tried = nvme._times(name)(KNOBS, point())
    assert tried == [replace(KNOBS, **{name: factor * getattr(KNOBS, name)}) for factor in factors]


def test_the_distance_is_the_sum_of_logarithms_by_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def answer(knobs: NvmeKnobs, at: FioPoint, requests: int) -> LoadAnswer:
        asked.append(requests)
        return LoadAnswer(200.0, 1.0, {0.50: 1.0, 0.95: 3.0, 0.99: 8.0, 0.999: 16.0})

    monkeypatch.setattr(nvme, "nvme_answer", answer)
    points = [point(iops=100.0, p50=2.0, p95=3.0), point(iops=400.0, p99=2.0, p999=4.0), point(iops=200.0)]
    offs = [3.0 * log(2) + log(2), 3.0 * log(2) + 0.8 * log(4), 0.0]
    assert [nvme._off(KNOBS, each) for each in points] == pytest.approx(offs)
    assert asked == [nvme.REQUESTS] * 3


@pytest.mark.parametrize(("offs", "nearest", "asked"), [
    ([[1, 1, 1], [2, 0, 0], [4, 0, 0]], 1, "00 10 20 01 02 11 12"),  # of two that are as near the first is asked
    ([[1, 9, 9], [2, 1, 1], [3, 0, 0]], 2, "00 10 20 01 11 12 21 22"),
    ([[1, 1, 1], [1, 1, 1], [0, 9, 0]], 0, "00 10 20 21 01 11 02 12"),
])
def test_the_nearest_so_far_is_asked_next(
    offs: list[list[int]], nearest: int, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [point(1), point(2), point(4)]
    knobs = [replace(KNOBS, dies=number) for number in range(3)]
    told: list[str] = []

    def off(known: NvmeKnobs, at: FioPoint) -> float:
        told.append(f"{known.dies}{points.index(at)}")
        return float(offs[known.dies][points.index(at)])

    monkeypatch.setattr(nvme, "_off", off)
    distances = nvme._Distances(points)
    assert distances.nearest(knobs) == knobs[nearest]
    assert " ".join(told) == asked
    assert distances.nearest(knobs) == knobs[nearest]
    assert " ".join(told) == asked


def test_room_inside_for_more_commands_than_are_sent_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """At depths 1 and 8: 4 commands at most make a difference at the second alone, and 8 and 16 are the same."""
    told: list[tuple[int, int]] = []

    def off(known: NvmeKnobs, at: FioPoint) -> float:
        told.append((known.inside, at.level))
        return 8.0 - known.inside

    monkeypatch.setattr(nvme, "_off", off)
    known = [replace(KNOBS, inside=inside) for inside in (4, 8, 16)]
    assert nvme._Distances([point(1), point(8)]).nearest(known) == known[1]
    assert told == [(1, 1), (4, 8), (8, 8)]


def test_a_fit_takes_the_nearest_of_each_in_turn_and_stays_where_nothing_is_nearer(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """The distance is that from known knobs: counts, then rate, CPU and command; of a second round all stay."""
    points = [point(1024, iops=1000.0, p50=1e-4), point(2048, iops=4000.0)]
    first = nvme._first(points)
    wanted = replace(first, inside=64, dies=8, rate=1.1 * first.rate, cpu=0.9 * first.cpu, command=0.6 * first.command)
    tried = list[NvmeKnobs]()

    def off(knobs: NvmeKnobs, at: FioPoint) -> float:
        tried.append(knobs)
        return 1.0 + sum(abs(log(getattr(knobs, name) / getattr(wanted, name))) for name in vars(wanted))

    monkeypatch.setattr(nvme, "_off", off)
    assert fit_nvme(points) == wanted
    assert len(set(tried)) == 6 * 5 + 4 + 2 + 4 + 6 * 5 - 1 + 4 + 2 + 4
    tried.clear()
    wanted = replace(first, inside=256, dies=32)
    assert fit_nvme(points) == first
    assert len(set(tried)) == 6 * 5 + 4 + 2 + 4


# Processes with CPUs of their own.

def jobs(level: int, count: int = 1, cpu: float = 1.0, sequential: bool = False, span: int = 0,
         sheet: FlashType | None = None) -> own_cpus._Jobs:  # fmt: skip
    made = KNOBS.sheet("known", 4096) if sheet is None else sheet
    return own_cpus._Jobs(FioLoad(READ, level, 4096, span or made.capacity, count, sequential=sequential), made, cpu)


def test_depths_are_whole_and_at_most_the_tags_of_a_queue() -> None:
    assert [jobs(*given).level for given in ((7, 2), (8, 2), (MAX_TAGS + 5, 1), (2 * MAX_TAGS + 2, 2))] == [
        6, 8, MAX_TAGS, 2 * MAX_TAGS]  # fmt: skip


def test_a_processes_requests_follow_one_another_on_its_cpu() -> None:
    made = jobs(3)
    assert sorted(made._entering) == [(1.0, 0, 0.0), (2.0, 0, 0.0), (3.0, 0, 0.0)]
    two = jobs(4, 2, 0.5)
    assert sorted(two._entering) == [(0.5, 0, 0.0), (0.5, 1, 0.0), (1.0, 0, 0.0), (1.0, 1, 0.0)]
    made._ask(0, 1.5)
    made._ask(0, 9.0)
    assert sorted(made._entering)[-2:] == [(4.0, 0, 1.5), (10.0, 0, 9.0)]


def test_requests_before_and_beyond_those_that_count() -> None:
    """Two for each one under way settle; then so many are timed as are asked for, and two for each at least."""
    made = jobs(4)
    seen: list[int] = []
    whole = made._go_on
    made._go_on = lambda requests: seen.append(requests) or whole(requests)  # type: ignore[method-assign, func-returns-value]
    times, seconds = made.run(10)
    assert (seen, len(times)) == ([8, 10], 10)
    assert seconds == pytest.approx(10.0, rel=0.01), "one a second of the CPU"


def test_few_requests_are_as_many_as_two_for_each_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    whole = own_cpus._Jobs.run
    monkeypatch.setattr(own_cpus._Jobs, "run", lambda made, requests: asked.append(requests) or whole(made, requests))
    sheet = KNOBS.sheet("known", 4096)
    load = FioLoad(READ, 8, 4096, sheet.capacity)
    for requests in (3, 40):
        answer_on_cpus(load, sheet, requests, 1 * US)
    assert asked == [16, 40]


def test_requests_in_sequence_go_on_from_where_their_process_began() -> None:
    made = jobs(2, 2, sequential=True, span=5 * 4096)
    made._at = [3, 0]
    places: list[tuple[float, int]] = []
    flash = made._flash
    serve = flash.serve

    def noting(arm: Any, now: float, op: Op, span: Any, *more: Any) -> Any:
        places.append((op is READ, span.first // 4096))
        assert span.length == 4096
        return serve(arm, now, op, span, *more)

    flash.serve = noting  # type: ignore[method-assign]
    for job in (0, 0, 0, 1):
        made._serve(job, 0.0, 0.0)
    assert places == [(True, 3), (True, 4), (True, 0), (True, 0)]


def test_processes_begin_where_a_stream_of_their_load_says() -> None:
    draw = stream(1, "fio read 4").random
    assert jobs(4, 2, span=100 * 4096)._at == [int(draw() * 100) for _ in range(2)]


def test_random_requests_go_to_all_places_of_the_span() -> None:
    made = jobs(1, span=3 * 4096)
    places: list[int] = []
    serve = made._flash.serve
    made._flash.serve = lambda arm, now, op, span: places.append(span.first // 4096) or serve(arm, now, op, span)  # type: ignore[method-assign, assignment, func-returns-value, misc]
    for _ in range(60):
        made._serve(0, 0.0, 0.0)
    assert {*places} == {0, 1, 2}


def test_what_finds_no_tag_waits_in_its_turn_and_is_timed_from_when_it_was_asked() -> None:
    """Two tags, and a request of 1 s of a die: six at once come back at 1, 1, 2, 2, 3, 3 s, and the CPU takes none."""
    slow = replace(KNOBS, rate=64.0, dies=64, inside=2, command=0.0).sheet("slow", 4096)
    made = jobs(6, 1, 1e-9, True, sheet=slow)
    _, times = made._go_on(6)
    assert times == pytest.approx([1.0, 1.0, 2.0, 2.0, 3.0, 3.0], rel=1e-3)
    assert len(made._waiting) + len(made._leaving) + len(made._entering) == 6


def test_a_request_is_timed_with_its_cpu() -> None:
    slow = replace(KNOBS, rate=64.0, dies=64, inside=2, command=0.0).sheet("slow", 4096)
    _, times = jobs(1, 1, 0.5, True, sheet=slow)._go_on(2)
    assert times == pytest.approx([1.5, 1.5], rel=1e-3)


@pytest.mark.parametrize(("rates", "beyond"), [((100.0, 600e6 / 4096), False), ((100.0, 600e6 / 4096 + 1.0), True)])
def test_one_point_beyond_what_sata_carries_is_enough(rates: tuple[float, ...], beyond: bool) -> None:
    assert fit._is_nvme(FioPoints("x", [point(iops=iops) for iops in rates]), moves=True) is beyond
