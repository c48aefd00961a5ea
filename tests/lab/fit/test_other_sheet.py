"""The numbers of another sheet beside those of a fit: by hand, and contradicted where the data do not bear them."""

from dataclasses import replace

import pytest

from spindle.lab.fit.other_sheet import contradicts, numbers_of
from spindle.lab.fit.page import FittedDrive, page
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from tests.lab.fit.known import KNOWN

SPEED = SheetNumber("rpm", "6012", FITTED, 6011.5, 6012.5)
AHEAD = SheetNumber("prefetch_code", "3", FITTED, others=("4",))


def test_numbers_have_the_names_and_units_of_the_fit() -> None:
    other = replace(KNOWN, rpm=6000.0, write_settle=-0.4e-3)
    numbers = numbers_of(other, KNOWN)
    names = ("rpm", "write_settle_extra_ms", "track_skew_sectors, zone 0", "seek over 30 cylinders", "prefetch_code")
    assert [numbers[name] for name in names] == ["6000", "-0.4", "5", "4", "3"]
    assert "write_settle_extra_ms" not in numbers_of(replace(other, buffer=None), KNOWN)


@pytest.mark.parametrize(("number", "says", "wrong"), [
    (SPEED, "6012.5", False),
    (replace(SPEED, low=41.9999999, high=41.9999999), "42", False),
    (SPEED, "6000", True),
    (replace(SPEED, source=ASSUMED), "6000", False),
    (AHEAD, "3", False),
    (AHEAD, "4", False),
    (AHEAD, "1", True),
    (AHEAD, "", False),
])  # fmt: skip
def test_a_sheet_is_contradicted_where_the_data_bear_something_else(
    number: SheetNumber, says: str, wrong: bool
) -> None:
    assert contradicts(number, says) == wrong


def test_the_page_shows_both_and_marks_what_is_contradicted() -> None:
    other = replace(KNOWN, rpm=6000.0)
    numbers = SPEED, AHEAD, SheetNumber("new", "1", ASSUMED)
    lines = list(page(FittedDrive(KNOWN, numbers, {}, 9, 0, {"by hand": other})))
    assert [line.split() for line in lines[2:6]] == [
        ["number", "value", "by", "hand", "source", "the", "data", "also", "allow"],
        ["rpm", "6012", "6000*", "fitted", "6011.5", "to", "6012.5"],
        ["prefetch_code", "3", "3", "fitted", "4"], ["new", "1", "-", "assumed"]]  # fmt: skip
    assert lines[-1].startswith("* excluded by the data")
