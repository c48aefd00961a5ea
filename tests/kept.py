"""Runs of studies from results/, so that tests draw pictures and take measures without simulating them again."""

import json
from functools import cache
from pathlib import Path

from spindle.studies.kept_runs import KeptRuns, key
from spindle.studies.run_book import RunBook
from spindle.studies.study import Point, Row
from spindle.systems import find_system

RESULTS = Path(__file__).parents[1] / "results"


class AnyKeptRuns(KeptRuns):
    """Rows of any model number and from any platform: they are drawn here, and not believed."""

    def find(self, point: Point, seed: int) -> Row | None:
        kept = self._rows.get(key(point, seed))
        return None if kept is None else dict(json.loads(kept.row))


@cache
def kept_book(name: str) -> RunBook:
    """A book with the first seed of every study of the system *name*; results/ must have all its runs."""
    book = RunBook(AnyKeptRuns(RESULTS / name / "runs"), workers=1, progress=False)
    missing = book.missing(((point, 1) for study in find_system(name).studies for point in study.points()), live=False)
    assert not missing, f"results/ does not have {len(missing)} runs of {name}: spindle experiment {name}"
    return book
