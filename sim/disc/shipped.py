"""Drives whose sheets are files of a folder: known by name at once, read when they are first asked for."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from spindle.sim.disc.flash.drive import DriveType

D = TypeVar("D", bound=DriveType, covariant=True)
Other = TypeVar("Other", bound=DriveType)


class SheetTable(Mapping[str, D]):
    """Drives by name, each read by a function of its own."""

    def __init__(self, readers: Mapping[str, Callable[[], D]]) -> None:
        self._readers = readers
        self._all: tuple[D, ...] | None = None

    def all(self) -> tuple[D, ...]:
        """Return every drive, read; the same tuple each time."""
        if self._all is None:
            self._all = tuple(self.values())
        return self._all

    def __getitem__(self, name: str) -> D:
        return self._readers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)

    def __contains__(self, name: object) -> bool:
        return name in self._readers

    def __or__(self, others: Mapping[str, Other]) -> "SheetTable[D | Other]":
        """These drives, and *others* after them."""
        return SheetTable({**self._readers, **_readers(others)})

    def __ror__(self, others: Mapping[str, Other]) -> "SheetTable[D | Other]":
        return SheetTable({**_readers(others), **self._readers})


def _readers(drives: Mapping[str, D]) -> Mapping[str, Callable[[], D]]:
    """Return a function for each of *drives*, none of which is read."""
    return {name: partial(drives.__getitem__, name) for name in drives}


def sheets_in(folder: Path, kind: type[D]) -> SheetTable[D]:
    """Return the drives in *folder*, by the names of the files."""
    return SheetTable({path.stem: partial(_read_as, kind, path) for path in sorted(folder.glob("*.yaml"))})


def _read_as(kind: type[D], path: Path) -> D:
    disc = _read(path)
    assert isinstance(disc, kind)
    return disc


@cache
def _read(path: Path) -> DriveType:
    from spindle.sim.disc.sheet_file.sheet import read_sheet  # and YAML, which not every command needs

    return read_sheet(path).disc


def named_as_constant(name: str, table: Mapping[str, D]) -> D:
    """Return the drive that a constant is called by, ``HITACHI_7K320``; AttributeError if there is none."""
    for stem in table:
        if stem.replace(".", "") == name.lower().replace("_", ""):
            return table[stem]
    raise AttributeError(f"there is no drive {name}")
