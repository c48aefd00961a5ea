"""Tests a reader's message for a wrong cell: the name of the field and its rule, in words; and limits of checks."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from spindle.sim.request import READ
from spindle.workloads.traces import shape
from spindle.workloads.traces.batch import Batch, NotSimpleError, Words, batch_of
from spindle.workloads.traces.columns import Columns, _may_mislead, _type_of
from spindle.workloads.traces.faults import Checks, Wrong
from spindle.workloads.traces.formats.blkparse import BlkparseLines
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.shape import COMMA, Field, Shape

KINDS = (
    (shape.integer, "-1", "x must be a whole number of at most 19 digits"),
    (shape.loose, "1.5", "x must be a whole number of at most 19 digits"),
    (shape.number, "-1", "x must be a number that is not negative"),
    (shape.clock, "-1", "x must be a number that is not negative, a date as 2023-11-16 18:17:03, or empty"),
    (shape.key, "", "x must be a key of 1 to 4096 characters"),
    (shape.time_to_live, "-2", "x must be a number that is not negative, -1, or empty"),
    (shape.word, "", "x must be a name of 1 to 255 characters"),
    (partial(shape.choice, words=("R", "W")), "r", "x must be R or W"),
)


@pytest.mark.parametrize(("make", "cell", "said"), KINDS)
def test_the_rule_of_a_field(make: Callable[[str], Field], cell: str, said: str) -> None:
    assert str(Shape([make("x")], COMMA).wrong(cell)).startswith(f"{said}, not ")


def test_fields_have_no_part_and_the_unit_1_unless_said() -> None:
    assert (shape.time_to_live("x", 0.5).unit, shape.time_to_live("x").unit) == (0.5, 1)
    for make in (shape.integer, shape.loose, shape.number):
        assert (make("x").attribute, make("x").unit) == ("", 1)
        assert (make("x", "first", 512).attribute, make("x", "first", 512).unit) == ("first", 512)
    assert shape.unread().pattern == shape.unread(",").pattern != shape.unread(";").pattern
    assert [make("x").attribute for make in (shape.key, shape.time_to_live, shape.clock)] == ["key", "ttl", "clock"]
    assert shape.choice("x", "ab", "op").attribute == "op"


@pytest.mark.parametrize(("make", "mark", "fits", "not_"), [
    (partial(shape.key, "x"), "", ("a b", "XY", "k" * 4096), ("", "a,b", "a\tb", "k" * 4097)),
    (partial(shape.key, "x"), " ", ("XY", "a,b", "a\x01"), ("", "a b", "a\tb")),
    (partial(shape.key, "x"), ";", ("a,b",), ("a;b",)), (shape.unread, " ", ("a,b",), ("", "a b", "a\tb")),
    (shape.unread, "", ("", "a b"), ("a,b",)),
])  # fmt: skip
def test_what_a_cell_may_have_depends_on_the_mark(
    make: Callable[..., Field], mark: str, fits: tuple[str, ...], not_: tuple[str, ...]
) -> None:
    field = make(mark) if mark else make()
    assert all(re.fullmatch(field.pattern, cell, re.ASCII) for cell in fits)
    assert not any(re.fullmatch(field.pattern, cell, re.ASCII) for cell in not_)


def test_a_cell_that_is_not_read_has_no_name() -> None:
    assert (shape.unread().name, shape.unread().rule, shape.unread().read) == ("", shape.ANY, False)


def test_words_and_choices() -> None:
    made = shape.word("x"), shape.word("x", "device"), shape.choice("x", "ab")
    assert [each.attribute for each in made] == ["", "device", ""]
    assert re.fullmatch(shape.choice("x", "ab", any_case=True).pattern, "A")
    assert not re.fullmatch(shape.choice("x", "ab").pattern, "A")


def test_blanks_around_a_mark_and_digits_of_other_scripts() -> None:
    comma = shape.separated_by(",")
    two = Shape([shape.integer("x"), shape.integer("y")], comma)
    assert (comma.mark, two.longer, Shape(two.fields, comma, longer=True).longer) == (",", False, True)
    assert two.match("1 \t,\t2")
    assert two.match("\u0667,2") is None
    assert str(two.wrong("\u0667,2")).startswith("x must be a whole number")


def test_other_white_space_between_cells_is_wrong() -> None:
    assert str(Shape([shape.integer("x"), shape.integer("y")], COMMA).wrong("1,\v2")) == \
        "there is something between its fields that has no place there"


def test_a_time_of_day_without_its_day_is_shown() -> None:
    wrong = Shape([shape.word("x"), shape.clock("y")], COMMA).wrong("a,10:00")
    assert (str(wrong)[:26], wrong.column) == ("y 10:00 is a time of day, ", 3)


def test_loose_numbers() -> None:
    assert [shape.whole_of(text) for text in ("0", "10", "010", "7.00", "0x10", "0X1f")] == [0, 10, 10, 7, 16, 31]


LINE = "8,0 1 5 0.000000100 77 Q R 64 + 8 [fio]"


@pytest.mark.parametrize(("old", "new", "said"), [
    ("8,0", "8", "device must be two numbers with a comma between them"), (" 1 ", " a ", "CPU must be a whole number"),
    (" 5 ", " a ", "sequence must be a whole number"), ("000000100", "1", "time must be seconds with nine decimals"),
    (" 77 ", " a ", "pid must be a whole number"), (" R ", " r ", "RWBS must be letters such as R, W, D, S and M"),
    (" 64 ", " a ", "sector must be a whole number"), (" + ", " - ", "+ must be a plus sign"),
    (" 8 ", " a ", "count must be a whole number"),
])  # fmt: skip
def test_what_is_wrong_in_a_line_of_blkparse(old: str, new: str, said: str) -> None:
    with pytest.raises(Wrong, match=r"^" + said.replace("+", r"\+")):
        BlkparseLines("Q").parse(LINE.replace(old, new))


def test_a_discard_is_no_write() -> None:
    lines = BlkparseLines("Q")
    assert lines.parse(LINE.replace(" R ", " WD ")) is None
    assert lines.passed.idle == {"WD": 1}
    assert lines.parse(LINE) is not None


# Checks of many requests at once, as of each.

LIMITS = TraceLimits()


def batch(*, first: int, length: int, keys: tuple[str, ...] = ()) -> Batch:
    return batch_of([Record(0.0, "a", READ, first, length, keys=keys)])


@pytest.mark.parametrize(("first", "length", "key", "good"), [
    (0, 1, "", True), (0, 0, "", False), (0, LIMITS.length, "", True), (0, LIMITS.length + 1, "", False),
    (0, 0, "k", True), (0, LIMITS.length + 1, "k", True), (0, LIMITS.end, "k", True),
    (LIMITS.end - 512, 512, "", True), (LIMITS.end - 511, 512, "", False),
])  # fmt: skip
def test_edges_of_what_a_request_may_be(first: int, length: int, key: str, good: bool) -> None:
    keys = (key,) if key else ()
    one = Record(0.0, "a", READ, first, length, keys=keys)
    if good:
        Checks(LIMITS)(one)
        Checks(LIMITS).batch(batch(first=first, length=length, keys=keys))
        return
    with pytest.raises(Wrong):
        Checks(LIMITS)(one)
    with pytest.raises(NotSimpleError):
        Checks(LIMITS).batch(batch(first=first, length=length, keys=keys))


SMALL = TraceLimits(latest=100.0, slack=2.0, devices=2)


@pytest.mark.parametrize(("records", "good"), [
    ([{"response": 100.0, "gap": 100.0, "service": 100.0}], True), ([{"response": 100.5}], False),
    ([{"gap": 100.5}], False), ([{"service": 100.5}], False), ([{"time": 100.0}], True), ([{"time": 100.5}], False),
    ([{"time": 5.0}, {"time": 3.0}], True), ([{"time": 5.0}, {"time": 4.0}, {"time": 2.5}], False),
    ([{"device": "a"}, {"device": "b"}], True), ([{"device": "a"}, {"device": "b"}, {"device": "c"}], False),
])  # fmt: skip
def test_edges_of_what_requests_may_be_together(records: list[dict[str, Any]], good: bool) -> None:
    made = [Record(0.0, "a", READ, 0, 512)._replace(**each) for each in records]
    both, checks = [batch_of(made[:-1]), batch_of(made[-1:])], Checks(SMALL)
    if good:
        Checks(SMALL).batch(batch_of(made))
        for each in both:
            checks.batch(each)
        return
    with pytest.raises(NotSimpleError):
        Checks(SMALL).batch(batch_of(made))
    checks.batch(both[0])
    with pytest.raises(NotSimpleError):
        checks.batch(both[1])


def test_a_name_that_no_request_has_is_no_device() -> None:
    one = batch_of([Record(0.0, "b", READ, 0, 512)])
    Checks(TraceLimits(devices=1)).batch(one._replace(owners=Words(np.array([1]), ["a", "b", "c"])))


def test_records_in_arrays_have_the_kinds_of_their_columns() -> None:
    of_keys = batch_of([Record(None, "a", READ, 0, 7, keys=("k",))])
    assert of_keys.writes.dtype == np.bool_
    assert of_keys.times.dtype == np.float64
    assert of_keys.counts is not None
    assert of_keys.counts.dtype == np.int64
    assert list(of_keys.records()) == [Record(None, "a", READ, 0, 7, keys=("k",))]


# Columns by Arrow.

def columns(block: bytes, *fields: Field, mark: str = ",") -> Columns:
    return Columns(block, fields, mark)


def test_whole_numbers_as_fractions_are_whole_and_others_are_refused() -> None:
    field = shape.loose("x", "first", 512)
    assert columns(b"1.0\n3.0\n", field).wholes("first").tolist() == [512, 1536]
    with pytest.raises(NotSimpleError):
        columns(b"1.5\n", shape.number("x", "first")).wholes("first")
    with pytest.raises(NotSimpleError):
        columns(b"9007199254740992.0\n", Field("x", r"\d+\.0", "", "time")).wholes("time")


def test_whole_numbers_times_their_unit_stay_within_62_bits() -> None:
    field = shape.integer("x", "first", 512)
    most = (1 << 62) // 512
    assert columns(b"%d\n" % most, field).wholes("first").tolist() == [1 << 62]
    with pytest.raises(NotSimpleError):
        columns(b"%d\n" % (most + 1), field).wholes("first")
    uneven = shape.integer("x", "first", 1000)
    with pytest.raises(NotSimpleError):
        columns(b"%d\n" % ((1 << 62) // 1000 + 1), uneven).wholes("first")


def test_empty_lines_before_the_first_count_for_nothing() -> None:
    assert columns(b"\r\n\n5,6\r\n", shape.integer("x", "first"), shape.integer("y")).wholes("first").tolist() == [5]


def test_a_number_in_hexadecimal_is_read_alone_where_it_has_no_place() -> None:
    with pytest.raises(NotSimpleError):
        columns(b"1,2\n1,0x10\n", shape.integer("x", "first"), shape.integer("y", "length"))
    with pytest.raises(NotSimpleError):
        columns(b"1e001\n", shape.number("x", "first"))
    assert columns(b"1e1\n", shape.number("x", "time")).seconds("time") == [10.0]


def test_a_tab_is_a_mark_where_it_is_one() -> None:
    found = columns(b"5\t6\n", shape.integer("x", "first"), shape.integer("y", "length"), mark="\t")
    assert (found.wholes("first").tolist(), found.wholes("length").tolist()) == ([5], [6])
    clocked = columns(b"5;6\n6.5;7\n", shape.clock("x"), shape.integer("y", "length"), mark=";")
    assert clocked.seconds("clock") == pytest.approx([5.0, 6.5])


def test_a_time_that_begins_whole_may_go_on_in_fractions() -> None:
    found = columns(b"5,1\n5.25,1\n", shape.clock("x"), shape.integer("y", "length"))
    assert found.seconds("clock") == pytest.approx([5.0, 5.25])


@pytest.mark.parametrize(("block", "fields", "mark"), [
    (b"0x10,1\n", (shape.integer("x", "first"), shape.integer("y")), ","),
    (b"-1,1\n", (shape.integer("x", "first"), shape.integer("y")), ","),
    (b"1\n2.0\n", (shape.integer("x", "first"),), ","), (b"5\n1e100\n", (shape.clock("x"),), ","),
    (b"\t1\n2\t1\n", (shape.integer("x"), shape.integer("y")), "\t"),
    (b"2\t1\n\t1\n", (shape.clock("x"), shape.integer("y")), "\t"), ("\u0667,1\n".encode(), (
        Field("x", r"\d+", "", "device"), shape.integer("y")), ","),
    (b"a,1\n ,1\n", (shape.key("x"), shape.integer("y")), ","), (b"1,2\n,2\n", (shape.integer("x"),) * 2, ","),
    (b"1,2\n,2\n", (shape.number("x", "first"), shape.integer("y")), ","), (b"1,2,3\n", (shape.integer("x"),), ","),
    (b"1,2\nNA,2\n", (shape.clock("x"), shape.integer("y")), ","), (b"1234567890123456\n", (shape.number("x"),), ","),
])  # fmt: skip
def test_a_block_that_lines_would_be_refused_of_is_not_simple(
    block: bytes, fields: tuple[Field, ...], mark: str
) -> None:
    with pytest.raises(NotSimpleError):
        columns(block, *fields, mark=mark)


def test_numbers_of_columns_are_times_their_unit() -> None:
    assert columns(b"5\n7\n", shape.number("x", "time", 0.5)).seconds("time") == pytest.approx([2.5, 3.5])
    assert columns(b"5\n5.5\n", shape.number("x", "time")).seconds("time") == pytest.approx([5.0, 5.5])
    assert columns(b"5\n", Field("x", shape.number("x").pattern, "", "time", ticks=4)).seconds("time") == [1.25]
    found = columns(b"5.0\n7.0\n", shape.loose("x", "first", 2)).wholes("first")
    assert (found.tolist(), found.dtype) == ([10, 14], np.int64)
    assert columns(b"5\n", shape.number("x", "time")).seconds("first") is None


def test_cells_of_words_may_be_empty_or_have_quotes() -> None:
    found = columns(b'r,"a\n,b\nr, c \n', shape.choice("x", ("r", ""), "op"), shape.key("y")).words("op")
    assert found is not None
    assert [found.names[code] for code in found.codes.tolist()] == ["r", "", "r"]
    keys = columns(b'r,"a\n,b\nr, c \n', shape.choice("x", ("r", ""), "op"), shape.key("y")).words("key")
    assert keys is not None
    assert keys.names == ['"a', "b", "c"]
    assert columns(b"a,1\n", shape.key("y"), shape.integer("x")).words("op") is None


def test_a_date_may_be_missing_in_a_column_and_all_may_be() -> None:
    dates, field = columns(b"2023-11-16 18:17:03,1\n,2\n", shape.clock("x"), shape.integer("y")).numbers("clock")
    assert (dates[0], np.isnan(dates[1]), field.ticks) == (1_700_158_623e9, True, 1e9)
    assert [len(columns(b"\n\n", field)) for field in (shape.integer("x"), shape.key("x"))] == [0, 0]


@pytest.mark.parametrize("block", [
    b"1" * 20 + b"\n" + b"1" * 16 + b".\n" + b"1" * 16 + b"e1\n", b"1e100\n1e-100\n", b"-1\n", b"1,-1\n", b"0X1\n",
    b"1, 0x1\n",
])  # fmt: skip
def test_what_arrow_may_read_otherwise(block: bytes) -> None:
    clock = shape.clock("x")
    assert _may_mislead(block, [clock], {0: _type_of(clock, "1")}, ",")
    assert not _may_mislead(b"1,2.5,1e10,a-b,0y\n", [clock], {0: _type_of(clock, "1")}, ",")
