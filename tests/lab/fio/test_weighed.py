"""The p95 in the drive by hand: the more precise of simulation and measured points counts more."""

from dataclasses import replace

import pytest

from spindle.lab.fio import weighed
from spindle.lab.fio.between import quantile_of_kind
from spindle.lab.fio.judged import JudgedPoint
from spindle.lab.fio.load import LoadAnswer
from spindle.lab.fio.points import FioPoint
from spindle.lab.fio.weighed import weighed_quantiles
from spindle.sim.request import READ, WRITE


def at(level: int, iops: float, half: float, off: float = 1.0, fitted: bool = True, jobs: int = 1) -> JudgedPoint:
    """A point whose p95 is *half* of its mean, and is simulated *off* times as long."""
    mean = level / iops
    point = FioPoint(READ, level // jobs, jobs, 4096, 1000, iops, mean, {0.95: half * mean})
    return JudgedPoint(point, LoadAnswer(1.0, 1.0, {0.95: off * half * mean, 0.99: 9.0}), fitted)


HELD = at(2, 100 * 2**0.75, 0.4, 3.0, fitted=False)
"""Halfway from 100 a second alone to 200 of four, and their bound, 200: the rate that points beside tell."""
SIMULATED, BESIDE = 1.2 * HELD.point.mean, HELD.point.mean
"""The p95 of HELD in the simulation; and its mean, of which p95s are multiples."""


def p95(*fitted: JudgedPoint, inside: int = 32) -> float:
    return weighed_quantiles([*fitted, HELD], HELD, inside)[0.95]


def test_a_simulation_that_is_right_at_the_fitted_points_tells_alone() -> None:
    assert p95(at(1, 100.0, 0.25), at(4, 200.0, 0.5)) == pytest.approx(SIMULATED)


def test_points_that_tell_each_other_tell_alone() -> None:
    """From 4 under way with 200 a second 100 alone follow, and from 100 alone 200: both have the p95 half the mean.
    """
    assert p95(at(1, 100.0, 0.5, 2.0), at(4, 200.0, 0.5, 2.0)) == pytest.approx(0.5 * BESIDE)


@pytest.mark.parametrize(("off", "weight"), [
    ((2.0, 2.0), 0.5), ((4.0, 4.0), 0.2), ((0.5, 2.0), 0.5), ((4.0, 1.0), 1 / 3),
])  # fmt: skip
def test_logarithms_are_weighed_by_the_inverse_of_their_mean_square(off: tuple[float, float], weight: float) -> None:
    """Multiples of 1/4 and 1/2 are off by a factor of two, told by each other; the middle of them is 1/4 of root 2."""
    fitted = at(1, 100.0, 0.25, off[0]), at(4, 200.0, 0.5, off[1])
    assert p95(*fitted) == pytest.approx(SIMULATED**weight * (0.25 * 2**0.5 * BESIDE) ** (1.0 - weight))


def test_where_both_are_right_both_tell_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighed, "quantile_of_kind", lambda seen, point, share: point.quantiles[share])
    assert p95(at(1, 100.0, 0.5), at(4, 200.0, 0.5)) == pytest.approx((1.2 * 0.4) ** 0.5 * HELD.point.mean)


def test_errors_beyond_the_drive_do_not_count() -> None:
    """A simulation that is off with 4 under way, where the drive takes 3, is as good as ever."""
    fitted = at(1, 100.0, 0.25), at(4, 200.0, 0.5, 8.0)
    assert p95(*fitted, inside=3) == pytest.approx(SIMULATED)
    assert p95(*fitted, inside=4) < SIMULATED


def test_tails_are_simulated_and_never_below_what_is_weighed() -> None:
    fitted = at(1, 100.0, 0.25), at(4, 200.0, 0.5)
    assert weighed_quantiles(fitted, HELD, 32) == {0.95: pytest.approx(SIMULATED), 0.99: 9.0}
    low = replace(HELD, predicted=replace(HELD.predicted, quantiles={0.99: 1.0, 0.95: 2.0}))
    assert weighed_quantiles(fitted, low, 32) == {0.95: pytest.approx(2.0), 0.99: pytest.approx(2.0)}


def test_no_other_percentile_is_weighed() -> None:
    fitted = [replace(each, point=replace(each.point, quantiles=dict.fromkeys((0.5, 0.99), 0.5 * each.point.mean)),
                      predicted=replace(each.predicted, quantiles={0.5: 1.0, 0.99: 1.0}))
              for each in (at(1, 100.0, 0.5), at(4, 200.0, 0.5))]  # fmt: skip
    told = {0.5: 0.1, 0.99: 0.2}
    assert weighed_quantiles(fitted, replace(HELD, predicted=replace(HELD.predicted, quantiles=told)), 32) == told


def test_what_has_no_percentile_or_is_of_another_kind_tells_nothing() -> None:
    """Without any error the simulation stays: with one level there are no others, and a time of 0 has no logarithm."""
    one, other = at(1, 100.0, 0.25), at(4, 200.0, 0.5)
    bare = replace(other, point=replace(other.point, quantiles={}))
    write = replace(other, point=replace(other.point, op=WRITE))
    unseen = replace(other, fitted=False)
    for fitted in ((one,), (one, bare), (one, write), (one, unseen), (bare,), ()):
        assert p95(*fitted) == pytest.approx(SIMULATED)
    nought = replace(HELD, predicted=replace(HELD.predicted, quantiles={0.95: 0.0}))
    assert weighed_quantiles([at(1, 100.0, 0.5, 2.0), at(4, 200.0, 0.5, 2.0)], nought, 32) == {0.95: 0.0}
    assert p95(at(1, 100.0, 0.25, 0.0), at(4, 200.0, 0.5)) == pytest.approx(SIMULATED)


def test_errors_of_another_kind_do_not_count() -> None:
    """Reads are simulated as they are; writes are not."""
    writes = [replace(each, point=replace(each.point, op=WRITE))
              for each in (at(1, 1.0, 0.5, 9.0), at(4, 1.0, 0.5, 9.0))]  # fmt: skip
    assert p95(at(1, 100.0, 0.25), at(4, 200.0, 0.5), *writes) == pytest.approx(SIMULATED)


def test_points_of_a_kind_tell_whatever_their_processes_are() -> None:
    """Rates are told by the row of two processes, multiples by the mean of both points with four under way."""
    seen = [at(2, 100.0, 0.5, jobs=2).point, at(8, 100.0, 0.5, jobs=2).point, at(2, 999.0, 0.125).point]
    asked = at(4, 1.0, 0.9, jobs=2).point
    assert quantile_of_kind(seen, asked, 0.95) == pytest.approx(4 / 100.0 * (0.25 * 0.5) ** 0.5)
    assert quantile_of_kind([replace(each, op=WRITE) for each in seen], asked, 0.95) is None
