"""Figures as files and as part of a page: the same figure gives the same bytes."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import PlaceHolderLayoutEngine
from matplotlib.text import Text

from sim.output.files import write_whole
from sim.plots.style import HEIGHT, STYLE, WIDTH

DPI = 120
EDGE = 0.012
"""Where titles begin, as a share of the width."""
NO_METADATA = {"svg": ("Date", "Creator", "Format", "Type"), "png": ("Software",)}
COUNTED_ID = re.compile(r' id="[\w.]+_\d+"')
"""Names such as ``axes_1``, which nothing refers to and which two figures of one page would share."""
BOX = re.compile(r'viewBox="([^"]*)"')
PAGE_WIDE_STYLE = re.compile(r" <defs>\s*<style.*?</style>\s*</defs>\n", re.DOTALL)
styled = partial(matplotlib.rc_context, STYLE)
"""The context in which all pictures look alike."""


class Picture(Figure):
    """A figure that a notebook shows when it is the value of a cell."""

    def _repr_png_(self) -> bytes:
        return png(self)


@contextmanager
def drawing(width: float = WIDTH, height: float = HEIGHT) -> Iterator[Axes]:
    """Axes on a figure of their own, which matplotlib.pyplot neither made nor keeps, to be drawn on; in inches."""
    with styled():
        yield Picture(figsize=(width, height)).subplots()


def new_axes() -> Axes:
    """The same, for what draws in a context of its own."""
    with drawing() as ax:
        return ax


def new_panels(rows: int, height: float = 1.7) -> list[Axes]:
    """Axes one above the other, each so many inches high, that share what goes across."""
    with styled():
        return list(Picture(figsize=(WIDTH, 0.7 + height * rows)).subplots(rows, 1, sharex=True))


def save(picture: Axes | Figure, path: Path) -> None:
    """Write *picture* as PNG."""
    write_whole(path, png(picture))


def png(picture: Axes | Figure) -> bytes:
    return _drawn(picture, "png")


def svg(picture: Axes | Figure) -> str:
    """*picture* as an element to stand inside a page; it takes the width that it is given, and the page's letters."""
    text = _drawn(picture, "svg").decode("utf-8")
    box = BOX.search(text)
    assert box is not None
    inside = text[text.index(">", text.index("<svg")) + 1 :]
    # matplotlib has this style once for everything, which inside a page would be everything on it.
    inside = COUNTED_ID.sub("", PAGE_WIDE_STYLE.sub("", inside, count=1))
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {spaces} viewBox="{box[1]}" style="stroke-linejoin: round; stroke-linecap: butt">{inside}'


def _drawn(picture: Axes | Figure, form: str) -> bytes:
    figure = picture.figure if isinstance(picture, Axes) else picture
    assert isinstance(figure, Figure)
    drawn = BytesIO()
    with styled():
        if not isinstance(figure.get_layout_engine(), PlaceHolderLayoutEngine):
            _lay_out(figure)
        figure.savefig(drawn, format=form, dpi=DPI, metadata=dict.fromkeys(NO_METADATA[form]))
    return drawn.getvalue()


def _lay_out(figure: Figure) -> None:
    """Once, whatever the forms: a layout takes as long as a drawing. It ends with a placeholder for its engine."""
    _start_anew(figure)
    figure.draw_without_rendering()
    _begin_titles_at_the_edge(figure)
    figure.set_layout_engine("none")


def _begin_titles_at_the_edge(figure: Figure) -> None:
    """A title has the width of the picture, not of its axes, which long names of bars leave little of."""
    for ax in figure.axes:
        place, title = ax.get_subplotspec(), ax.get_title(loc="left")
        if title and place is not None and place.get_gridspec().ncols == 1:
            box = ax.get_position()
            (text,) = (each for each in ax.get_children() if isinstance(each, Text) and each.get_text() == title)
            text.set_x((EDGE - box.x0) / box.width)


def _start_anew(figure: Figure) -> None:
    """A layout starts from where the last drawing left the axes, and would end a little elsewhere each time."""
    for ax in figure.axes:
        place = ax.get_subplotspec()
        if place is not None:
            ax.set_position(place.get_position(figure))
            ax.set_in_layout(True)  # which set_position ends
