"""Divides a sweep into parts, one for each job on a batch cluster: the points of each, and the folder for its rows."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spindle.sim.error import UserError, quote

MAX_PARTS = 100_000
MAX_POINTS = 1_000_000
"""Largest number of points of a sweep, or of a design."""
PART_FOLDERS = "part-*-of-*"


@dataclass(frozen=True)
class SweepPart:
    """Part *number*, from 1 on, of *count* parts of a sweep: it has every *count*-th point, so all take as long."""

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
        """Return the indices of the part's points in a sweep of *points* points."""
        return range(self.number - 1, points, self.count)

    def folder(self, store: Path) -> Path:
        """Return the folder of the part's own store, for a store has one writer at a time."""
        return store if self.count == 1 else store / f"part-{self.number}-of-{self.count}"


WHOLE = SweepPart()


def parts_in(store: Path) -> Iterator[Path]:
    yield from sorted(path for path in store.glob(PART_FOLDERS) if path.is_dir() and not path.is_symlink())
