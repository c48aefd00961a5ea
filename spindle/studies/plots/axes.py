"""Makes axes to draw on, in the style of all pictures: single ones, panels above each other, or rows with names."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from matplotlib.axes import Axes

from spindle.studies.plots.files import Picture
from spindle.studies.plots.style import HEIGHT, WIDTH, styled


@contextmanager
def drawing(width: float = WIDTH, height: float = HEIGHT) -> Iterator[Axes]:
    """Make axes to draw on, *width* by *height* inches, on a figure that matplotlib.pyplot does not know."""
    with styled():
        yield Picture(figsize=(width, height)).subplots()


def new_axes() -> Axes:
    """Make axes to draw on, outside a ``with``."""
    with drawing() as ax:
        return ax


def new_panels(rows: int, height: float = 1.7) -> list[Axes]:
    """Make axes one above the other, each *height* inches high, with a common horizontal axis."""
    with styled():
        return list(Picture(figsize=(WIDTH, 0.7 + height * rows)).subplots(rows, 1, sharex=True, squeeze=False).flat)


# Axes with a row for each name, the first at the top, for horizontal bars.

@contextmanager
def row_axes(names: Sequence[str], height: float, *, x_label: str = "", title: str = "") -> Iterator[Axes]:
    """Make axes *height* inches high whose rows 0, 1, 2 ... have the *names*."""
    with drawing(WIDTH, height) as ax:
        yield ax
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.grid(visible=False, axis="y")
        ax.set(xlabel=x_label, title=title)
