"""Reads of flash, step by step by hand: what is compared with what."""

from dataclasses import replace
from math import log
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spindle.lab.fio import flash_reads
from spindle.lab.fio.load import TAGS, FioLoad
from spindle.lab.flash.fio_answer import FioAnswer
from spindle.lab.flash.fio_job import FioJob
from spindle.lab.flash.fit import DIE_BYTES, knobs_of
from spindle.sim.request import READ, WRITE
from spindle.sim.units import MS
from tests.lab.fio.flash_case import FIT, KIND, NUMBERS, Call, point


def test_levels_of_reads_are_what_the_drive_sees() -> None:
    points = [point(READ, 1, 1000.0), point(READ, 1, 500.0), point(READ, 2, 1000.0), point(READ, 64, 32_000.0),
              point(READ, 99, 16_000.0), point(READ, 80, 1.0, jobs=10), point(WRITE, 3, 1.0)]  # fmt: skip
    levels, remarks = flash_reads.read_levels(points)
    assert levels == [FioAnswer(FioJob(READ, 4096, level), 1 << 20, seconds)
                      for level, seconds in ((1, 1.5e-3), (2, 2e-3), (TAGS, 1.5e-3))]  # fmt: skip
    assert remarks == ["all requests are of 4 KiB: the sheet is fitted for these, and no rate of bytes is; spindle "
                       "measure --drive tries four sizes"]  # fmt: skip
    assert len(flash_reads.read_levels(points[:1])[0]) == 1


@pytest.mark.parametrize(("iops", "left"), [(1 / 1.03, [2, 3]), (1 / 1.02, [1, 2, 3])])
def test_a_read_alone_that_takes_longer_is_left_out(iops: float, left: list[int]) -> None:
    levels, remarks = flash_reads.read_levels([point(READ, 2, 2.0), point(READ, 1, iops), point(READ, 3, 1.0)])
    assert sorted(each.job.depth for each in levels) == left
    told = "1 under way took longer than 2: a drive that wakes up, or a host; not fitted"
    assert remarks[1:] == [told] * (3 - len(left))


def test_the_kind_with_the_nearest_percentiles_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flash_reads, "MAX_SIMULATED_KINDS", 3)
    kinds = [replace(FIT, kind=KIND + place, off=off) for place, off in enumerate((0.01, 0.03, 0.05, 0.05, 0.0501))]
    points = [point(READ, TAGS, 1.0, p50=1.0), point(READ, TAGS + 1, 1.0, p50=1.0)]
    asked: list[Call] = []
    distances = {1.0: 3.0, 2.0: 2.5, 3.0: 2.0}

    def distance(numbers: Any, kind: Any, given: Any) -> float:
        assert (numbers is NUMBERS, given) == (True, points[:1])
        return distances[kind[0]]

    def minimize(*call: Any, **more: Any) -> SimpleNamespace:
        asked.append((*call, more))
        return SimpleNamespace(x=NUMBERS + 1.0)

    monkeypatch.setattr(flash_reads, "_read_off", distance)
    monkeypatch.setattr(flash_reads, "minimize", minimize)
    first, *others = flash_reads.refine_reads(kinds, points)
    assert (first.numbers.tolist(), first.kind[0]) == ((NUMBERS + 1.0).tolist(), 3.0)
    assert first.knobs == knobs_of(NUMBERS + 1.0, kinds[2].kind)
    assert list(map(id, others)) == [id(kinds[place]) for place in (0, 1, 3, 4)]
    ((function, start, given),) = asked
    assert (function, start is NUMBERS) == (distance, True)
    simplex = given["options"].pop("initial_simplex")
    assert given == {"args": (kinds[2].kind, points[:1]), "method": "Nelder-Mead",
                     "options": {"maxfev": flash_reads.MAX_SIMULATIONS}}  # fmt: skip
    assert simplex.tolist() == flash_reads._simplex(NUMBERS).tolist()
    for none in (points[1:], [point(READ, 1, 1.0)]):
        assert flash_reads.refine_reads(kinds, none) == kinds
    monkeypatch.setattr(flash_reads, "MAX_SIMULATED_KINDS", 9)
    distances[4.0] = 1.0  # and the last, farther off than 0.04 from the first, has none
    assert flash_reads.refine_reads(kinds, points)[0].kind[0] == 4.0


def test_the_simplex_has_a_step_of_each_number() -> None:
    assert flash_reads._simplex(np.array([1.0, 2.0])).tolist() == [[1.0, 2.0], [1.1, 2.0], [1.0, 2.1]]


def test_reads_are_off_by_squares_of_throughput_and_percentiles(answers: list[Call]) -> None:
    """1 ms of each response is the host's. The second point of level 4 is off by nothing but its p99."""
    points = [point(READ, 4, 200.0, p99=7 * MS * 2), point(READ, 1, 100.0, 3 * MS, p50=2 * MS),
              point(READ, 4, 200.0, p95=3 * MS, p50=0.0)]  # fmt: skip
    found = flash_reads._read_off(NUMBERS, KIND, points)
    assert found == pytest.approx((2 * log(2) ** 2 + log(1 / 2) ** 2 + 0.0 + 0.3 * log(1 / 2) ** 2 + 0.0 + 0.0) / 6)
    sheet = knobs_of(NUMBERS, KIND).sheet("flash", DIE_BYTES * 8)
    assert answers == [(FioLoad(READ, level, 4096, 0), sheet) for level in (1, 4)]
    host = [point(READ, 1, 200.0, 1.0, p50=0.5)]
    assert flash_reads._read_off(NUMBERS, KIND, host) == pytest.approx(log(1e-9 / 0.5) ** 2 / 2), "none is negative"
