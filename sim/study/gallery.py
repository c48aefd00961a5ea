"""Studies in a notebook or at a prompt: their tables and pictures, made on demand."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure as Drawing
from matplotlib.figure import SubFigure

from sim.error import UserError, unknown
from sim.study.book import Book
from sim.study.drawing import Sketch
from sim.study.study import Figure, Study


class Gallery:
    """*studies* by name, run for so many *seeds*, or in short windows for a *quick* look; no run is made twice."""

    def __init__(self, studies: Sequence[Study], seeds: int = 1, quick: bool = False) -> None:
        self._studies = {study.name: study for study in studies}
        self._seeds = seeds
        self._quick = quick
        self._book = Book(workers=1, progress=False)

    def rows(self, name: str) -> pd.DataFrame:
        """A row a run."""
        if name not in self._studies:
            raise unknown("study", name, self._studies)
        study = self._studies[name]
        points, seeds = study.points(self._quick), study.seeds(self._seeds)
        self._book.make((point, seed) for point in points for seed in seeds)
        return self._book.frame(points, seeds)

    def table(self, name: str) -> pd.DataFrame:
        """What the picture is drawn of."""
        rows = self.rows(name)
        return self._figure(name).table(rows)

    def picture(self, name: str) -> Drawing | SubFigure:
        table = self.table(name)
        return self._figure(name).picture(table).figure

    def caption(self, name: str) -> str:
        """What the study shows, and what its table adds to that."""
        sketch = Sketch(self._figure(name), self.table(name))
        return f"{self._studies[name].shows} {sketch.caption()}".rstrip()

    def _figure(self, name: str) -> Figure:
        figure = self._studies[name].figure
        if figure is None:
            raise UserError(f"the study {name} has no figure")
        return figure
