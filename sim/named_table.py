"""Things by the names that commands and files use, each made or imported when it is first asked for."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T", covariant=True)
Other = TypeVar("Other")


class NamedTable(Mapping[str, T]):
    """Things by name, each returned by a function of its own."""

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = makers
        self._all: tuple[T, ...] | None = None

    def all(self) -> tuple[T, ...]:
        """Return everything; the same tuple each time."""
        if self._all is None:
            self._all = tuple(self.values())
        return self._all

    def __getitem__(self, name: str) -> T:
        return self._makers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __or__(self, others: Mapping[str, Other]) -> "NamedTable[T | Other]":
        """These, and *others* after them."""
        return NamedTable({**self._makers, **_makers(others)})

    def __ror__(self, others: Mapping[str, Other]) -> "NamedTable[T | Other]":
        return NamedTable({**_makers(others), **self._makers})


def _makers(things: Mapping[str, T]) -> Mapping[str, Callable[[], T]]:
    """Return a function for each of *things*, none of which is made."""
    return {name: partial(things.__getitem__, name) for name in things}


def import_table(places: Mapping[str, str]) -> NamedTable[Any]:
    """Return what is at *places*, ``"spindle.sim.eviction.lru:Lru"``, by name; a module is imported when asked for."""
    return NamedTable({name: partial(_import_place, place) for name, place in places.items()})


def file_table(folder: Path, read: Callable[[Path], T]) -> NamedTable[T]:
    """Return what *read* makes of each YAML file in *folder*, by the names of the files."""
    return NamedTable({path.stem: partial(read, path) for path in sorted(folder.glob("*.yaml"))})


def _import_place(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
