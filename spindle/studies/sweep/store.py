"""A store of a sweep: a folder that keeps every finished point, whatever process is killed; and the sweep that uses it.

``points.sqlite`` is the driver's. Each worker process writes a journal into the folder of the run that it serves; the
driver takes over what the journals hold when they are no longer written. The folders of runs are recorded in
``points.sqlite`` before they are made: other folders are never touched, whatever their names.
"""

import json
import os
import re
import socket
import sqlite3
import threading
import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from tempfile import TemporaryFile
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from spindle.output.origin import source
from spindle.output.text import label
from spindle.sim.error import PointFailed, UserError
from spindle.studies.sweep.fingerprint import fingerprint
from spindle.studies.sweep.grid import Grid, Keys, Point, Row, Run, plain
from spindle.studies.sweep.in_memory import Chunk
from spindle.studies.sweep.journal import LOCKED_SECONDS, Differs, Foreign, InUse, NotBelieved, SweepJournal

# A frame that is made of blocks of rows, and not held twice: numbers are copied into columns of full length.

class GrowingFrame:
    """*count* rows, to be added in blocks; the frame is that which ``pd.concat`` makes of the blocks."""

    def __init__(self, count: int) -> None:
        self._count, self._rows = count, 0
        self._columns: dict[str, GrowingColumn] = {}

    def add(self, rows: Sequence[Row]) -> None:
        import pandas as pd

        block = pd.DataFrame(rows)
        for name in map(str, block):
            if name not in self._columns:
                self._columns[name] = GrowingColumn(self._count)
                self._columns[name].add(pd.DataFrame(index=range(self._rows)))
        for name, column in self._columns.items():
            column.add(block[[name] if name in block else []])
        self._rows += len(block)

    def frame(self) -> "pd.DataFrame":
        """Return the frame, once: columns other than plain numbers are joined one by one, and their parts let go."""
        import pandas as pd

        columns = {name: self._columns[name].join() for name in list(self._columns)}
        return pd.DataFrame(columns, index=pd.RangeIndex(self._rows), copy=False)


class GrowingColumn:
    """A column of at most *count* values: stretches of numbers of one type, and frames of anything else or nothing."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._parts: list[pd.DataFrame] = []
        self._stretch: NDArray[np.generic] | None = None
        self._used = 0
        self._name = ""

    def add(self, part: "pd.DataFrame") -> None:
        """Add the next values, a frame of one column or, where the rows have no value, of none."""
        import numpy as np

        kind = part.dtypes.iloc[0] if len(part.columns) else None
        if not isinstance(kind, np.dtype) or kind.hasobject:
            self._end()
            self._parts += [part] if len(part) else []
        else:
            if self._stretch is None or self._stretch.dtype != kind:
                self._end()
                self._stretch = np.empty(self._left, dtype=kind)
            self._stretch[self._used : self._used + len(part)] = part.iloc[:, 0].to_numpy()
            self._used += len(part)
            self._name = part.columns[0]
        self._left -= len(part)

    def _end(self) -> None:
        import pandas as pd

        if self._stretch is not None:
            self._parts.append(pd.DataFrame({self._name: self._stretch[: self._used]}, copy=False))
            self._stretch, self._used = None, 0

    def join(self) -> "pd.Series":
        """Join all parts, and drop them here."""
        import pandas as pd

        self._end()
        parts, self._parts = self._parts, []
        whole = pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0]
        return whole.iloc[:, 0]


if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


T = TypeVar("T")

POINTS = "points.sqlite"
RUN = re.compile("run-[0-9a-f]{32}")
JOURNALS = "journal-*.sqlite"
BEGUN = re.compile("begun-[0-9a-f]{32}")
ASIDE = "set-aside-"
OLD_SECONDS = 2.0
MEGABYTE = 1 << 20


class Store:
    """The finished points of *sweep* in *folder*; open in one process at a time, the driver."""

    def __init__(self, folder: Path, sweep: str) -> None:
        self._sweep = sweep
        self.folder = folder.absolute()
        self.run = self.folder / f"run-{uuid4().hex}"
        with _disc_errors(folder), ExitStack() as unless_begun:
            self.folder.mkdir(parents=True, exist_ok=True)
            # Tried first, because SQLite gives the same error for a read-only folder and a broken file.
            TemporaryFile(dir=self.folder).close()
            self._points = unless_begun.enter_context(self._open())
            self._end_old_runs()
            self._points.begin_run(self.run.name)
            self.run.mkdir()
            unless_begun.pop_all()

    def _open(self) -> SweepJournal:
        path = self.folder / POINTS
        if path.is_symlink():
            raise UserError(f"cannot keep a sweep in {self.folder}: its {POINTS} is a link")
        try:
            return _read_twice(path, self._open_checked)
        except InUse as error:
            raise UserError(f"{self.folder} is in use by another sweep, which is still running") from error
        except Foreign as error:
            what = f"{self.folder} is no store of {self._sweep}: {error}"
            raise UserError(f"{what}; name another folder, or remove it if what it keeps may go") from error
        except NotBelieved as error:
            self._set_aside(path, error)
            return SweepJournal(path, self._sweep)

    def _open_checked(self, path: Path) -> SweepJournal:
        with ExitStack() as unless_checked:
            points = unless_checked.enter_context(SweepJournal(path, self._sweep, wait=1.0))
            points.check()
            unless_checked.pop_all()
        return points

    def _end_old_runs(self) -> None:
        """Take over what killed runs left; on this machine their last workers end within a second."""
        for name in self._points.runs():
            run = self.folder / name
            if RUN.fullmatch(name) and _is(S_ISDIR, run):
                try:
                    paths = self._take_over(run, wait=OLD_SECONDS)
                except InUse as error:  # on a cluster a worker does first what it has begun
                    warnings.warn(f"waiting for a worker of an earlier run, which still writes {error}", stacklevel=2)
                    paths = self._take_over(run, wait=inf)
                _clear(run, paths)
            self._points.forget_run(name)

    def take_over(self) -> None:
        """Copy all rows that the workers of this run have finished."""
        try:
            with _disc_errors(self.folder):
                self._take_over(self.run, LOCKED_SECONDS)
        except InUse as error:
            raise UserError(f"{error} is still being written by a worker that was believed to be dead") from error

    def _take_over(self, run: Path, wait: float) -> list[Path]:
        """Copy the rows of all journals of *run* into ``points.sqlite``; return the journals."""
        paths = []
        for path in sorted(run.glob(JOURNALS)):
            if not _is(S_ISREG, path):
                continue
            try:
                _read_twice(path, lambda path: self._points.take_over(path, wait))
                paths.append(path)
            except NotBelieved as error:
                self._set_aside(path, error)
            except Differs as error:
                raise UserError(f"{path}: two rows of one point, so more than its seed decides: {error}") from error
        self._points.secure()
        return paths

    def _set_aside(self, path: Path, why: NotBelieved) -> None:
        """Rename the file; its points are computed again."""
        aside = self.folder / f"{ASIDE}{uuid4().hex[:8]}-{path.name}"
        for end in ("-wal", "-shm", ""):
            if (part := path.with_name(path.name + end)).exists():
                part.rename(aside.with_name(aside.name + end))
        what = f"{path} is damaged or of another sweep, and was renamed to {aside.name}: {why}"
        warnings.warn(what, stacklevel=2)

    def find(self, key: bytes) -> tuple[str, int] | None:
        """Return (row as JSON, its digest); None if there is no row of *key*."""
        with _disc_errors(self.folder):
            return self._points.find(key)

    def close(self) -> None:
        """Keep what workers have finished by now; a journal that cannot be read now is left for the next run."""
        try:
            with suppress(InUse, UserError), _disc_errors(self.folder):
                _clear(self.run, self._take_over(self.run, wait=0.2))
                self._points.forget_run(self.run.name)
        finally:
            self._points.close()

    def remove(self) -> None:
        """Remove the closed store, but for files set aside; leave all of it if another sweep has opened it.

        Errors of the disc are ignored: a store that stays does no harm.
        """
        with (suppress(InUse, NotBelieved, OSError, sqlite3.Error),
              SweepJournal(self.folder / POINTS, self._sweep, wait=0.0) as points):  # fmt: skip
            points.remove()
        with suppress(OSError):  # where something is left in it
            self.folder.rmdir()


@contextmanager
def _disc_errors(folder: Path) -> Iterator[None]:
    """Turn errors of a full or broken disc, for a store in *folder*, into a UserError."""
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot keep a sweep in {folder}: {error.strerror or error}") from error
    except sqlite3.Error as error:
        raise UserError(f"cannot keep a sweep in {folder}: {error}") from error


def _read_twice(path: Path, read: Callable[[Path], T]) -> T:
    """Read *path* with *read*, twice if need be: a disc that fails once looks like a damaged file to SQLite.

    OSError if it fails again.
    """
    try:
        return read(path)
    except NotBelieved:
        for part in (path, path.with_name(f"{path.name}-wal")):
            if part.exists():
                with part.open("rb") as file:
                    while file.read(MEGABYTE):
                        pass
        return read(path)


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    """Tell if *path* itself is of *kind*, and no link."""
    try:
        return kind(path.lstat().st_mode)
    except OSError:
        return False


def _clear(run: Path, paths: Iterable[Path]) -> None:
    """Remove the folder *run* with its marks and the journals *paths*, but no file that is not a worker's."""
    for path in paths:
        for end in ("-wal", "-shm", ""):
            path.with_name(path.name + end).unlink(missing_ok=True)
    for path in list(run.iterdir()):
        if BEGUN.fullmatch(path.name) and _is(S_ISREG, path):
            path.unlink(missing_ok=True)
    with suppress(OSError):
        run.rmdir()


# A sweep whose points are kept on disc: the workers' part, a chunk at a time, and the driver's.

BLOCK = 10_000
"""Rows that are read at once, as Python's objects, which take ten times the room that they take in a frame."""

_here = threading.local()


@dataclass(frozen=True)
class Written:
    """A worker's answer to a chunk: the number of rows, the exclusive or of their digests, and the failed points."""

    count: int
    digest: int
    seconds: float
    failures: dict[int, str]


@dataclass(frozen=True)
class Write:
    """A worker's task: write each row into its journal in the folder *run* as soon as it is computed."""

    answer: Callable[[Point], Row]
    run: Path
    sweep: str

    def __call__(self, chunk: Chunk) -> Written:
        try:
            return self._write(chunk)
        except (OSError, sqlite3.Error, InUse, NotBelieved) as error:
            host = socket.gethostname()
            what = f"the worker on {host} cannot write into {self.run}, as all workers must: {error}"
            raise UserError(what) from error

    def _write(self, chunk: Chunk) -> Written:
        began, digest, failures = perf_counter(), 0, dict[int, str]()
        digests = self._digests(chunk) if self._is_begun(chunk) else {}
        with SweepJournal(self.run / _own_name(), self.sweep) as journal:
            for index, point, key in zip(chunk.indices, chunk.points, chunk.keys, strict=True):
                try:
                    digest ^= digests[key] if key in digests else journal.write(key, plain(self.answer(point)))
                except PointFailed as failure:
                    failures[index] = str(failure)
        return Written(len(chunk) - len(failures), digest, perf_counter() - began, failures)

    def _is_begun(self, chunk: Chunk) -> bool:
        """Tell if *chunk* was begun before: a cluster begins it anew if its worker dies before it has reported."""
        try:
            os.close(os.open(_mark(self.run, chunk), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return True
        return False

    def _digests(self, chunk: Chunk) -> dict[bytes, int]:
        """The digests of those points of *chunk* that a former worker has finished."""
        digests: dict[bytes, int] = {}
        for path in self.run.glob(JOURNALS):
            if path.is_symlink():
                continue
            with suppress(InUse, NotBelieved), SweepJournal(path, self.sweep, wait=0.0) as journal:
                digests |= {key: record[1] for key in chunk.keys if (record := journal.find(key))}
        return digests


def _own_name() -> str:
    """Return the name of this worker's journal: one for each process, and for each thread of a cluster's process."""
    if not hasattr(_here, "token"):
        _here.token = uuid4().hex[:12]
    host = re.sub(r"\W", "-", socket.gethostname())
    return f"journal-{host}-{os.getpid()}-{_here.token}.sqlite"


def _mark(run: Path, chunk: Chunk) -> Path:
    return run / f"begun-{chunk.keys[0].hex()}"


def _name(run: Run) -> str:
    while isinstance(run, partial):
        run = run.func
    return f"{getattr(run, '__module__', '')}.{getattr(run, '__qualname__', label(run))}"


class StoredSweep:
    """A sweep whose rows are kept on disc. A failed point does not stop others, and the next sweep tries it again."""

    def __init__(self, grid: Grid, run: Run, answer: Callable[[Point], Row], folder: Path) -> None:
        self._grid = grid
        names = sorted(grid.values)
        same = fingerprint((run, names)).hex()[:8]
        sweep = f"sweep {same} of {_name(run)} over {', '.join(names)} (source {source()})"
        self._keys = Keys(run, grid, source())
        self._store = Store(folder, sweep)
        self.do = Write(answer, self._store.run, sweep)
        self._failures: dict[int, str] = {}
        self._reported = bytearray(len(grid))
        self._digest = 0

    def key(self, index: int) -> bytes:
        return self._keys[index]

    def pending(self) -> Sequence[int]:
        self._store.take_over()
        missing = array("q", (index for index in range(len(self._grid)) if not self._store.find(self.key(index))))
        if any(self._reported[index] for index in missing):
            raise self._another_folder()
        return array("q", (index for index in missing if index not in self._failures)) if self._failures else missing

    def take(self, chunk: Chunk, done: Written) -> None:
        with suppress(OSError):  # it goes with its folder
            _mark(self._store.run, chunk).unlink()
        self._failures |= done.failures
        self._digest ^= done.digest
        for index in chunk.indices:
            self._reported[index] = index not in done.failures

    def fail(self, index: int, why: str) -> None:
        self._failures[index] = why

    def frame(self) -> "pd.DataFrame":
        """Return the rows of all points; PointFailed if some of them failed."""
        # Imported here, so that workers, which import this module, start without pandas.
        from spindle.studies.sweep.store import GrowingFrame

        if self._failures:
            first, count = min(self._failures), len(self._failures)
            others = {1: "", 2: ", and another did"}.get(count, f", and {count - 1} others did")
            raise PointFailed(f"{self._failures[first]}{others}; all else is kept in {self._store.folder}")
        growing = GrowingFrame(len(self._grid))
        for block in self._blocks():
            growing.add(block)
        if self._digest:
            raise self._another_folder()
        return growing.frame()

    def _blocks(self) -> Iterator[list[Row]]:
        for first in range(0, len(self._grid), BLOCK):
            texts = [self._text(index) for index in range(first, min(first + BLOCK, len(self._grid)))]
            # All at once, so that the names of results are there once, too.
            rows: list[Row] = json.loads(f"[{','.join(texts)}]")
            yield rows

    def _text(self, index: int) -> str:
        record = self._store.find(self.key(index))
        assert record is not None, "the sweep is over, but a point is pending"
        if self._reported[index]:
            self._digest ^= record[1]
        return record[0]

    def _another_folder(self) -> UserError:
        return UserError(f"{self._store.folder} does not hold what the workers wrote; all must see the same folder")

    def interrupt_text(self) -> str:
        """Message after an interrupt."""
        return f"interrupted; what was finished is kept in {self._store.folder}: do the same again to go on from there"

    def close(self) -> None:
        self._store.close()

    def remove(self) -> None:
        self._store.remove()
