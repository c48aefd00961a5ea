"""The cases of exercises with numbers that can be worked out by hand: question, table, answer and usual mistakes."""

import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from math import exp, sqrt
from random import Random
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import pytest

from spindle.course import COURSE, files, flash, laws
from spindle.course.arrays import SmallWrites, accesses_a_write
from spindle.course.caches import LoopAndScan, SavedWrites, SmallestCache, WaitingReads
from spindle.course.discs import QueueOrder, SeekArithmetic
from spindle.course.exercise import Answer, Case
from spindle.course.files import DoneWrite, JournalRecovery, LogSegments, SegmentsServed, serve_segments
from spindle.course.flash import FlashCleaning, OtherHalf, die_after, filled_first, reads_a_second
from spindle.course.laws import ClosedLoop, LittlesLaw, MeanInterval, Tuning, terminals_run
from spindle.course.paging import PageFaults
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import PowerSeek
from spindle.sim.units import KIB, MIB, MS


def numbers(words: str) -> list[float]:
    return [float(each) for each in re.findall(r"(?<![\w.^])\d+(?:\.\d+)?", words)]


def set_of(case: Case, **known: object) -> None:
    """Let *known* be what *case* would simulate when it is first asked for."""
    vars(case).update(known)


def slips(case: Case) -> list[Answer]:
    return list(case.slips().values())


def ran(responses: int, seconds: float, mean: float) -> Any:
    """The result of a run with so many *responses* of *mean* seconds."""
    return SimpleNamespace(response=lambda: {"response_mean": mean}, counters={"desk.responses": responses},
                           seconds=seconds)  # fmt: skip


SEEK = PowerSeek(2 * MS, 20 * MS, 0.5, 1000)


def test_an_access_is_overhead_seek_half_a_turn_and_transfer() -> None:
    """It turns in 10 ms; over 250 cylinders the arm takes 2 + 18 sqrt(249 / 998) ms, ten of 50 sectors 2 ms."""
    disc = DiscType("yours", uniform(1000, 4, 50, 512), 6000, SEEK, overhead=1 * MS)
    case = SeekArithmetic(disc, 100, 350, 10)
    assert numbers(case.question) == [6000, 50, 1, 2, 18, 1, 998, 100, 10, 350]
    seek = 2.0 + 18.0 * sqrt(249 / 998)
    turn = case.answer() - 3.0 - seek
    assert turn == pytest.approx(5.0, abs=0.1)
    far = 2.0 + 18.0 * sqrt(349 / 998)
    assert slips(case) == pytest.approx(
        [3.0 + seek, 3.0 + seek + 2.0 * turn, 2.0 + seek + turn, 1.0 + seek + turn, 3.0 + far + turn])
    table = case.run()
    assert list(table["distance"]) == [0, 1, 10, 100, 550]
    for name, value in (("overhead", 1.0), ("transfer", 2.0), ("rotation", 5.0)):
        assert list(table[name]) == pytest.approx([value] * 5, abs=0.1)


def test_reads_at_other_distances_go_on_from_the_arm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SeekArithmetic, "_phases", lambda case, cylinder: {"at": cylinder})
    disc = DiscType("yours", uniform(1000, 4, 50, 512), 6000, SEEK)
    assert list(SeekArithmetic(disc, 100, 350, 10).run()["at"]) == [100, 101, 110, 200, 650]


def test_a_crash_is_drawn_until_recovery_writes_six_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([0.0, 5.0, 6.0, 7.0])
    monkeypatch.setattr(JournalRecovery, "answer", lambda case: next(answers))
    JournalRecovery.draw(Random(1))
    assert next(answers) == 7.0


@pytest.mark.parametrize(("start", "cylinders", "plain"), [
    (100, (90, 115, 300), True), (100, (90, 110, 300), False), (100, (90, 300, 110), False),
    (100, (90, 110), False), (100, (95, 110, 80, 300), False), (100, (95, 111, 80, 300), True), (100, (), True),
])  # fmt: skip
def test_a_queue_is_plain_if_no_two_reads_are_equally_near(start: int, cylinders: tuple[int, ...], plain: bool) -> None:
    """From 95 both 110 and 80 are 15 away; from 80 there is but one way to go."""
    assert QueueOrder(start, cylinders)._is_plain() is plain


def test_a_queue_is_told_as_it_came() -> None:
    assert numbers(QueueOrder(100, (90, 130, 20)).question) == [100, 90, 130, 20]
    for seed in range(5):
        case = QueueOrder.draw(Random(seed))
        assert case._is_plain()
        assert len({case.answer(), *slips(case)[:2]}) == 3


def test_think_time_is_users_by_throughput_less_response() -> None:
    """Twelve users get 2 replies a second after 0.5 s each: a cycle is 6 s."""
    case = LittlesLaw(12, 5.0, 4, 7)
    set_of(case, _simulate=ran(1200, 600.0, 0.5))
    assert numbers(case.question) == [12]
    assert (case.answer(), slips(case)) == (5.5, [6.0, 1.0, 6.5])


def test_half_of_the_terminals_are_run_beside_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(laws, "terminals_run", lambda *words: asked.append(words) or ran(100 * words[0], 50.0, 0.25))
    table = LittlesLaw(13, 5.0, 4, 7).run()
    assert sorted(asked) == [(6, 5.0, 4, 7), (13, 5.0, 4, 7)]
    assert table.values.tolist() == [[13, 26.0, 0.25], [6, 12.0, 0.25]]
    assert list(table.columns) == ["terminals", "replies a second", "response, s"]


def test_a_user_alone_waits_for_his_reads_alone() -> None:
    """Two calls of 2 ms and two reads of 1 KiB, each with half a turn and a short seek; a cycle of 3 s."""
    one = terminals_run(1, 3.0, 2, 5, minutes=2.0)
    replies = one.counters["desk.responses"]
    assert (one.seconds, one.counters["drive1.reads"], one.counters["drive1.bytes_read"]) == (
        120.0, 2 * replies, 2 * replies * KIB)  # fmt: skip
    assert one.counters["cpu.busy"] == pytest.approx(2 * replies * 2 * MS)
    assert 0.02 < one.response()["response_mean"] < 0.1
    assert 120.0 / replies == pytest.approx(3.0, rel=0.3)
    assert one.counters == terminals_run(1, 3.0, 2, 5, minutes=2.0).counters
    assert one.counters != terminals_run(1, 3.0, 2, 6, minutes=2.0).counters
    assert terminals_run(1, 300.0, 1, 5).seconds == 600.0


def test_a_miss_fetches_what_the_next_reads_want(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 KiB at a time of 8 KiB that are fetched."""
    ran: list[Any] = []
    real = WaitingReads._run

    def run(case: WaitingReads, fetch: int) -> Any:
        ran.append(real(case, fetch))
        return ran[-1]

    monkeypatch.setattr(WaitingReads, "_run", run)
    case = WaitingReads(1024, 8 * KIB)
    assert numbers(case.question) == [1024, 8, 0, 1]
    assert case.answer() == pytest.approx(0.125, rel=0.01)
    assert slips(case) == [0.875, 8.0, 0.25]
    assert ran[0].rate("drive1.completed") > 20.0, "8 of 64 reads wait, and the next 64 begin 10 ms later"


def test_reads_are_run_with_other_sizes_of_a_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(case: WaitingReads, fetch: int) -> Any:
        return SimpleNamespace(extras={"hit_ratio": 1.0 - 1024 / fetch}, response=lambda: {"response_mean": 0.002},
                               rate=lambda name: {"drive1.completed": fetch}[name])  # fmt: skip

    monkeypatch.setattr(WaitingReads, "_run", run)
    table = WaitingReads(1024, 8 * KIB).run()
    assert table.values.tolist() == [[4, 0.25, 4096, 2.0], [8, 0.125, 8192, 2.0], [32, 1 / 32, 32768, 2.0],
                                     [64, 1 / 64, 65536, 2.0]]  # fmt: skip
    assert list(table.columns) == ["fetch, KiB", "misses", "disc reads a second", "response, ms"]


def test_of_a_loop_the_best_policy_keeps_all_but_one_place() -> None:
    """With five places for twelve blocks 4 of 11 references hit, and LRU's none; five blocks miss once each."""
    case = LoopAndScan(12, 5)
    assert numbers(case.question) == [12, 5, 0, 1]
    assert case.answer() == pytest.approx(4 / 11, rel=0.002)
    assert slips(case) == pytest.approx([5 / 12, 4 / 12, 1.0 - 4 / 11])
    table = case.run().set_index("blocks")
    assert list(table.index) == [5, 6, 10, 20]
    assert [*table["Lru"], *table["Clock"]] == [1995 / 2000, 0.0, 0.0, 0.0] * 2
    assert list(table["Belady"]) == pytest.approx([1995 / 2000, 4 / 5, 4 / 9, 4 / 19], rel=0.003)
    assert table["Arc"].iloc[0] == 1995 / 2000


def test_the_smallest_cache_has_nine_tenths_of_the_hits() -> None:
    """One block ten times, and then two in turn: one place has 9 of 18 hits, two have 17, and three all, of 21."""
    case = SmallestCache((1,) * 10 + (2, 3) * 5 + (1,))
    assert numbers(case.question) == [21, 90]
    assert case.answer() == 2.0
    assert slips(case) == pytest.approx([4.0, 3.0, 2.7]), "nine tenths of 21 references no cache has"
    table = case.run()
    assert list(table["blocks"]) == [2, 4, 8, 16, 64, 256]
    assert list(table["hit ratio"]) == pytest.approx([17 / 21, 18 / 21, 18 / 21, 18 / 21, 18 / 21, 18 / 21])
    assert slips(SmallestCache((1,) * 30))[0] == 1.0, "29 of 30 hit with one place"


def test_write_back_saves_what_is_written_again_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice a second one of four blocks: in 5 s a block is written 2.5 times more, and 2.5 of 3.5 writes are saved."""
    case = SavedWrites(2.0, 4, 5.0)
    assert numbers(case.question) == [2, 4, 5, 0, 1]
    assert case.answer() == pytest.approx(2.5 / 3.5, rel=0.05)
    assert slips(case) == pytest.approx([1 / 3.5, 2.5, 1.0 - exp(-2.5)])
    monkeypatch.setattr(SavedWrites, "_simulate", lambda case, expiry: expiry / 50.0)
    table = case.run()
    assert list(table.columns) == ["delay, s", "writes saved", "at risk, KiB"]
    assert table.values.ravel().tolist() == pytest.approx(
        [0.5, 0.01, 2 * 0.99 * 0.5 * 4, 2.0, 0.04, 2 * 0.96 * 2 * 4, 40.0, 0.8, 2 * 0.2 * 40 * 4])


def test_a_lock_bounds_a_closed_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cycle of 2.17 s, of which 0.11 s are under the lock; alone a user waits for his own 0.17 s."""
    case = ClosedLoop(2.0, 0.06, 0.03, 0.08)
    assert numbers(case.question) == [2, 60, 30, 80]
    assert case.answer() == pytest.approx(2.17 / 0.11)
    assert slips(case) == pytest.approx([2.17 / 0.08, 2.17 / 0.09, 0.17 / 0.11, 2.17 / 0.17, 2.0 / 0.11])
    alone = case._run(1)
    assert (alone.response()["response_mean"], alone.seconds) == (pytest.approx(0.17, abs=0.002), 300.0)
    assert alone.counters["desk.responses"] == pytest.approx(300 / 2.17, rel=0.2)
    crowd = replace(case, think=0.1)._run(4)
    assert crowd.counters["desk.responses"] / 300.0 < 1 / 0.11 + 0.01
    monkeypatch.setattr(ClosedLoop, "_run", lambda case, terminals: ran(3 * terminals, 10.0, 0.25))
    assert case.run().values.tolist() == [[each, 0.25, 0.3 * each] for each in (10, 30, 60, 120, 240)]
    assert list(case.run().columns) == ["terminals", "response, s", "replies a second"]


def test_an_interval_is_student_s() -> None:
    """Of four means 10 apart the standard deviation is 12.91; t for three degrees of freedom is 3.1824."""
    case = MeanInterval(14, (1, 2, 3, 4))
    set_of(case, means=[100.0, 110.0, 120.0, 130.0])
    spread = sqrt(500 / 3)
    half = 3.182446 * spread / 2
    assert numbers(case.question) == [4, 4, 95]
    assert case.answer() == pytest.approx(half)
    assert slips(case) == pytest.approx(
        [1.96 * spread / 2, 2 * half, spread, spread / 2, 2 * half, half * sqrt(0.75), 115.0])
    assert case.run().to_dict("list") == {"seed": [1, 2, 3, 4], "mean response, ms": [100.0, 110.0, 120.0, 130.0]}


def test_replications_differ_in_their_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "terminals_run", lambda terminals, think, reads, seed, minutes: ran(
        1, 1.0, {(14, 5.0, 5, 2.0): seed / 1e3}[terminals, think, reads, minutes]))  # fmt: skip
    assert MeanInterval(14, (7, 9)).means == [7.0, 9.0]


def test_the_best_fetch_is_looked_for_among_six(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, object]] = []

    def orders(terminals: int, **words: object) -> dict[str, float]:
        asked.append({"terminals": terminals, **words})
        return {"response_mean": {4: 0.9, 8: 0.7, 16: 0.6, 32: 0.5, 64: 0.65, 96: 1.0}[words["fetch_random"] // 256]}  # type: ignore[operator]

    monkeypatch.setattr(laws, "orders", orders)
    case = Tuning(40, 3, 11)
    assert (case.answer(), slips(case)) == (500.0, [1000.0, 600.0, 900.0, 1000.0])
    assert numbers(case.question) == [40, 3, 16, 16, 4, 8, 16, 32, 64, 96]
    assert asked[0] == {"terminals": 40, "caching": True, "memory": 3 * MIB, "fetch_random": 1024, "minutes": 1.0,
                        "warm_up": 0.5, "seed": 11}  # fmt: skip
    assert case.run().to_dict("list") == {"sectors": [4, 96], "response, ms": [900.0, 1000.0]}


BELADY = (1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5)
"""Has more faults in four frames than in three, under FIFO."""


@pytest.mark.parametrize(("policy", "faults", "others"), [
    ("fifo", {2: 12, 3: 9, 4: 10}, [10.0, 7.0]), ("lru", {2: 12, 3: 10, 4: 8}, [9.0, 7.0]),
    ("opt", {2: 9, 3: 7, 4: 6}, [9.0, 10.0]),
])  # fmt: skip
def test_page_faults_of_belady_s_example(policy: str, faults: dict[int, int], others: list[float]) -> None:
    case = PageFaults(BELADY, 3, policy)
    assert numbers(case.question)[:14] == [*BELADY, 3, 2]
    assert {frames: case.faults(policy, frames) for frames in (2, 3, 4)} == faults
    wanted = float(faults[3])
    assert case.answer() == wanted
    assert slips(case) == [*others, 12.0 - wanted, wanted - 3.0, float(faults[2])]
    table = case.run().set_index("frames")
    assert list(table.index) == [1, 2, 4, 5, 6, 7, 8]
    assert table.loc[[4, 5]].to_dict("list") == {"fifo": [10, 5], "lru": [8, 5], "opt": [6, 5]}


def test_steps_are_those_of_another_number_of_frames() -> None:
    case = PageFaults((1, 2, 1, 3), 2, "lru")
    assert case.steps(3).to_dict("list") == {
        "page": ["1", "2", "1", "3"], "hit": [False, False, True, False], "evicted": ["", "", "", ""],
        "frames": ["1 - -", "1 2 -", "1 2 -", "1 2 3"]}  # fmt: skip
    assert len(case.steps(2)["frames"].iloc[-1].split()) == 1, "the frames that are asked about are not shown"
    assert slips(case)[-2] == 3.0 - 2.0
    assert [*PageFaults(BELADY, 3, "lru").slips()][:2] == ["That is FIFO's number.", "That is OPT's number."]
    twice = PageFaults((1, 1, 1), 3, "fifo")
    assert slips(twice) == [2.0, 0.0, 1.0], "all policies have one fault: their hints would be right"


@pytest.mark.parametrize(("level", "expected", "wrong"), [
    ("10", 400.0, [800.0, 50.0, 350.0, 200.0]), ("5", 200.0, [800.0, 25.0, 175.0, 400.0]),
    ("6", 800 / 6, [800.0, 100 / 6, 700 / 6, 800 / 3, 200.0]),
])  # fmt: skip
def test_small_writes_by_the_books(level: str, expected: float, wrong: list[float]) -> None:
    """Eight drives of 100 blocks a second; a write is 2, 4 or 6 of them."""
    case = SmallWrites(level, 8, 100)
    assert numbers(case.question)[:2] == [8, 100]
    assert case.answer() == pytest.approx(expected, rel=0.02)
    assert slips(case) == pytest.approx(wrong)


def test_arrays_without_parity_are_run() -> None:
    assert (accesses_a_write("0", 4), accesses_a_write("1", 4)) == (0.25, 1.0)
    table = SmallWrites("5", 8, 100).run()
    assert table.to_dict("list") == {"drives": [4, 6, 14], "raid 0": [400.0, 600.0, 1400.0], "raid 1": [100.0] * 3}


def test_programs_are_writes_and_copies() -> None:
    """Eight pages over and over fill a block at a time, and cleaning finds nothing valid in it."""
    case = FlashCleaning(tuple(range(8)) * 20)
    assert numbers(case.question) == [12, 8, 160, 2]
    assert case.answer() == 160.0
    assert slips(case) == [160.0, 0.0, 96.0, 160.0], "from the ninth full block of twenty on one is erased for each"
    die = die_after(case.writes)
    assert (die.written, die.copied, die.erased) == (160, 0, 12)
    mixed = FlashCleaning(tuple(page for turn in range(60) for page in (turn % 50, 0, 1, 0, 1, 0, 1, 0)))
    least, oldest = die_after(mixed.writes), die_after(mixed.writes, filled_first)
    assert mixed.answer() == 480.0 + least.copied
    assert slips(mixed) == [480.0, float(least.copied), 8.0 * least.erased, 480.0 + oldest.copied]
    assert filled_first([2, 5, 7], [0] * 8, [9, 9, 4, 9, 9, 3, 9, 6], 10) == 5
    table = case.run()
    assert list(table["pages of the host"]) == [16, 32, 40, 56, 64]
    assert 1.0 <= table["programs a write"].min() < 1.01
    assert table["programs a write"].is_monotonic_increasing
    assert 2.0 < table["programs a write"].max() < 5.0
    assert table.equals(case.run())


def test_the_half_that_was_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A drive of 1000 reads a second at one under way, and 5 % less for each more, by a line."""
    monkeypatch.setattr(flash, "reads_a_second", lambda dies, channels, read, depth: {
        (8, 4, 75e-6): depth * (1000.0 - 10.0 * (depth - 1))}[dies, channels, read])  # fmt: skip
    case = OtherHalf(8, 4, 75e-6, 8)
    assert case.measured == {1: 1000.0, 2: 1980.0, 6: 5700.0, 12: 10680.0, 24: 18480.0, 64: 23680.0}
    assert case.answer() == 7440.0
    assert slips(case) == [8000.0, 23680.0, 1000.0 + 7 * 980.0, 5700.0]
    assert slips(replace(case, depth=16)) == [16000.0, 23680.0, 1000.0 + 15 * 980.0, 10680.0]
    assert numbers(case.question) == [4, 1000, 1, 1980, 2, 5700, 6, 10680, 12, 18480, 24, 23680, 64, 8]
    assert case.fio_table.splitlines()[:3] == [
        "rw,iodepth,numjobs,bs,requests,iops,latency_mean_ms", "randread,1,1,4096,6000,1000,1.00000",
        "randread,2,1,4096,6000,1980,1.01010"]  # fmt: skip
    assert case.fio_table.count("\n") == 7
    table = case.run()
    assert list(table.columns) == ["under way", "reads a second", "response, us"]
    assert table.iloc[1].tolist() == pytest.approx([2, 1980.0, 1e6 / 990.0])


def test_a_read_alone_is_one_die_s(monkeypatch: pytest.MonkeyPatch) -> None:
    """75 us in the die, 4 KiB at 400 MB/s and at 3000 MB/s, and 8 us of the drive: 94.6 us; eight dies are eight."""
    monkeypatch.setattr(flash, "READS_A_RUN", 100)
    reads_a_second.cache_clear()
    alone = 75.0 + 10.24 + 1.37 + 8.0
    assert 1e6 / reads_a_second(8, 4, 75e-6, 1) == pytest.approx(alone, rel=0.02)
    assert 1e6 / reads_a_second(16, 4, 750e-6, 1) == pytest.approx(alone + 675.0, rel=0.02)
    assert 4.0 < reads_a_second(8, 4, 750e-6, 64) * (alone + 675.0) / 1e6 <= 8.0
    reads_a_second.cache_clear()


def test_new_data_have_the_room_of_what_is_not_live(monkeypatch: pytest.MonkeyPatch) -> None:
    """10 ms to get to a segment, and then 10 MB/s; half of what is moved is read, and 40 % of a segment is new."""
    disc = DiscType("yours", uniform(2000, 8, 120, 512), 3600, SEEK)

    def serve(asked: DiscType, segment: int) -> SegmentsServed:
        assert asked is disc
        return SegmentsServed(600 * segment, 6.0, 600 * segment / 1e7)

    monkeypatch.setattr(files, "serve_segments", serve)
    case = LogSegments(disc, 256 * KIB, 0.6)
    rate = 0.262144 / (0.01 + 0.0262144)
    assert numbers(case.question) == [256, 10.0, 10.0, 10, 0.6]
    assert case.answer() == pytest.approx(rate * 0.4 / 2)
    assert slips(case) == pytest.approx([rate, rate * 0.4, rate * 0.4 / 1.6, rate * 0.6 / 2, 10.0 * 0.4 / 2])
    table = case.run()
    assert list(table.columns) == ["segment, KiB", "MB/s", "ms a segment"]
    for (kib, speed, seconds), size in zip(table.values.tolist(), (4, 16, 64, 1024), strict=True):
        assert (kib, seconds) == (size, pytest.approx(10.0 + size * 0.1024))
        assert speed == pytest.approx(size * 1.024 / seconds)


def test_segments_are_read_and_written_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A track of 60 KiB in 16.7 ms moves 3.69 MB/s; a third of all cylinders and half a turn are between two."""
    disc = DiscType("yours", uniform(2000, 8, 120, 512), 3600, PowerSeek(2 * MS, 20 * MS, 0.5, 2000), head_switch=0.0,
                    overhead=1 * MS)  # fmt: skip
    served = serve_segments(disc, 30 * KIB)
    assert served.moved == 600 * 30 * KIB
    assert served.moved / served.transfer == pytest.approx(60 * KIB * 60, rel=0.01)
    assert served.positioning / 600 == pytest.approx(1 * MS + 2 * MS + 18 * MS * 8 / 15 + 8.33 * MS, rel=0.05)


JOURNAL = [DoneWrite(10.0, "journal", 1, -1), DoneWrite(12.0, "commit", 1, -1), DoneWrite(20.0, "journal", 2, -1),
           DoneWrite(22.0, "commit", 2, -1), DoneWrite(100.0, "journal", 3, -1), DoneWrite(162.0, "home", 1, 1),
           DoneWrite(163.0, "home", 1, 2), DoneWrite(172.0, "home", 2, 3), DoneWrite(310.0, "commit", 3, -1),
           DoneWrite(320.0, "home", 2, 4)]  # fmt: skip


def test_recovery_writes_all_of_what_is_committed_and_not_yet_at_home() -> None:
    """At 172 ms the first transaction is at home, one block of the second is, and the third has no commit."""
    case = JournalRecovery(((1, 2), (3, 4), (5, 6, 7, 8)), (0.01, 0.01, 0.01), 172)
    set_of(case, _rows=JOURNAL)
    assert numbers(case.question) == [150, 172]
    assert case.answer() == 2.0
    assert slips(case) == [4.0, 1.0, 6.0, 1.0]
    assert [slips(replaced(case, crash)) for crash in (12, 100)] == [[2.0, 2.0, 2.0, 1.0], [4.0, 4.0, 8.0, 2.0]]
    assert slips(replace_blocks(case))[1] == 2.0, "of three blocks one is at home"
    assert case.transactions == {1: (1, 2), 2: (3, 4), 3: (5, 6, 7, 8)}
    assert list(case.writes.columns) == ["ms", "what", "transaction", "block"]
    assert len(case.writes) == 10
    assert [replaced(case, crash).answer() for crash in (9, 11, 12, 22, 162, 163, 310, 320)] == [0, 0, 2, 4, 4, 2, 6, 4]
    table = case.run()
    assert list(table.columns) == ["crash, ms", "blocks written again", "blocks in vain"]
    assert table.values.tolist() == [[100, 4, 4], [300, 2, 4], [500, 4, 0], [900, 4, 0]]


def replace_blocks(case: JournalRecovery) -> JournalRecovery:
    """The same *case* with a block more in the second transaction."""
    other = replace(case, blocks=((1, 2), (3, 4, 9), (5, 6, 7, 8)))
    set_of(other, _rows=JOURNAL)
    return other


def replaced(case: JournalRecovery, crash: int) -> JournalRecovery:
    """The same *case* with a crash at another time."""
    other = replace(case, crash=crash)
    set_of(other, _rows=JOURNAL)
    return other


def test_a_journal_is_written_block_by_block() -> None:
    """Begun after 10 ms and after 20 ms more; each commit comes a turn of 11.1 ms later, at most."""
    case = JournalRecovery(((1, 2), (1990,)), (0.01, 0.02), 100)
    rows = case._rows
    assert [row[1:] for row in rows] == [("journal", 1, -1), ("commit", 1, -1), ("journal", 2, -1), ("commit", 2, -1),
                                         ("home", 1, 1), ("home", 1, 2), ("home", 2, 1990)]  # fmt: skip
    first, commit, second, last, home, *_, end = (row.ms for row in rows)
    assert 10.0 < first < 10.0 + 18.0 + 2 * 11.2
    assert 0.0 < commit - first < 12.0
    assert 20.0 < second - commit < 20.0 + 12.0
    assert commit + 150.0 < home < commit + 150.0 + 32.0
    assert last + 150.0 < end < last + 150.0 + 45.0
    assert rows[0].ms == round(rows[0].ms, 3)


def facts(value: object) -> object:
    """What a student's case is made of, in plain numbers; long lists by their sum of checks."""
    if isinstance(value, DiscType):
        zone = value.layout.zones[0]
        assert isinstance(value.seek, PowerSeek)
        layout, seek = value.layout, value.seek
        return (layout.cylinders, layout.heads, zone.sectors_per_track, layout.sector_bytes, value.rpm, seek.minimum,
                seek.maximum, seek.exponent, seek.cylinders, value.head_switch, value.overhead)  # fmt: skip
    return value


LONG_DRAWN, STUDENTS, FEW = ("queue", "working_set", "cleaning", "journal"), 400, 10


def drawn(name: str, draw: Callable[[Random], Case]) -> int:
    students = FEW if name in LONG_DRAWN else STUDENTS
    cases: Sequence[Any] = [draw(Random(f"student {number}")) for number in range(students)]
    found = [{each.name: facts(getattr(case, each.name)) for each in fields(case)} for case in cases]
    return crc32(repr(found).encode())


DRAWN = {
    "seek": 0xfc3bd4a0, "queue": 0xba6d2cbc, "little": 0xc2b00aa7, "read_ahead": 0x612a506e,
    "scan": 0x8056f18d, "write_back": 0x0e8b66ad, "working_set": 0x9da130df, "closed_loop": 0x5cacd3a0,
    "interval": 0x28eb82d2, "tuning": 0x8c02f494, "frames": 0x8e8bb33e, "small_writes": 0x146f3f4d,
    "cleaning": 0x986d9874, "log_segments": 0xa1de9f84, "journal": 0xb2e57362, "other_half": 0xb350d8f9,
}


@pytest.mark.parametrize("name", [each.name for each in COURSE])
def test_students_keep_their_numbers_from_version_to_version(name: str) -> None:
    """Else what was handed in would be graded by other numbers. A sum of checks over those of many students."""
    draw = next(each.draw for each in COURSE if each.name == name)
    assert drawn(name, draw) == DRAWN[name]
