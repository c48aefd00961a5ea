"""A run made longer: twice as long each time, until its batches are independent and their interval is narrow."""

from random import Random

import pytest

from spindle.sim.account import PARTS, Phase
from spindle.sim.error import UserError
from spindle.sim.measure.result import Recorder, Result
from spindle.sim.terminal import Transaction
from spindle.studies.sweep.precision import TooShort, batch_means, long_run, responses, width

ASKED: list[float] = []


def run(minutes: float, share: float = 0.0, keep_rows: bool = False, seed: int = 1) -> Result:
    """A response each second, *share* of it the one before: a longer run begins as a shorter one."""
    ASKED.append(minutes)
    recorder, random, response = Recorder(0.0, keep_rows), Random(seed), 0.5
    for second in range(int(60 * minutes)):
        response = share * response + (1.0 - share) * random.random()
        parts = [0.0] * PARTS
        parts[Phase.CPU] = response
        recorder.record(Transaction("t", "n", second, second + response, second + 2.0, tuple(parts)), 1)
    return Result("test", {}, seed, 0.0, 60.0 * minutes, {}, recorder)


@pytest.fixture(autouse=True)
def _forget() -> None:
    ASKED.clear()


def test_until_the_interval_is_narrow() -> None:
    found = long_run(run, precision=0.02, minutes=10.0)
    assert ASKED == [10.0, 20.0, 40.0, 80.0]
    assert found.reached
    assert found.interval == batch_means(responses(found.result))
    assert found.result.seconds == 4800.0
    before = batch_means(responses(run(minutes=40.0, keep_rows=True)))
    assert width(found.interval) <= 0.02 < width(before)


def test_until_batches_are_independent() -> None:
    assert long_run(run, precision=0.9, minutes=10.0).reached
    assert ASKED == [10.0]
    assert long_run(run, precision=0.9, minutes=10.0, share=0.9).reached
    assert ASKED[1:] == [10.0, 20.0, 40.0, 80.0, 160.0, 320.0]
    with pytest.raises(TooShort):
        batch_means(responses(run(minutes=160.0, share=0.9, keep_rows=True)))


def test_too_few_responses_ask_for_a_longer_run() -> None:
    assert long_run(run, precision=0.9, minutes=2.0).reached
    assert ASKED == [2.0, 4.0, 8.0]


def test_the_longest_run_is_the_last() -> None:
    found = long_run(run, precision=0.001, minutes=10.0, most_minutes=39.0)
    assert (ASKED, found.reached) == ([10.0, 20.0], False)
    with pytest.raises(TooShort, match="still correlated"):
        long_run(run, precision=0.9, minutes=10.0, most_minutes=20.0, share=0.99)


def test_mistakes() -> None:
    with pytest.raises(UserError, match="between 0 and 1, not 2"):
        long_run(run, precision=2)
    with pytest.raises(UserError, match=r"at most most_minutes, not 20\.0 of 10\.0"):
        long_run(run, most_minutes=10.0)
