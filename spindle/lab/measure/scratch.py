"""Makes scratch files in a folder of the user, and removes them in any case, after a crash at the next run."""

import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spindle.sim.error import UserError

SCRATCH_NAME = re.compile(r"spindle-measure\.[0-9a-f]{16}\.scratch")
FILES_TO_SPARE = 4
"""Files of the given size for which the folder must have room."""


class Scratch:
    """A *folder* for scratch files of *size* bytes, one or two at a time; UserError if they cannot be made.

    A file loses its name at once, so that it ends with the process. A file that must keep its name, because file
    systems need not sync a file without one, is locked as long as its process lives: the next run in the folder
    removes unlocked files of such names.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        if not folder.is_dir():
            raise UserError(f"measure needs a folder to write a scratch file into, which {folder} is not")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise UserError(f"measure: nothing can be written into the folder {folder}")
        room = os.statvfs(folder)
        if room.f_bavail * room.f_frsize < FILES_TO_SPARE * size:
            raise UserError(f"measure: {folder} has {room.f_bavail * room.f_frsize} bytes free; "
                          f"files of {size} need {FILES_TO_SPARE * size} (--size makes them smaller)")  # fmt: skip

    @contextmanager
    def file(self, *, named: bool = False) -> Iterator[str]:
        """Yield a path by which a new file can be opened; remove the file afterwards."""
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
        """Remove files left by runs that were killed; return how many."""
        return sum(_remove(path) for path in self.folder.iterdir() if SCRATCH_NAME.fullmatch(path.name))


def _remove(path: Path) -> bool:
    """Remove *path* if it is a file of this user that no process has locked; tell if it was removed."""
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
