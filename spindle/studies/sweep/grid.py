"""Makes the points of a sweep on demand, as combinations of arguments; computes the key and the row of each."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from math import prod
from typing import Any

from spindle.measures import check_measures
from spindle.output.text import label, labels, point_text
from spindle.sim.error import PointFailed, UserError, line_of
from spindle.studies.sweep.fingerprint import LENGTH, fingerprint, is_numpy

Point = Mapping[str, object]


class Grid:
    """The points of a sweep: all combinations of arguments; the last axis varies fastest.

    Lists, tuples, ranges and arrays are axes, everything else is a constant. The columns of a *design*, all of one
    length, are one axis together: the first.
    """

    def __init__(self, arguments: Mapping[str, object], design: Mapping[str, Sequence[object]] | None = None) -> None:
        columns = {} if design is None else design
        both = [name for name in columns if name in arguments]
        if both:
            raise UserError(f"{both[0]} is a column of the design, and is given beside it")
        self.values = {**columns, **{name: _values(name, value) for name, value in arguments.items()}}
        self._steps = ([list(columns)] if columns else []) + [[name] for name in arguments]
        axes = [name for name, value in arguments.items() if _is_axis(value)]
        self.axes = [*columns, *axes] or list(arguments)
        """The names of the arguments that differ between points."""

    def __len__(self) -> int:
        return prod(len(self.values[names[0]]) for names in self._steps)

    def __getitem__(self, index: int) -> dict[str, object]:
        at = self.value_places(index)
        return {name: values[at[name]] for name, values in self.values.items()}

    def value_places(self, index: int) -> dict[str, int]:
        """Return the index of each argument's value at the point *index*."""
        places: dict[str, int] = {}
        for names in reversed(self._steps):
            index, place = divmod(index, len(self.values[names[0]]))
            places |= dict.fromkeys(names, place)
        return places

    def point_name(self, index: int) -> str:
        point = self[index]
        return point_text({name: point[name] for name in self.axes})


SIMPLE = (bool, int, float, str)


def check_once(name: str, values: Iterable[object]) -> None:
    """Raise UserError if one of *values* is there twice, as 10 and 10.0 are: its runs would count as another seed's."""
    times = Counter(value for value in values if isinstance(value, SIMPLE))
    twice = next((value for value, count in times.items() if count > 1), None)
    if twice is not None:
        raise UserError(f"{name} has the value {twice} twice, and the same runs would count as several seeds")


def _values(name: str, value: Any) -> Sequence[object]:
    if not _is_axis(value):
        return [value]
    if isinstance(value, range) and value:
        return value  # whose numbers need no memory
    # An array's own numbers are not Python's; models want int and float.
    values: list[object] = value.tolist() if is_numpy(value, "ndarray") else list(value)
    if not values:
        raise UserError(f"{name} has no values to sweep over")
    check_once(name, values)
    return values


def _is_axis(value: object) -> bool:
    """Tell if *value* is several values; a named tuple is one."""
    return is_numpy(value, "ndarray") or (isinstance(value, list | tuple | range) and not hasattr(value, "_fields"))


# The key of a point (a hash of function, parameters, seed and source), and the row of its results.

Run = Callable[..., Any]
Row = Mapping[str, object]


class Keys:
    """The keys of the points of a grid; they do not depend on the order of its arguments."""

    def __init__(self, run: Run, grid: Grid, source: str) -> None:
        self._grid = grid
        self._head = fingerprint((run, source))
        # Each value's fingerprint once, for there may be far more points; in one piece, for values may be many, too.
        self._values = {name: _fingerprints(name, grid.values[name]) for name in sorted(grid.values)}

    def __getitem__(self, index: int) -> bytes:
        at = self._grid.value_places(index)
        parts = [values[LENGTH * at[name] : LENGTH * (at[name] + 1)] for name, values in self._values.items()]
        return blake2b(b"".join([self._head, *parts]), digest_size=16).digest()


def _fingerprints(name: str, values: Iterable[object]) -> bytearray:
    joined = bytearray()
    for value in values:
        joined += fingerprint((name, value))
    return joined


def summary(result: Any) -> Mapping[str, Any]:
    """Return the summary of the *result* of a run, a Result or a mapping."""
    if isinstance(result, Mapping):
        return result
    summed: Mapping[str, Any] = (check_measures(result) if hasattr(result, "extras") else result).summary()
    return summed


def plain(row: Row) -> dict[str, object]:
    """Return *row* with numbers and text only, as in a table."""
    return {name: plain_value(value) for name, value in row.items()}


def plain_value(value: Any) -> object:
    """Return a number of numpy's as Python's; any value but numbers, text and None as its label."""
    if is_numpy(value, "generic"):
        return value.item()
    return value if value is None else label(value)


REFUSED = "refused"
"""Column with the reason why a point cannot be run; its row has no numbers."""


def answer(run: Run, axes: list[str], lenient: bool, point: Point) -> dict[str, object]:
    """Run *point* and return its row; an error names the point by its values on the *axes*.

    *lenient*: the row of a point that cannot be run, such as one whose cache is too small, has the reason instead.
    """
    where = point_text({name: point[name] for name in axes})
    try:
        row = _row(point, run(**point))
    except UserError as error:
        what, *place = str(error).split("\n")
        if lenient:
            return {**labels(point), REFUSED: f"{what} (at {where})"}
        raise UserError("\n".join([f"{what} (at {where})", *place])) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the user's code may raise anything
        line = line_of(error)
        what = f"{type(error).__name__}: {error}{f' ({line})' if line else ''}"
        raise PointFailed(f"the point {where} failed: {what}") from error
    return row


def _row(point: Point, result: Any) -> dict[str, object]:
    """Return only numbers and names, which are sent to the driver, however large the result is.

    An argument of a machine, as its users' think time, takes the place of the measure of that name.
    """
    arguments = labels(point)
    results = summary(result)
    both = [name for name in results if name in arguments]
    if both and isinstance(result, Mapping):
        raise UserError(f"the run gives a {both[0]!r} of its own beside the argument of that name")
    return {**arguments, **results, **arguments}
