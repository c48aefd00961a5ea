"""Counts mutants without those that no test could notice, which tests/equivalents.toml names and explains.

An entry whose lines have changed since excuses nothing, and may be deleted.
"""

import difflib
import tomllib
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path

KEPT = Path(__file__).with_suffix(".toml")


def told(path: str, function: str, before: str, after: str) -> str:
    """A mutant in one line: the lines of *function* that it takes away, and those that it puts there."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    gone, come = (" ;; ".join(" ".join(line[2:].split()) for line in lines if line[0] == sign) for sign in "-+")
    return f"{path} {function}: - {gone} + {come}"


@dataclass(frozen=True)
class Score:
    """Of *total* mutants that a test could notice, how many were; and those called equivalent that did not survive."""

    total: int
    noticed: int
    disproved: tuple[str, ...] = ()

    def __add__(self, other: "Score") -> "Score":
        return Score(self.total + other.total, self.noticed + other.noticed, self.disproved + other.disproved)

    def __str__(self) -> str:
        return f"{self.noticed} of {self.total} mutants noticed, {self.noticed / max(1, self.total):.1%}"


def equivalents(paths: Container[str]) -> dict[str, str]:
    """Why a mutant of *paths* changes nothing."""
    kept: dict[str, list[str]] = tomllib.loads(KEPT.read_text("utf-8"))
    return {mutant: why for why, mutants in kept.items() for mutant in mutants if mutant.split()[0] in paths}


def score(total: int, survivors: Iterable[str], known: Iterable[str]) -> Score:
    """Each of *known* excuses one survivor: the same in two places of a function is not explained by one reason."""
    survived, excuses = Counter(survivors), Counter(list(known))
    excused = survived & excuses
    could = total - excused.total()
    return Score(could, could - (survived - excused).total(), tuple(excuses - excused))
