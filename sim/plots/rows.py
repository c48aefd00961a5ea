"""Pictures with a row for each name, the first at the top: what belongs to it goes to the right."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from matplotlib.axes import Axes

from sim.plots.pictures import drawing
from sim.plots.style import WIDTH


@contextmanager
def row_axes(names: Sequence[str], height: float, *, x_label: str = "", title: str = "") -> Iterator[Axes]:
    """Axes so many inches high to be drawn on, where row 0, 1, 2 ... is called as *names* has it."""
    with drawing(WIDTH, height) as ax:
        yield ax
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.grid(visible=False, axis="y")
        ax.set(xlabel=x_label, title=title)
