"""Folders of the package, which lie in two places in a checkout: ``spindle`` itself, and the top."""

import os
from collections.abc import Iterator
from pathlib import Path

RESULTS = Path("results")
"""The folder of results, in the working directory."""
PACKAGE = Path(__file__).parent
OUTER = ("sim", "workloads", "models")
"""Folders of modules that lie beside ``spindle`` in a checkout, and in it where it is installed."""
NO_SOURCE = ("__pycache__", "notebooks")


def folder(name: str) -> Path:
    """Return the folder *name* of the package, where ``spindle/__init__.py`` finds it."""
    return PACKAGE / name if (PACKAGE / name).is_dir() else PACKAGE.parent / name


def source_files() -> Iterator[tuple[str, Path]]:
    """Yield the name within the package, and the path, of every file of source and of data."""
    for name, top in (("", PACKAGE), *((name, folder(name)) for name in OUTER if folder(name).parent != PACKAGE)):
        for place, inner, files in os.walk(top):
            inner[:] = [each for each in inner if each not in NO_SOURCE]
            for file in files:
                path = Path(place, file)
                yield Path(name, path.relative_to(top)).as_posix(), path
