"""Draws a progress bar on a terminal, by tqdm; elsewhere draws nothing, and does not import tqdm, which is slow."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

BAR_SHAPE = "{l_bar}{bar}| {elapsed}, {remaining} left"
"""The usual format of a bar, for tqdm."""


class ProgressBar:
    """A progress bar that draws nothing, with the same methods as tqdm's: it passes on *items*, and is updated."""

    def __init__(self, items: Iterable[Any] | None = None) -> None:
        self._items = () if items is None else items
        self.n = 0.0
        self.total: float | None = None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(self, *failed: object) -> None:
        pass

    def update(self, more: float) -> None:
        pass


def progress_bar(items: Iterable[Any] | None = None, *, leave: bool = False, **shape: Any) -> ProgressBar:
    """Return tqdm's bar for *items* on a terminal, with its options *leave* and *shape*; else one drawing nothing."""
    if sys.stderr is None or not sys.stderr.isatty():
        return ProgressBar(items)
    from tqdm import tqdm

    drawn: ProgressBar = tqdm(items, leave=leave, **shape)
    return drawn
