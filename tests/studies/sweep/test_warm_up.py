"""MSER-5: by hand, where theory puts it on known transients, at the start where there is none, and refused."""

from collections.abc import Callable
from math import inf, log, nan, sqrt
from random import Random
from statistics import fmean, median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.clock import PHASE_COUNT, Phase
from spindle.sim.error import UserError
from spindle.sim.measure.result import Recorder, Result
from spindle.sim.terminal import Transaction
from spindle.studies.sweep.precision import (
    Series,
    TooShort,
    find_warm_up,
    mser,
    responses,
    settling_time,
    truncation,
)

COUNT = 2000
TIMES = np.arange(COUNT, dtype=np.float64)


def noise(seed: int, count: int = COUNT) -> Series:
    """Normal by Box and Muller, so that it is the same with every numpy."""
    random = Random(seed)
    uniform = np.array([[1.0 - random.random(), random.random()] for _ in range(count)])
    drawn: Series = np.sqrt(-2.0 * np.log(uniform[:, 0])) * np.cos(2.0 * np.pi * uniform[:, 1])
    return drawn


def test_by_hand() -> None:
    """9, 1, 2, 1, 2: the rest has sums of squares 46, 1, 2/3, 1/2 and 0 about its mean; numbers squared 25 to 1."""
    found = mser(np.array([9.0, 1.0, 2.0, 1.0, 2.0]))
    by_hand = np.array([46 / 25, 1 / 16, (2 / 3) / 9, (1 / 2) / 4, 0.0])
    assert found / found[0] == pytest.approx(by_hand / by_hand[0], abs=1e-15)


def test_it_is_what_the_definition_says() -> None:
    values = noise(3, 60) + np.exp(-np.arange(60) / 5.0)
    slow = np.array([((rest - rest.mean()) ** 2).sum() / len(rest) ** 2 for rest in (values[d:] for d in range(60))])
    found = mser(values)
    assert found / found[0] == pytest.approx(slow / slow[0], rel=1e-9, abs=1e-15)


def test_an_exponential_transient_ends_where_it_sinks_into_the_noise_of_a_batch() -> None:
    """To cut one more batch pays as long as its bias squared exceeds the variance of a batch, which is 1/5."""
    transient, theory = 10.0 * np.exp(-TIMES / 100.0), 100.0 * log(10.0 * sqrt(5.0))
    cuts = [truncation(5.0 + transient + noise(seed)) for seed in range(40)]
    assert fmean(cuts) == pytest.approx(theory, rel=0.1)
    assert all(0.6 * theory < cut < 1.5 * theory for cut in cuts)


@pytest.mark.parametrize("height", [10.0, -10.0, 1e9])
def test_a_step_ends_where_it_ends(height: float) -> None:
    cuts = [truncation(np.where(TIMES < 200, height, 0.0) + noise(seed)) for seed in range(20)]
    assert min(cuts) == median(cuts) == 200
    assert max(cuts) <= 300


def test_without_a_transient_next_to_nothing_is_cut() -> None:
    cuts = [truncation(noise(seed)) for seed in range(40)]
    assert median(cuts) <= 0.01 * COUNT
    assert max(cuts) <= 0.1 * COUNT


def test_without_noise_all_of_the_transient_is_cut() -> None:
    assert truncation([0.1] * 100) == 0
    assert truncation([7.0] * 13 + [0.1] * 100) == 15
    assert truncation([1e300] * 10 + [0.1] * 100) == 10
    assert truncation([1e9 + 7.0] * 13 + [1e9] * 100) == 15, "far from nought"
    assert truncation([1.0] * 50) == 0, "as few as may be"


def test_more_than_five_batches_are_left() -> None:
    """The last five agree by chance, and best of all; then the last six, with sums of squares of 7.5 by 36."""
    assert truncation(np.repeat([3.0, -3.0, 3.0, -3.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0], 5)) == 20


@pytest.mark.parametrize("trend", [TIMES, -TIMES, np.where(TIMES < 1200, 1e3, 0.0)])
def test_what_does_not_settle_in_the_first_half_is_refused(trend: Series) -> None:
    with pytest.raises(TooShort, match="not ended within the first half of 2000 observations: observe longer"):
        truncation(trend + noise(1))


def test_half_of_the_observations_may_be_cut_and_no_more() -> None:
    assert truncation([1.0] * 50 + [0.0] * 50) == 50
    with pytest.raises(TooShort, match="first half"):
        truncation([1.0] * 55 + [0.0] * 45)


@settings(max_examples=12)
@given(st.integers(0, 999), st.sampled_from([2.0**-30, 0.5, 2.0, 2.0**40]), st.integers(-1000, 1000))
def test_the_unit_and_the_zero_do_not_matter(seed: int, unit: float, zero: int) -> None:
    random = Random(seed)
    values = np.array([float(pick) for pick in random.choices(range(64), k=30)] + [0.0, 1.0] * 50)
    assert truncation((values + zero) * unit) == truncation(values)


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_bad_series_are_refused(value: float) -> None:
    with pytest.raises(UserError, match="observation 7 of 60 must be a finite number"):
        truncation([1.0] * 7 + [value] + [1.0] * 52)
    with pytest.raises(TooShort, match="at least 50 observations, and there are 49"):
        truncation([1.0] * 49)
    with pytest.raises(UserError, match="one number after the other"):
        truncation([[1.0, 2.0]] * 60)


# Of runs


def run(
    slow: int = 40, seed: int = 1, warm_up: float = 3.0, keep_rows: bool = False, minutes: float = 5.0,
    late: float = 0.0,
) -> Result:  # fmt: skip
    """A response each second, the first *slow* + *seed* of which take 30 s and all others 1 s; rows in no order."""
    assert warm_up == 0.0
    recorder = Recorder(0.0, keep_rows)
    for second in reversed(range(int(60 * minutes))):
        response, parts = 30.0 if second < slow + seed else 1.0, [0.0] * PHASE_COUNT
        parts[Phase.CPU] = response
        replied = second + late
        recorder.record(Transaction("t", "n", replied - response, replied, second + 9.0, tuple(parts)), 1)
    return Result("test", {}, seed, 0.0, 60.0 * minutes, {}, recorder)


def test_a_run_has_settled_when_the_last_observation_that_is_cut_was_made() -> None:
    assert settling_time(run(slow=39, warm_up=0.0, keep_rows=True)) == 39.0
    assert settling_time(run(slow=40, warm_up=0.0, keep_rows=True)) == 44.0  # a batch that is slow in part is cut
    assert settling_time(run(slow=-1, warm_up=0.0, keep_rows=True)) == 0.0
    assert settling_time(run(slow=39, warm_up=0.0, keep_rows=True, late=0.25)) == 40.0  # in whole seconds


def test_responses_are_in_the_order_of_replies() -> None:
    """One takes from 0 to 9, and one from 1 to 3."""
    recorder = Recorder(0.0, True)
    for began, ended in ((0.0, 9.0), (1.0, 3.0)):
        parts = [0.0] * PHASE_COUNT
        parts[Phase.CPU] = ended - began
        recorder.record(Transaction("t", "n", began, ended, ended, tuple(parts)), 1)
    assert responses(Result("test", {}, 1, 0.0, 9.0, {}, recorder)).tolist() == [2.0, 9.0]


def test_rows_are_needed() -> None:
    with pytest.raises(UserError, match="keep_rows=True"):
        settling_time(run(warm_up=0.0))
    assert len(responses(run(warm_up=0.0, minutes=0.0))) == 0  # of a run without a response nothing is missing


def test_all_points_share_the_longest_warm_up() -> None:
    find: Callable[..., float] = find_warm_up
    assert find(run, slow=[10, 60, 30], seed=[1, 2, 3], workers=1, progress=False) == 64 / 60
    with pytest.raises(UserError, match=r"observe longer \(at seed=20\)"):
        find(run, slow=78, minutes=3.0, seed=[2, 20], workers=1, progress=False)
    assert find(run, slow=78, minutes=3.0, seed=2, workers=1, progress=False) > 1.0
