"""Pictures of studies, drawn on as many cores as run them: a report has a hundred, each for paper and for the page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from sim.plots.pictures import png, svg
from sim.study.study import Figure
from sim.sweep.executor import Lost, Workers, executor

PERCENT = re.compile(r"(?<=\d)%")
"""As ``:.0%`` writes it."""


@dataclass(frozen=True, eq=False)
class Sketch:
    """What is drawn: the *table* of a *figure*."""

    figure: Figure
    table: pd.DataFrame

    def caption(self) -> str:
        """What the table says in words; with a space before a percent sign, as axes have it."""
        return PERCENT.sub(" %", self.figure.caption(self.table))


@dataclass(frozen=True)
class Drawn:
    """One picture in both forms."""

    png: bytes
    svg: str


def draw(sketch: Sketch) -> Drawn:
    axes = sketch.figure.picture(sketch.table)
    return Drawn(png(axes), svg(axes))


def drawn(sketches: Sequence[Sketch], workers: Workers) -> list[Drawn]:
    """The pictures in the order of *sketches*. A cluster has better things to do: then they are drawn here."""
    here = workers if isinstance(workers, int | None) else None
    pictures: dict[int, Drawn] = {}
    for sketch, picture in executor(here, len(sketches)).each(draw, sketches):
        pictures[id(sketch)] = draw(sketch) if isinstance(picture, Lost) else picture
    return [pictures[id(sketch)] for sketch in sketches]

