"""Tests lines of fields by hand: read one by one and by columns, with the same result in every part of a request."""

from collections.abc import Sequence
from math import nan

import numpy as np
import pytest

from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.batch import Batch, NotSimpleError
from spindle.workloads.traces.columns import NUMBER_OR_EMPTY
from spindle.workloads.traces.faults import Checks, Wrong
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.rows import MAX_KEYS, Rows
from spindle.workloads.traces.shape import SPACE, Field, clock, integer, key, number, time_to_live, unread, word

FIRST, LENGTH, OP = integer("lba", "first", 512), integer("sectors", "length", 512), word("op", "op")
NUMBER, KEY, SIZE = integer("number", "number"), key("key"), integer("size", "length")
KINDS = {"times": np.float64, "firsts": np.int64, "lengths": np.int64, "counts": np.int64, "unsized": np.bool_,
         "deletes": np.bool_, "numbers": np.float64, "writes": np.bool_, "ttls": np.float64}  # fmt: skip


def seconds(part: str, unit: float = 1) -> Field:
    return Field(part, NUMBER_OR_EMPTY, "a number, or empty", part, unit)


def in_a_block(rows: Rows, text: str) -> Batch:
    batch = rows.batch(text.encode(), Checks(TraceLimits()))
    for name, kind in KINDS.items():
        column = getattr(batch, name)
        assert column is None or column.dtype == kind
    assert len(batch.ttls) == batch.requests
    return batch


def read(fields: Sequence[Field], *lines: str) -> list[Record]:
    """The requests of *lines*, read in both ways: all of them, and all but the first by columns."""
    one, other = Rows(fields), Rows(fields)
    found = [record for line in lines if (record := one.parse(line)) is not None]
    first = other.parse(lines[0])
    batch = in_a_block(other, "\r\n\n" + "\n".join(lines[1:]) + "\n")
    assert [*([] if first is None else [first]), *batch.records()] == found
    assert (one.began, one.passed.sentences()) == (other.began, other.passed.sentences())
    return found


def measured(first: int, response: float | None = None, gap: float | None = None, service: float | None = None,
             number: int | None = None) -> Record:
    return Record(None, "", READ, first * 512, 512, response, gap, service, number)


def test_a_response_is_measured_or_is_service_and_queue() -> None:
    fields = [FIRST, LENGTH, *map(seconds, ("response", "gap", "service", "queue")), NUMBER]
    assert read(fields, "1,1,9,0.5,2,3,7", "2,1,9,0.5,,,8", "3,1,9,1,2,,9", "4,1,,,4,0.5,10", "5,1,9,2,,5,11") == [
        measured(1, 5.0, 0.5, 2.0, 7), measured(2, 9.0, 0.5, None, 8), measured(3, 9.0, 1.0, None, 9),
        measured(4, 4.5, None, 4.0, 10), measured(5, 9.0, 2.0, None, 11)]  # fmt: skip


def test_what_was_measured_stays_with_its_request_where_others_are_passed_over() -> None:
    fields = [OP, FIRST, LENGTH, *map(seconds, ("response", "gap", "service", "queue")), NUMBER]
    assert read(fields, "R,1,1,9,0.5,2,3,7", "trim,5,1,8,8,8,8,8", "R,2,1,9,0.25,1,1,9", "discard,5,1,,,,,1") == [
        measured(1, 5.0, 0.5, 2.0, 7), measured(2, 2.0, 0.25, 1.0, 9)]  # fmt: skip


@pytest.mark.parametrize(("parts", "line", "expected"), [
    (("response",), "3", measured(1, 3.0)), (("service", "queue"), "3,4", measured(1, 7.0, None, 3.0)),
    (("service",), "3", measured(1)), (("queue",), "3", measured(1)), (("gap",), "3", measured(1, None, 3.0)),
    (("number",), "3", measured(1, number=3)), (("response", "queue"), "3,4", measured(1, 3.0)),
])  # fmt: skip
def test_each_measured_part_alone(parts: tuple[str, ...], line: str, expected: Record) -> None:
    fields = [FIRST, LENGTH, *(NUMBER if part == "number" else number(part, part) for part in parts)]
    assert read(fields, f"1,1,{line}", f"1,1,{line}", f"1,1,{line}") == [expected] * 3


def test_numbers_that_no_float_holds_are_read_one_by_one() -> None:
    rows = Rows([FIRST, LENGTH, NUMBER])
    assert next(in_a_block(rows, f"1,1,{2**53 - 1}\n").records()).number == 2**53 - 1
    with pytest.raises(NotSimpleError):
        in_a_block(rows, f"1,1,{2**53}\n")


def test_a_line_without_a_place_or_with_one_of_a_unit() -> None:
    assert Rows([LENGTH]).parse("2") == Record(None, "", READ, 0, 1024)
    assert read([OP, FIRST, LENGTH], "W,3,2", "r,3,2", "RM,0,1") == [
        Record(None, "", op, first, length) for op, first, length in
        ((WRITE, 1536, 1024), (READ, 1536, 1024), (READ, 0, 512))]  # fmt: skip


def asked(name: str, size: int = 1, times: int = 1, **more: object) -> Record:
    return Record(None, "", READ, 0, size, keys=(name,) * times, **more)  # type: ignore[arg-type]


def test_objects_their_sizes_counts_and_times_to_live() -> None:
    fields = [KEY, integer("size", "length", 512), integer("more", "extra"), integer("count", "count"),
              time_to_live("ttl")]  # fmt: skip
    assert read(fields, "a,2,5,1,0", "b,0,7,3,0.5", "a,1,0,2,-1", "c,1,0,1,1") == [
        asked("a", 1029), asked("b", 7, 3, ttl=0.5), asked("a", 512, 2), asked("c", 512, ttl=1.0)]  # fmt: skip
    assert read([KEY], "a", "b", "a") == [asked(each, unsized=True) for each in "aba"]


def test_operations_on_objects_are_deletes_and_what_is_passed_over() -> None:
    lines = ["set,a,1", "head,b,2", "get,b,2", "what,c,3", "what,c,3", "rest.put.object,d,4", "del,a,1"]
    found = read([OP, KEY, SIZE], *lines)
    assert [(record.op, record.keys, record.delete) for record in found] == [
        (WRITE, ("a",), False), (READ, ("b",), False), (WRITE, ("d",), False), (READ, ("a",), True)]  # fmt: skip
    rows = Rows([OP, KEY, SIZE])
    in_a_block(rows, "\n".join(lines[:-1]))
    assert (dict(rows.passed.idle), dict(rows.passed.unknown)) == ({"head": 1}, {"what": 2})
    assert in_a_block(rows, "\n".join(lines[:3])).deletes is None


def test_a_line_asks_for_an_object_so_many_times() -> None:
    rows = Rows([KEY, integer("count", "count")])
    assert in_a_block(rows, f"a,{MAX_KEYS}\n").counts == [MAX_KEYS]
    for count in (0, MAX_KEYS + 1):
        with pytest.raises(NotSimpleError):
            in_a_block(rows, f"a,{count}\n")
        with pytest.raises(Wrong, match=f"not {count}"):
            rows.parse(f"a,{count}")


def test_longer_lines_fit_where_they_may_be_longer() -> None:
    rows = Rows([FIRST, LENGTH])
    with pytest.raises(Wrong, match="stands behind sectors"):
        rows.parse("1,2,x")
    with pytest.raises(NotSimpleError):
        in_a_block(rows, "1,2,x\n1,2,y\n")
    longer = Rows([FIRST, LENGTH], longer=True)
    assert longer.parse("1,2,x") is not None
    assert in_a_block(longer, "\r\n\n1,2,x\n1,2,y\n").requests == 2


def test_a_device_and_its_disc_are_one_name() -> None:
    fields = [word("host", "device"), word("disc", "disc"), FIRST, LENGTH]
    assert [record.device for record in read(fields, "a,0,1,1", "a,0,1,1", "b,0,1,1")] == ["a.0", "a.0", "b.0"]
    assert [record.device for record in read(fields, "a,0,1,1", "a,1,1,1", "b,0,1,1")] == ["a.0", "a.1", "b.0"]


@pytest.mark.parametrize("space", ["\v", "\f"])
def test_other_white_space_is_read_line_by_line(space: str) -> None:
    rows = Rows([FIRST, LENGTH], SPACE)
    assert in_a_block(rows, "1  2 \n 1\t2\n").requests == 2
    with pytest.raises(NotSimpleError):
        in_a_block(rows, f"1 2{space}\n")


# Clocks, which count from the first time.

def test_a_clock_counts_from_the_first_that_has_one() -> None:
    fields = [clock("time", 1e-3), FIRST, LENGTH]
    assert [record.time for record in read(fields, "5000,1,1", ",1,1", "5250,1,1")] == [0.0, None, 0.25]
    rows = Rows(fields)
    with pytest.raises(NotSimpleError):
        in_a_block(rows, "5000,1,1\n")
    rows._dated = False
    batch = in_a_block(rows, ",1,1\n5000,1,1\n5500,1,1\n")
    assert np.array_equal(batch.times, [nan, 0.0, 0.5], equal_nan=True)
    assert rows.began == 5000
    with pytest.raises(NotSimpleError):
        in_a_block(rows, "2023-11-16 18:17:03,1,1\n")


def test_dates_are_subtracted_as_they_stand() -> None:
    fields = [clock("time"), FIRST, LENGTH]
    found = read(fields, "2023-11-16 18:17:03.000000001,1,1", "2023-11-16 18:17:03.000000003,1,1",
                 "2023-11-16 18:17:04.000000001,1,1")  # fmt: skip
    assert [record.time for record in found] == [0.0, 2e-9, 1.0]
    late = Rows(fields)
    times = [late.parse(f"{date},1,1") for date in ("05/11/2023", "05/11/2023", "13/11/2023", "14/11/2023")]
    assert [record and record.time for record in times] == [0.0, 0.0, 8 * 86400.0, 9 * 86400.0]


@pytest.mark.parametrize(("now", "unit", "name"), [
    (10**11 + 1, 1e-3, "milliseconds"), (10**14, 1e-3, "milliseconds"), (10**14 + 1, 1e-6, "microseconds"),
    (10**17 + 1, 1e-7, "Windows' ticks of 100 ns"), (2 * 10**17 + 1, 1e-9, "nanoseconds"),
])  # fmt: skip
def test_a_clock_without_a_unit_is_guessed(now: int, unit: float, name: str) -> None:
    rows = Rows([clock("time"), LENGTH])
    rows.parse(f"{now},1")
    assert rows.notes == [f"time is taken for {name} since a date; time_ms, _us or _ns would say the unit"]
    later = rows.parse(f"{now + 8},1")
    assert later is not None
    assert later.time == pytest.approx(8 * unit)


def test_a_block_does_not_guess() -> None:
    def block(unit: float, now: str, began: float | None = None) -> float | None:
        rows = Rows([clock("time", unit), FIRST, LENGTH])
        rows._dated, rows.began = False, began
        in_a_block(rows, f",1,1\n{now},1,1\n")
        return rows.began

    assert block(1, "100000000000") == 10**11
    assert block(1e-3, "100000000001") == 10**11 + 1
    assert block(1, "100000000001", 1e11) == 1e11
    assert block(1e-3, f"{2**53 - 1}") == 2**53 - 1
    for unit, now in ((1, "100000000001"), (1e-3, f"{2**53}")):
        with pytest.raises(NotSimpleError):
            block(unit, now)


def test_a_time_since_the_beginning_has_a_unit() -> None:
    fields = [number("time_ms", "time", 1e-3), unread(), FIRST, LENGTH]
    found = read(fields, "5,x,1,1", "6.5,y,1,1", "7,z,1,1")
    assert [record.time for record in found] == pytest.approx([0.005, 0.0065, 0.007])
