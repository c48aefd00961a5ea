"""Points of ``spindle sweep`` that are no grid: ``--design`` reads them from a file, ``--sample`` draws them."""

import csv
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from spindle.cli.arguments import ArgumentParser
from spindle.questions.settings import Setting
from spindle.questions.words import count
from spindle.sim.error import UserError, quote, unknown
from spindle.sim.inputs import read_whole
from spindle.studies.settings import settings_of
from spindle.studies.sweep.design import MAX_ROWS, latin, sobol
from spindle.systems import System

SEED = "seed"
DRAWN = {"latin": latin, "sobol": sobol}
"""Ways to draw a sample, by the name of the option."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--design", metavar="FILE.csv", help="one point in each row, a column for each name to set")
    parser.add_argument("--sample", metavar="N", help="number of points drawn from the ranges of --latin or --sobol")
    for option, says in (("--latin", "one point in each of N equal parts of every range"),
                         ("--sobol", "spread evenly in all ranges together; N is a power of 2")):  # fmt: skip
        parser.add_argument(option, nargs="+", action="extend", metavar="NAME=LOW:HIGH", help=says)
    parser.add_argument("--sample-seed", default="1", metavar="N", help="seed of the points; default 1")


def design(system: System, options: Namespace) -> Mapping[str, Sequence[Any]] | None:
    """The columns of the design in *options*, of the types that *system* takes; None without a design."""
    sources = [f"--{option}" for option in ("design", *DRAWN) if getattr(options, option) is not None]
    if len(sources) > 1:
        raise UserError(f"{sources[0]} and {sources[1]} contradict each other")
    if options.design is not None:
        return _read(system, Path(options.design))
    if (options.sample is None) == bool(sources):
        raise UserError("--sample needs the ranges: --latin NAME=LOW:HIGH, or --sobol" if options.sample is not None
                        else f"{sources[0]} needs the number of points: --sample N")  # fmt: skip
    return _draw(system, sources[0].removeprefix("--"), options) if sources else None


def _draw(system: System, how: str, options: Namespace) -> Mapping[str, Sequence[Any]]:
    ranges: dict[str, tuple[float, float]] = {}
    for text in getattr(options, how):
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
    points = count("--sample", options.sample, most=MAX_ROWS)
    frame = DRAWN[how](points, ranges, count("--sample-seed", options.sample_seed, least=0)).drop_duplicates()
    return {name: frame[name].tolist() for name in ranges}


def _range(how: str, text: str) -> tuple[str, str, str]:
    name, equals, ends = text.partition("=")
    low, colon, high = ends.partition(":")
    if not (name and equals and low and colon and high):
        raise UserError(f"--{how} takes NAME=LOW:HIGH, not {quote(text)}")
    return name, low, high


def _read(system: System, path: Path) -> Mapping[str, Sequence[Any]]:
    """The points in the file *path*; UserError with the line of a mistake."""
    lines, first = _lines(path), dict[tuple[Any, ...], str]()
    place, names = next(lines, (f"{path}, line 1", []))
    for name in names:
        if name != SEED and name not in settings_of(system):
            error = unknown("name of a column", name, [SEED, *settings_of(system)])
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
    """Yield the place and the cells of each line, without empty lines and the mark that spreadsheets put at the start.
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


def _value(system: System, place: str, name: str, text: str) -> Any:
    try:
        if not text:
            raise UserError(f"{name} has no value")
        number = (Setting(int) if name == SEED else settings_of(system)[name]).read(name, text)
        if isinstance(number, float) and not isfinite(number):
            raise UserError(f"{name} must be a finite number, not {quote(text)}")
        return number
    except UserError as error:
        raise UserError(f"{place}: {error}") from None
