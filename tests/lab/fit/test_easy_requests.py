"""Lines of hits and reports: by hand, from a known drive, and none where requests wait for the medium."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spindle.lab.fit.easy_requests import FEWEST_REQUESTS, MOST_REQUESTS, _line, easy_requests, low_line
from spindle.lab.fit.geometry import observe
from spindle.sim.disc.buffer_sheet import After, ImmediateReporting
from spindle.sim.units import MS
from tests.lab.fit.known import BARE, BUFFER, HIT, KNOWN, LINK, RPM, asked


def test_the_line_goes_through_the_lowest_points() -> None:
    sectors = np.array([1, 2, 4, 8, 1, 2, 4, 8])
    command, sector = low_line(sectors, np.array([2.0, 3.0, 5.0, 9.0, 9.0, 7.0, 30.0, 20.0]))
    assert (command, sector) == pytest.approx((1.0, 1.0))


def test_hits_are_told_from_writes_that_wait_for_the_medium() -> None:
    easy = easy_requests(observe(BARE.disc.layout, asked(KNOWN, 800)), 60 / RPM)
    assert easy.hits is not None
    assert (easy.hits.command, easy.hits.sector) == pytest.approx((HIT, LINK), rel=0.05)
    assert easy.reports is None


def test_early_reports_are_found() -> None:
    overheads = replace(BUFFER.overheads, report=After(0.7 * MS, 0.7 * MS))
    early = replace(KNOWN, buffer=replace(BUFFER, overheads=overheads, reports=ImmediateReporting()))
    reports = easy_requests(observe(BARE.disc.layout, asked(early, 800)), 60 / RPM).reports
    assert reports is not None
    assert (reports.command, reports.sector) == pytest.approx((0.7 * MS, LINK), rel=0.05)


@pytest.mark.parametrize(("hits", "is_found"), [(FEWEST_REQUESTS, True), (FEWEST_REQUESTS - 1, False)])
def test_hits_are_reads_behind_reads_and_enough_of_them(hits: int, is_found: bool) -> None:
    """Reads behind writes are quicker here, and would be the lowest."""
    count, places = 2 * FEWEST_REQUESTS, np.arange(2 * FEWEST_REQUESTS)
    sectors, after_read = 1 + 3 * (places // 2 % 2), (places % 2 == 0) & (places < 2 * hits)
    seen = replace(observe(BARE.disc.layout, asked(KNOWN, count)), reads=np.full(count, True), after_read=after_read,
                   unbuffered=np.full(count, False), sectors=sectors,
                   seconds=np.where(after_read, HIT, 0.1 * MS) + LINK * sectors)
    line = easy_requests(seen, 60 / RPM).hits
    assert (line is not None) is is_found
    assert line is None or line == pytest.approx((HIT, LINK))


@pytest.mark.parametrize(("count", "near", "is_found"), [(21, 3, True), (21, 2, False), (25, 3, False)])
def test_a_line_needs_three_times_as_many_near_it_as_by_chance(count: int, near: int, is_found: bool) -> None:
    """Of *count* requests of each size four are faster than the line, and *near* lie on it; more than 12 % must."""
    late = np.concatenate([np.full(4, -0.5), np.zeros(near), np.linspace(1.0, 9.0, count - 4 - near)]) * MS
    seen: Any = SimpleNamespace(sectors=np.repeat([1, 4], count))
    seen.seconds = 1 * MS + 0.25 * MS * seen.sectors + np.tile(late, 2)
    line = _line(seen, np.full(2 * count, True), 10 * MS)
    assert (line is not None) is is_found
    assert line is None or line == pytest.approx((1 * MS, 0.25 * MS))


def test_hits_are_reads_behind_reads_that_a_buffer_may_have_and_reports_writes_that_none_has() -> None:
    """All others are faster here, and would be the lowest."""
    kinds = [*product((True, False), repeat=3)]
    reads, unbuffered, after_read = np.repeat(kinds, 50, axis=0).T
    hits, reports = reads & ~unbuffered & after_read, ~reads & unbuffered
    seen: Any = SimpleNamespace(reads=reads, unbuffered=unbuffered, after_read=after_read,
                                sectors=np.tile([1, 4], 200))  # fmt: skip
    seen.seconds = (1 + 4 * hits + 5 * reports) * MS + 0.25 * MS * seen.sectors
    found = easy_requests(seen, 10 * MS)
    assert (found.hits, found.reports) == (pytest.approx((5 * MS, 0.25 * MS)), pytest.approx((6 * MS, 0.25 * MS)))


def test_the_first_requests_are_enough_for_a_line() -> None:
    count = 3 * MOST_REQUESTS
    seen: Any = SimpleNamespace(sectors=np.tile([1, 4], count // 2))
    seen.seconds = np.where(np.arange(count) < MOST_REQUESTS, 2 * MS, 1 * MS) + 0.25 * MS * seen.sectors
    assert _line(seen, np.full(count, True), 10 * MS) == pytest.approx((2 * MS, 0.25 * MS))
