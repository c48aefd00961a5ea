"""How many claims of a system hold, role by role, and which do not: what the terminal and the report both count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sim.claims.claims import Role
from sim.claims.verdicts import Verdict

ROLES = (Role.PREDICTED, Role.SHAPE, Role.SEEN, Role.CONSISTENT, Role.CALIBRATED, Role.DEFINITION, Role.CONTRADICTORY)
"""What proves most comes first."""
MISSED = (str(Verdict.FAILS), str(Verdict.UNDECIDED))


@dataclass(frozen=True)
class Tally:
    """*held* is ``3 of 5`` for each role, empty where it has no claim; *missed* are the rows that do not hold."""

    held: Mapping[Role, str]
    missed: Sequence[Mapping[str, Any]]


def tally(claims: pd.DataFrame) -> Tally:
    """Count *claims* of one system, as verdicts.score gave them. The contradictory ones are counted, not scored."""
    missed = claims[claims["verdict"].isin(MISSED)].to_dict("records")
    return Tally(
        {role: _held(role, claims.loc[claims["role"].eq(str(role)), "verdict"]) for role in ROLES},
        [{str(key): value for key, value in row.items()} for row in missed],
    )


def independent(claims: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """How many independent predictions hold, and of how many: numbers, shapes of curves, and all of them."""
    counts = {}
    for role, what in {Role.PREDICTED: "numbers", Role.SHAPE: "shapes of curves"}.items():
        verdicts = claims.loc[claims["role"].eq(str(role)), "verdict"]
        counts[what] = int(verdicts.eq(str(Verdict.HOLDS)).sum()), len(verdicts)
    held, total = (sum(numbers) for numbers in zip(*counts.values(), strict=True))
    return {**counts, "all": (held, total)}


def headline(claims: pd.DataFrame) -> str:
    """What counts, in a sentence: independent predictions only; empty where there are none."""
    counts = independent(claims)
    held, total = counts.pop("all")
    if not total:
        return ""
    apart = " and ".join(f"{number} of {of} {what}" for what, (number, of) in counts.items() if of)
    return f"{held} of {total} independent predictions hold: {apart} to which nothing in the model was fitted."


def _held(role: Role, verdicts: "pd.Series[Any]") -> str:
    if verdicts.empty:
        return ""
    if role is Role.CONTRADICTORY:
        return str(len(verdicts))
    return f"{verdicts.eq(str(Verdict.HOLDS)).sum()} of {len(verdicts)}"
