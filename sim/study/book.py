"""The runs of studies, each made once: computed here, or taken from those that are kept."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from sim.error import UserError
from sim.output.label import named
from sim.study.kept import KeptRuns, agree, dump, key
from sim.study.study import Point, Row, RunRow, SeedRows, Study
from sim.sweep.executor import Workers
from sim.sweep.point import plain_value, summary
from sim.sweep.sweep import sweep

Wanted = tuple[Point, int]
ABSENT = "{}"
"""The row of a run whose input, a file that does not travel with the project, is not on this machine."""


@dataclass(frozen=True)
class Task:
    """What a worker does: one run, whose row it sends back as text."""

    point: Point
    seed: int

    @property
    def name(self) -> str:
        """How a message names it."""
        return f"{self.point.run.__qualname__} at {named({**self.point.columns(), 'seed': self.seed})}"


class Book:
    """Rows by run. Those that are *kept* are taken as they are, or with *anew* only compared with.

    ``computed`` counts the runs that were made here, ``equal`` those of them that gave what is kept, but for rounding,
    ``differing`` names those that did not, and ``taken`` counts those that were not made. Where there is a *store* a
    sweep that is killed goes on from there. A run that gives an empty row could not be made here: it has the one that
    is kept.
    """

    def __init__(
        self, kept: KeptRuns | None = None, workers: Workers = None, progress: bool = True, anew: bool = False,
        store: Path | None = None,
    ) -> None:  # fmt: skip
        self.kept = kept
        self.anew = anew
        self.computed = 0
        self.equal = 0
        self.taken = 0
        self.differing: list[str] = []
        self.workers = workers
        self.progress = progress
        self._store = store
        self._rows: dict[str, Row] = {}
        self._refused: dict[str, str] = {}

    def make(self, wanted: Iterable[Wanted], live: bool = False) -> None:
        """Have the rows of all *wanted* runs, those that are not here yet in one sweep; *live*, also what is kept."""
        make_together({self: wanted}, live, self._store)

    def missing(self, wanted: Iterable[Wanted], live: bool) -> dict[str, Wanted]:
        """Which of the *wanted* runs must be computed; what is kept of the others is taken, unless they are *live*."""
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
        """What ``perform`` gave for a missing run."""
        if text == ABSENT:
            self._rows[name] = {}
            self._take(name, *wanted)
            return
        self.computed += 1
        if why:
            self._refused[name] = why
        else:
            self._rows[name] = self._compared(*wanted, text)

    def _compared(self, point: Point, seed: int, text: str) -> Row:
        """The row *text*; or the one that is kept of that run, where they are the same but for rounding."""
        row: Row = json.loads(text)
        if self.kept is None:
            return row
        before = self.kept.find(point, seed)
        if before is not None and agree(before, row):
            self.equal += 1
            return before
        if before is not None:
            self.differing.append(Task(point, seed).name)
        self.kept.add(point, seed, text)
        return row

    def kept_seeds(self, points: Sequence[Point], most: int) -> int:
        """How many of the seeds from 1 on are kept of all *points*."""
        if self.kept is None or self.anew:
            return 0
        for seed in range(1, most + 1):
            if any(self.kept.find(point, seed) is None for point in points):
                return seed - 1
        return most

    def row(self, point: Point, seed: int) -> dict[str, object]:
        """The cells of a run in a table: its arguments, its marks, its seed, and its results.

        UserError where the machine cannot be built like that.
        """
        name, columns = key(point, seed), {**point.columns(), "seed": seed}
        if name in self._refused:
            raise UserError(f"{self._refused[name]} (at {named(columns)})")
        results = self._rows[name]
        twice = [name for name in results if name in columns and results[name] != columns[name]]
        if twice:
            what = f"{point.run.__qualname__} gives a {twice[0]!r} of its own beside the argument of that name"
            raise UserError(what)
        return {**columns, **results}

    def refusal(self, points: Sequence[Point], seeds: Sequence[int]) -> str:
        """The reason why a machine like one of *points* cannot be built, the first; empty where all have rows."""
        names = (key(point, seed) for point in points for seed in seeds)
        return next((self._refused[name] for name in names if name in self._refused), "")

    def rows(self, points: Sequence[Point], seed: int) -> SeedRows:
        """The rows of one seed; a run that has not been made is, when its results are read."""
        return SeedRows(self._run_rows(points, seed))

    def read_by(self, study: Study, points: Sequence[Point]) -> list[int]:
        """The places of those of its *points* whose results the measures of *study* read, as seed 1 tells."""
        assert study.measures is not None, "check_studies has looked"
        rows = self._run_rows(points, 1)
        dict(study.measures(SeedRows(rows)))  # a row may be all that is measured
        return [place for place, row in enumerate(rows) if row.is_read]

    def _run_rows(self, points: Sequence[Point], seed: int) -> list[RunRow]:
        return [RunRow({**point.columns(), "seed": seed}, partial(self._made, point, seed)) for point in points]

    def _made(self, point: Point, seed: int) -> Row:
        self.make([(point, seed)])
        return self.row(point, seed)

    def frame(self, points: Sequence[Point], seeds: Sequence[int]) -> pd.DataFrame:
        """A row for each run, seed by seed at each point, which must have been made."""
        return pd.DataFrame([self.row(point, seed) for point in points for seed in seeds])


def make_together(wanted: Mapping[Book, Iterable[Wanted]], live: bool = False, store: Path | None = None) -> None:
    """Have the rows that each book wants, those that are missing in one sweep; all books have the same workers.

    A sweep for each would let workers wait for its last run. What is finished is in the *store* until all are.
    """
    missing = [(book, name, run) for book, runs in wanted.items() for name, run in book.missing(runs, live).items()]
    if not missing:
        return
    tasks, first = [Task(*run) for _, _, run in missing], missing[0][0]
    frame = sweep(perform, task=tasks, workers=first.workers, progress=first.progress, store=store)
    for (book, name, run), text, why in zip(missing, frame["row"], frame["why"], strict=True):
        book.enter(name, run, text, why)


def perform(task: Task) -> Mapping[str, object]:
    """The row of a run as text; or why there is none, because no machine is like that."""
    point = task.point
    try:
        result = point.run(**point.keywords(), seed=task.seed)
    except UserError as error:
        return {"row": "", "why": str(error)}
    return {"row": dump({name: _plain(value) for name, value in summary(result).items()}), "why": ""}


def _plain(value: object) -> object:
    """As a sweep writes it, but arrays and lists as lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return plain_value(value)
