"""A folder that keeps every finished point of a sweep, whatever is killed, until somebody removes it.

``points.sqlite`` is the driver's. Each worker process writes a journal of its own into the folder of the run that it
serves; the driver takes over what the journals hold when nobody writes them.
"""

import sqlite3
import warnings
from contextlib import ExitStack, suppress
from math import inf
from pathlib import Path
from uuid import uuid4

from sim.error import UserError
from sim.sweep.journal import LOCKED_SECONDS, Differs, Foreign, InUse, Journal, NotBelieved

POINTS = "points.sqlite"
RUNS = "run-*"
JOURNALS = "journal-*.sqlite"
BEGUN = "begun-*"
ASIDE = "set-aside-"
OLD_SECONDS = 2.0


class Store:
    """The finished points of *sweep* in *folder*. Whoever has it open is the driver, of whom there is one."""

    def __init__(self, folder: Path, sweep: str) -> None:
        self.folder = folder.absolute()
        self.run = self.folder / f"run-{uuid4().hex}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # Before it is opened, because SQLite does not tell a folder that cannot be written from a broken file.
            self.run.mkdir()
            self._points = self._opened(sweep)
            self._end_old_runs()
        except OSError as error:
            raise UserError(f"cannot keep a sweep in {folder}: {error.strerror or error}") from error
        except sqlite3.Error as error:
            raise UserError(f"cannot keep a sweep in {folder}: {error}") from error
        except UserError:
            self.run.rmdir()
            raise

    def _opened(self, sweep: str) -> Journal:
        path = self.folder / POINTS
        try:
            with ExitStack() as unless_checked:
                points = unless_checked.enter_context(Journal(path, sweep, wait=1.0))
                points.check()
                unless_checked.pop_all()
            return points
        except InUse as error:
            raise UserError(f"{self.folder} is in use by another sweep, which is still running") from error
        except Foreign as error:
            raise UserError(f"{self.folder} is no store of {sweep}: {error}") from error
        except NotBelieved as error:
            self._set_aside(path, error)
            return Journal(path, sweep)

    def _end_old_runs(self) -> None:
        """What is left of runs that were killed; on this machine their last workers end within a second."""
        for run in self.folder.glob(RUNS):
            if run != self.run:
                try:
                    self._take_over(run, wait=OLD_SECONDS)
                except InUse as error:  # on a cluster a worker does first what it has begun
                    warnings.warn(f"waiting for a worker of an earlier run, which still writes {error}", stacklevel=2)
                    self._take_over(run, wait=inf)
                _clear(run)

    def take_over(self) -> None:
        """All that the workers of this run have finished."""
        try:
            self._take_over(self.run, LOCKED_SECONDS)
        except InUse as error:
            raise UserError(f"{error} is still being written by a worker that was believed to be dead") from error

    def _take_over(self, run: Path, wait: float) -> None:
        for path in sorted(run.glob(JOURNALS)):
            try:
                self._points.take_over(path, wait)
            except NotBelieved as error:
                self._set_aside(path, error)
            except Differs as error:
                raise UserError(f"{path}: two rows of one point, so more than its seed decides: {error}") from error
            except sqlite3.Error as error:
                raise UserError(f"cannot keep a sweep in {self.folder}: {error}") from error
        self._points.secure()

    def _set_aside(self, path: Path, why: NotBelieved) -> None:
        """Under another name, for whoever wants to know; what it holds is computed again."""
        aside = self.folder / f"{ASIDE}{uuid4().hex[:8]}-{path.name}"
        for end in ("-wal", "-shm", ""):
            if (part := path.with_name(path.name + end)).exists():
                part.rename(aside.with_name(aside.name + end))
        warnings.warn(f"{path} is not believed and set aside as {aside.name}: {why}", stacklevel=2)

    def find(self, key: bytes) -> tuple[str, int] | None:
        """(row as JSON, its digest)."""
        return self._points.find(key)

    def close(self) -> None:
        """What workers have finished by now stays; a journal that one still writes waits for the next run."""
        with suppress(InUse, UserError):
            self._take_over(self.run, wait=0.2)
            _clear(self.run)
        self._points.close()

    def remove(self) -> None:
        """Leave nothing of it, once it is closed, but what was set aside."""
        (self.folder / POINTS).unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()


def _clear(run: Path) -> None:
    """Remove the folder *run*, but nothing in it that no run has written."""
    for name in (f"{JOURNALS}*", BEGUN):
        for path in run.glob(name):
            path.unlink(missing_ok=True)
    with suppress(OSError):
        run.rmdir()
