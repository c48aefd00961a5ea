"""Rows of study runs, each computed once: here, or taken from kept ones, or computed anew and compared with these."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from io import BytesIO
from math import isclose, isnan
from operator import itemgetter
from pathlib import Path
from platform import libc_ver, machine, system

import numpy as np
import pandas as pd

from spindle.output.files import write_whole
from spindle.output.text import point_text
from spindle.sim.error import UserError
from spindle.studies.study import Point, Row, RunRow, SeedRows, Study
from spindle.studies.sweep.executor import Workers
from spindle.studies.sweep.fingerprint import fingerprint
from spindle.studies.sweep.grid import plain_value, summary
from spindle.studies.sweep.sweep import sweep

# Rows of runs that travel with the project, kept by content: the same function, arguments, window and seed.
#
# A file of them is Parquet, with a line for each run. Rows of another model number (raised by hand in a system's
# system.py when answers change), of another platform, or edited by hand count as not kept, and are computed anew.

COLUMNS = ("key", "model", "platform", "function", "arguments", "seed", "row", "check")
DRAWN_SEEDS = 5
"""Seeds of a study, at most, of which one run is drawn to be computed again."""
ROUNDING = 1e-11
"""The same Python adds floats alike everywhere, but vector units of processors differ in the last digits."""
UNREADABLE = (OSError, ValueError, KeyError, TypeError, NotImplementedError, MemoryError)


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


@dataclass(frozen=True)
class KeptRow:
    """One run as it is kept: *model* names the models that made it, *row* is its text."""

    model: str
    platform: str
    function: str
    arguments: str
    seed: int
    row: str

    def check(self, name: str) -> str:
        """Return a digest that shows edits of the line kept under *name*."""
        return blake2b("\0".join([name, *map(str, vars(self).values())]).encode(), digest_size=8).hexdigest()


class KeptRuns:
    """The rows in the file *path* that *model* made; ``notes`` has a line for each reason why others are not used."""

    def __init__(self, path: Path, model: str = "") -> None:
        self.path = path
        self.model = model
        self.notes: list[str] = []
        self._lines: dict[str, KeptRow] = {}
        self._read: dict[str, KeptRow] = {}
        if path.exists():
            self._load()

    def _load(self) -> None:
        try:
            frame = pd.read_parquet(BytesIO(self.path.read_bytes()))
            rows = [tuple(row) for row in frame[list(COLUMNS)].itertuples(index=False)]
        except UNREADABLE as error:
            reason = " ".join(str(error).split())[:120]
            self.notes.append(f"{self.path} cannot be read ({reason}): its runs are computed anew")
            return
        for name, *fields, check in rows:
            line = KeptRow(*fields)
            if isinstance(name, str) and line.check(name) == check:
                self._lines[name] = line
        self._note(len(rows) - len(self._lines), f"of {len(rows)} runs were changed since")
        lines = self._lines.values()
        for other in sorted({line.platform for line in lines} - {platform()}):
            self._note(sum(line.platform == other for line in lines), f"runs come from {other}")
        for other in sorted({line.model for line in lines} - {self.model}):
            self._note(sum(line.model == other for line in lines), f"runs are of {other}, and this is {self.model}")
        self._read = dict(self._lines)

    def _note(self, count: int, why: str) -> None:
        if count:
            self.notes.append(f"{self.path}: {count} {why}: they are computed anew")

    def find(self, point: Point, seed: int) -> Row | None:
        """Return the row of *point*, if this model made it on this kind of platform."""
        line = self._lines.get(key(point, seed))
        if line is None or line.model != self.model or line.platform != platform():
            return None
        row: Row = json.loads(line.row)
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
        self._lines[key(point, seed)] = KeptRow(self.model, platform(), function(point), arguments, seed, text)

    def save(self, path: Path, wanted: Iterable[tuple[Point, int]]) -> None:
        """Write the rows of *wanted* and of no other run to *path*, unless nothing changed."""
        ours = {name for name, line in self._lines.items() if line.model == self.model}
        names = sorted({key(point, seed) for point, seed in wanted} & ours)
        lines = {name: self._lines[name] for name in names}
        if lines == self._read and path == self.path:
            return
        columns = [[name, *vars(line).values(), line.check(name)] for name, line in lines.items()]
        content = BytesIO()
        pd.DataFrame(columns, columns=list(COLUMNS)).to_parquet(content, index=False, compression="zstd")
        write_whole(path, content.getvalue())


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
