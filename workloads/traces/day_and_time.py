"""Joins a column of days and one of times of day, so that the two are read as one date."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from spindle.sim.error import UserError
from spindle.workloads.traces.shape import Field

DAY = "date"
"""The column of days, which stands beside one of times of day."""
DAY_NAMES = (DAY, "day")
"""What a file may call it."""
JOINED = "a day and a time of day, as 2026-11-28 and 18:17:03, or both empty"
NOT_OF_DAY = "column date has the day of a time of day, and beside it {}; --columns says which is the time"
ALONE = "column date is taken for time"
UNREAD = "_"
"""What is left in the cell of the day."""


@dataclass(frozen=True)
class DayAndTime:
    """The places of the *day* and of the *time* of day in a line, whose cells have a *mark* between them."""

    day: int
    time: int
    mark: str

    def line(self, line: str) -> str:
        """Return *line* with both in the cell of the time, where it is long enough."""
        cells = line.split(None if self.mark == " " else self.mark)
        if len(cells) <= max(self.day, self.time):
            return line
        day, time = cells[self.day].strip(), cells[self.time].strip()
        cells[self.day], cells[self.time] = UNREAD, f"{day}T{time}" if day or time else ""
        return self.mark.join(cells)

    def block(self, block: bytes) -> bytes:
        """Return the lines of *block* likewise; lines whose cells are empty, or have blanks, will not be dates."""
        return self._cells.sub(rb"\1_\3\2T\4" if self.day < self.time else rb"\1\4T\2\3_", block)

    @cached_property
    def _cells(self) -> re.Pattern[bytes]:
        """Return the pattern of a line up to the second of the two cells, which are its groups 2 and 4."""
        first, second = sorted((self.day, self.time))
        mark = re.escape(self.mark)
        cell = rf"[^{mark}\r\n]*"
        pattern = rf"(?m)^((?:{cell}{mark}){{{first}}})({cell})({mark}(?:{cell}{mark}){{{second - first - 1}}})({cell})"
        return re.compile(pattern.encode())

    def fields(self, fields: Sequence[Field]) -> list[Field]:
        """Return *fields*, of which that of the time says in messages what it has."""
        return [replace(field, name=f"{DAY} and {field.name}", rule=JOINED) if place == self.time else field
                for place, field in enumerate(fields)]  # fmt: skip


def with_day(
    names: list[str], mark: str, field_of: Callable[[str], Field | None], harmless: bool
) -> tuple[list[str], DayAndTime | None, list[str]]:
    """Return *names* of columns without that of days, where this and its time of day are, and a note on a guess.

    *field_of* has the fields of columns. Days alone are the times. Where other columns are *harmless*, days are not
    read. UserError where it is not plain which column has the time of day.
    """
    if DAY not in names:
        return names, None, []
    if names.count(DAY) > 1:
        raise UserError("column date stands there twice")
    if harmless:
        return _rename_day(names, ""), None, []
    attributes = [field.attribute if (field := field_of(name)) else "" for name in names]
    times = [place for place, attribute in enumerate(attributes) if attribute in ("clock", "time")]
    if not times:
        return _rename_day(names, "time"), None, [ALONE]
    if len(times) > 1 or attributes[times[0]] == "time":
        said = " and ".join(names[place] for place in times)
        raise UserError(NOT_OF_DAY.format(f"{said} are times" if len(times) > 1 else f"{said} counts seconds"))
    return _rename_day(names, ""), DayAndTime(names.index(DAY), times[0], mark), []


def _rename_day(names: Sequence[str], day: str) -> list[str]:
    return [day if name == DAY else name for name in names]
