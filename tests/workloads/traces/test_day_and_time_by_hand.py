"""Tests by hand which column has the day of a time of day, and which headers leave that open."""

import pytest

from spindle.sim.error import UserError
from spindle.workloads.traces.day_and_time import ALONE, DayAndTime, with_day
from spindle.workloads.traces.formats.plain import field_of
from spindle.workloads.traces.shape import clock, integer, unread


@pytest.mark.parametrize(("names", "harmless", "found"), [
    (["time", "offset"], False, (["time", "offset"], None, [])),
    (["date", "x", "time", "offset"], False, (["", "x", "time", "offset"], DayAndTime(0, 2, ";"), [])),
    (["timestamp", "date"], False, (["timestamp", ""], DayAndTime(1, 0, ";"), [])),
    (["x", "date"], False, (["x", "time"], None, [ALONE])), (["date", "time_s"], True, (["", "time_s"], None, [])),
])  # fmt: skip
def test_a_day_stands_beside_a_time_of_day_or_is_the_time(
    names: list[str], harmless: bool, found: tuple[list[str], DayAndTime | None, list[str]]
) -> None:
    assert with_day(names, ";", field_of, harmless) == found


def test_the_field_of_the_time_alone_is_called_otherwise() -> None:
    fields = [unread(), clock("time"), integer("size", "length")]
    assert [field.name for field in DayAndTime(0, 1, ",").fields(fields)] == ["", "date and time", "size"]


@pytest.mark.parametrize(("names", "said"), [
    (["date", "date"], "column date stands there twice"),
    (["date", "time", "timestamp"], "column date has the day of a time of day, and beside it time and timestamp are "
                                    "times; --columns says which is the time"),
    (["date", "time_s"], "column date has the day of a time of day, and beside it time_s counts seconds; --columns "
                         "says which is the time"),
])  # fmt: skip
def test_what_leaves_open_which_time_a_day_has(names: list[str], said: str) -> None:
    with pytest.raises(UserError) as error:
        with_day(names, ",", field_of, harmless=False)
    assert str(error.value) == said
