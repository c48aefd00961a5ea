"""Makes designs: the points of a sweep as rows of a table, written by hand or drawn to fill ranges evenly."""

from collections.abc import Mapping, Sequence
from inspect import Parameter, signature
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spindle.output.text import label
from spindle.sim.error import UserError, check_known
from spindle.studies.sweep.grid import Run
from spindle.studies.sweep.part import MAX_POINTS

if TYPE_CHECKING:
    import pandas as pd

Range = tuple[float, float]
"""The least and the greatest value; two whole numbers are a range of whole numbers, both ends included."""


def columns(design: Any) -> dict[str, list[object]]:
    """Return the columns of *design*, a frame or a mapping, as Python's numbers; UserError if it is not a table.

    Columns are converted one by one, so that whole numbers are still whole beside a column of fractions.
    """
    names = list(design)
    if not names:
        raise UserError("the design has no columns")
    for name in names:
        if not isinstance(name, str) or names.count(name) > 1:
            raise UserError(f"the columns of a design have different names, not {name!r} {names.count(name)} times")
    values = {name: [_own(each) for each in design[name]] for name in names}
    rows = len(values[names[0]])
    if not 0 < rows <= MAX_POINTS:
        raise UserError(f"a design has from 1 to {MAX_POINTS} rows, not {rows}")
    for name, column in values.items():
        if len(column) != rows:
            raise UserError(f"the design has {rows} values of {names[0]} and {len(column)} of {name}")
        for number, value in enumerate(column, 1):
            if _is_missing(value):
                raise UserError(f"the design has no value of {name} in row {number}: {label(value)}")
    return values


def _own(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


def _is_missing(value: object) -> bool:
    """Tell if *value* is None, NaN, or a missing value of pandas."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and isnan(value))


def check_arguments(run: Run, design: Mapping[str, object], others: Mapping[str, object]) -> None:
    """Raise UserError if *run* has no argument for one of the columns, or needs one that is not given."""
    parameters = signature(run).parameters
    if not any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values()):
        check_known("column of the design", parameters, *design)
    for name, each in parameters.items():
        named = each.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        if named and each.default is Parameter.empty and name not in design and name not in others:
            raise UserError(f"the design has no column {name}, which the run needs")


def latin(count: int, ranges: Mapping[str, Range], seed: int = 1) -> "pd.DataFrame":
    """Draw a Latin hypercube of *count* points: each of *count* equal parts of every range has one of them.

    McKay, Beckman & Conover, Technometrics 21, 1979. With fewer points than a grid it shows the effect of each range.
    """
    from scipy.stats import qmc

    _check(count, ranges)
    return _scale(qmc.LatinHypercube(len(ranges), seed=np.random.default_rng(seed)).random(count), ranges)


def sobol(count: int, ranges: Mapping[str, Range], seed: int = 1) -> "pd.DataFrame":
    """Draw *count* points, a power of 2, of a scrambled Sobol sequence: evenly spread in all ranges together.

    Sobol, USSR Computational Mathematics 7, 1967; Owen's scrambling, J. Complexity 14, 1998.
    """
    from scipy.stats import qmc

    _check(count, ranges)
    if count & (count - 1):
        less = 1 << (count.bit_length() - 1)
        raise UserError(f"a Sobol sequence has a power of 2 of points, such as {less} or {2 * less}, not {count}")
    if len(ranges) > qmc.Sobol.MAXDIM:
        raise UserError(f"a point of a Sobol sequence has at most {qmc.Sobol.MAXDIM} numbers, not {len(ranges)}")
    return _scale(qmc.Sobol(len(ranges), seed=np.random.default_rng(seed)).random(count), ranges)


def _check(count: int, ranges: Mapping[str, Range]) -> None:
    if not 0 < count <= MAX_POINTS:
        raise UserError(f"a design has from 1 to {MAX_POINTS} rows, not {count}")
    if not ranges:
        raise UserError("a sample needs the range of at least one parameter")
    for name, (low, high) in ranges.items():
        if not (isfinite(low) and isfinite(high) and low < high):
            raise UserError(f"the range of {name} must go from a number to a greater one, not from {low} to {high}")


def _scale(units: npt.NDArray[np.float64], ranges: Mapping[str, Range]) -> "pd.DataFrame":
    """Scale numbers from 0 to 1 to values within *ranges*."""
    import pandas as pd

    return pd.DataFrame({name: _scale_range(units[:, at], *ends) for at, (name, ends) in enumerate(ranges.items())})


def _scale_range(units: npt.NDArray[np.float64], low: float, high: float) -> Sequence[float]:
    if isinstance(low, int) and isinstance(high, int):
        # Each whole number has an equal share of the range.
        return [min(high, low + int(unit * (high - low + 1))) for unit in units.tolist()]
    return [min(high, low + unit * (high - low)) for unit in units.tolist()]
