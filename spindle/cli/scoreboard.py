"""Shows judged claims in a terminal: a line for each, and a scoreboard of how many hold, by system and role."""

from collections.abc import Mapping, Sequence
from shutil import get_terminal_size
from typing import Any

import pandas as pd

from spindle.cli.printing import align
from spindle.output.tables import number
from spindle.studies.claims.verdicts import ROLES, headline, parts_of_score, tally

USUAL_SIZE = (100, 24)
"""Columns and lines of a terminal whose size is unknown."""


def rows_of(claims: pd.DataFrame) -> str:
    """Return a line for each of *claims*: the published number, the bounds, the simulated number and its interval."""
    titles = ("id", "role", "verdict", "published", "unit", "bounds", "simulated", "95 % interval")
    return "\n".join(_table([titles, *map(_row, claims.to_dict("records"))], right=(3, 6)))


def _row(claim: Mapping[Any, Any]) -> tuple[str, ...]:
    unit = "" if claim["unit"] == "1" else str(claim["unit"])
    return (
        str(claim["id"]), str(claim["role"]), str(claim["verdict"]), _number(claim["published"]), unit,
        _range(claim["low"], claim["high"]), _number(claim["simulated"]), _range(claim["ci_low"], claim["ci_high"]),
    )  # fmt: skip


def _number(value: object) -> str:
    return number(float(f"{value:.4g}")) if isinstance(value, float | int) else ""


def _range(low: object, high: object) -> str:
    return f"{_number(low)} .. {_number(high)}" if _number(low) else ""


def scoreboard(claims: pd.DataFrame, systems: Sequence[str]) -> str:
    """Return a line for each of *systems*, with claims that hold by role, and then the claims that do not hold."""
    tallies = {name: tally(claims[claims["system"].eq(name)]) for name in systems}
    counts = [(name, *each.held.values()) for name, each in tallies.items()]
    parts = parts_of_score(claims) if len(systems) > 1 else ""
    lines = [*filter(None, [headline(claims), parts]), *_table([("scoreboard", *map(str, ROLES)), *counts])]
    lines.append("A claim holds if the whole 95 % interval lies within its bounds; contradictory and unasked ones "
                 "are not scored.")
    missed = [
        (name, row["id"], row["role"], row["verdict"], row["says"])
        for name, each in tallies.items() for row in each.missed
    ]  # fmt: skip
    return "\n".join([*lines, "", "what does not hold", *_table(missed)] if missed else lines)


def _table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Return *rows* as lines of columns, cut to the terminal's width; columns in *right* are aligned to the right."""
    return [_short(line) for line in align(rows, right)]


def _short(line: str) -> str:
    width = get_terminal_size(USUAL_SIZE).columns
    return line if len(line) <= width else f"{line[: max(1, width - 3)].rstrip()}..."
