"""Tests a reader's message for a wrong cell: the name of the field and its rule, in words; and limits of checks."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from spindle.sim.request import READ
from spindle.workloads.traces import shape
from spindle.workloads.traces.batch import Batch, NotSimpleError, batch_of
from spindle.workloads.traces.columns import Columns
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
    for make in (shape.integer, shape.loose, shape.number):
        assert (make("x").part, make("x").unit) == ("", 1)
        assert (make("x", "first", 512).part, make("x", "first", 512).unit) == ("first", 512)
    assert shape.unread().pattern == shape.unread(",").pattern != shape.unread(";").pattern
    assert [make("x").part for make in (shape.key, shape.time_to_live, shape.clock)] == ["key", "ttl", "clock"]
    assert shape.choice("x", "ab", "op").part == "op"


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
