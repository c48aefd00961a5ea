"""What one point of a sweep gives: a row of a table, or a failure that says at which point it was."""

from collections.abc import Mapping
from typing import Any

from sim.error import PointFailed, UserError
from sim.output.label import labels, named
from sim.sweep.grid import Point
from sim.sweep.point import Row, Run


def answer(run: Run, axes: list[str], point: Point) -> dict[str, object]:
    """One row. Whatever goes wrong says at which point of the *axes* it did."""
    where = named({name: point[name] for name in axes})
    try:
        row = _row(point, run(**point))
    except UserError as error:
        raise UserError(f"{error} (at {where})") from error
    except Exception as error:
        raise PointFailed(f"the point {where} failed: {type(error).__name__}: {error}") from error
    return row


def _row(point: Point, result: Any) -> dict[str, object]:
    """Only numbers and names travel back to the driver, however large the result is."""
    said = labels(point)
    given: Row = result if isinstance(result, Mapping) else result.summary()
    both = [name for name in given if name in said]
    if both:
        raise UserError(f"the run gives a {both[0]!r} of its own beside the argument of that name")
    return {**said, **given}
