"""The search for knobs, on machines whose answer is known: it finds it, and says so where there is none."""

from collections.abc import Sequence
from math import exp, log, nan

import numpy as np
import pytest

from spindle.studies.claims.quasi_newton import (
    CLOSE_DISTANCE,
    MAX_MOVE,
    MAX_STEP,
    FitResult,
    _learnt,
    fit,
    measured_slopes,
    step,
)

UNIT = ((1.0, 0.0), (0.0, 1.0))


def queue(logs: Sequence[float]) -> list[float]:
    """A server of rate 1: its load and its response time, to be 0.8 and 10; knobs are arrivals and work of each."""
    rate, work = exp(logs[0]), exp(logs[1])
    load = min(rate * work, 0.999)
    return [log(load / 0.8), log(work / (1.0 - load) / 10.0)]


def test_a_step_is_newtons() -> None:
    found = step(np.array([[2.0, 0.0], [0.0, -4.0]]), np.array([0.2, 0.2]))
    assert found == pytest.approx([-0.1, 0.05])


def test_a_step_is_damped_as_a_whole() -> None:
    found = step(np.array([[0.1, 0.0], [0.0, 0.2]]), np.array([0.5, -0.5]))
    assert found == pytest.approx([-MAX_STEP, MAX_STEP / 2])
    assert step(np.diag([0.5, 1.0]), np.array([0.45, 0.09])) == pytest.approx([-0.7, -0.07])


def test_a_direction_in_which_nothing_moves_is_left_alone() -> None:
    for slope, moved in ((1e-9, 0.0), (0.02, 0.0), (0.04, -0.5)):
        found = step(np.array([[1.0, 0.0], [0.0, slope]]), np.array([0.1, 0.02]))
        assert found == pytest.approx([-0.1, moved])
    assert step(np.zeros((2, 2)), np.array([0.1, 0.1])).tolist() == [0.0, 0.0]


def test_a_measure_that_is_far_away_counts_as_a_factor_of_two_away() -> None:
    assert step(np.eye(2), np.array([3.0, 0.35])) == pytest.approx([-MAX_STEP, -0.35])
    assert step(np.eye(2), np.array([-0.14, -9.0])) == pytest.approx([0.14, MAX_STEP])


def test_slopes_are_learnt_from_steps_that_are_no_noise() -> None:
    slopes = np.array([[1.0]])
    assert _learnt(slopes, np.array([0.06]), np.array([0.12])) == pytest.approx(np.array([[2.0]]))
    assert _learnt(slopes, np.array([0.05]), np.array([0.1])) == pytest.approx(np.array([[2.0]]))
    assert _learnt(slopes, np.array([0.04]), np.array([0.08])) == pytest.approx(np.array([[1.0]]))


def asked(*answers: float) -> list[float]:
    """The places at which a search measures that is given these distances, one after the other."""
    places, left = list[float](), iter(answers)

    def measure(logs: Sequence[float]) -> list[float]:
        places.append(logs[0])
        return [next(left)]

    fit(measure, [1.0], ((1.0,),))
    return places


def answered(*answers: float, slope: float = 1.0, most: int = 8) -> FitResult:
    left = iter(answers)
    return fit(lambda logs: [next(left)], [1.0], ((slope,),), most)


def test_a_search_keeps_the_slopes_of_its_start_and_says_why_it_failed() -> None:
    good = answered(0.5, 0.29, *[0.4] * 9)
    assert (good.why, good.steps, good.slope.tolist(), good.left.tolist()) == ("", 2, [[1.0]], [0.29])
    assert good.at.tolist() == pytest.approx([0.5])
    assert answered(0.5, 0.3, *[0.4] * 9).why == ""
    bad = answered(0.5, 0.31, *[0.4] * 9)
    assert (bad.why, bad.steps, bad.slope.tolist()) == ("the search ended 31% away", 2, [[1.0]])
    assert (answered(0.9, most=1).why, answered(0.12).steps) == ("the search ended 90% away", 1)


def test_a_knob_moves_no_further_either_way() -> None:
    """From 1 on at most 2.3 up or down, in steps of 0.7."""
    for slope, end in ((0.5, -1.3), (-0.5, 3.3)):
        places = list[float]()

        def measure(logs: Sequence[float], places: list[float] = places) -> list[float]:
            places.append(logs[0])
            return [0.45 - 0.01 * len(places)]

        fit(measure, [1.0], ((slope,),))
        assert max(places, key=lambda place: abs(place - 1.0)) == pytest.approx(end)


def test_a_search_gives_up_after_three_steps_that_are_no_nearer() -> None:
    assert len(asked(*[0.25] * 9)) == 4
    assert len(asked(0.25, 0.25, 0.24, *[0.25] * 9)) == 6
    assert len(asked(0.9, 0.8, 0.7, 0.69)) == 4, "as far as it may be after three"
    for most in (1, 2, 3):
        left = iter([0.29, 0.28, 0.27, 0.26])
        assert fit(lambda logs, left=left: [next(left)], [1.0], ((1.0,),), most).steps == most
        assert len([*left]) == 4 - most


def test_a_knob_stays_within_a_factor_of_ten_of_where_it_began() -> None:
    """Distances shrink so little that each step is the longest, until the knob can go no further."""
    places = asked(1.1, 1.0, 0.65, 0.49, 0.48, 0.47, 0.46, 0.45)
    assert min(places) == pytest.approx(1.0 - MAX_MOVE)
    assert places[1] == pytest.approx(1.0 - MAX_STEP)


def test_what_is_there_already_takes_one_step() -> None:
    found = fit(lambda logs: [0.5 * CLOSE_DISTANCE, 0.0], [0.0, 0.0], UNIT)
    assert (found.steps, found.why) == (1, "")


def test_a_straight_machine_is_found_at_once() -> None:
    found = fit(lambda logs: [logs[0] - 0.3, logs[1] + 0.2], [0.0, 0.0], UNIT)
    assert found.at == pytest.approx([0.3, -0.2])
    assert found.steps == 2


def test_a_queue_is_found_from_slopes_that_are_wrong() -> None:
    found = fit(queue, [log(0.5), 0.0], ((1.0, 1.0), (0.5, 1.0)), most=12)
    assert found.why == ""
    assert [abs(each) <= CLOSE_DISTANCE for each in queue(list(found.at))] == [True, True]


def test_slopes_are_learnt_on_the_way() -> None:
    found = fit(lambda logs: [3.0 * (logs[0] - 0.3)], [0.0], [[1.0]])
    assert found.at == pytest.approx([0.3])  # with slopes of 1 for ever it would swing to and fro
    assert found.why == ""


def test_what_longer_runs_leave_is_corrected_by_a_step() -> None:
    found = fit(lambda logs: [2.0 * (logs[0] - 0.3)], [0.3], [[2.0]])
    assert found.correct([0.4]).at == pytest.approx([0.1])
    assert found.correct([0.4], 0.5).at == pytest.approx([0.2])


def test_what_cannot_be_reached_fails_with_what_is_left() -> None:
    asked: list[float] = []

    def stuck(logs: Sequence[float]) -> list[float]:
        asked.append(logs[0])
        return [0.4 + 0.001 * logs[0] ** 2]

    found = fit(stuck, [0.0], [[1.0]], most=20)
    assert found.why == "the search ended 40% away"
    assert len(asked) < 8
    assert max(abs(each) for each in asked) <= MAX_MOVE


def test_where_nothing_is_answered_the_search_turns_away() -> None:
    found = fit(lambda logs: [nan if logs[0] > 0.5 else logs[0]], [1.0], [[1.0]])
    assert found.why == ""
    assert found.at == pytest.approx([0.0], abs=CLOSE_DISTANCE)


@pytest.mark.parametrize(("distance", "steps"), [
    (3.0, 2), (1.25, 2), (1.2, 3), (0.75, 3), (0.7, 4), (0.6, 4), (0.55, 4),
])  # fmt: skip
def test_a_hopeless_one_ends_early(distance: float, steps: int) -> None:
    asked: list[float] = []

    def hardly(logs: Sequence[float]) -> list[float]:
        asked.append(logs[0])
        return [distance - 0.01 * len(asked)]

    assert fit(hardly, [0.0], [[1.0]], most=50).why
    assert len(asked) == steps


def test_slopes_are_measured_knob_by_knob() -> None:
    def plane(logs: Sequence[float]) -> list[float]:
        return [3.0 * logs[0] - logs[1] + 5.0, 0.5 * logs[1]]

    assert np.array(measured_slopes(plane, [0.1, -0.2])) == pytest.approx(np.array([[3.0, -1.0], [0.0, 0.5]]))
    assert np.array(measured_slopes(lambda logs: [logs[0] ** 2], [0.0])) == pytest.approx(0.2)  # as far as it is moved


def test_what_is_not_measured_is_as_far_as_one() -> None:
    found = fit(lambda logs: [nan, 0.2], [0.0, 0.0], UNIT, most=1)
    assert (found.left.tolist(), found.why) == ([1.0, 0.2], "the search ended 100% away")
