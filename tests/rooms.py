"""Tells which tests are of the room of a file: tests mirror the tree."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

WHOLE = "spindle"
"""The folder of code whose own folders have their tests in tests/NAME; those of the others are in tests/FOLDER/NAME."""


def rooms(paths: Iterable[str], root: Path) -> dict[str, list[str]]:
    """Return the files of code at *paths*, files or folders with all below them, by their folder."""
    folders: dict[str, list[str]] = {}
    for file in sorted({file for path in paths for file in files_at(root / path)}):
        folders.setdefault(file.parent.relative_to(root).as_posix(), []).append(file.relative_to(root).as_posix())
    return folders


def files_at(path: Path) -> list[Path]:
    return list(path.rglob("*.py")) if path.is_dir() else [path]


def room_of(folder: str, root: Path) -> list[str]:
    """Return the files of tests of a *folder* of code: in its mirror, and below it where no code is mirrored.

    A folder without a mirror has the tests of the folder above.
    """
    mirrored = root / mirror(folder)
    while not mirrored.is_dir():
        folder, mirrored = str(PurePosixPath(folder).parent), mirrored.parent
    within = [] if folder == WHOLE else [each for each in mirrored.iterdir() if not is_code(root / folder / each.name)]
    found = {*mirrored.glob("test_*.py"), *(file for each in within for file in each.rglob("test_*.py"))}
    return sorted(file.relative_to(root).as_posix() for file in found)


def mirror(folder: str) -> PurePosixPath:
    top, *below = PurePosixPath(folder).parts
    return PurePosixPath("tests", *([] if top == WHOLE else [top]), *below)


def is_code(folder: Path) -> bool:
    return any(folder.glob("*.py"))
