"""A file of rows that is written while they come, and is there whole or not at all."""

import os
from pathlib import Path
from types import TracebackType
from typing import TextIO

from sim.error import UserError


class Draft:
    """Written under another name beside *path*, which it gets at the end unless something went wrong."""

    def __init__(self, path: Path, head: str) -> None:
        self._path = path
        self._draft = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._head = head

    def __enter__(self) -> TextIO:
        try:
            self._file = self._draft.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise self._failed(error) from error
        self._file.write(f"{self._head}\n")
        return self._file

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self._file.close()
            if error is None:
                os.replace(self._draft, self._path)
        except OSError as failure:
            raise self._failed(failure) from failure
        finally:
            self._draft.unlink(missing_ok=True)

    def _failed(self, error: OSError) -> UserError:
        return UserError(f"cannot write {self._path}: {error.strerror or error}")
