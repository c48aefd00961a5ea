"""Replications until the interval is narrow: as many as it takes, the same whatever the workers, seeds in common."""

from math import inf, nan
from random import Random
from typing import Any

import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.studies.confidence import Interval, confidence
from spindle.studies.sweep.precision import Replications, next_count, until_precise, width
from spindle.studies.sweep.sweep import sweep


def run(level: float = 10.0, spread: float = 1.0, seed: int = 1) -> dict[str, float]:
    """What is common to all levels of a seed, and a little that is not."""
    common = Random(f"{seed}").random() - 0.5
    return {"response_mean": level + spread * common + 0.01 * Random(f"{seed}/{level}").random(), "half": level / 2}


def quiet(**others: Any) -> Any:
    return until_precise(run, workers=1, progress=False, **others)


def test_width_is_half_of_it_as_a_share_of_the_mean() -> None:
    assert width(Interval(10.0, 9.0, 11.0, 5)) == 0.1
    assert width(Interval(-10.0, -11.0, -9.0, 5)) == 0.1
    assert width(Interval(0.0, 0.0, 0.0, 5)) == 0.0
    assert width(Interval(0.0, -1.0, 1.0, 5)) == inf
    intervals = [Interval(10.0, 9.5, 10.5, 5), Interval(8.0, 7.0, 9.0, 5)]
    at_most = [Replications(pd.DataFrame(), intervals, precision) for precision in (0.125, 0.12)]
    assert [(each.width, each.count, each.is_precise) for each in at_most] == [(0.125, 5, True), (0.125, 5, False)]


@pytest.mark.parametrize(
    ("count", "excess", "more"),
    [(10, 1.2, 15), (10, 1.01, 12), (10, 1.05, 12), (10, 9.0, 20), (10, inf, 20), (10, 1e200, 20), (40, 1.01, 44),
     (100, 1.5, 200), (100, 1.2, 144)],
)  # fmt: skip
def test_how_many_are_foretold(count: int, excess: float, more: int) -> None:
    assert next_count(count, excess) == more


def test_it_stops_as_soon_as_the_interval_is_narrow_enough() -> None:
    found = quiet(precision=0.01)
    samples = [run(seed=seed)["response_mean"] for seed in range(1, found.count + 1)]
    assert found.intervals == [confidence(samples)]
    assert found.is_precise
    assert 10 < found.count < 100
    assert found.width <= 0.01 < width(confidence(samples[:10]))


def test_the_least_may_be_enough_and_the_most_too_few() -> None:
    assert quiet(precision=0.5).count == 10
    wide = quiet(precision=0.001, most=25)
    assert (wide.count, wide.is_precise) == (25, False)
    assert quiet(metric="half", least=2, precision=1e-9).count == quiet(metric="half", least=2, most=2).count == 2
    assert quiet(metric="half").precision == 0.02
    assert quiet(precision=1e-9).count == 100


def test_who_is_told_hears_what_is_known_and_how_many_come_next() -> None:
    heard: list[tuple[int, int]] = []
    found = quiet(precision=0.01, told=lambda known, count: heard.append((known.count, count)))
    assert heard[0][0] == 10
    assert [count for _, count in heard] == [*(known for known, _ in heard[1:]), found.count]


def test_the_frame_is_that_of_one_sweep() -> None:
    found = quiet(precision=0.02, level=[10.0, 30.0], spread=[0.5, 1.0])
    whole = sweep(run, level=[10.0, 30.0], spread=[0.5, 1.0], seed=range(1, found.count + 1), workers=1, progress=False)
    pd.testing.assert_frame_equal(found.frame, whole)
    assert len(found.intervals) == 4
    assert found.width == width(found.intervals[1])  # the noisy one keeps all others going


def test_whatever_the_workers_the_same() -> None:
    one, two = (until_precise(run, precision=0.03, level=[10.0, 30.0], workers=n, progress=False) for n in (1, 2))
    assert one.intervals == two.intervals
    pd.testing.assert_frame_equal(one.frame, two.frame)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"precision": 0.0}, "precision is a share of the mean, between 0 and 1, not 0.0"),
        ({"precision": 1.0}, "between 0 and 1, not 1.0"),
        ({"precision": nan}, "between 0 and 1, not nan"),
        ({"least": 1}, "at least 2, not between 1 and 100"),
        ({"least": 20, "most": 10}, "not between 20 and 10"),
        ({"seed": 3}, "seeds are 1, 2, 3 and so on"),
        ({"metric": "respons_mean"}, "unknown metric 'respons_mean': did you mean response_mean"),
        ({"level": inf}, "seed 1 has no finite response_mean"),
    ],
)
def test_mistakes(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        quiet(**given)
