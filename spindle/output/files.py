"""Writes files whole or not at all, and never over a command's input or a device; locks files between processes."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from spindle.sim.error import UserError
from spindle.sim.inputs import protected_inputs

# Advisory locks of files, for processes that write at the same time; where a system has none, nothing is locked.

CAN_LOCK = find_spec("fcntl") is not None
"""Whether files can be locked; not on Windows, where of two processes that write a folder one may lose its files."""


def lock(file: BinaryIO | int, shared: bool = False, wait: bool = True) -> None:
    """Lock *file* until it is closed; OSError if it cannot be locked, or another has it and *wait* is False."""
    if not CAN_LOCK:
        raise OSError(f"{os.name} has no locks of files")
    import fcntl

    fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


DRAFT_NAME = re.compile(r"\.spindle-[0-9a-f]{16}\.part.*")
"""Matches the name of a draft, a file that is being written. It ends as the final name, for writers that need that."""

STANDARD_OUTPUT = 1
"""The number of the open file that is standard output."""

def same_file(one: Path, other: Path) -> bool:
    """Tell if *one* and *other* are the same file, through links of either kind; it need not exist yet."""
    with suppress(OSError, ValueError):  # one is not there, or has a name that no file can have
        return os.path.realpath(one) == os.path.realpath(other) or one.samefile(other)
    return False


def target(path: Path) -> Path:
    """Return the real path for writing *path*, which may be a link; UserError if nothing may be written there."""
    if any(same_file(each, path) for each in protected_inputs()):
        raise UserError(f"cannot write {path}: it is to be read")
    try:
        status = path.stat()
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise _write_error(path, error) from error
    if not stat.S_ISREG(status.st_mode):
        # To take the name of a device or a pipe would break other programs that use it.
        raise UserError(f"cannot write {path}: it is no regular file")
    if not os.access(path, os.W_OK):
        raise UserError(f"cannot write {path}: the file that is there is protected")
    with suppress(OSError):
        if os.path.samestat(status, os.fstat(STANDARD_OUTPUT)):
            raise UserError(f"cannot write {path}: what the command prints goes there")
    return Path(os.path.realpath(path))


@contextmanager
def draft(path: Path) -> Iterator[BinaryIO]:
    """Open a file that gets the name *path* when all of it is on the disc; a failure before that leaves nothing.

    It is locked while it is written. Unlocked drafts in the same folder are left by killed processes, and removed.
    """
    place = target(path)
    try:
        _clear(place.parent)
        with _new(place) as file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                os.replace(file.name, place)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
        _sync(place.parent)
    except OSError as error:
        raise _write_error(path, error) from error


class Growing:
    """A *file* that is kept as far as it is written, even if its process is killed; it begins as a draft."""

    def __init__(self, path: Path, place: Path, file: BinaryIO) -> None:
        self.file = file
        self._path, self._place = path, place

    def appear(self) -> None:
        """Give the file its name, in place of any file of that name; from now on it is kept."""
        try:
            self.file.flush()
            os.replace(self.file.name, self._place)
        except OSError as error:
            raise _write_error(self._path, error) from error
        _sync(self._place.parent)


@contextmanager
def growing(path: Path) -> Iterator[Growing]:
    """Open a file that gets the name *path* when ``appear`` is called; a failure before that leaves nothing."""
    place = target(path)
    try:
        _clear(place.parent)
        with _new(place) as file:
            try:
                yield Growing(path, place, file)
                file.flush()
                os.fsync(file.fileno())
            finally:
                Path(file.name).unlink(missing_ok=True)  # which is there until it appears
    except OSError as error:
        raise _write_error(path, error) from error


@contextmanager
def open_whole(path: Path) -> Iterator[BinaryIO]:
    """Open the file *path* for writing piece by piece; folders are made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _write_error(path, error) from error
    with draft(path) as file:
        yield file


def write_whole(path: Path, content: bytes) -> None:
    """Write *content* as the file *path*; folders are made."""
    with open_whole(path) as file:
        file.write(content)


def write_within(folder: Path, name: str | Path, content: bytes) -> None:
    """Write *content* as the file *name* of *folder*, which no user named; UserError where a link leads elsewhere."""
    path = folder / name
    links = [each for each in (path, *path.parents[: len(Path(name).parts) - 1]) if each.is_symlink()]
    if links:
        raise UserError(f"cannot write {path}: {links[-1]} is a link, and leads elsewhere: remove it")
    write_whole(path, content)


def _new(place: Path) -> BinaryIO:
    """Open a locked draft beside *place*; a link planted under its name is not followed."""
    while True:
        file = place.with_name(f".spindle-{os.urandom(8).hex()}.part{place.suffix}").open("xb")
        _lock(file)
        if os.fstat(file.fileno()).st_nlink:
            with suppress(OSError, AttributeError):  # what was private stays so; Windows has no such modes
                os.fchmod(file.fileno(), stat.S_IMODE(place.stat().st_mode))
            return file
        file.close()  # another process took it for left behind, in the instant before it was locked


def _lock(file: BinaryIO) -> bool:
    """Lock *file* until it is closed, or its process ends; False if it cannot be locked."""
    try:
        lock(file, wait=False)
    except OSError:
        return False
    return True


def _clear(folder: Path) -> None:
    """Remove the drafts of processes that were killed."""
    for path in folder.glob(".spindle-*"):
        if DRAFT_NAME.fullmatch(path.name) and path.is_file() and not path.is_symlink():
            with suppress(OSError), path.open("r+b") as file:
                if _lock(file):
                    path.unlink()


def _sync(folder: Path) -> None:
    """Put the new name of a file on the disc, too, where a file system can sync a folder."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        with suppress(OSError):
            os.fsync(descriptor)
        os.close(descriptor)


def _write_error(path: Path, error: Exception) -> UserError:
    return UserError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}")
