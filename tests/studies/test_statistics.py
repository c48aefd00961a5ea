"""Tables over replications by hand: means with intervals, gains in percent, and how much shorter a response is."""

from math import exp, log, nan, sqrt

import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.studies.statistics import differences, gains, percent, shorter, summarise

T1 = 12.706205
"""Student's t of one degree for 95 %."""
FRAME = pd.DataFrame(
    [(2, "lru", 1, 4.0, 0.5), (2, "lru", 2, 6.0, 0.5), (1, "lru", 1, 1.0, nan), (1, "lru", 2, 1.0, nan)],
    columns=["users", "policy", "seed", "response_mean", "hits"],
)  # fmt: skip


def test_a_row_for_each_point_in_the_order_of_the_runs() -> None:
    found = summarise(FRAME, ["users", "policy"], ["response_mean", "hits"])
    assert list(found) == ["users", "policy", "response_mean", "response_mean_low", "response_mean_high", "hits",
                           "hits_low", "hits_high", "replications"]  # fmt: skip
    assert found["users"].tolist() == [2, 1]
    assert found["replications"].tolist() == [2, 2]
    # 4 and 6: standard deviation sqrt(2), standard error 1
    assert found.iloc[0, 2:8].tolist() == pytest.approx([5.0, 5.0 - T1, 5.0 + T1, 0.5, 0.5, 0.5])
    assert found.iloc[1, 2:5].tolist() == [1.0, 1.0, 1.0]
    assert found.iloc[1, 5:8].isna().all()
    assert {str(found[name].dtype) for name in ("hits", "hits_low", "hits_high")} == {"float64"}


def test_points_may_lack_what_distinguishes_them_and_keep_their_order() -> None:
    """As a machine without a cache lacks a size of it."""
    frame = pd.DataFrame({"size": [nan, nan, 4.0, 4.0], "cached": [False, True] * 2, "seed": 1,
                          "response_mean": [8.0, 5.0, 6.0, 2.0]})
    assert summarise(frame, ["size"], ["response_mean"])["response_mean"].tolist() == [6.5, 4.0]
    found = differences(frame, "cached", False, ["response_mean"], ["size"])
    assert found["response_mean"].tolist() == [-3.0, -4.0]
    other = differences(frame.assign(size=[9, 9, 4, 4]), "cached", False, ["response_mean"], ["size"])
    assert other["size"].tolist() == [9, 4]


def test_what_no_replication_has_is_a_number_that_is_missing() -> None:
    found = summarise(FRAME.assign(hits=nan), ["users"], ["hits"])
    assert {str(found[name].dtype) for name in ("hits", "hits_low", "hits_high")} == {"float64"}


def test_what_some_replications_lack_is_refused_with_its_point() -> None:
    with pytest.raises(UserError, match=r"^hits at users=2: sample 1 of 2 must be a finite number, not nan$"):
        summarise(FRAME.assign(hits=[1.0, nan, 1.0, 1.0]), ["users"], ["hits"])
    for by, values in ((["user"], ["hits"]), (["users"], ["hit"])):
        with pytest.raises(UserError, match=r"unknown column '(user|hit)'"):
            summarise(FRAME, by, values)


def runs(*rows: tuple[int, bool, int, float, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["users", "cached", "seed", "response_mean", "busy"])


def test_a_gain_is_of_the_mean_logarithm_of_ratios() -> None:
    """Half as long and four fifths as long: the square root of two fifths."""
    frame = runs((1, False, 1, 2.0, 0.2), (1, True, 1, 1.0, 0.1), (1, False, 2, 5.0, 0.4), (1, True, 2, 4.0, 0.5),
                 (2, False, 1, 8.0, 0.6), (2, True, 1, 2.0, 0.7), (2, False, 2, 4.0, 0.6), (2, True, 2, 1.0, 0.7))
    found = gains(frame, "cached", False, ["users"], ["busy"])
    half = T1 * abs(log(0.5) - log(0.8)) / 2.0
    middle = (log(0.5) + log(0.8)) / 2.0
    assert list(found) == ["users", "cached", "replications", "gain", "gain_low", "gain_high", "response_mean", "busy",
                           "plain_response_mean", "plain_busy"]  # fmt: skip
    assert found["gain"].tolist() == pytest.approx([100.0 * (1.0 - sqrt(0.4)), 75.0])
    assert found["gain_low"].tolist() == pytest.approx([100.0 * (1.0 - exp(middle + half)), 75.0], rel=1e-5)
    assert found["gain_high"].tolist() == pytest.approx([100.0 * (1.0 - exp(middle - half)), 75.0], rel=1e-5)
    assert found.iloc[:, 6:].to_numpy().tolist() == pytest.approx(
        [pytest.approx([2.5, 0.3, 3.5, 0.3]), pytest.approx([1.5, 0.7, 6.0, 0.6])])
    assert found["cached"].tolist() == [True, True]
    alone = gains(frame[frame["users"] == 2], "cached", False)
    assert alone[["gain", "response_mean", "plain_response_mean"]].iloc[0].tolist() == pytest.approx([75.0, 1.5, 6.0])
    lacking = gains(frame.assign(users=frame["users"].replace(1, nan)), "cached", False, ["users"], ["busy"])
    assert lacking.drop(columns="users").equals(found.drop(columns="users"))  # as of machines without a cache's size


@pytest.mark.parametrize(("low", "high", "said"), [
    (20.4, 30.4, "25 % (± 5)"), (nan, nan, "25 %"), (25.4, 25.4, "25 % (± 0)"),
])  # fmt: skip
def test_a_gain_in_words(low: float, high: float, said: str) -> None:
    assert percent({"gain": 25.4, "gain_low": low, "gain_high": high}) == said


def test_a_response_is_shorter_by_a_share() -> None:
    assert shorter({"response_mean": 4.0}, {"response_mean": 1.0}) == 0.75
    assert shorter({"response_mean": 4.0}, {"response_mean": 5.0}) == -0.25
