"""Reads the input files of a command as text, and lists them, so that none is overwritten by its output."""

from contextvars import ContextVar
from pathlib import Path

from spindle.sim.error import UserError

_inputs: ContextVar[tuple[Path, ...]] = ContextVar("what the command reads", default=())


def protect_inputs(*paths: Path) -> None:
    """Refuse from now on, in this context, to write in the place of *paths*, which a command reads.

    Each command runs in a separate context, so that a file may be read by one and written by the next.
    """
    _inputs.set((*_inputs.get(), *paths))


def protected_inputs() -> tuple[Path, ...]:
    """Return the paths that may not be written in this context."""
    return _inputs.get()


def read_whole(path: Path) -> str:
    """The text of *path*, UTF-8."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not text: byte {error.start} is not UTF-8") from error
