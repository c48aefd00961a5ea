"""Writes the journal of one worker: its finished points, one at a time, in a SQLite file that only it writes.

SQLite's log keeps every written point if a process is killed, and whole chunks if the power fails. The file is
locked while it is open, so that it is not read while it is written, and needs no memory shared between processes, which
files on a network do not have.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Self

from spindle.studies.sweep.grid import Row

APPLICATION_ID = 0x53504E44
"""SQLite's application id of Spindle's files: SPND."""
BUSY_ERRORS = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
DISC_ERRORS = (*BUSY_ERRORS, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN,
               sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM)  # fmt: skip
"""Errors of SQLite that are due to the disc or a lock, not to the content of the file."""
LOCKED_SECONDS = 20.0
"""Seconds to wait for another process to release a file; one without a driver ends within a second."""


class NotBelieved(Exception):
    """A file is not a journal of this sweep, or damaged; the message has the reason."""


class Foreign(NotBelieved):
    """A file is undamaged, but of another sweep or another program."""


class InUse(Exception):
    """Another process has the file open."""


class Differs(Exception):
    """Two rows of one point differ."""


class SweepJournal:
    """The rows of one *sweep* by key, in the file *path*, which is made if it does not exist."""

    def __init__(self, path: Path, sweep: str, wait: float = LOCKED_SECONDS) -> None:
        self._path = path
        self._sweep = sweep
        self._sql, described = _open(path, sweep, wait)
        try:
            if not described:
                self._describe()
        except BaseException:
            self._sql.close()
            raise

    def _describe(self) -> None:
        self._sql.execute("BEGIN")
        self._sql.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._sql.execute("CREATE TABLE sweep (id TEXT)")
        self._sql.execute("INSERT INTO sweep VALUES (?)", (self._sweep,))
        self._sql.execute("CREATE TABLE point (key BLOB PRIMARY KEY, row TEXT, digest BLOB)")
        self._sql.execute("CREATE TABLE run (name TEXT)")
        self._sql.execute("COMMIT")

    def check(self) -> None:
        """Raise NotBelieved unless every row is as it was written."""
        for _ in _read_checked(self._sql):
            pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._sql.close()

    def write(self, key: bytes, row: Row) -> int:
        """Keep *row*; return its digest."""
        text = json.dumps(row, separators=(",", ":"))
        checksum = digest(key, text)
        self._sql.execute("INSERT OR REPLACE INTO point VALUES (?, ?, ?)", (key, text, checksum))
        return int.from_bytes(checksum)

    def find(self, key: bytes) -> tuple[str, int] | None:
        """Return (row as JSON, its digest); None if there is no row of *key*."""
        record = self._sql.execute("SELECT row, digest FROM point WHERE key = ?", (key,)).fetchone()
        return (record[0], int.from_bytes(record[1])) if record else None

    def take_over(self, path: Path, wait: float = LOCKED_SECONDS) -> None:
        """Copy all rows of the journal *path*, or none; Differs if a row of the same key is another one."""
        self._sql.execute("BEGIN")
        try:
            for key, text in entries(path, self._sweep, wait):
                record = self.find(key)
                if record is None:
                    self._sql.execute("INSERT INTO point VALUES (?, ?, ?)", (key, text, digest(key, text)))
                elif record[0] != text:
                    raise Differs(f"{record[0]} and {text}")
        except BaseException:
            if self._sql.in_transaction:  # SQLite may have rolled back itself, as on a full disc
                self._sql.execute("ROLLBACK")
            raise
        self._sql.execute("COMMIT")

    def runs(self) -> list[str]:
        """Return the names of the runs that were begun and are not forgotten."""
        return [str(name) for (name,) in self._sql.execute("SELECT name FROM run")]

    def begin_run(self, name: str) -> None:
        self._sql.execute("INSERT INTO run VALUES (?)", (name,))
        self.secure()

    def forget_run(self, name: str) -> None:
        self._sql.execute("DELETE FROM run WHERE name = ?", (name,))

    def remove(self) -> None:
        """Remove the file while it is locked, its log first: later, the log could belong to a new file."""
        self._sql.execute("PRAGMA journal_mode = DELETE")
        self._path.unlink()

    def secure(self) -> None:
        """Write everything to the disc, so that it survives a loss of power."""
        self._sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def digest(key: bytes, text: str) -> bytes:
    return blake2b(key + text.encode(), digest_size=16).digest()


def entries(path: Path, sweep: str, wait: float = LOCKED_SECONDS) -> Iterator[tuple[bytes, str]]:
    """Yield (key, row as JSON) of all rows of the journal *path*; NotBelieved if any of them is damaged."""
    if not path.stat().st_size and (log := path.with_name(f"{path.name}-wal")).exists() and log.stat().st_size:
        raise NotBelieved("it is cut short")  # SQLite would take it as new, and delete its log
    sql, described = _open(path, sweep, wait)
    with closing(sql):
        if described:
            yield from _read_checked(sql)


@contextmanager
def _as_not_believed() -> Iterator[None]:
    """Turn errors of SQLite into NotBelieved, except DISC_ERRORS."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if _code(error) in DISC_ERRORS:
            raise
        raise NotBelieved(str(error)) from error
    except (TypeError, AttributeError) as error:
        raise NotBelieved("a row is of another kind") from error
    except UnicodeDecodeError as error:
        raise NotBelieved("its text is not UTF-8") from error  # SQLite quotes such text in its messages, too


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _read_checked(sql: sqlite3.Connection) -> Iterator[tuple[bytes, str]]:
    with _as_not_believed():
        if (fault := sql.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise NotBelieved(" ".join(str(fault).split()))
        for key, text, checksum in sql.execute("SELECT key, row, digest FROM point"):
            if digest(key, text) != checksum:
                raise NotBelieved("a row is not what was written")
            yield key, text


def _open(path: Path, sweep: str, wait: float) -> tuple[sqlite3.Connection, bool]:
    """Open *path* exclusively, within *wait* seconds; tell if it is a journal of *sweep* already."""
    until = monotonic() + wait
    while True:
        sql, before = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False), _number(path)
        try:
            with _as_not_believed():
                # In this order: SQLite must have the exclusive lock before it first reads the log.
                sql.execute("PRAGMA locking_mode = EXCLUSIVE")
                sql.execute("BEGIN EXCLUSIVE")
            described = _belongs_to(sql, sweep)  # before any change: it may belong to another sweep
            sql.execute("COMMIT")
            with _as_not_believed():
                sql.execute("PRAGMA journal_mode = WAL")
                sql.execute("PRAGMA synchronous = NORMAL")
            if before in (None, _number(path)):
                return sql, described
            sql.close()  # its owner has removed it
        except (sqlite3.DatabaseError, NotBelieved) as error:
            sql.close()
            if isinstance(error, NotBelieved) or _code(error) not in BUSY_ERRORS:
                raise
            if monotonic() >= until:
                raise InUse(str(path)) from error
        sleep(0.02)


def _number(path: Path) -> int | None:
    """Return the number of the file's inode; None if there is no file."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _belongs_to(sql: sqlite3.Connection, sweep: str) -> bool:
    """Tell if this is a journal of *sweep*; False if its writer was killed before it wrote anything."""
    with _as_not_believed():
        if not sql.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return False
        ((mark,),) = sql.execute("PRAGMA application_id")
        if mark != APPLICATION_ID:
            raise Foreign("it is not a journal of Spindle")
        owner = sql.execute("SELECT id FROM sweep").fetchone()[0]
    if owner != sweep:
        raise Foreign(f"it belongs to {owner}")
    return True
