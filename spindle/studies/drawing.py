"""Draws the pictures of studies: on all cores as PNG and SVG for a report, or on demand in a notebook (Gallery)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure as Drawing
from matplotlib.figure import SubFigure

from spindle.sim.error import UserError, known_choice
from spindle.studies.plots.files import png, svg
from spindle.studies.run_book import RunBook
from spindle.studies.study import Figure, Study
from spindle.studies.sweep.executor import Lost, Workers, executor
from spindle.studies.sweep.sweep import bar

PERCENT = re.compile(r"(?<=\d)%")
"""Matches a percent sign without a space before it, as ``:.0%`` writes it."""


@dataclass(frozen=True, eq=False)
class Sketch:
    """A picture to draw: the *table* of a *figure*."""

    figure: Figure
    table: pd.DataFrame

    def caption(self) -> str:
        """Describe the table in words, with a space before a percent sign, as on axes."""
        return PERCENT.sub(" %", self.figure.caption(self.table))


@dataclass(frozen=True)
class Drawn:
    """A drawn picture, as PNG and as SVG."""

    png: bytes
    svg: str


def draw(sketch: Sketch) -> Drawn:
    axes = sketch.figure.picture(sketch.table)
    return Drawn(png(axes), svg(axes))


def draw_all(sketches: Sequence[Sketch], workers: Workers, progress: bool = True) -> list[Drawn]:
    """Draw *sketches* and return pictures in their order; with a cluster they are drawn in this process."""
    here = workers if isinstance(workers, int | None) else None
    pictures: dict[int, Drawn] = {}
    with bar(len(sketches), 0, progress, "picture") as shown:
        for sketch, picture in executor(here, len(sketches)).run_each(draw, sketches):
            pictures[id(sketch)] = draw(sketch) if isinstance(picture, Lost) else picture
            shown.update(1)
    return [pictures[id(sketch)] for sketch in sketches]


# Tables and pictures of studies in a notebook or at a prompt, made on demand.

class Gallery:
    """Tables and pictures of *studies*, by name: run with *seeds* seeds, or in short windows if *quick*.

    No run is made twice.
    """

    def __init__(self, studies: Sequence[Study], seeds: int = 1, quick: bool = False) -> None:
        self._studies = {study.name: study for study in studies}
        self._seeds = seeds
        self._quick = quick
        self._book = RunBook(workers=1, progress=False)

    def rows(self, name: str) -> pd.DataFrame:
        """Return a row for each run."""
        study = known_choice("study", self._studies, name)
        points, seeds = study.points(self._quick), study.seeds(self._seeds)
        self._book.make((point, seed) for point in points for seed in seeds)
        return self._book.frame(points, seeds)

    def table(self, name: str) -> pd.DataFrame:
        """Return the table of the picture."""
        rows = self.rows(name)
        return self._figure(name).table(rows)

    def picture(self, name: str) -> Drawing | SubFigure:
        table = self.table(name)
        return self._figure(name).picture(table).figure

    def caption(self, name: str) -> str:
        """Return the finding of the study and its table's caption."""
        sketch = Sketch(self._figure(name), self.table(name))
        return f"{self._studies[name].shows} {sketch.caption()}".strip()

    def _figure(self, name: str) -> Figure:
        figure = self._studies[name].figure
        if figure is None:
            raise UserError(f"the study {name} has no figure")
        return figure
