"""Claims counted by hand: what holds of what was judged, what does not, and nothing at all."""

import pandas as pd

from spindle.studies.claims.claims import Role
from spindle.studies.claims.verdicts import others, parts_of_score, tally

CLAIMS = pd.DataFrame(
    [
        ("P1", "predicted", "holds"), ("P2", "predicted", "fails"), ("P3", "predicted", "undecided"),
        ("D1", "definition", "holds"), ("C1", "calibrated", "undecided"), ("X1", "contradictory", "not scored"),
    ],
    columns=["id", "role", "verdict"],
)  # fmt: skip


def test_held_of_all_by_role_and_contradictions_only_counted() -> None:
    assert tally(CLAIMS).held == {
        Role.PREDICTED: "1 of 3", Role.SHAPE: "", Role.SEEN: "", Role.CONSISTENT: "", Role.CALIBRATED: "0 of 1",
        Role.DEFINITION: "1 of 1", Role.CONTRADICTORY: "1", Role.UNASKED: "",
    }  # fmt: skip


def test_what_fails_or_is_undecided_is_missed() -> None:
    assert [row["id"] for row in tally(CLAIMS).missed] == ["P2", "P3", "C1"]


def test_no_role_is_forgotten_where_there_is_no_claim() -> None:
    found = tally(CLAIMS.iloc[:0])
    assert found.held == dict.fromkeys(Role, "")
    assert found.missed == []


def test_every_role_has_its_count_in_the_heading() -> None:
    assert others(CLAIMS) == "Of the others hold 0 of 1 calibrated, 1 of 1 definition; 1 is not scored."
    assert others(CLAIMS[CLAIMS["role"].eq("predicted")]) == ""
    assert others(CLAIMS[CLAIMS["role"].eq("contradictory")]) == "1 is not scored."


def test_the_score_is_parted_by_where_a_claim_stands() -> None:
    parted = CLAIMS.assign(part=["paper", "paper", "measured", "rest", "paper", "paper"])
    assert parts_of_score(parted) == (
        "Independent predictions that hold: 1 of 2 in the five papers, 0 of 1 measured in 2026."
    )
