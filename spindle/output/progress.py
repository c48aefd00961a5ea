"""A progress bar on a terminal; elsewhere nothing is drawn, and tqdm, which takes a while to begin, is not imported."""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

SHAPE = "{l_bar}{bar}| {elapsed}, {remaining} left"


class ProgressBar:
    """A bar that draws nothing, with what is used of tqdm's: the *items* that pass by, the number done, the total."""

    def __init__(self, items: Iterable[Any] | None = None) -> None:
        self._items = items or ()
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
    """Return tqdm's bar of this *shape* for *items* on a terminal, to *leave* there; else one that draws nothing."""
    if sys.stderr is None or not sys.stderr.isatty():
        return ProgressBar(items)
    from tqdm import tqdm

    drawn: ProgressBar = tqdm(items, leave=leave, **shape)
    return drawn
