"""Counts mutants without those that no test could notice, which tests/equivalents.toml names and explains."""

import difflib
import tomllib
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path

KEPT = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Change:
    """The lines that a mutant of a *function*, as in `Class.method`, takes away, and those that it puts there."""

    path: str
    function: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path} {self.function}: - {self.before} + {self.after}"


def change(path: str, function: str, before: str, after: str) -> Change:
    """That from the source *before* to that *after*, without what indents its lines."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    gone, come = ("\n".join(" ".join(line[2:].split()) for line in lines if line[0] == sign) for sign in "-+")
    return Change(path, function, gone, come)


@dataclass(frozen=True)
class Score:
    """Of *total* mutants that a test could notice, how many were; and those called equivalent that did not survive."""

    total: int
    noticed: int
    disproved: tuple[Change, ...] = ()


def equivalents(paths: Container[str]) -> dict[Change, str]:
    """Why a mutant of *paths* changes nothing."""
    kept = tomllib.loads(KEPT.read_text("utf-8"))
    return {Change(path, each["function"], each["before"], each["after"]): each["why"]
            for path, those in kept.items() if path in paths for each in those}  # fmt: skip


def score(total: int, survivors: Iterable[Change], known: Iterable[Change]) -> Score:
    """Each of *known* excuses one survivor: two lines of a function that read alike want two reasons."""
    survived, excuses = Counter(survivors), Counter(list(known))
    excused = survived & excuses
    could = total - excused.total()
    return Score(could, could - (survived - excused).total(), tuple(excuses - excused))
