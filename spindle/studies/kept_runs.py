"""Rows of study runs, each computed once: here, or taken from kept ones, or computed anew and compared with these."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from math import isclose, isnan
from operator import itemgetter
from pathlib import Path
from platform import libc_ver, machine, system

import numpy as np
import pandas as pd

from spindle.output.text import point_text
from spindle.sim.error import UserError
from spindle.studies.kept_rows import KEPT_SUFFIX, KeptRow, KeptRowFile
from spindle.studies.study import Point, Row, RunRow, SeedRows, Study
from spindle.studies.sweep.executor import Workers
from spindle.studies.sweep.fingerprint import fingerprint
from spindle.studies.sweep.grid import plain_value, summary
from spindle.studies.sweep.sweep import sweep

# Rows of runs that travel with the project, kept by content: the same function, arguments, window and seed.
#
# There is a file of them for each study. Rows of another model number (raised by hand in a system's system.py when
# answers change), of another platform, or edited by hand count as not kept, and are computed anew.

DRAWN_SEEDS = 5
"""Seeds of a study, at most, of which one run is drawn to be computed again."""
ROUNDING = 1e-11
"""The same Python adds floats alike everywhere, but vector units of processors differ in the last digits."""

def platform() -> str:
    """Describe the processor and the C library, on which the last digit of a result may depend."""
    return f"{system()} {machine()} {libc_ver()[0]}".strip()


def function(point: Point) -> str:
    """Return the name of the function that *point* runs, without the module, so that it can move."""
    return str(getattr(point.run, "__qualname__", repr(point.run)))


def key(point: Point, seed: object) -> str:
    """The name under which a run of *point* is kept: 32 hexadecimal digits."""
    arguments = sorted(point.keywords().items(), key=itemgetter(0))
    return fingerprint((point.run, arguments, seed)).hex()


class KeptRuns:
    """The rows in the *folder* that *model* made; ``notes`` has a line for each reason why others are not used."""

    def __init__(self, folder: Path, model: str = "") -> None:
        self.folder = folder
        self.model = model
        self.notes: list[str] = []
        self._files = [KeptRowFile(path) for path in sorted(folder.glob(f"*{KEPT_SUFFIX}"))]
        self._rows = {name: row for file in self._files for name, row in file.rows.items()}
        self._say_why()

    def _say_why(self) -> None:
        for file in self._files:
            if file.fault:
                self.notes.append(f"{file.path} cannot be read ({file.fault}): its runs are computed anew")
        lines = sum(file.lines for file in self._files)
        self._note(sum(file.edited for file in self._files), f"of {lines} runs were changed since")
        rows = self._rows.values()
        for other in sorted({row.platform for row in rows} - {platform()}):
            self._note(sum(row.platform == other for row in rows), f"runs come from {other}")
        for other in sorted({row.model for row in rows} - {self.model}):
            self._note(sum(row.model == other for row in rows), f"runs are of {other}, and this is {self.model}")

    def _note(self, count: int, why: str) -> None:
        if count:
            self.notes.append(f"{self.folder}: {count} {why}: they are computed anew")

    def find(self, point: Point, seed: int) -> Row | None:
        """Return the row of *point*, if this model made it on this kind of platform."""
        kept = self._rows.get(key(point, seed))
        if kept is None or kept.model != self.model or kept.platform != platform():
            return None
        row: Row = json.loads(kept.row)
        return row

    def draw(self, studies: Iterable[Study], lot: str, most: int | None = None) -> "list[Wanted]":
        """Draw one of the kept runs of each of *studies*, the same for the same *lot*; then *most* of all these."""
        drawn: dict[bytes, Wanted] = {}
        for study in studies:
            wanted = [(point, seed) for point in study.points() for seed in study.seeds(DRAWN_SEEDS)]
            lots = {blake2b(f"{lot} {key(*run)}".encode(), digest_size=8).digest(): run for run in wanted}
            first = next((name for name in sorted(lots) if self.find(*lots[name]) is not None), None)
            if first is not None:
                drawn[first] = lots[first]
        return [drawn[name] for name in sorted(drawn)[:most]]

    def add(self, point: Point, seed: int, text: str) -> None:
        """Keep the row *text*, as dump wrote it."""
        arguments = point_text(point.keywords())
        self._rows[key(point, seed)] = KeptRow(self.model, platform(), function(point), arguments, seed, text)

    def save(self, folder: Path, wanted: "Mapping[str, Iterable[Wanted]]") -> None:
        """Have *folder* keep the rows of the runs *wanted* by studies, and of no other; files that are right stay.

        A run that several studies want is in the file where it was, else in that of the first.
        """
        files = {name: KeptRowFile(folder / f"{name}{KEPT_SUFFIX}") for name in wanted}
        homes: dict[str, str] = {}
        for study, runs in wanted.items():
            for name in dict.fromkeys(key(point, seed) for point, seed in runs):
                if name not in homes or name in files[study].rows:
                    homes[name] = study
        rows: dict[str, dict[str, KeptRow]] = {name: {} for name in wanted}
        for name, study in homes.items():
            row = self._rows.get(name)
            if row is not None and row.model == self.model:
                rows[study][name] = row
        for study, file in files.items():
            file.keep(rows[study])
        for path in {*folder.glob(f"*{KEPT_SUFFIX}")} - {file.path for file in files.values()}:
            path.unlink()


def agree(one: object, other: object) -> bool:
    """Tell if two rows, or two values of them, are equal apart from the rounding of another processor's arithmetic."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(agree(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING) or (isnan(one) and isnan(other))
    return one == other


def dump(row: Mapping[str, object]) -> str:
    """*row* as text that gives the same numbers again, to the last digit."""
    return json.dumps(row, separators=(",", ":"))


Wanted = tuple[Point, int]
ABSENT = "{}"
"""The row of a run whose input, a file that does not travel with the project, is not on this machine."""


@dataclass(frozen=True)
class Task:
    """One run for a worker, which sends its row back as text."""

    point: Point
    seed: int

    @property
    def name(self) -> str:
        """Name of the run in messages."""
        return f"{self.point.run.__qualname__} at {point_text({**self.point.columns(), 'seed': self.seed})}"


class RunBook:
    """Rows by run: computed, or taken from the *kept* ones; with *anew* all are computed, and compared with those.

    ``computed`` counts the runs that were made here, ``equal`` those of them that equal the kept row apart from
    rounding, ``identical`` those that do to the last digit, ``differing`` names those that do not, and ``taken`` counts
    the rows that were taken from the kept ones.
    With a *store* a killed sweep goes on from there. If a run gives an empty row, for want of its input, the kept row
    is used.
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
        """Return those of the *wanted* runs that must be computed; the others take the kept row, unless they are
        *live*.
        """
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
        """Enter the outcome of ``perform`` for a missing run."""
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
        """The cells of a run in a table: its arguments, its marks, its seed, and its results.

        UserError where the machine cannot be built like that.
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
        """A row for each run, seed by seed at each point, which must have been made."""
        return pd.DataFrame([self.row(point, seed) for point in points for seed in seeds])


def make_together(wanted: Mapping[RunBook, Iterable[Wanted]], live: bool = False, store: Path | None = None) -> None:
    """Get the rows that each book wants, the missing ones in one sweep; all books have the same workers.

    With a sweep for each book, workers would wait for its last run. Finished runs are in the *store* until all are.
    """
    missing = [(book, name, run) for book, runs in wanted.items() for name, run in book.missing(runs, live).items()]
    if not missing:
        return
    tasks, first = [Task(*run) for _, _, run in missing], missing[0][0]
    frame = sweep(perform, task=tasks, workers=first.workers, progress=first.progress, store=store)
    for (book, name, run), text, why in zip(missing, frame["row"], frame["why"], strict=True):
        book.enter(name, run, text, why)


def perform(task: Task) -> Mapping[str, object]:
    """Run and return the row as text; or the reason why no such machine can be built."""
    point = task.point
    try:
        result = point.run(**point.keywords(), seed=task.seed)
    except UserError as error:
        return {"row": "", "why": str(error)}
    return {"row": dump({name: _plain(value) for name, value in summary(result).items()}), "why": ""}


def _plain(value: object) -> object:
    """Return *value* as a sweep writes it, but arrays and lists as lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return plain_value(value)
