"""Style of every picture: colours, letters, names at the ends of lines, legends, layout; and PNG and SVG files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import PlaceHolderLayoutEngine
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text

from spindle.output.files import write_whole

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW, BLACK = "#E69F00", "#56B4E9", "#F0E442", "#222222"
INK, FAINT, GRID = "#333333", "#8A8A8A", "#E4E4E4"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
"""Okabe and Ito's palette for the colour-blind; without its yellow, which a thin line does not carry."""

WHISKER: Mapping[str, Any] = {"ecolor": INK, "elinewidth": 1.2}
"""Style of the interval of a bar."""

WIDTH, HEIGHT = 5.2, 3.3
"""Inches. Small enough that the letters are still read when a phone scales the picture to its own width."""

SMALLEST_FONT = 9.7
"""Points of the smallest letters: 9 pixels where a phone is 390 wide."""

STYLE: Any = {
    # DejaVu Sans comes with matplotlib: the same bytes on every machine.
    "font.family": "DejaVu Sans",
    "font.size": 10.0,
    "text.color": INK,
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10.0,
    "axes.labelcolor": INK,
    "axes.labelpad": 6.0,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 3.0,
    "ytick.major.size": 0.0,
    "lines.linewidth": 1.9,
    "lines.markersize": 4.5,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 10.0,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.dpi": 120.0,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.08,
    "figure.constrained_layout.h_pad": 0.06,
    # In SVG, letters stay letters, and names come from the content instead of from chance.
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "svg.hashsalt": "spindle",
}


# A legend below the picture, where it hides nothing of it.

HANDLE, LETTER, ROW = 0.52, 0.083, 0.2
"""Inches that an entry takes beside its text, that a letter takes, and that a row is high."""


def legend_below(ax: Axes, more: Mapping[str, Artist] | None = None, gid: str | None = None) -> None:
    """Explain what *ax* drew under a name, after what is explained below its figure already; or *more*.

    The figure gets higher by the legend.
    """
    figure = ax.figure
    assert isinstance(figure, Figure)
    entries: dict[str, Artist] = {}
    for old in list(figure.legends):
        pairs = zip(old.texts, old.legend_handles, strict=True)
        entries |= {text.get_text(): handle for text, handle in pairs if handle is not None}
        remove(old)
    if more is None:
        handles, names = ax.get_legend_handles_labels()
        more = dict(zip(names, handles, strict=True))
    entries |= more
    if entries:
        count = columns(list(entries), figure.get_figwidth())
        legend = figure.legend(list(entries.values()), list(entries), loc="outside lower left", handlelength=1.4,
                               columnspacing=1.4, ncols=count)  # fmt: skip
        legend.set_gid(gid)
        _grow(figure, len(entries), count, 1)


def remove(legend: Legend) -> None:
    """Remove a *legend* that legend_below made, and its room below the figure."""
    figure = legend.figure
    assert isinstance(figure, Figure)
    names = [text.get_text() for text in legend.texts]
    _grow(figure, len(names), columns(names, figure.get_figwidth()), -1)
    legend.remove()


def _grow(figure: Figure, entries: int, count: int, times: int) -> None:
    figure.set_figheight(figure.get_figheight() + times * ROW * (0.5 + -(-entries // count)))


def columns(names: Sequence[str], width: float) -> int:
    """The most columns of *names* that stand side by side in *width* inches."""

    def width_of(count: int) -> float:
        return sum(HANDLE + LETTER * max(map(len, column)) for column in np.array_split(np.array(names), count))

    return next((count for count in range(len(names), 1, -1) if width_of(count) <= width), 1)


# Names at the ends of lines, in the colours of the lines; a legend below only where ends lie too close together.

LABEL = "direct label"
GAP = 12.0
"""Points from one name to the next."""
SHIFT_MOST = 14.0
"""Points by which a name may stand off the end of its line and still be recognised as its name."""
PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
"""Behind a name, so that it is read across a line of the grid."""


EARLY = 0.75
"""Share of the way to the furthest end before which a line ends among the others, where its name would cross them."""


def label_ends(ax: Axes) -> None:
    """Name every line of *ax* that has a name, anew if some were named before."""
    _forget(ax)
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    ends = sorted(((_height(ax, line), index) for index, line in enumerate(lines)), key=lambda end: end)
    heights = _keep_within(ax, spread([height for height, _ in ends], GAP))
    shifts = {index: new - old for (old, index), new in zip(ends, heights, strict=True)}
    if any(abs(shift) > SHIFT_MOST for shift in shifts.values()) or _one_ends_early(ax, lines):
        legend_below(ax, gid=LABEL)
        return
    for index, line in enumerate(lines):
        ax.annotate(
            str(line.get_label()), _end(line), (7, shifts[index]),
            textcoords="offset points", color=line.get_color(), va="center", annotation_clip=False, gid=LABEL,
            bbox=PAPER,
        )  # fmt: skip


def label_anew(ax: Axes) -> None:
    """Name the lines of *ax* again, whose axes have changed, if they have names at their ends."""
    if any(text.get_gid() == LABEL for text in ax.texts):
        label_ends(ax)


def _forget(ax: Axes) -> None:
    for text in [text for text in ax.texts if text.get_gid() == LABEL]:
        text.remove()
    for legend in [legend for legend in getattr(ax.figure, "legends", []) if legend.get_gid() == LABEL]:
        remove(legend)


def _keep_within(ax: Axes, heights: list[float]) -> list[float]:
    """Move *heights*, ascending, off the ticks below *ax* and the title above it."""
    foot, top = (float(ax.transAxes.transform((0.0, end))[1]) * 72 / float(ax.figure.dpi) for end in (0.0, 1.0))
    above = [max(height, foot + GAP * (place + 0.4)) for place, height in enumerate(heights)]
    below = [min(height, top - GAP * place) for place, height in enumerate(reversed(above))]
    return below[::-1]


def _end(line: Line2D) -> tuple[float, float]:
    x, y = np.asarray(line.get_xydata(), float)[-1]
    return float(x), float(y)


def _one_ends_early(ax: Axes, lines: Sequence[Line2D]) -> bool:
    left = float(ax.transAxes.transform((0.0, 0.0))[0])
    ends = [float(ax.transData.transform(_end(line))[0]) - left for line in lines]
    return bool(ends) and min(ends) < EARLY * max(ends)


def _height(ax: Axes, line: Line2D) -> float:
    """Return the height of the line's end, in points above the foot of the figure."""
    return float(ax.transData.transform(_end(line))[1]) * 72 / float(ax.figure.dpi)


def spread(heights: list[float], gap: float) -> list[float]:
    """Move *heights*, ascending, just enough to keep neighbours *gap* apart; each crowd keeps its middle."""
    crowds: list[list[float]] = []
    for height in heights:
        crowds.append([height])
        while len(crowds) > 1 and _collide(crowds[-2], crowds[-1], gap):
            crowds[-2:] = [crowds[-2] + crowds[-1]]
    return [fmean(crowd) + gap * (index - (len(crowd) - 1) / 2) for crowd in crowds for index in range(len(crowd))]


def _collide(lower: list[float], upper: list[float], gap: float) -> bool:
    return fmean(upper) - fmean(lower) < gap * (len(upper) + len(lower)) / 2


# Figures as files and as part of a page: the same figure gives the same bytes.

DPI = 120
EDGE = 0.012
"""Left end of titles, as a share of the width."""
NO_DATES = {"pdf": ("CreationDate", "Creator", "Producer"), "svg": ("Date", "Creator")}
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
    """Make axes to draw on, on a figure that matplotlib.pyplot neither made nor keeps; inches."""
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


def save(picture: Axes | Figure, path: Path | str) -> None:
    """Write *picture* as PNG, or as PDF or SVG where the name of the file ends so.

    >>> save(simulate("unix_stdio", program="w03", seconds=1).plot(), "phases.png")
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    write_whole(Path(path), vectors(picture, kind) if kind in NO_DATES else png(picture))


def vectors(picture: Axes | Figure, kind: str) -> bytes:
    """Return *picture* as a file of that *kind*, pdf or svg, whose letters are text; the same bytes each time."""
    drawn = BytesIO()
    with _lay_out_figure(picture) as figure:
        figure.savefig(drawn, format=kind, metadata=dict.fromkeys(NO_DATES[kind]))
    return drawn.getvalue()


def png(picture: Axes | Figure) -> bytes:
    """Return *picture* as PNG, drawn once; ``savefig`` draws twice if there is a layout engine."""
    with _lay_out_figure(picture) as figure:
        drawn, before, dpi = BytesIO(), figure.canvas, figure.dpi
        figure.dpi = DPI
        canvas: Any = FigureCanvasAgg(figure)
        canvas.print_png(drawn, metadata=dict.fromkeys(NO_METADATA["png"]))
        figure.set_canvas(before)
        figure.dpi = dpi
    return drawn.getvalue()


def svg(picture: Axes | Figure) -> str:
    """Return *picture* as an SVG element for a page; it takes the width that the page gives it, and the page's font."""
    drawn = BytesIO()
    with _lay_out_figure(picture) as figure:
        figure.savefig(drawn, format="svg", dpi=DPI, metadata=dict.fromkeys(NO_METADATA["svg"]))
    text = drawn.getvalue().decode("utf-8")
    box = BOX.search(text)
    assert box is not None
    inside = text[text.index(">", text.index("<svg")) + 1 :]
    # matplotlib has this style once for everything, which inside a page would be everything on it.
    inside = COUNTED_ID.sub("", PAGE_WIDE_STYLE.sub("", inside, count=1))
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {spaces} viewBox="{box[1]}" style="stroke-linejoin: round; stroke-linecap: butt">{inside}'


@contextmanager
def _lay_out_figure(picture: Axes | Figure) -> Iterator[Figure]:
    """The figure of *picture* with its layout, in the style of all pictures."""
    figure = picture.figure if isinstance(picture, Axes) else picture
    assert isinstance(figure, Figure)
    with styled():
        if not isinstance(figure.get_layout_engine(), PlaceHolderLayoutEngine):
            _lay_out(figure)
        yield figure


def _lay_out(figure: Figure) -> None:
    """Lay *figure* out, once for PNG and SVG, as it takes as long as a drawing; a placeholder engine marks it done."""
    _start_anew(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    _begin_titles_at_the_edge(figure)
    figure.set_layout_engine("none")


def _begin_titles_at_the_edge(figure: Figure) -> None:
    """Move titles to the left edge of the picture, as long names of bars leave little width to the axes."""
    for ax in figure.axes:
        place, title = ax.get_subplotspec(), ax.get_title(loc="left")
        if title and place is not None and place.get_gridspec().ncols == 1:
            box = ax.get_position()
            (text,) = (each for each in ax.get_children() if isinstance(each, Text) and each.get_text() == title)
            text.set_x((EDGE - box.x0) / box.width)


def _start_anew(figure: Figure) -> None:
    """Put the axes back to their grid: a layout starts from their last positions, and would differ each time."""
    for ax in figure.axes:
        place = ax.get_subplotspec()
        if place is not None:
            ax.set_position(place.get_position(figure))
            ax.set_in_layout(True)  # which set_position ends


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
