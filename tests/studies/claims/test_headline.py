"""The score in words, and the numbers of claims that pictures show, by hand."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from spindle.studies.claims.claims import (
    Claim,
    Role,
    predicted_by_id,
    published_by_id,
    published_by_measure,
    read_claims,
)
from spindle.studies.claims.verdicts import SeedCount, headline, independent, is_met, judge, parts_of_score

CLAIM = Claim("hp3000", "B1", "a paper", "it says", Role.PREDICTED, "s", 10.0, 9.0, 11.0, "steady", "mean")


def claims(*rows: tuple[str, str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["role", "verdict", "part"])


HELD, FAILED = ("predicted", "holds", "paper"), ("predicted", "fails", "rest")
SHAPE, OPEN = ("shape", "holds", "own"), ("shape", "undecided", "measured")
FITTED, ODD = ("calibrated", "holds", "paper"), ("contradictory", "not scored", "paper")


def test_predictions_are_counted_apart_and_together() -> None:
    assert independent(claims(HELD, FAILED, SHAPE, OPEN, SHAPE, FITTED)) == {
        "numbers": (1, 2), "shapes of curves": (2, 3), "all": (3, 5)}


@pytest.mark.parametrize(("rows", "said"), [
    ([HELD, FAILED, SHAPE, OPEN, FITTED, ODD],
     "2 of 4 independent predictions hold: 1 of 2 numbers and 1 of 2 shapes of curves to which nothing in the model "
     "was fitted. Of the others hold 1 of 1 calibrated; 1 is not scored."),
    ([HELD], "1 of 1 independent predictions hold: 1 of 1 numbers to which nothing in the model was fitted."),
    ([SHAPE, ODD, ODD], "1 of 1 independent predictions hold: 1 of 1 shapes of curves to which nothing in the model "
     "was fitted. 2 are not scored."),
    ([OPEN, FITTED], "None of 1 independent predictions is decided."),
    ([OPEN, FAILED], "0 of 2 independent predictions hold: 0 of 1 numbers and 0 of 1 shapes of curves to which nothing "
     "in the model was fitted."),
    ([FITTED, ODD], ""),
    ([HELD, ("seen", "fails", "own"), ("consistent", "holds", "own"), ("unasked", "not scored", "own")],
     "1 of 1 independent predictions hold: 1 of 1 numbers to which nothing in the model was fitted. Of the others hold "
     "0 of 1 seen, 1 of 1 consistent; 1 is not scored."),
])  # fmt: skip
def test_the_headline_says_what_holds(rows: list[tuple[str, str, str]], said: str) -> None:
    assert headline(claims(*rows)) == said


def test_every_part_has_its_words() -> None:
    assert parts_of_score(claims(HELD, FAILED, SHAPE, OPEN)) == (
        "Independent predictions that hold: 1 of 1 in the five papers, 0 of 1 in the rest of the NT book, 0 of 1 "
        "measured in 2026, 1 of 1 of our own.")


@pytest.mark.parametrize(("first", "most", "said"), [
    (1, 1, "seed 1"), (5, 5, "seeds 1 to 5"), (2, 20, "seeds 1 to 2, and on to 20 while a claim is undecided"),
    (1, 2, "seed 1, and on to 2 while a claim is undecided"),
])  # fmt: skip
def test_seeds_in_words(first: int, most: int, said: str) -> None:
    assert str(SeedCount(first, most)) == said
    assert SeedCount() == (5, 5)


@pytest.mark.parametrize(("value", "met"), [
    (9.0, True), (11.0, True), (8.99, False), (11.01, False), (9.0 - 1e-9, True),
])  # fmt: skip
def test_a_value_within_the_bounds_meets_a_claim(value: float, met: bool) -> None:
    assert is_met(CLAIM, value) is met


def test_bounds_of_negative_numbers_reach_outwards_too() -> None:
    below = replace(CLAIM, published=-10.0, low=-11.0, high=-9.0)
    met = [is_met(below, value) for value in (-11.0 - 1e-9, -9.0 + 1e-9, -11.001, -8.999)]
    assert met == [True, True, False, False]
    assert judge(below, [-11.0, -11.0]) == "holds"


TABLE = """\
[[claim]]
id = "A"
paper = "Kim 2014, 2"
says = "a"
role = "predicted"
unit = "s"
published = 2.0
study = "one"
measure = "x"

[[claim]]
id = "B"
paper = "a prediction, before any run"
says = "b"
role = "predicted"
unit = "s"
published = 3.0
study = "one"
measure = "y"

[[claim]]
id = "C"
paper = "Kim 2014"
says = "c"
role = "unasked"
note = "why"
study = "one"
measure = "z"

[[claim]]
id = "D"
paper = "Kim 2014"
says = "d"
role = "shape"
study = "other"
measure = "x"
resolution = 0.5
note = "so   it\\n  is"
"""


def test_numbers_of_claims_for_pictures(tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(TABLE)
    assert published_by_id(path) == {"A": 2.0, "C": 1.0, "D": 1.0}
    assert predicted_by_id(path) == {"B": 3.0}
    assert published_by_measure(path, "one") == {"x": 2.0, "y": 3.0}
    assert published_by_measure(path, "other") == {"x": 1.0}
    found = read_claims(path)
    assert (found[3].note, found[3].resolution, found[0].resolution) == ("so it is", 0.5, 0.0)
    assert ({claim.system for claim in found}, read_claims(None)) == ({tmp_path.name}, [])
