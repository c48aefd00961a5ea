"""The order of the host is the nearest, and off by throughput, median and p95."""

from math import log

import pytest

from spindle.lab.fio import host_order
from spindle.lab.fio.load import NR_REQUESTS, TAGS, FioLoad, HostOrder
from spindle.sim.request import READ, WRITE
from spindle.sim.units import MS
from tests.lab.fio.flash_case import SHEET, Call, point


def test_the_order_of_the_host_is_the_nearest_and_of_a_tie_the_simplest(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [point(READ, TAGS, 1.0), point(READ, TAGS + 1, 1.0), point(READ, NR_REQUESTS, 1.0),
              point(READ, NR_REQUESTS + 1, 1.0), point(WRITE, 64, 1.0)]  # fmt: skip
    for offs, nearest in (({"fcfs": 1.0, "deadline": 1.0, "cfq": 2.0}, "fcfs"),
                          ({"fcfs": 2.0, "deadline": 1.5, "cfq": 1.0}, "cfq")):  # fmt: skip
        def off(sheet: object, queued: object, order: HostOrder, offs: dict[str, float] = offs) -> float:
            assert (sheet, queued) == (SHEET, points[1:3])
            return offs[order]

        monkeypatch.setattr(host_order, "_order_off", off)
        assert host_order.host_order(SHEET, points) == nearest


@pytest.mark.parametrize(("order", "jobs"), [(HostOrder.FCFS, 1), (HostOrder.CFQ, 2)])
def test_an_order_is_off_by_throughput_median_and_p95(answers: list[Call], order: HostOrder, jobs: int) -> None:
    """Twice, twice and four times; then by nothing, for p99 does not count."""
    points = [point(READ, 64, 100.0, jobs=2, p50=1 * MS, p95=1 * MS),
              point(READ, 64, 200.0, jobs=2, p50=2 * MS, p99=9.0),
              point(READ, 66, 400.0, jobs=2, p95=0.0)]  # fmt: skip
    assert host_order._order_off(SHEET, points, order) == pytest.approx(5 * log(2))
    assert answers == [(FioLoad(READ, level, 4096, 0, jobs), SHEET, order) for level in (64, 66)]
