"""A full factorial of keyword arguments, on all cores, as one tidy table."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from sim.experiment.executor import executor
from sim.experiment.label import labels, named
from sim.mistake import Mistake

if TYPE_CHECKING:
    import pandas as pd

Point = Mapping[str, object]
Run = Callable[..., Any]


class PointFailed(RuntimeError):
    """A run broke down; says at which point of the sweep."""


def sweep(
    run: Run, /, *, workers: int | None = None, progress: bool = True, **grid: object
) -> "pd.DataFrame":
    """*run* at every combination of the *grid*: one row each, its arguments first, then its summary.

    Lists, tuples, ranges and arrays are axes, everything else is a constant; a list that is to be one argument is put
    into a list. *run* returns a Result or a mapping. The last axis varies fastest, so that the table is the same
    whatever the number of *workers*; by default there is one on each core. *progress* shows a bar on a terminal.
    """
    # Imported here, so that workers, which import this module, start without it: half a second and 70 MB each.
    import pandas as pd

    points = list(_points(grid))
    rows: list[dict[str, object]] = [{} for _ in points]
    with tqdm(total=len(points), unit="point", disable=None if progress else True) as bar:
        for index, row in executor(workers, len(points)).each(partial(answer, run, _axes(grid)), points):
            rows[index] = row
            bar.update()
    return pd.DataFrame(rows)


def _points(grid: Point) -> Iterator[dict[str, object]]:
    axes = [_values(name, value) for name, value in grid.items()]
    for values in product(*axes):
        yield dict(zip(grid, values, strict=True))


def _values(name: str, value: object) -> list[object]:
    if not _is_axis(value):
        return [value]
    # An array's own numbers are not Python's; models want int and float.
    values: list[object] = value.tolist() if isinstance(value, np.ndarray) else list(value)  # type: ignore[call-overload]
    if not values:
        raise Mistake(f"{name} has no values to sweep over")
    return values


def _is_axis(value: object) -> bool:
    """A named tuple is one thing with parts, not several things."""
    return isinstance(value, list | tuple | range | np.ndarray) and not hasattr(value, "_fields")


def _axes(grid: Point) -> list[str]:
    """What tells one point from another."""
    return [name for name, value in grid.items() if _is_axis(value)] or list(grid)


def answer(run: Run, axes: list[str], point: Point) -> dict[str, object]:
    """One row. Whatever goes wrong says at which point of the *axes* it did."""
    where = named({name: point[name] for name in axes})
    try:
        row = _row(point, run(**point))
    except Mistake as mistake:
        raise Mistake(f"{mistake} (at {where})") from mistake
    except Exception as error:
        raise PointFailed(f"the point {where} failed: {type(error).__name__}: {error}") from error
    return row


def _row(point: Point, result: Any) -> dict[str, object]:
    """Only numbers and names travel back to the driver, however large the result is."""
    said = labels(point)
    given: Mapping[str, object] = result if isinstance(result, Mapping) else result.summary()
    both = [name for name in given if name in said]
    if both:
        raise Mistake(f"the run gives a {both[0]!r} of its own beside the argument of that name")
    return {**said, **given}
