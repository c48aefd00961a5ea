"""NamedTable maps the names that commands and files use to parts, each made or imported when first asked for."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T", covariant=True)
Other = TypeVar("Other")


class NamedTable(Mapping[str, T]):
    """A mapping of names to objects, each of which a function makes."""

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
    """Make a table of objects in modules, as at ``"spindle.sim.eviction.lru:Lru"``; each is imported when asked for."""
    return NamedTable({name: partial(_import_place, place) for name, place in places.items()})


def file_table(folder: Path, read: Callable[[Path], T]) -> NamedTable[T]:
    """Make a table of the YAML files in *folder*, by their names; *read* reads a file when it is asked for."""
    return NamedTable({path.stem: partial(read, path) for path in sorted(folder.glob("*.yaml"))})


def _import_place(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
