"""Results on disc: whole or not at all, and a mistake that names the place where they cannot be."""

import os
from pathlib import Path

from sim.error import UserError


def write_whole(path: Path, content: bytes) -> None:
    """Write *content* under another name and rename it, so that nobody ever reads half of it; folders are made."""
    # The process id keeps two commands, which write the same result at once, from writing into one file.
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            draft.write_bytes(content)
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}") from error


def read_whole(path: Path) -> str:
    """The text of *path*, UTF-8."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not text: byte {error.start} is not UTF-8") from error
