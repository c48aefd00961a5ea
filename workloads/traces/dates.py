"""Reads dates as traces write them: in ISO 8601, or with the year after day and month, whose order is detected.

In 05/11/2023 either number may be the month. The first date of the file with a number above 12 decides it; until then
all dates must be of one day, within which the time of day is enough.
"""

import re
from datetime import UTC, datetime

from spindle.workloads.traces.faults import Wrong

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NS = 10**9
"""Nanoseconds of a second."""
PLAIN_DATE = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?"
_DAY = r"(?:\d{4}(?:-\d\d-|/\d\d/)\d\d|(?:\d\d?/\d\d?/|\d\d?-\d\d?-|\d\d?\.\d\d?\.)\d{4})"
_ZONE = r"(?:Z|UTC|[-+]\d\d(?::?\d\d)?)"
_TIME_OF_DAY = rf"\d\d?:\d\d(?::\d\d(?:\.\d{{1,20}})?)?(?: ?[AaPp][Mm])?(?: ?{_ZONE})?"
DATE_PATTERN = rf"{_DAY}(?:[T ]{_TIME_OF_DAY})?"
"""The pattern of a date; its time of day, the seconds of that, and the zone may be missing."""
is_date, is_time_of_day = (re.compile(each, re.ASCII).fullmatch for each in (DATE_PATTERN, _TIME_OF_DAY))
is_day = re.compile(_DAY, re.ASCII).fullmatch
is_unmarked_date = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])(?:[0-5]\d){2}"
                              r"(?:\d{3})?(?:\.\d*)?", re.ASCII).fullmatch  # fmt: skip
"""Matches a date and a time of day without marks, perhaps with milliseconds. As a number of ms or us since 1970
it would be a date after 2600."""
UNMARKED = "{} may be a date without marks: write it as 2023-11-16 18:17:03"
DAYS = "{} has days without a time of day, so all of a day come at once; --columns date=N,time=N reads two columns"
NO_DAY = "{} {} is a time of day, whose day is not known: a column date, or --columns date=N, has the day"
_DATE = re.compile(r"(\d+)([-/.])(\d+)\2(\d+)(?:[T ](\d+):([\d:]+)(?:\.(\d+))?)? ?([AaPp][Mm])? ?(.*)", re.DOTALL)
OPEN = 10**12 * NS
"""Nanoseconds between two different dates while the order of day and month is open: longer than any trace."""


class Dates:
    """Reads the dates of a file in their order."""

    def __init__(self) -> None:
        self._day_first: bool | None = None
        self._open: tuple[str, str, str] | None = None
        """The first two numbers and the year of the dates so far, while the order of day and month is unknown."""
        self.late = 0
        """Nanoseconds by which moments returned before the order was known are too late: to be subtracted, once."""

    def moment(self, text: str) -> int:
        """Return the nanoseconds of a DATE since 1970, in UTC where no zone is given; Wrong if it is none."""
        found = _DATE.fullmatch(text)
        if found is None:
            raise Wrong(f"{text} is no date", "clock")
        one, mark, two, last, hour, rest, fraction, half, zone = found.groups()
        offset = zone.replace("UTC", "Z") or "Z"
        try:
            day = _day(one, two, last) if len(one) == 4 else self._day(one, two, last, mark)
            since = datetime.fromisoformat(f"1970-01-01 {_hour(hour, half)}:{rest or '00'}{offset}") - EPOCH
        except Wrong as wrong:
            raise Wrong(f"{text} {wrong}", "clock") from None
        except ValueError:
            raise Wrong(f"{text} is no date", "clock") from None
        return day + (since.days * 86400 + since.seconds) * NS + int((fraction or "")[:9].ljust(9, "0"))

    def _day(self, one: str, two: str, year: str, mark: str) -> int:
        """Return the nanoseconds of a day, whose order of day and month may still be open."""
        told = mark == "." or int(one) > 12 if mark == "." or max(int(one), int(two)) > 12 else None
        if self._day_first is None and told is not None:
            self._day_first = told
            self.late = self._open_day(*self._open) - self._ordered_day(*self._open) if self._open else 0
        if told not in (None, self._day_first):
            raise Wrong("has day and month in another order than dates before it")
        if self._day_first is not None:
            return self._ordered_day(one, two, year)
        if self._open not in (None, (one, two, year)):
            raise Wrong("may be in either of two months: write dates as 2023-11-05")
        self._open = one, two, year
        return self._open_day(one, two, year)

    def _ordered_day(self, one: str, two: str, year: str) -> int:
        return _day(year, two, one) if self._day_first else _day(year, one, two)

    @staticmethod
    def _open_day(one: str, two: str, year: str) -> int:
        return int(f"{year}{one:0>2}{two:0>2}") * OPEN


def _day(year: str, month: str, day: str) -> int:
    return (datetime(int(year), int(month), int(day), tzinfo=UTC) - EPOCH).days * 86400 * NS


def _hour(hour: str | None, half: str | None) -> str:
    """Return an *hour* of 24, of which each *half* has 12 if it is given."""
    number = int(hour or 0)
    if half and not 1 <= number <= 12:
        raise ValueError(hour)
    return f"{number % 12 + 12 * (half.lower() == 'pm') if half else number:02}"
