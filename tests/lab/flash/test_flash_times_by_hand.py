"""Tests by hand what a request on flash takes: the formula, the simulated job, and how measured times rank kinds."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import log
from typing import Any

import numpy as np
import pytest

from spindle.lab.flash import closed_loop, kinds, writes
from spindle.lab.flash.closed_loop import seconds_of
from spindle.lab.flash.fio_answer import FioAnswer
from spindle.lab.flash.fio_job import GRID, IN_SEQUENCE, WRITE_JOBS, FioJob, is_fitted
from spindle.lab.flash.formula import estimate
from spindle.lab.flash.kinds import ReadTimes, rank_kinds
from spindle.lab.flash.knobs import FlashKnobs, WriteKnobs
from spindle.lab.flash.writes import _start, fit_writes
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.request import READ, WRITE
from spindle.sim.units import KIB, MIB, US

PLAIN = (10 * US, 50 * US, 8 * US, 400e6, 1, 2, 2, 1)
"""Command, sensing, a unit on its bus, the link; one queue, two channels of two dies, one unit a stripe."""


def changed(**fields: float) -> tuple[float, ...]:
    names = ("command", "read", "unit", "rate", "queues", "channels", "ways", "stripe")
    return tuple(fields.get(name, value) for name, value in zip(names, PLAIN, strict=True))


def estimated(knobs: Sequence[float], size: int, depth: int) -> float:
    return float(estimate(np.array(knobs), np.array([float(size)]), np.array([float(depth)]))[0, 0]) / US


@pytest.mark.parametrize(("knobs", "size", "microseconds"), [
    (PLAIN, 4 * KIB, 10 + 58 + 10.24),
    (PLAIN, 64 * KIB, 10 + 4 * 58 + 163.84),  # sixteen units on four dies
    (changed(stripe=4), 64 * KIB, 10 + 82 + 163.84),  # four stripes of four units, each on a die of its own
    (changed(stripe=4, read=1 * US), 64 * KIB, 10 + 64 + 163.84),  # the two buses, eight units each, are slower
    (changed(stripe=4), 8 * KIB, 10 + 66 + 20.48),
    (changed(queues=2), 4 * KIB, 10 + 58 + 10.24),
])  # fmt: skip
def test_a_request_alone_takes_the_sum_of_its_parts(knobs: tuple[Any, ...], size: int, microseconds: float) -> None:
    assert estimated(knobs, size, 1) == pytest.approx(microseconds)
    sheet = FlashKnobs(*knobs).sheet("any", 64 * MIB)
    assert seconds_of(FioJob(READ, size, 1), sheet, 0.1) / US == pytest.approx(microseconds)


@pytest.mark.parametrize(("knobs", "size", "depth", "microseconds"), [
    (changed(rate=10e6), 64 * KIB, 32, 32 * 6553.6),  # the link
    (changed(command=100 * US, queues=2, channels=4, ways=4), 4 * KIB, 32, 32 * 50),  # the controller's two queues
    (changed(unit=80 * US, ways=8), 64 * KIB, 16, 16 * 8 * 80),  # the two buses
    (changed(read=1000 * US), 64 * KIB, 16, 16 * 4 * 1008),  # the four dies
])  # fmt: skip
def test_of_many_requests_each_waits_for_the_part_that_is_always_busy(
    knobs: tuple[Any, ...], size: int, depth: int, microseconds: float
) -> None:
    assert estimated(knobs, size, depth) == pytest.approx(microseconds, rel=1e-3)
    sheet = FlashKnobs(*knobs).sheet("any", 64 * MIB)
    assert seconds_of(FioJob(READ, size, depth), sheet, 0.3) / US == pytest.approx(microseconds, rel=0.02)


def test_the_formula_between_is_near_the_simulation() -> None:
    """Four requests on four dies meet on some of them: 78.24 us alone."""
    sheet = FlashKnobs(*PLAIN).sheet("any", 64 * MIB)
    found, simulated = estimated(PLAIN, 4 * KIB, 4), seconds_of(FioJob(READ, 4 * KIB, 4), sheet) / US
    assert simulated == pytest.approx(found, rel=0.05)
    assert 90 < found < 110


@pytest.mark.parametrize(("size", "share", "requests"), [(4 * KIB, 1.0, 2000), (64 * KIB, 1.0, 500), (MIB, 1.0, 120),
                                                         (64 * KIB, 0.5, 250)])  # fmt: skip
def test_a_job_asks_for_as_much_as_a_mean_takes(
    size: int, share: float, requests: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """8,000 units, and 120 requests at least, 2,000 at most; as many again as are under way come before."""
    asked: list[tuple[Any, int, int]] = []
    real = closed_loop.access
    monkeypatch.setattr(closed_loop, "access", lambda op, first, length, account: (
        asked.append((op, first, length)) or real(op, first, length, account)))
    sheet = FlashKnobs(*PLAIN).sheet("any", 64 * MIB)
    seconds_of(FioJob(READ, size, 4, False), sheet, share)
    assert len(asked) == requests + 4 + 4
    assert asked == [(READ, number * size % (64 * MIB), size) for number in range(len(asked))]
    if share < 1.0:
        asked.clear()
        seconds_of(FioJob(WRITE, size, 4), sheet, share)
        firsts = [first for _, first, _ in asked]
        assert {(op, length) for op, _, length in asked} == {(WRITE, size)}
        assert all(first % size == 0 and 0 <= first < 64 * MIB for first in firsts)
        assert 28 * MIB < sum(firsts) / len(firsts) < 36 * MIB, "all over the drive"


def test_the_mean_is_of_those_that_count() -> None:
    """Two under way on one part: the first takes a turn, the others two, and the first do not count."""
    sheet = FlashKnobs(*changed(command=100 * US, read=1 * US, unit=1 * US, rate=1e10)).sheet("any", 64 * MIB)
    assert seconds_of(FioJob(READ, 4 * KIB, 2), sheet, 0.1) / US == pytest.approx(200, rel=0.01)


def test_half_of_the_jobs_are_fitted_to() -> None:
    fitted = [(job.size // KIB, job.depth) for job in GRID if is_fitted(job)]
    assert fitted == [(4, 1), (4, 4), (4, 32), (16, 2), (16, 8), (16, 32), (64, 1), (64, 4), (64, 16), (256, 1),
                      (256, 8), (256, 32)]  # fmt: skip
    assert [(job.size // KIB, job.depth) for job in GRID] == [*product((4, 16, 64, 256), (1, 2, 4, 8, 16, 32))]
    assert [job.name for job in IN_SEQUENCE] == ["read 256 KiB, 1 under way", "read 256 KiB, 8 under way"]
    assert [is_fitted(job) for job in (*IN_SEQUENCE, *WRITE_JOBS)] == [False] * 2 + [True] * 3 + [False] * 2
    assert [job.name for job in WRITE_JOBS] == [
        "write 256 KiB, 8 under way", "randwrite 4 KiB, 1 under way", "randwrite 4 KiB, 32 under way",
        "randwrite 4 KiB, 8 under way", "randwrite 64 KiB, 4 under way"]  # fmt: skip
    assert not is_fitted(FioJob(READ, 8 * KIB, 1))


# Measured times, and the kinds that are near them.

JOBS = [FioJob(READ, size, depth) for size, depth in product((4 * KIB, 64 * KIB), (1, 8, 32))]


def answered(knobs: Sequence[float], jobs: Sequence[FioJob] = JOBS) -> list[FioAnswer]:
    return [FioAnswer(job, 1000, estimated(knobs, job.size, job.depth) * US) for job in jobs]


def test_times_are_compared_by_their_logarithms() -> None:
    seconds = {1: 100 * US, 8: 128 * US}
    times = ReadTimes([FioAnswer(FioJob(READ, 4 * KIB, depth), 9, seconds[depth]) for depth in seconds], 0.02)
    assert times.largest_rate == pytest.approx(256e6)
    assert np.exp(times.usual) == pytest.approx([15 * US, 60 * US, 15 * US, 256e6])
    assert times.pull == pytest.approx(0.5 * 0.02**2)
    here = times.log_ratios(np.log(PLAIN[:4]), np.array(PLAIN[4:]))
    assert here[0] == pytest.approx([log(78.24 / 100), log(estimated(PLAIN, 4 * KIB, 8) / 128)])
    e = np.array([1.0, 0.0, 0.0, -2.0])
    cost = times.unusual_cost(times.usual + e, np.array([1.0, 16.0, 4.0, 2.0]))
    assert cost == pytest.approx(times.pull * (1 + 4 + 2 * log(2) ** 2))


def test_the_kind_that_times_are_of_comes_first_with_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of eight kinds; six times give its four numbers back to a percent or two, for unusual ones cost a little."""
    monkeypatch.setattr(kinds, "EVERY_KIND", np.array([*product((1, 4), (2, 8), (2,), (1, 8))], float))
    truth = (12 * US, 70 * US, 6 * US, 500e6, 1, 8, 2, 8)
    found = rank_kinds(ReadTimes(answered(truth), 0.001))
    assert len({tuple(kind.tolist()) for _, kind in found}) == len(found) <= 8
    numbers, kind = found[0]
    assert kind.tolist() == [1, 8, 2, 8]
    assert np.exp(numbers) == pytest.approx(truth[:4], rel=0.05)


def test_a_step_goes_only_where_it_costs_less() -> None:
    times = ReadTimes(answered(PLAIN), 0.001)
    kind = np.array([PLAIN[4:]] * 3, float)
    start = np.array([np.log(PLAIN[:4]), np.log(PLAIN[:4]) + 0.2, kinds.HIGH_LOGS])
    before = kinds._cost(times, start, kind)
    assert before[0] == pytest.approx(float(times.unusual_cost(start[0], kind[0])))
    numbers, damped = start, np.full(3, kinds.FIRST_DAMPING)
    for _ in range(8):
        numbers, damped = kinds._step(times, numbers, kind, damped)
    after = kinds._cost(times, numbers, kind)
    assert np.all(after <= before)
    assert np.abs(times.log_ratios(numbers[1], kind[1])).max() < 0.005
    assert np.exp(numbers[1]) == pytest.approx(PLAIN[:4], rel=0.1)
    assert np.all((numbers >= kinds.LOW_LOGS) & (numbers <= kinds.HIGH_LOGS))
    one, other = kinds._step(times, start, kind, np.array([1e-2, 1e-2, 1e-2]))
    assert {*other.tolist()} <= {1e-2 / 4.0, 1e-2 * 6.0}
    assert np.array_equal(one[other == 1e-2 * 6.0], start[other == 1e-2 * 6.0]), "left where it was, and damped more"


def test_what_cannot_be_faster_stays_and_is_damped_six_times_as_much() -> None:
    """Every time is a ten-thousandth of what it was, which no number within its bounds gives."""
    times = ReadTimes([replace(each, seconds=1e-4 * each.seconds) for each in answered(PLAIN)], 0.001)
    fastest = np.array([[*kinds.LOW_LOGS[:3], kinds.HIGH_LOGS[3]]])
    numbers, damped = kinds._step(times, fastest, np.array([PLAIN[4:]], float), np.array([1e-2]))
    assert np.array_equal(numbers, fastest)
    assert damped == pytest.approx([0.06])


# Writes: where a fit begins.

@pytest.mark.parametrize(("alone", "many", "program"), [
    (40, 32 * 25, 25 * 4),  # each is 25 us, more than the 20 us of its command: four dies of one unit are busy
    (40, 32 * 20.2, 0.5 * 4 * 20.48),  # as fast as the controller: half of what the link needs at most
])  # fmt: skip
def test_where_a_fit_of_writes_begins(alone: float, many: float, program: float) -> None:
    """The link brings 256 KiB, eight at a time, in 8 x 1,310.72 us: 200 MB/s, or 20.48 us a unit."""
    taken = (8 * 1310.72, alone, many)
    answers = {job: FioAnswer(job, 100, each * US) for job, each in zip(WRITE_JOBS[:3], taken, strict=True)}
    knobs = FlashKnobs(*changed(queues=1))  # type: ignore[arg-type]
    assert _start(knobs, answers) == pytest.approx((19.52 * US, 200e6, program * US))
    assert WriteKnobs(0.0, 1.0).program == pytest.approx(700 * US)
    several = FlashKnobs(*changed(queues=4))  # type: ignore[arg-type]
    assert _start(several, answers)[2] == pytest.approx(program * US), "each command takes a quarter of the controller"
    striped = FlashKnobs(*changed(queues=1, stripe=3))  # type: ignore[arg-type]
    assert _start(striped, answers)[2] == pytest.approx(3 * program * US)


def test_writes_are_fitted_to_three_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each job shows one number: the link, the command beside the link, and the flash of four dies."""
    shares: list[float] = []

    def simulated(job: FioJob, sheet: FlashType, share: float) -> float:
        shares.append(share)
        if not job.random:
            return job.depth * job.size / sheet.front.write_rate
        alone = sheet.front.write_command + job.size / sheet.front.write_rate
        return alone if job.depth == 1 else job.depth * sheet.nand.program / 4

    monkeypatch.setattr(writes, "seconds_of", simulated)
    knobs, truth = FlashKnobs(*PLAIN), WriteKnobs(30 * US, 200e6, 800 * US)
    jobs = WRITE_JOBS[:3]
    answers = {job: FioAnswer(job, 100, simulated(job, knobs.sheet("x", 64 * MIB, truth), 1.0)) for job in jobs}
    shares.clear()
    found = fit_writes(knobs, answers)
    assert found is not None
    assert (found.knobs.command, found.knobs.rate, found.knobs.program) == pytest.approx(
        (30 * US, 200e6, 800 * US), rel=0.001)  # fmt: skip
    assert {*shares} == {0.5}
    errors = np.linalg.inv(np.array([[0.0, -1.0, 0.0], [30 / 50.48, -20.48 / 50.48, 0.0], [0.0, 0.0, 1.0]]))
    wide = 2 * 0.005 * 3**0.5 * np.sqrt((errors**2).sum(axis=1))  # half a percent is the least error
    assert found.wide == pytest.approx(tuple(wide), rel=0.05)
    fast = replace(answers[jobs[0]], seconds=1e-6)  # two terabytes a second
    beyond = fit_writes(knobs, {**answers, jobs[0]: fast})
    assert beyond is not None
    assert beyond.knobs.rate == pytest.approx(30e9, rel=0.1), "no faster than any drive is"
    for job in jobs:
        assert fit_writes(knobs, {other: answers[other] for other in jobs if other != job}) is None


def test_a_write_that_is_all_link_leaves_a_command_a_little() -> None:
    taken = (8 * 1310.72, 10, 32 * 20.48)
    answers = {job: FioAnswer(job, 100, each * US) for job, each in zip(WRITE_JOBS[:3], taken, strict=True)}
    assert _start(FlashKnobs(*PLAIN), answers)[0] == pytest.approx(0.3 * US)
    assert _start(FlashKnobs(*changed(channels=64, ways=64)), answers)[2] == pytest.approx(700 * US)  # type: ignore[arg-type]
