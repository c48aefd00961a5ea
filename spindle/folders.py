"""Finds the folders of the package; a checkout has some of them in ``spindle``, others beside it at the top."""

import os
from collections.abc import Iterator
from pathlib import Path

RESULTS = Path("results")
"""The folder of results, in the working directory."""
PACKAGE = Path(__file__).parent
"""The folder ``spindle``."""
TOP_FOLDERS = ("sim", "workloads", "models")
"""Folders of modules that are beside ``spindle`` in a checkout, and inside it where Spindle is installed."""
FOLDERS_WITHOUT_SOURCE = ("__pycache__", "notebooks")
"""Names of folders whose files are no source."""


def folder(name: str) -> Path:
    """Return the folder *name* of the package, where ``spindle/__init__.py`` finds it."""
    return PACKAGE / name if (PACKAGE / name).is_dir() else PACKAGE.parent / name


def source_files() -> Iterator[tuple[str, Path]]:
    """Yield every file of source and of data: its name within the package, and its path."""
    for name, top in (("", PACKAGE), *((name, folder(name)) for name in TOP_FOLDERS if folder(name).parent != PACKAGE)):
        for place, inner, files in os.walk(top):
            inner[:] = [each for each in inner if each not in FOLDERS_WITHOUT_SOURCE]
            for file in files:
                path = Path(place, file)
                yield Path(name, path.relative_to(top)).as_posix(), path
