"""Draws sweeps and searches as text for a terminal: lines of Braille dots, bars and maps of block characters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, log10
from typing import TYPE_CHECKING, Any

from spindle.measures import axis_label, label_of
from spindle.sim.error import UserError
from spindle.sim.quantity import quantity, unit_of

if TYPE_CHECKING:
    import pandas as pd

    from spindle.studies.sweep.find import FindAnswer

TEXT_ROWS, MIN_COLUMNS = 14, 20
BRAILLE_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a Braille character for each dot, by row and column."""
BRAILLE_START = 0x2800
LINE_MARKS = "●▲■◆▼★○"
EIGHTHS = " ▏▎▍▌▋▊▉█"
SHADES = " ░▒▓█"

LOGARITHMIC = 16
"""Ratio of the largest to the smallest value of an axis from which it is logarithmic."""
MAX_LINES = 7
"""Values of a second axis that are drawn as lines; with more, both axes make a map."""
SEED = "seed"
Text = Callable[[Any], str]
"""Writes a value of an axis with its unit, as ``4 MiB``."""


@dataclass(frozen=True)
class SweptTable:
    """The runs of a sweep as rows of *frame*: *axes* were varied, *texts* write values, *units* are of numbers."""

    frame: "pd.DataFrame"
    axes: Sequence[str]
    texts: Mapping[str, Text] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    title: str = ""

    @property
    def varying(self) -> list[str]:
        """List the axes with several values, except seeds."""
        several = [name for name in self.axes if name != SEED and self.frame[name].nunique(dropna=False) > 1]
        return sorted(several, key=lambda name: not self.is_number(name))

    def is_number(self, name: str) -> bool:
        """Tell if the values of *name* are numbers; yes and no are not."""
        import pandas as pd

        kind = self.frame[name]
        return bool(pd.api.types.is_numeric_dtype(kind)) and not pd.api.types.is_bool_dtype(kind)

    def text(self, name: str, value: Any) -> str:
        return self.texts[name](value) if name in self.texts else str(value)

    def unit(self, name: str) -> str:
        return self.units.get(name) or unit_of(name)


@dataclass(frozen=True)
class TextLine:
    """A line of a text picture: a *name*, '' for a single line, its points, and a mark at one in *every* points."""

    name: str
    points: Sequence[tuple[float, float]]
    every: int = 1


def text_picture(table: SweptTable, measures: Sequence[str], width: int) -> str:
    """Draw *measures* of all runs as text, one below the other, *width* columns wide."""
    axes = table.varying
    if not axes:
        raise UserError("a picture shows what varies, and nothing does: give several values of something")
    if len(axes) > 2:
        raise UserError(f"a terminal shows two axes, not {', '.join(axes)}: name a FILE.png for more")
    return "\n\n".join(_one(table, axes, measure, width) for measure in measures)


def _one(table: SweptTable, axes: Sequence[str], measure: str, width: int) -> str:
    from spindle.studies.statistics import summarise

    means = summarise(table.frame.dropna(subset=[measure]), [*axes], [measure])
    title = axis_label(measure, table.unit(measure))
    if not table.is_number(axes[0]):
        return "\n".join([title, *_bars(table, means, axes, measure, width)])
    if len(axes) == 2 and means[axes[1]].nunique() > MAX_LINES:
        return "\n".join([title, *_map(table, means, axes, measure)])
    return "\n".join([title, *_lines(table, means, axes, measure, width)])


def _lines(table: SweptTable, means: "pd.DataFrame", axes: Sequence[str], measure: str, width: int) -> list[str]:
    groups = [("", means)] if len(axes) == 1 else [
        (table.text(axes[1], value), rows) for value, rows in means.groupby(axes[1], sort=False)]  # fmt: skip
    lines = [TextLine(name, list(zip(rows[axes[0]], rows[measure], strict=True))) for name, rows in groups]
    values = sorted(means[axes[0]].unique())
    ends = table.text(axes[0], values[0]), table.text(axes[0], values[-1])
    return drawn_lines(lines, width, ends, label_of(axes[0]), table.unit(measure),
                       label_of(axes[1]) if len(axes) == 2 else "")  # fmt: skip


def found_text(answer: "FindAnswer", text: Text, width: int) -> str:
    """Draw the probed values of a search and the bound of its condition as text."""
    name, measure, bound = answer.name, answer.condition.measure, answer.condition.bound
    probed = answer.curve.sort_values(name)
    values = probed[name].tolist()
    lines = [TextLine("probed", list(zip(values, probed[measure], strict=True))),
             TextLine("the bound", [(values[0], bound), (values[-1], bound)])]  # fmt: skip
    unit = unit_of(measure)
    rows = drawn_lines(lines, width, (text(values[0]), text(values[-1])), label_of(name), unit)
    return "\n".join([axis_label(measure, unit), *rows])


def drawn_lines(
    lines: Sequence[TextLine], width: int, ends: tuple[str, str], x_label: str, unit: str, by: str = ""
) -> list[str]:
    """Return the rows of a picture of *lines*: an axis on the left, one below with *ends* at its ends, and a legend."""
    points = [(x, y) for line in lines for x, y in line.points if isfinite(y)]
    if not points:
        raise UserError("there is nothing to draw: no run has a number")
    xs, top = [x for x, _ in points], max(y for _, y in points)
    low = min(0.0, *(y for _, y in points))
    labels = [quantity(each, unit, 3) for each in (top, (top + low) / 2, low)]
    margin = max(map(len, labels)) + 1
    canvas = _Canvas(max(MIN_COLUMNS, width - margin - 2), TEXT_ROWS, xs, low, top)
    for place, line in enumerate(lines):
        canvas.draw(line.points, LINE_MARKS[place % len(LINE_MARKS)] if len(lines) > 1 else "", line.every)
    named = {0: labels[0], TEXT_ROWS // 2: labels[1], TEXT_ROWS - 1: labels[2]}
    rows = [f"{named.get(index, ''):>{margin}}┤{row}" for index, row in enumerate(canvas.rows())]
    gap = max(1, canvas.columns - sum(map(len, ends)))
    rows += [f"{'':>{margin}}└{'─' * canvas.columns}", f"{'':>{margin}} {ends[0]}{x_label:^{gap}}{ends[1]}"]
    if len(lines) > 1:
        legend = "   ".join(f"{LINE_MARKS[place % len(LINE_MARKS)]} {line.name}" for place, line in enumerate(lines))
        rows.append(f"{'':>{margin}} {by + ': ' if by else ''}{legend}")
    return rows


class _Canvas:
    """A grid of Braille letters, each with two by four dots."""

    def __init__(self, columns: int, rows: int, xs: Sequence[float], low: float, top: float) -> None:
        self.columns = columns
        self._dots = [[0] * columns for _ in range(rows)]
        self._marks: dict[tuple[int, int], str] = {}
        self._logarithmic = min(xs) > 0 and max(xs) >= LOGARITHMIC * min(xs)
        self._from, self._to = self._scaled_x(min(xs)), self._scaled_x(max(xs))
        self._low, self._top = low, top

    def _scaled_x(self, x: float) -> float:
        return log10(x) if self._logarithmic else x

    def _place(self, x: float, y: float) -> tuple[int, int]:
        """Return the dot of a point, counted from the left and from the top."""
        across = (self._scaled_x(x) - self._from) / (self._to - self._from) if self._to > self._from else 0.5
        up = (y - self._low) / (self._top - self._low) if self._top > self._low else 0.0
        return round(across * (2 * self.columns - 1)), round((1.0 - up) * (4 * len(self._dots) - 1))

    def draw(self, points: Sequence[tuple[float, float]], mark: str, every: int) -> None:
        """Draw a line through *points*, with its *mark*, if any, at one in *every* points."""
        places = [self._place(x, y) for x, y in sorted(points) if isfinite(y)]
        for (x, y), (next_x, next_y) in zip(places, places[1:] or places, strict=False):
            steps = max(abs(next_x - x), abs(next_y - y), 1)
            for step in range(steps + 1):
                self._dot(round(x + (next_x - x) * step / steps), round(y + (next_y - y) * step / steps))
        if mark:
            self._marks |= {(y // 4, x // 2): mark for x, y in places[::every]}

    def _dot(self, x: int, y: int) -> None:
        self._dots[y // 4][x // 2] |= BRAILLE_BITS[y % 4][x % 2]

    def rows(self) -> list[str]:
        return ["".join(self._marks.get((row, column)) or (chr(BRAILLE_START + dots) if dots else " ")
                        for column, dots in enumerate(line)) for row, line in enumerate(self._dots)]  # fmt: skip


def _bars(table: SweptTable, means: "pd.DataFrame", axes: Sequence[str], measure: str, width: int) -> list[str]:
    names = [", ".join(table.text(name, row[name]) for name in axes) for row in means.to_dict("records")]
    values = [float(each) for each in means[measure]]
    shown = [quantity(each, table.unit(measure), 4) for each in values]
    left, right, most = max(map(len, names)), max(map(len, shown)), max(filter(isfinite, values), default=0.0)
    room = max(MIN_COLUMNS, width - left - right - 4)
    return [f"{name:>{left}}  {_bar(value / most if most > 0 else 0.0, room)}  {text}"
            for name, value, text in zip(names, values, shown, strict=True)]  # fmt: skip


def _bar(share: float, room: int) -> str:
    eighths = max(0, round(share * room * 8)) if isfinite(share) else 0
    whole, part = divmod(eighths, 8)
    return f"{'█' * whole}{EIGHTHS[part].strip()}".ljust(room)


def _map(table: SweptTable, means: "pd.DataFrame", axes: Sequence[str], measure: str) -> list[str]:
    cells = means.pivot(index=axes[1], columns=axes[0], values=measure)
    low, high = float(cells.min().min()), float(cells.max().max())
    names = [table.text(axes[1], each) for each in cells.index]
    left = max(map(len, [*names, label_of(axes[1])]))

    def shade(value: float) -> str:
        share = (value - low) / (high - low) if high > low else 0.0
        return (SHADES[min(len(SHADES) - 1, int(share * len(SHADES)))] if isfinite(value) else "?") * 4

    rows = [f"{name:>{left}} {''.join(shade(float(each)) for each in row)}"
            for name, row in zip(reversed(names), cells.to_numpy()[::-1], strict=True)]  # fmt: skip
    ends = [table.text(axes[0], each) for each in (cells.columns[0], cells.columns[-1])]
    gap = max(1, 4 * len(cells.columns) - sum(map(len, ends)))
    steps = [low + (high - low) * place / (len(SHADES) - 1) for place in range(len(SHADES))]
    scale = "  ".join(f"{shade(each)[:2]} {quantity(each, table.unit(measure), 3)}" for each in steps)
    return [f"{label_of(axes[1]):>{left}}", *rows, f"{'':>{left}} {ends[0]}{label_of(axes[0]):^{gap}}{ends[1]}", scale]
