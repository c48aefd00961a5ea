"""Collects the rows of study runs: takes kept ones, computes each missing one once, or computes all and compares."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from spindle.output.text import point_text
from spindle.sim.error import UserError
from spindle.studies.kept_runs import KeptRuns, Wanted, agree, dump, key
from spindle.studies.study import Point, Row, RunRow, SeedRows, Study
from spindle.studies.sweep.executor import Workers
from spindle.studies.sweep.grid import plain_value, summary
from spindle.studies.sweep.sweep import sweep

ABSENT = "{}"
"""The row of a run whose input, a file that does not come with the project, is not on this machine."""


@dataclass(frozen=True)
class Task:
    """A run for a worker, which returns its row as text."""

    point: Point
    seed: int

    @property
    def name(self) -> str:
        """Name of the run in messages."""
        return f"{self.point.run.__qualname__} at {point_text({**self.point.columns(), 'seed': self.seed})}"


class RunBook:
    """The rows of study runs: taken from *kept* ones or computed; if *anew* all are computed, and compared with those.

    ``computed`` counts runs that were made here, ``equal`` those that equal the kept row apart from rounding,
    ``identical`` those that equal it to the last digit. ``differing`` names those that do not equal it. ``taken``
    counts rows taken from the kept ones. With a *store* a killed sweep is continued. If a run returns an empty row,
    because its input is missing, the kept row is used.
    """

    def __init__(
        self, kept: KeptRuns | None = None, workers: Workers = None, progress: bool = True, anew: bool = False,
        store: Path | None = None,
    ) -> None:  # fmt: skip
        self.kept = kept
        self.anew = anew
        self.computed = 0
        self.equal = 0
        self.identical = 0
        self.taken = 0
        self.differing: list[str] = []
        self.workers = workers
        self.progress = progress
        self._store = store
        self._rows: dict[str, Row] = {}
        self._refused: dict[str, str] = {}

    def make(self, wanted: Iterable[Wanted], live: bool = False) -> None:
        """Get the rows of all *wanted* runs, the missing ones in one sweep; if *live*, those that are kept too."""
        make_together({self: wanted}, live, self._store)

    def missing(self, wanted: Iterable[Wanted], live: bool) -> dict[str, Wanted]:
        """Return the *wanted* runs that must be computed; others take the kept row, unless *live*."""
        missing: dict[str, Wanted] = {}
        for point, seed in wanted:
            name = key(point, seed)
            if name in self._rows or name in self._refused or name in missing:
                continue
            if live or self.anew or not self._take(name, point, seed):
                missing[name] = (point, seed)
        return missing

    def _take(self, name: str, point: Point, seed: int) -> bool:
        row = None if self.kept is None else self.kept.find(point, seed)
        if row is None:
            return False
        self._rows[name] = row
        self.taken += 1
        return True

    def enter(self, name: str, wanted: Wanted, text: str, why: str) -> None:
        """Enter what ``perform`` returned for a missing run: its row *text*, or *why* it was refused."""
        if text == ABSENT:
            self._rows[name] = {}
            self._take(name, *wanted)
            return
        self.computed += 1
        if why:
            self._refused[name] = why
        else:
            self._rows[name] = self._compare(*wanted, text)

    def _compare(self, point: Point, seed: int, text: str) -> Row:
        """Return the row *text*; or the kept row of that run, if they are equal apart from rounding."""
        row: Row = json.loads(text)
        if self.kept is None:
            return row
        before = self.kept.find(point, seed)
        if before is not None and agree(before, row):
            self.equal += 1
            self.identical += dump(before) == text
            return before
        if before is not None:
            self.differing.append(Task(point, seed).name)
        self.kept.add(point, seed, text)
        return row

    def kept_seeds(self, points: Sequence[Point], most: int) -> int:
        """Return the number of seeds, from 1 on, that are kept of all *points*."""
        if self.kept is None or self.anew:
            return 0
        for seed in range(1, most + 1):
            if any(self.kept.find(point, seed) is None for point in points):
                return seed - 1
        return most

    def row(self, point: Point, seed: int) -> dict[str, object]:
        """Return the cells of a run in a table: arguments, marks, seed and results.

        UserError if no machine can be built with these arguments.
        """
        name, columns = key(point, seed), {**point.columns(), "seed": seed}
        if name in self._refused:
            raise UserError(f"{self._refused[name]} (at {point_text(columns)})")
        results = self._rows[name]
        twice = [name for name in results if name in columns and results[name] != columns[name]]
        if twice:
            what = f"{point.run.__qualname__} gives a {twice[0]!r} of its own beside the argument of that name"
            raise UserError(what)
        return {**columns, **results}

    def refusal(self, points: Sequence[Point], seeds: Sequence[int]) -> str:
        """Return the first reason why a machine of *points* cannot be built; empty if all have rows."""
        names = (key(point, seed) for point in points for seed in seeds)
        return next((self._refused[name] for name in names if name in self._refused), "")

    def rows(self, points: Sequence[Point], seed: int) -> SeedRows:
        """Return the rows of one seed; a run that has not been made is made when its results are read."""
        return SeedRows(self._run_rows(points, seed))

    def read_by(self, study: Study, points: Sequence[Point]) -> list[int]:
        """Return the places of the *points* whose results the measures of *study* read with seed 1."""
        assert study.measures is not None, "check_studies has looked"
        rows = self._run_rows(points, 1)
        dict(study.measures(SeedRows(rows)))  # a row may be all that is measured
        return [place for place, row in enumerate(rows) if row.is_read]

    def _run_rows(self, points: Sequence[Point], seed: int) -> list[RunRow]:
        return [RunRow({**point.columns(), "seed": seed}, partial(self._make_row, point, seed)) for point in points]

    def _make_row(self, point: Point, seed: int) -> Row:
        self.make([(point, seed)])
        return self.row(point, seed)

    def frame(self, points: Sequence[Point], seeds: Sequence[int]) -> pd.DataFrame:
        """Return a row for each run, seed by seed at each point; all must have been made."""
        return pd.DataFrame([self.row(point, seed) for point in points for seed in seeds])


def make_together(wanted: Mapping[RunBook, Iterable[Wanted]], live: bool = False, store: Path | None = None) -> None:
    """Get the rows that each book wants, the missing ones in one sweep; all books have the same workers.

    With a sweep for each book, workers would be idle in its last run. Finished runs are in the *store* until all are.
    """
    missing = [(book, name, run) for book, runs in wanted.items() for name, run in book.missing(runs, live).items()]
    if not missing:
        return
    tasks, first = [Task(*run) for _, _, run in missing], missing[0][0]
    frame = sweep(perform, task=tasks, workers=first.workers, progress=first.progress, store=store)
    for (book, name, run), text, why in zip(missing, frame["row"], frame["why"], strict=True):
        book.enter(name, run, text, why)


def perform(task: Task) -> Mapping[str, object]:
    """Run *task* and return its row as text, or the reason why no such machine can be built."""
    point = task.point
    try:
        result = point.run(**point.keywords(), seed=task.seed)
    except UserError as error:
        return {"row": "", "why": str(error)}
    return {"row": dump({name: _plain(value) for name, value in summary(result).items()}), "why": ""}


def _plain(value: object) -> object:
    """Return *value* as a sweep writes it, except that arrays and lists become lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return plain_value(value)
