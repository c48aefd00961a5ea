"""Defines a study: one question about a machine, with its runs (Points), their windows, measures, table and picture."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from spindle.output.text import label, labels
from spindle.sim.error import UserError
from spindle.studies.sweep.grid import Grid, Run

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SHORTER = 10
"""Factor by which a quick look is shorter."""
MIN_REQUESTS = 500
"""Requests of a quick look, at least: a cache has to fill before its hits mean anything."""


@dataclass(frozen=True)
class StudyWindow:
    """How long runs are: *usual* arguments, by which claims are judged, and *quick* ones for a look without verdicts.

    In a quick look the axes *coarse* replace those of the same names.
    """

    usual: Mapping[str, object]
    quick: Mapping[str, object]
    coarse: Mapping[str, object] = field(default_factory=dict)


def seconds(measured: float, shorter: float = SHORTER) -> StudyWindow:
    """Build a window of *measured* seconds."""
    return StudyWindow({"seconds": measured}, {"seconds": measured / shorter})


def requests(count: int) -> StudyWindow:
    """Build a window of *count* requests of a trace."""
    return StudyWindow({"requests": count}, {"requests": min(count, max(MIN_REQUESTS, count // SHORTER))})


UNTIMED = StudyWindow({}, {})
"""Window of runs without a length: inputs of a model, arithmetic, a program that runs until it ends."""

Row = Mapping[str, Any]
"""The row of a run: numbers, text or lists of numbers, by name."""


@dataclass(frozen=True)
class Point:
    """One run of a study without its seed: *arguments* of *run*, and those of its *window*.

    *marks* are columns that distinguish runs of one study if their arguments do not; *parameters* are those of the
    machine that were changed from outside the study.
    """

    run: Run
    arguments: Mapping[str, object]
    window: Mapping[str, object]
    marks: Mapping[str, object] = field(default_factory=dict)
    parameters: Mapping[str, object] = field(default_factory=dict)

    def change(self, parameters: Mapping[str, object]) -> "Point":
        """Return the same run on a machine with other *parameters*; those that the study sets are kept."""
        return replace(self, parameters=parameters)

    def shorten(self, factors: Mapping[str, float]) -> "Point":
        """Return the same run with a window whose lengths are shorter by *factors*, by name; others are kept."""
        shorter = {name: _shorten(name, self.window[name], factor) for name, factor in factors.items()
                   if name in self.window}  # fmt: skip
        return replace(self, window={**self.window, **shorter})

    def keywords(self) -> dict[str, object]:
        """Return all arguments of the run but its seed."""
        return {**self.parameters, **self.arguments, **self.window}

    def columns(self) -> dict[str, object]:
        """Return the columns of the point in a table."""
        return {**labels(self.arguments), **labels(self.marks)}


def _shorten(name: str, length: object, factor: float) -> object:
    assert isinstance(length, int | float)
    least = MIN_REQUESTS if name == "requests" else 1
    return max(least, round(length / factor)) if isinstance(length, int) else length / factor


Meaning = Callable[[Any], Mapping[str, object]]
"""Maps a value of a study's argument to the settings of a system that it means, by name."""
F = TypeVar("F", bound=Callable[..., Any])


def means(**arguments: Meaning) -> Callable[[F], F]:
    """Return a decorator that notes which settings of a system the *arguments* of a study's run mean.

    >>> @means(pool=lambda mebibytes: {"pool": mebibytes * MIB})
    ... def pooled(pool): ...
    """

    def decorate(run: F) -> F:
        run.meanings = arguments  # type: ignore[attr-defined]
        return run

    return decorate


class Runs:
    """*run* at every combination of a *grid*, each as long as its *window*.

    Lists, tuples, ranges and arrays are axes, everything else is a constant. *marks* become columns of the table and
    are not given to the run.
    """

    def __init__(
        self, run: Run, window: StudyWindow, marks: Mapping[str, object] | None = None, **grid: object
    ) -> None:
        self.run = run
        self.window = window
        self.marks = marks or {}
        self.grid = grid

    def settings(self) -> dict[str, list[object]]:
        """Return values of window and grid as settings of the system; an axis that means several has its last value."""
        meanings: Mapping[str, Meaning] = getattr(self.run, "meanings", {})
        found: dict[str, list[object]] = {}
        for name, value in {**self.window.usual, **self.grid}.items():
            values = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
            meant = [meanings[name](each) if name in meanings else {name: each} for each in values]
            for setting in meant[-1] if meant else ():
                found[setting] = [each[setting] for each in (meant if len(meant[-1]) == 1 else meant[-1:])]
        return found

    def points(self, quick: bool = False) -> Iterator[Point]:
        window = self.window.quick if quick else self.window.usual
        combinations = Grid({**self.grid, **self.window.coarse} if quick else self.grid)
        for index in range(len(combinations)):
            yield Point(self.run, combinations[index], window, self.marks)


class RunRow(Row):
    """The row of a run whose *columns* are known; its results are looked up when the first one is read."""

    def __init__(self, columns: Row, look_up: Callable[[], Row]) -> None:
        self._columns = columns
        self._look_up = look_up
        self.is_read = False

    def __getitem__(self, name: str) -> Any:
        return self._columns[name] if name in self._columns else self._cells[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    @cached_property
    def _cells(self) -> Row:
        self.is_read = True
        return self._look_up()


class SeedRows(Sequence[Row]):
    """The rows of one seed, in the order of the study's points, from which measures are computed."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def select(self, **columns: object) -> list[Row]:
        """Return the rows whose *columns* have these values."""
        wanted = labels(columns)
        return [row for row in self._rows if all(name in row and row[name] == wanted[name] for name in wanted)]

    def one(self, **columns: object) -> Row:
        """Return the only row whose *columns* have these values; UserError if there is none, or several."""
        rows = self.select(**columns)
        if len(rows) != 1:
            where = ", ".join(f"{name}={label(value)}" for name, value in columns.items())
            raise UserError(f"{len(rows)} runs of a seed have {where or 'no columns asked for'}, where one is meant")
        return rows[0]


def no_caption(table: "pd.DataFrame") -> str:
    return ""


@dataclass(frozen=True)
class Figure:
    """A view of a study: a *table* made of the rows of all seeds, its *picture*, and its *caption*.

    The table has one row a point of the picture, with confidence intervals if there are several seeds.
    """

    table: "Callable[[pd.DataFrame], pd.DataFrame]"
    picture: "Callable[[pd.DataFrame], Axes]"
    caption: "Callable[[pd.DataFrame], str]" = no_caption


@dataclass(frozen=True)
class Study:
    """One question: *runs* are made for each seed, *measures* are numbers of one seed by name, which claims compare.

    A study has a *figure*, *measures*, or both. *replications* is the useful number of seeds: 1 where the answer does
    not depend on the seed. *shows* is one sentence for the list and the report, from a shipped ``studies.toml``.
    """

    name: str
    runs: Sequence[Runs]
    figure: Figure | None = None
    measures: Callable[[SeedRows], Mapping[str, float]] | None = None
    replications: int | None = None
    shows: str = ""

    def __post_init__(self) -> None:
        if not self.runs:
            raise UserError(f"the study {self.name} runs nothing")
        for runs in self.runs:
            if not isinstance(runs.window, StudyWindow):
                raise UserError(f"the study {self.name} has no window: how long is a run of {label(runs.run)}?")
        if self.figure is None and self.measures is None:
            raise UserError(f"the study {self.name} has neither a figure nor measures")

    @property
    def exact(self) -> bool:
        """True if one seed is enough, because the answer does not depend on it."""
        return self.replications == 1

    def points(self, quick: bool = False) -> list[Point]:
        """Return all runs of one seed."""
        return [point for runs in self.runs for point in runs.points(quick)]

    def seeds(self, count: int) -> range:
        """Return the first *count* seeds, or fewer if more would change nothing."""
        return range(1, 1 + (count if self.replications is None else min(count, self.replications)))
