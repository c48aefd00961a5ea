"""Errors of points as a distribution."""

import pytest

from spindle.lab.verify.point import EvidencePoint, errors_of


def test_errors_by_hand() -> None:
    pairs = [(11.0, 10.0), (15.0, 20.0), (70.0, 70.0), (1.0, None)]
    points = [EvidencePoint("a", "q", predicted, measured) for predicted, measured in pairs]
    errors = errors_of(points)
    assert errors is not None
    assert (errors.number, errors.worst) == (3, 25.0)
    assert errors.median == pytest.approx(10.0)
    assert errors.mean == pytest.approx(35.0 / 3)
    assert (errors.within_10, errors.within_20) == (2 / 3, 2 / 3)
    assert errors.summed == pytest.approx(6.0)


def test_what_is_in_percent_is_not_measured_in_percent_of_itself() -> None:
    assert EvidencePoint("a", "use", 93.0, 90.0, whole=100.0).error == pytest.approx(3.0)


def test_nothing_measured_has_no_errors() -> None:
    assert errors_of([EvidencePoint("a", "q", 1.0)]) is None


def test_of_nought_nothing_is_a_share() -> None:
    assert EvidencePoint("a", "q", 1.0, 0.0).error is None
    assert EvidencePoint("a", "use", 1.0, 0.0, whole=100.0).error == pytest.approx(1.0)
