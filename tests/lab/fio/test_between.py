"""Between measured points, by hand: the middle of the bounds of a closed system, and percentiles as multiples."""

from dataclasses import replace

import pytest

from spindle.lab.fio.between import KnownCurve, PointRow, between, quantile_of_kind, rate_between, waits_alike
from spindle.lab.fio.points import FioPoint
from spindle.sim.request import READ, WRITE


def point(depth: int, iops: float, jobs: int = 1, size: int = 4096, **more: float) -> FioPoint:
    """A point whose median is half of its mean, unless *more* says another multiple."""
    mean = depth * jobs / iops
    return FioPoint(READ, depth, jobs, size, 1000, iops, mean, {0.5: more.get("half", 0.5) * mean})


SEEN = [point(1, 100.0), point(4, 200.0)]


def test_the_middle_lies_between_the_chord_and_the_lines_beside() -> None:
    """At 2 the chord has 141, and twice as many do at most twice as much, and no more than 4 do: 200."""
    assert between(SEEN, point(2, 1.0)).iops == pytest.approx((100 * 200) ** 0.25 * 200**0.5)


def test_beyond_the_ends_slopes_lie_between_the_next_and_the_bound() -> None:
    """From 1 to 4 the slope is a half: above it is a quarter, below three quarters."""
    seen = [point(2, 100.0), point(8, 200.0)]
    assert between(seen, point(16, 1.0)).iops == pytest.approx(200.0 * 2**0.25)
    assert between(seen, point(1, 1.0)).iops == pytest.approx(100.0 / 2**0.75)


def test_one_point_alone_is_as_far_from_both_bounds() -> None:
    assert between([point(4, 200.0)], point(16, 1.0)).iops == pytest.approx(400.0)
    assert between([point(4, 200.0)], point(1, 1.0)).iops == pytest.approx(100.0)


def test_a_chord_that_is_above_the_lines_is_kept() -> None:
    """Where the rate bends up, by noise, there is no room between the bounds."""
    curve = KnownCurve([0.0, 1.0, 2.0, 3.0], [0.0, 0.1, 0.9, 1.8], 1.0, 0.0)
    assert curve.middle(1.5) == pytest.approx(0.5)


def test_the_bound_is_the_lower_of_the_lines_beside() -> None:
    """At 1.5 the chord has 0.75; the line before has 1.5, and that behind, which rises by 0.1, has 0.95."""
    curve = KnownCurve([0.0, 2.0, 4.0], [0.0, 1.0, 1.2], 1.0, 0.0)
    assert curve.middle(1.5) == pytest.approx(0.5 * (0.75 + 0.95))
    assert KnownCurve([0.0, 2.0, 4.0], [0.0, 1.0, 1.2], 0.6, 0.0).middle(0.5) == pytest.approx(0.5 * (0.25 + 0.3))


def test_slopes_keep_to_their_bounds() -> None:
    """A rate that falls is flat beyond; one that rises faster than the depth rises as the depth."""
    assert KnownCurve([0.0, 1.0], [5.0, 4.0], 1.0, 0.0).middle(3.0) == pytest.approx(4.0)
    assert KnownCurve([1.0, 2.0], [2.0, 9.0], 1.0, 0.0).middle(0.0) == pytest.approx(1.0)


def test_percentiles_are_multiples_of_the_mean() -> None:
    """The mean follows from the rate (Little); the multiple is halfway at 2, and stays beyond the ends."""
    seen = [point(1, 100.0, half=0.2), point(4, 100.0, half=0.8)]
    two, eight = between(seen, point(2, 1.0)), between(seen, point(8, 1.0))
    assert two.mean == pytest.approx(2 / two.iops)
    assert two.quantiles[0.5] == pytest.approx(0.4 * two.mean)
    assert eight.quantiles[0.5] == pytest.approx(0.8 * eight.mean)


def test_a_percentile_that_one_point_has_is_told_by_it() -> None:
    seen = [SEEN[0], replace(SEEN[1], quantiles={})]
    found = between(seen, point(2, 1.0))
    assert found.quantiles[0.5] == pytest.approx(0.5 * found.mean)
    assert between([replace(each, quantiles={}) for each in seen], point(2, 1.0)).quantiles == {}


def test_a_percentile_that_only_other_kinds_have_is_not_told() -> None:
    write = replace(point(1, 1e6), op=WRITE, quantiles={0.9: 1.0})
    assert list(between([*SEEN, write], point(2, 1.0)).quantiles) == [0.5]


def test_a_mean_that_differs_from_the_rate_s_is_a_multiple_too() -> None:
    """Half of what follows from the rate (Little), or all of it where no mean was measured."""
    for share, told in ((0.5, 0.5), (0.0, 1.0)):
        found = between([replace(each, mean=share * each.mean) for each in SEEN], point(2, 1.0))
        assert found.mean == pytest.approx(told * 2 / found.iops)


def test_a_quantile_of_all_of_a_kind() -> None:
    """Half of the mean at one point; the other has none. The mean follows from the rate."""
    seen = [SEEN[0], replace(SEEN[1], quantiles={})]
    assert quantile_of_kind(seen, point(2, 1.0), 0.5) == pytest.approx(0.5 * 2 / rate_between(seen, point(2, 1.0)))
    assert quantile_of_kind(seen, point(2, 1.0), 0.9) is None


@pytest.mark.parametrize(("depths", "encloses"), [((1, 4), True), ((2, 4), False), ((1, 2), False)])
def test_a_row_encloses_what_has_a_point_on_either_side(depths: tuple[int, int], encloses: bool) -> None:
    row = PointRow([point(each, 1.0) for each in depths], lambda each: each.level)
    assert row.encloses(point(2, 1.0)) is encloses


def test_percentiles_rise() -> None:
    seen = [replace(point(depth, 100.0), quantiles={0.5: low, 0.9: high})
            for depth, low, high in ((1, 2.0, 2.0), (4, 2.0, 8.0))]  # fmt: skip
    found = between([seen[0], replace(seen[1], quantiles={0.5: 20.0, 0.9: 8.0})], point(2, 1.0)).quantiles
    assert found[0.5] <= found[0.9]


def test_rows_of_equal_depth_and_of_equal_jobs_count_alike() -> None:
    """2 x 2 lies between 1 x 2 and 4 x 2, and between 2 x 1 and 2 x 4: the mean of both logarithms."""
    by_jobs = [point(1, 100.0, 2), point(4, 400.0, 2)]
    by_depth = [point(2, 10.0, 1), point(2, 40.0, 4)]
    assert between([*by_jobs, *by_depth], point(2, 1.0, 2)).iops == pytest.approx(200**0.5 * 20**0.5)


def test_a_row_that_encloses_the_point_comes_first() -> None:
    seen = [point(1, 100.0, 2), point(4, 400.0, 2), point(2, 7.0, 1)]
    assert between(seen, point(2, 1.0, 2)).iops == pytest.approx(200.0)


def test_a_point_at_the_end_of_a_row_is_told_by_all_of_its_kind() -> None:
    """2 x 2 is the last of its row: of 4 under way, it lies halfway between 2 and 8, and so between 100 and 400."""
    for row in ([point(1, 100.0, 2), point(4, 400.0, 2)], [point(4, 400.0, 2), point(1, 100.0, 2)]):
        assert between(row, point(4, 1.0, 2)).iops == pytest.approx(400.0)
        assert between(row, point(1, 1.0, 2)).iops == pytest.approx(100.0)


def test_points_of_other_jobs_and_depths_tell_by_how_many_are_under_way() -> None:
    assert between([point(1, 100.0, 4), point(1, 400.0, 16)], point(2, 1.0, 4)).iops == pytest.approx(200.0)


def test_equal_depths_are_averaged() -> None:
    seen = [point(1, 100.0), point(1, 400.0), point(4, 200.0)]
    assert between(seen, point(2, 1.0)).iops == pytest.approx(200.0)


def test_sizes_lie_between_a_constant_and_bytes_in_proportion() -> None:
    """Of 4 times the bytes half as many are done: slope -1/2. Between, the chord has 71 %, and the bounds all of it."""
    seen = [point(1, 100.0), point(1, 50.0, size=16384)]
    assert between(seen, point(1, 1.0, size=8192)).iops == pytest.approx(100 * 0.5**0.25)
    assert between(seen, point(1, 1.0, size=32768)).iops == pytest.approx(50 * 0.5**0.75)
    assert between(seen, point(1, 1.0, size=2048)).iops == pytest.approx(100 * 2**0.25)


def test_other_kinds_tell_nothing() -> None:
    others = [replace(point(1, 1e6), op=WRITE), point(1, 1e6, size=8192), replace(point(4, 1e6), random=False)]
    assert between([*SEEN, *others], point(2, 1.0)) == between(SEEN, point(2, 1.0))


@pytest.mark.parametrize(("levels", "level", "alike"), [
    ((4, 16), 8, True), ((1, 16), 8, False), ((1, 2, 16), 8, True), ((4, 33), 8, False), ((4, 32), 8, True),
    ((33, 128), 64, True), ((32, 128), 64, False), ((33, 129), 64, False), ((4,), 8, False), ((16,), 8, False),
    ((129,), 512, True), ((128,), 512, False), ((1024,), 512, False), ((1,), 1, False),
    ((8, 16), 8, False), ((4, 8), 8, False), ((512,), 512, False),
])  # fmt: skip
def test_points_beside_wait_where_a_point_waits(levels: tuple[int, ...], level: int, alike: bool) -> None:
    """In a drive of 32, in a host of 128, or outside, where no point above is needed; one alone is a case of its own.
    """
    seen = [point(each, 100.0 * each) for each in levels]
    assert waits_alike(seen, point(level, 1.0), (1, 32, 128)) is alike


def test_points_of_all_rows_wait_where_a_point_waits() -> None:
    """Of two processes there are points on both sides in the drive; of a depth of 4 one is alone, or in the host."""
    jobs, depths = [point(2, 300.0, jobs=2), point(8, 400.0, jobs=2)], [point(4, 200.0), point(4, 400.0, jobs=4)]
    assert waits_alike([*jobs, *depths], point(4, 1.0, jobs=2), (1, 32, 128))
    for other in (point(4, 400.0, jobs=9), point(4, 200.0, jobs=2)):
        assert not waits_alike([*jobs, depths[0], other], point(4, 1.0, jobs=2), (4, 32, 128))
