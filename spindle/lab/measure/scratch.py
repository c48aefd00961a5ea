"""Files to experiment on in a folder of the user's: whatever happens, none of them stays."""

import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spindle.sim.error import UserError

NAME = re.compile(r"spindle-measure\.[0-9a-f]{16}\.scratch")
TO_SPARE = 4
"""Factor on the bytes written for which a folder must have room."""


class Scratch:
    """*folder* for one or two files of *size* bytes at a time; UserError if they cannot be made.

    A file loses its name at once, so that it ends with the process. Where one must keep it, because file systems
    need not sync what will be gone after a crash, it is locked as long as its process lives: the next laboratory in
    the folder removes unlocked files of such names.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        if not folder.is_dir():
            raise UserError(f"measure needs a folder to write a scratch file into, which {folder} is not")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise UserError(f"measure: nothing can be written into the folder {folder}")
        room = os.statvfs(folder)
        if room.f_bavail * room.f_frsize < TO_SPARE * size:
            raise UserError(f"measure: {folder} has {room.f_bavail * room.f_frsize} bytes free; "
                          f"files of {size} need {TO_SPARE * size} (--size makes them smaller)")  # fmt: skip

    @contextmanager
    def file(self, *, named: bool = False) -> Iterator[str]:
        """A new file, under a path by which it can be opened again; gone afterwards."""
        path = self.folder / f"spindle-measure.{secrets.token_hex(8)}.scratch"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise UserError(f"measure: cannot make a file in {self.folder}: {error.strerror}") from error
        try:
            if named:
                with suppress(OSError):  # not every file system has locks
                    fcntl.flock(descriptor, fcntl.LOCK_EX)
            else:
                path.unlink()
            yield f"/proc/thread-self/fd/{descriptor}"  # each thread may have a table of its own
        finally:
            path.unlink(missing_ok=True)
            os.close(descriptor)

    def sweep(self) -> int:
        """Remove the files that killed laboratories left; return how many."""
        return sum(_remove(path) for path in self.folder.iterdir() if NAME.fullmatch(path.name))


def _remove(path: Path) -> bool:
    """Remove *path* if it is an abandoned file of ours, and tell if so."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    except OSError:  # it is locked, or another process was faster
        return False
    finally:
        os.close(descriptor)
    return True
