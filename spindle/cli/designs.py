"""Gives the points of a sweep that is no grid: ``--design`` reads them from a file, ``--sample`` draws them."""

import csv
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.output.text import plural
from spindle.questions.field import ask
from spindle.questions.settings import Setting, Words
from spindle.questions.words import MAX_COUNT
from spindle.sim.error import UserError, quote, unknown
from spindle.sim.inputs import read_whole
from spindle.studies.settings import settings_of
from spindle.studies.sweep.part import MAX_POINTS

if TYPE_CHECKING:
    from spindle.system import System

SEED_COLUMN = "seed"
"""The column of a design that gives the seed of each point."""

NEEDS_RANGES = "ranges; {} NAME=LOW:HIGH or {} gives them"
"""The end of the message where --sample is given without ranges to draw from."""
OF_SAMPLE: Mapping[str, Any] = {"needs": ("sample",), "because": "points; {} says how many",
                                "metavar": "NAME=LOW:HIGH", "several": True}  # fmt: skip
"""How --latin and --sobol are asked for: ranges, each for a name, which need --sample."""


@dataclass(frozen=True)
class DesignOptions:
    """Options that replace the grid of a sweep by points from a file, or by points drawn from ranges."""

    design: str = ask("", "one point in each row, a column for each name to set", metavar="FILE.csv",
                      excludes=("latin", "sobol"))
    sample: int | None = ask(None, "number of points drawn from the ranges of --latin or --sobol", least=1,
                             most=MAX_POINTS, needs=("latin", "sobol"), because=NEEDS_RANGES)
    latin: Words = ask((), "one point in each of N equal parts of every range; default none", excludes=("sobol",),
                       **OF_SAMPLE)
    sobol: Words = ask((), "spread evenly in all ranges together; N is a power of 2; default none", **OF_SAMPLE)
    sample_seed: int = ask(1, "seed of the points", least=0, most=MAX_COUNT, needs=("sample",),
                           because="points that are drawn; {} says how many")  # fmt: skip

    def points(self, system: "System") -> Mapping[str, Sequence[Any]] | None:
        """Return the columns of the design by name, with values as *system* takes them; None without a design."""
        if self.design:
            return _read(system, Path(self.design))
        return None if self.sample is None else self._draw(system, self.sample)

    def _draw(self, system: "System", points: int) -> Mapping[str, Sequence[Any]]:
        from spindle.studies.sweep.design import latin, sobol  # and numpy

        how, texts, draw = ("latin", self.latin, latin) if self.latin else ("sobol", self.sobol, sobol)
        ranges: dict[str, tuple[float, float]] = {}
        for text in texts:
            name, low, high = _range(how, text)
            if name in ranges:
                raise UserError(f"--{how} has two ranges of {name}")
            known = settings_of(system)
            setting = known.get(name)
            if setting is None:
                raise unknown("name to set", name, [each for each, setting in known.items() if setting.is_number])
            if not isinstance(setting, Setting) or not setting.is_number:
                raise UserError(f"{name} is no number, and has no range")
            ranges[name] = (setting.read(name, low), setting.read(name, high))
        frame = draw(points, ranges, self.sample_seed).drop_duplicates()
        if len(frame) < points:
            warnings.warn(f"--sample {points}: {plural(len(frame), 'point')} of them differ, and each is run once",
                          stacklevel=2)  # fmt: skip
        return {name: frame[name].tolist() for name in ranges}


NO_DESIGN = DesignOptions()
"""A sweep over a grid."""


def _range(how: str, text: str) -> tuple[str, str, str]:
    name, _, bounds = text.partition("=")
    low, _, high = bounds.partition(":")
    if not (name and low and high):
        raise UserError(f"--{how} takes NAME=LOW:HIGH, not {quote(text)}")
    return _plain(name), low, high


def _plain(name: str) -> str:
    """Return the *name* of a setting, which may be written as its option is: ``warm-up``."""
    return name.replace("-", "_")


def _read(system: "System", path: Path) -> Mapping[str, Sequence[Any]]:
    """Read the points in the file *path*; UserError with the line of a mistake."""
    lines, first = _lines(path), dict[tuple[Any, ...], str]()
    place, names = next(lines, (f"{path}, line 1", []))
    names = list(map(_plain, names))
    for name in names:
        if name != SEED_COLUMN and name not in settings_of(system):
            error = unknown("name of a column", name, [SEED_COLUMN, *settings_of(system)])
            raise UserError(f"{place}: {error}")
        if names.count(name) > 1:
            raise UserError(f"{place}: there are {names.count(name)} columns called {name}")
    points: dict[str, list[Any]] = {name: [] for name in names}
    for place, texts in lines:
        if len(texts) != len(names):
            raise UserError(f"{place}: {len(texts)} values for the {len(names)} columns {', '.join(names)}")
        values = tuple(_value(system, place, name, text) for name, text in zip(names, texts, strict=True))
        if (before := first.setdefault(values, place)) != place:
            same = before.removeprefix(f"{path}, ")
            raise UserError(f"{place}: the values of {same} again, and the same runs would count as several seeds")
        for name, value in zip(names, values, strict=True):
            points[name].append(value)
    if not names or not points[names[0]]:
        raise UserError(f"{path} has no points: a line of names to set, and a line of values for each point")
    return points


def _lines(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the cells of each line; skip empty lines, and the mark that spreadsheets put at the start.
    """
    rows = csv.reader(read_whole(path).removeprefix("\ufeff").splitlines())
    while True:
        try:
            cells = next(rows, None)
        except csv.Error as error:
            raise UserError(f"{path}, line {rows.line_num}: {error}") from None
        if cells is None:
            return
        if any(map(str.strip, cells)):
            yield f"{path}, line {rows.line_num}", [cell.strip() for cell in cells]


def _value(system: "System", place: str, name: str, text: str) -> Any:
    try:
        if not text:
            raise UserError(f"{name} has no value")
        number = (Setting(int) if name == SEED_COLUMN else settings_of(system)[name]).read(name, text)
        if isinstance(number, float) and not isfinite(number):
            raise UserError(f"{name} must be a finite number, not {quote(text)}")
        return number
    except UserError as error:
        raise UserError(f"{place}: {error}") from None
