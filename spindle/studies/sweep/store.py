"""Keeps the finished points of a sweep in a folder, its store, so that none is lost if a process is killed.

``points.sqlite`` is the driver's. Each worker process writes a journal into the folder of the run that it serves; the
driver takes over the rows of journals that are no longer written. The folders of runs are recorded in
``points.sqlite`` before they are made: other folders are never touched, whatever their names.
"""

import re
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from math import inf
from pathlib import Path
from shutil import rmtree
from stat import S_ISDIR, S_ISREG
from tempfile import TemporaryFile
from typing import TypeVar
from uuid import uuid4

from spindle.sim.error import UserError
from spindle.studies.sweep.journal import LOCKED_SECONDS, Differs, Foreign, InUse, NotBelieved, SweepJournal

T = TypeVar("T")

POINTS = "points.sqlite"
RUN = re.compile("run-[0-9a-f]{32}")
JOURNALS = "journal-*.sqlite"
BEGUN = re.compile("begun-[0-9a-f]{32}")
ASIDE = "set-aside-"
OLD_SECONDS = 2.0
MEGABYTE = 1 << 20


class Store:
    """The store of *sweep* in *folder*; it is open in one process at a time, the driver."""

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
        """Take over rows that killed runs left; on this machine their last workers end within a second."""
        for name in self._points.runs():
            run = self.folder / name
            if RUN.fullmatch(name) and _is(S_ISDIR, run):
                try:
                    paths = self._take_over(run, wait=OLD_SECONDS)
                except InUse as error:  # on a cluster a worker first finishes its chunk
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

    def take_parts(self, folders: Iterable[Path]) -> None:
        """Copy the rows that parts of the sweep have finished, each in its own store, which is left as it is."""
        with _disc_errors(self.folder):
            for path in (folder / POINTS for folder in folders):
                if not _is(S_ISREG, path):
                    continue
                try:
                    self._copy(path, LOCKED_SECONDS)
                except InUse as error:
                    raise UserError(f"{path.parent} is still being written: wait until its job has ended") from error
                except NotBelieved as error:
                    raise UserError(f"{path.parent} is no part of this sweep: {error}") from error
            self._points.secure()

    def _take_over(self, run: Path, wait: float) -> list[Path]:
        """Copy the rows of all journals of *run* into ``points.sqlite``; return the journals."""
        paths = []
        for path in sorted(run.glob(JOURNALS)):
            if not _is(S_ISREG, path):
                continue
            try:
                self._copy(path, wait)
                paths.append(path)
            except NotBelieved as error:
                self._set_aside(path, error)
        self._points.secure()
        return paths

    def _copy(self, path: Path, wait: float) -> None:
        """Copy all rows of the journal *path* into ``points.sqlite``."""
        try:
            _read_twice(path, lambda path: self._points.take_over(path, wait))
        except Differs as error:
            raise UserError(f"{path}: two rows of one point, so more than its seed decides: {error}") from error

    def _set_aside(self, path: Path, why: NotBelieved) -> None:
        """Rename the file; its points are computed again."""
        aside = self.folder / f"{ASIDE}{uuid4().hex[:8]}-{path.name}"
        for end in ("-wal", "-shm", ""):
            if (beside := path.with_name(path.name + end)).exists():
                beside.rename(aside.with_name(aside.name + end))
        what = f"{path} is damaged or of another sweep, and was renamed to {aside.name}: {why}"
        warnings.warn(what, stacklevel=2)

    def find(self, key: bytes) -> tuple[str, int] | None:
        """Return (row as JSON, its digest); None if there is no row of *key*."""
        with _disc_errors(self.folder):
            return self._points.find(key)

    def close(self) -> None:
        """Take over the points that workers have finished; a journal that cannot be read is left for the next run."""
        try:
            with suppress(InUse, UserError), _disc_errors(self.folder):
                _clear(self.run, self._take_over(self.run, wait=0.2))
                self._points.forget_run(self.run.name)
        finally:
            self._points.close()

    def remove(self) -> None:
        """Remove the closed store, except files set aside; leave it if another sweep has opened it.

        Errors of the disc are ignored: a store that is left does no harm.
        """
        with (suppress(InUse, NotBelieved, OSError, sqlite3.Error),
              SweepJournal(self.folder / POINTS, self._sweep, wait=0.0) as points):  # fmt: skip
            points.remove()
        with suppress(OSError):  # if files are left in it
            self.folder.rmdir()


def remove_idle(folder: Path) -> None:
    """Remove the store in *folder*, of any sweep, unless a running one has it open."""
    path = folder / POINTS
    if not path.is_file():
        return
    with closing(sqlite3.connect(path, timeout=0)) as points:
        try:
            points.execute("PRAGMA locking_mode = EXCLUSIVE")
            points.execute("BEGIN EXCLUSIVE")
            points.execute("COMMIT")
            points.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError:
            return
        except sqlite3.DatabaseError:
            pass  # nobody can have it open
        rmtree(folder, ignore_errors=True)


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
    """Read *path* with *read*, and again if that fails: to SQLite, one error of the disc looks like a damaged file.

    OSError if it fails again.
    """
    try:
        return read(path)
    except NotBelieved:
        for kept in (path, path.with_name(f"{path.name}-wal")):
            if kept.exists():
                with kept.open("rb") as file:
                    while file.read(MEGABYTE):
                        pass
        return read(path)


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    """Tell if *path* itself is of *kind*, and not a link."""
    try:
        return kind(path.lstat().st_mode)
    except OSError:
        return False


def _clear(run: Path, paths: Iterable[Path]) -> None:
    """Remove the folder *run* with its marks and the journals *paths*, but no file that workers did not make."""
    for path in paths:
        for end in ("-wal", "-shm", ""):
            path.with_name(path.name + end).unlink(missing_ok=True)
    for path in list(run.iterdir()):
        if BEGUN.fullmatch(path.name) and _is(S_ISREG, path):
            path.unlink(missing_ok=True)
    with suppress(OSError):
        run.rmdir()
