"""Writes pictures as PNG, PDF or SVG; the same figure always gives the same bytes."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import PlaceHolderLayoutEngine
from matplotlib.text import Text
from PIL import Image

from spindle.output.files import write_whole
from spindle.sim.error import UserError, quote
from spindle.studies.plots.style import styled

DPI = 120
TITLE_EDGE = 0.012
"""Left end of titles, as a share of the width."""
NO_DATES = {"pdf": ("CreationDate", "Creator", "Producer"), "svg": ("Date", "Creator")}
NO_METADATA = ("Date", "Creator", "Format", "Type")
PNG_COLOURS = 256
"""A palette of so many colours makes a third of the bytes; the colour of a pixel moves by 16 of 255 at most."""
COUNTED_ID = re.compile(r' id="[\w.]+_\d+"')
"""Matches ids such as ``axes_1``, which nothing refers to and which figures on one page would share."""
BOX = re.compile(r'viewBox="([^"]*)"')
PAGE_WIDE_STYLE = re.compile(r" <defs>\s*<style.*?</style>\s*</defs>\n", re.DOTALL)


class Picture(Figure):
    """A figure that a notebook shows if it is the value of a cell."""

    def _repr_png_(self) -> bytes:
        return png(self)


def save(picture: Axes | Figure, path: Path | str) -> None:
    """Write *picture* as PNG, PDF or SVG, by the end of the file's name; UserError for another.

    >>> save(simulate("unix_stdio", program="w03", seconds=1).plot(), "phases.png")
    """
    if not isinstance(picture, Axes | Figure):
        raise UserError(f"save writes a picture, as result.plot() gives, not {quote(picture)}")
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in ("png", *NO_DATES):
        raise UserError(f"{path}: a picture is a file that ends in .png, .pdf or .svg")
    write_whole(Path(path), vectors(picture, kind) if kind in NO_DATES else png(picture))


def vectors(picture: Axes | Figure, kind: str) -> bytes:
    """Return *picture* as a file of that *kind*, pdf or svg, whose letters are text; the same bytes each time."""
    drawn = BytesIO()
    with _lay_out_figure(picture) as figure:
        figure.savefig(drawn, format=kind, metadata=dict.fromkeys(NO_DATES[kind]))
    return drawn.getvalue()


def png(picture: Axes | Figure) -> bytes:
    """Return *picture* as PNG with a palette, drawn once; ``savefig`` draws twice if there is a layout engine."""
    with _lay_out_figure(picture) as figure:
        before, dpi = figure.canvas, figure.dpi
        figure.dpi = DPI
        canvas: Any = FigureCanvasAgg(figure)
        canvas.draw()
        pixels = Image.fromarray(np.asarray(canvas.buffer_rgba()))
        figure.set_canvas(before)
        figure.dpi = dpi
    drawn, paper = BytesIO(), Image.new("RGBA", pixels.size, "white")
    paper.alpha_composite(pixels)
    coloured = paper.convert("RGB").quantize(PNG_COLOURS, Image.Quantize.MAXCOVERAGE)
    coloured.save(drawn, "PNG", optimize=True, dpi=(DPI, DPI))
    return drawn.getvalue()


def svg(picture: Axes | Figure) -> str:
    """Return *picture* as an SVG element for a page; it takes the width that the page gives it, and the page's font."""
    drawn = BytesIO()
    with _lay_out_figure(picture) as figure:
        figure.savefig(drawn, format="svg", dpi=DPI, metadata=dict.fromkeys(NO_METADATA))
    text = drawn.getvalue().decode("utf-8")
    box = BOX.search(text)
    assert box is not None
    inside = text[text.index(">", text.index("<svg")) + 1 :]
    # matplotlib writes this style for the whole document, and on a page it would apply to all of the page.
    inside = COUNTED_ID.sub("", PAGE_WIDE_STYLE.sub("", inside, count=1))
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {spaces} viewBox="{box[1]}" style="stroke-linejoin: round; stroke-linecap: butt">{inside}'


@contextmanager
def _lay_out_figure(picture: Axes | Figure) -> Iterator[Figure]:
    """Yield the figure of *picture*, laid out in the style of all pictures."""
    figure = picture.figure if isinstance(picture, Axes) else picture
    assert isinstance(figure, Figure)
    with styled():
        if not isinstance(figure.get_layout_engine(), PlaceHolderLayoutEngine):
            _lay_out(figure)
        yield figure


def _lay_out(figure: Figure) -> None:
    """Lay *figure* out, once for PNG and SVG since it takes as long as drawing; a placeholder engine marks it done."""
    _start_anew(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    _begin_titles_at_the_edge(figure)
    figure.set_layout_engine("none")


def _begin_titles_at_the_edge(figure: Figure) -> None:
    """Move titles to the left edge of the picture, since long names of bars leave little width to the axes."""
    for ax in figure.axes:
        place, title = ax.get_subplotspec(), ax.get_title(loc="left")
        if title and place is not None and place.get_gridspec().ncols == 1:
            box = ax.get_position()
            (text,) = (each for each in ax.get_children() if isinstance(each, Text) and each.get_text() == title)
            text.set_x((TITLE_EDGE - box.x0) / box.width)


def _start_anew(figure: Figure) -> None:
    """Reset the axes to their grid: a layout starts from their last positions, and would differ each time."""
    for ax in figure.axes:
        place = ax.get_subplotspec()
        if place is not None:
            ax.set_position(place.get_position(figure))
            ax.set_in_layout(True)  # which set_position ends
