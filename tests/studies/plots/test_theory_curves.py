"""The sentence: the point that differs most, to the digits that are known, and agreement where nothing is known."""

import pandas as pd
import pytest

from spindle.studies.plots.theory_curves import Theory, remark

THEORY = Theory("theory", "the wait", "s", "beyond", ("longer", "shorter"), {"one": "at the door", "two": "inside"})


def point(x: int, beyond: float, half: float, one: float, which: str = "a") -> dict[str, object]:
    interval = {"beyond_low": beyond - half, "beyond_high": beyond + half}
    return {"x": x, "which": which, "beyond": beyond, "one": one, "two": beyond - one} | interval


def said(*points: dict[str, object]) -> str:
    return remark(pd.DataFrame(points), "x", "users", THEORY)


def test_the_point_that_differs_most_and_its_causes_the_largest_first() -> None:
    assert said(point(1, 0.2, 0.04, 0.2), point(2, 0.4321, 0.04, 1.0), point(3, 0.5, 0.6, 0.5)) == (
        "The wait at 2 users is 0.43 s longer than by theory: 1.00 s more at the door; 0.57 s less inside."
    )
    assert said(point(4, -0.4321, 0.1, -0.44)) == "The wait at 4 users is 0.4 s shorter than by theory: " \
        "0.4 s less at the door."  # fmt: skip


@pytest.mark.parametrize(("beyond", "half"), [(0.3, 0.4), (0.0001, 0.00001), (0.0, 0.0)])
def test_a_difference_within_its_interval_or_too_small_to_say_is_none(beyond: float, half: float) -> None:
    agrees = "The simulation agrees with theory at every point, within what it knows."
    assert said(point(1, beyond, half, 0.1)) == agrees


def test_one_replication_gives_two_digits() -> None:
    assert "0.43 s longer" in said(point(1, 0.4321, float("nan"), 0.4))
    assert "4.3 s longer" in said(point(1, 4.321, float("nan"), 0.4))


def test_a_sentence_for_each_curve() -> None:
    frame = pd.DataFrame([point(1, 2.0, 0.1, 1.0, "a"), point(1, 0.0, 0.1, 0.0, "b")])
    text = remark(frame, "x", "users", THEORY, "which", {"a": "sugar"})
    assert text.startswith("With sugar, the wait at 1 users is 2.0 s longer")
    assert text.endswith("With b, the simulation agrees with theory at every point, within what it knows.")
