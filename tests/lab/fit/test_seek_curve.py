"""The seek curve of a known drive from the edges of what its requests waited, and edges by hand."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spindle.lab.fit import seek_curve
from spindle.lab.fit.geometry import observe
from spindle.lab.fit.rotation import ReadPhases
from spindle.lab.fit.seek_curve import MAX_OUTSIDE, MIN_PER_POINT, SeekWindow, _fit_curve, _groups, found_seeks, window
from spindle.sim.units import MS
from tests.lab.fit.known import BARE, KNOWN, LINK, MISS, RPM, SEEK, asked


def test_the_window_holds_most() -> None:
    # From 3 to 12 there are 10 of these 11; what came at 1 was a hit. It may begin at 2, and by one request less at 4.
    assert window(np.array([1.0, *range(3, 13)]), 10.0) == pytest.approx((2.5, 1.0, 4.0))


def test_the_window_bears_what_is_true() -> None:
    begins = window(3.0 + 10.0 * np.random.default_rng(2).random(200), 10.0)
    assert begins.low <= 3.0 <= begins.high
    assert begins.high - begins.low < 0.5


def test_the_curve_of_a_known_drive_is_found() -> None:
    seen = observe(BARE.disc.layout, asked(KNOWN, 1500))
    reads = ReadPhases(seen, seen.reads & seen.unbuffered & seen.on_one_track, LINK)
    period = 60 / RPM
    found = found_seeks(seen, reads.chosen, seen.seconds - reads.transfer(period) - MISS, period)
    assert found.curve.points[0] == (0, 0.0)
    for distance in (1, 10, 30, 100, 200):
        assert found.curve(distance) == pytest.approx(SEEK(distance), abs=0.5 * MS)
    assert len(found.intervals) == len(found.curve.points) - 1


def test_no_seek_takes_less_than_no_time() -> None:
    """Taken off too much: seeks over a cylinder would take a millisecond less than none."""
    seen = observe(BARE.disc.layout, asked(KNOWN, 400))
    reads = ReadPhases(seen, seen.reads & seen.unbuffered & seen.on_one_track, LINK)
    period = 60 / RPM
    found = found_seeks(seen, reads.chosen, seen.seconds - reads.transfer(period) - MISS - 3 * MS, period)
    assert min(seconds for _, seconds in found.curve.points) == 0.0


# By hand.

PLACES = np.array([1, 11, 21])


@pytest.mark.parametrize(("seconds", "outside"), [
    ([1.0, 3.0, 3.5], 0.35),  # seeks over 6 and 31 take 2 and 4 ms: waits are 0.5 ms before, 0.2 ms after their turns
    ([1.0, 3.0, 4.0], 0.25 + 0.01 * 0.5 / 3),  # and here the second is within: such a seek takes 5 ms
    ([3.0, 1.0, 1.0], 0.6 + 0.01 * 2.5 / 3),  # no seek takes less than a shorter one; none counts beyond 0.6 ms
])  # fmt: skip
@pytest.mark.parametrize("better", [-1.0, 0.0, 1.0])
def test_a_curve_is_searched_from_which_least_is_outside(
    monkeypatch: pytest.MonkeyPatch, seconds: list[float], outside: float, better: float
) -> None:
    """From 1, 3 and 3.5 ms, at each by 0.6 ms at most; what is found is taken unless more is outside than there."""
    start = np.array([1.0, 3.0, 3.5]) * MS
    asked: list[Any] = []

    def minimize(objective: Callable[[Any], float], start: Any, **options: Any) -> Any:
        asked.append((start.tolist(), options, objective(np.array(seconds) * MS) / MS))
        return SimpleNamespace(x=np.array(seconds) * MS, fun=objective(start) - better * MS)

    monkeypatch.setattr(seek_curve, "minimize", minimize)
    found = _fit_curve(np.array([6, 31]), np.array([1.5, 14.2]) * MS, 10 * MS, PLACES, start)
    ((begin, options, lost),) = asked
    assert (begin, lost) == (start.tolist(), pytest.approx(outside))
    assert (options["method"], options["options"]) == ("Powell", {"maxiter": 4})
    assert np.array(options["bounds"]) / MS == pytest.approx(np.array([[0.4, 1.6], [2.4, 3.6], [2.9, 4.1]]))
    taken = np.maximum.accumulate(seconds) if better >= 0.0 else start / MS
    assert [seconds / MS for _, seconds in found.points[1:]] == pytest.approx([*taken])
    assert [place for place, _ in found.points] == [0, *PLACES]


@pytest.mark.parametrize(("distance", "waited", "outside"), [(1, 2.0, 0.0), (9, 0.75, 0.25), (9, 11.5, 0.5)])
def test_a_curve_of_one_point_is_level(
    monkeypatch: pytest.MonkeyPatch, distance: int, waited: float, outside: float
) -> None:
    asked: list[Any] = []

    def minimize(objective: Callable[[Any], float], start: Any, bounds: Any, **_: Any) -> Any:
        asked.append((objective(start) / MS, bounds[0][0]))
        return SimpleNamespace(x=start, fun=0.0)

    monkeypatch.setattr(seek_curve, "minimize", minimize)
    _fit_curve(np.array([distance]), np.array([waited]) * MS, 10 * MS, PLACES[:1], np.array([1 * MS]))
    assert asked == [(pytest.approx(outside), pytest.approx(1 * MS - MAX_OUTSIDE))]


def test_points_are_where_the_arm_moved_and_their_windows_weigh_as_many_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 41 and 40 requests over 1 and over 5 cylinders windows begin at 3 and 1 ms; a curve that rises is between."""
    moved = np.repeat([0, 1, 5, 7], [9, 41, 40, 9])
    seen: Any = SimpleNamespace(moved=moved)
    asked: list[Any] = []

    def windows(waited: Any, period: float) -> SeekWindow:
        assert period == 10 * MS
        return {1.0: SeekWindow(3 * MS, 2 * MS, 4 * MS), 5.0: SeekWindow(1 * MS, 0.5 * MS, 1.5 * MS)}[waited.mean()]

    def fit_curve(distance: Any, waited: Any, period: float, places: Any, start: Any) -> Any:
        asked.append((distance.tolist(), waited.tolist(), period, places.tolist(), start / MS))
        return SimpleNamespace(points=((0, 0.0), (1, 1 * MS), (5, 1 * MS)))

    monkeypatch.setattr(seek_curve, "window", windows)
    monkeypatch.setattr(seek_curve, "_fit_curve", fit_curve)
    found = found_seeks(seen, moved < 7, moved.astype(float), 10 * MS)
    chosen = [1] * 41 + [5] * 40
    assert asked == [(chosen, chosen, 10 * MS, [1, 5], pytest.approx(np.full(2, (3 * 41 + 40) / 81)))]
    assert found.intervals == ((1 * MS, 4 * MS), (0.5 * MS, 1.5 * MS))


def test_groups_keep_the_order_of_requests_over_one_distance() -> None:
    distance = np.tile([2, 1], 3 * MIN_PER_POINT)
    groups = list(_groups(distance))
    assert [place for place, _ in groups] == [1, 2], "the middle of those halfway is 1 or 2 alike"
    for _, group in groups:
        assert all((np.diff(group[distance[group] == each]) > 0).all() for each in (1, 2))


def test_one_in_a_hundred_may_be_outside_the_window() -> None:
    """Of 400 four may: those at 0.0, 0.1, 0.2, 0.3 and then evenly from 3 to 12."""
    begins = window(np.array([*np.arange(4) / 10, *np.linspace(3.0, 12.0, 396)]), 10.0)
    assert (begins.low, begins.high) == pytest.approx((2.0, 3.0 + 4 * 9 / 395))
