"""Tests dates by hand: nanoseconds, hours with AM and PM, zones, and which of two numbers is the month."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from spindle.workloads.traces.dates import Dates
from spindle.workloads.traces.faults import Wrong


def ns(*numbers: int, fraction: int = 0) -> int:
    return int(datetime(*numbers, tzinfo=UTC).timestamp()) * 10**9 + fraction  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(("text", "moment"), [
    ("2023-11-05", ns(2023, 11, 5)), ("2023/11/05 06:07", ns(2023, 11, 5, 6, 7)),
    ("2023-11-05T06:07:08.25", ns(2023, 11, 5, 6, 7, 8, fraction=250_000_000)),
    ("2023-11-05 06:07:08.1234567891", ns(2023, 11, 5, 6, 7, 8, fraction=123_456_789)),
    ("2023-11-05 12:00 am", ns(2023, 11, 5)), ("2023-11-05 1:00 AM", ns(2023, 11, 5, 1)),
    ("2023-11-05 12:30 pm", ns(2023, 11, 5, 12, 30)), ("2023-11-05 11:59 PM", ns(2023, 11, 5, 23, 59)),
    ("2023-11-05 06:07 UTC", ns(2023, 11, 5, 6, 7)), ("2023-11-05 06:07Z", ns(2023, 11, 5, 6, 7)),
    ("2023-11-05 06:07 +02:00", ns(2023, 11, 5, 4, 7)), ("2023-11-05 23:07 -02", ns(2023, 11, 6, 1, 7)),
    ("5.11.2023 06:07", ns(2023, 11, 5, 6, 7)), ("13/11/2023", ns(2023, 11, 13)), ("11-13-2023", ns(2023, 11, 13)),
    ("12/13/2023", ns(2023, 12, 13)), ("1969-12-31 23:59:59.5", -5 * 10**8),
])  # fmt: skip
def test_a_date_is_nanoseconds(text: str, moment: int) -> None:
    dates = Dates()
    assert (dates.moment(text), dates.late) == (moment, 0)


@pytest.mark.parametrize("text", [
    "2023-11-05 0:30 am", "2023-11-05 13:00 pm", "2023-13-05", "2023-02-30", "13/13/2023", "2023-11-05 24:00", "x",
])  # fmt: skip
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(Wrong):
        Dates().moment(text)


@pytest.mark.parametrize(("telling", "day"), [("05/13/2023", (2023, 5, 11)), ("13/05/2023", (2023, 11, 5))])
def test_what_came_before_the_order_was_known_is_put_right(telling: str, day: tuple[int, int, int]) -> None:
    dates = Dates()
    before = [dates.moment(f"05/11/2023 10:00:0{second}") for second in (0, 1)]
    assert before[1] - before[0] == 10**9
    dates.moment(telling)
    assert before[0] - dates.late == ns(*day, 10)
    assert dates.moment("05/11/2023 10:00") == ns(*day, 10)


def test_two_days_of_open_order_are_further_apart_than_any_trace_is_long() -> None:
    """Each of two files of one trace may have an order of its own."""
    moments = sorted(Dates().moment(day) for day in ("5/11/2023", "5/12/2023", "7/11/2023", "05/11/2018"))
    assert min(after - before for before, after in pairwise(moments)) == 10**12 * 10**9
    assert Dates().moment("5/1/2023") == Dates().moment("05/01/2023")


def test_an_order_is_kept_and_an_open_day_is_one() -> None:
    dates = Dates()
    dates.moment("05/11/2023")
    with pytest.raises(Wrong, match="may be in either of two months"):
        dates.moment("06/11/2023")
    dates.moment("13/11/2023")
    with pytest.raises(Wrong, match="day and month in another order"):
        dates.moment("11/13/2023")
    assert dates.moment("06/11/2023") == ns(2023, 11, 6)
