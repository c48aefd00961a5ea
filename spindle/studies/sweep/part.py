"""A part of a sweep, for one job of many on a batch cluster: which points it runs, and where it keeps them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spindle.sim.error import UserError, quote

MAX_PARTS = 100_000
MAX_POINTS = 1_000_000
"""Points of a sweep, or of a design."""
FOLDERS = "part-*-of-*"


@dataclass(frozen=True)
class SweepPart:
    """Number *number*, from 1 on, of *count* parts: each has every so manieth point, so that all take as long."""

    number: int = 1
    count: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count <= MAX_PARTS:
            raise UserError(f"a part is a number from 1 to that of all parts, {MAX_PARTS} at most, as 3/64, not {self}")

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def read(cls, text: str) -> "SweepPart":
        match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text, re.ASCII)
        if match is None:
            raise UserError(f"a part is NUMBER/COUNT, as 3/64, not {quote(text)}")
        return cls(int(match[1]), int(match[2]))

    def indices(self, points: int) -> range:
        """Return the points of the part among so many."""
        return range(self.number - 1, points, self.count)

    def folder(self, store: Path) -> Path:
        """Return where the part keeps its points: a store of its own, for a store has one writer at a time."""
        return store if self.count == 1 else store / f"part-{self.number}-of-{self.count}"


WHOLE = SweepPart()


def parts_in(store: Path) -> Iterator[Path]:
    yield from sorted(path for path in store.glob(FOLDERS) if path.is_dir() and not path.is_symlink())
