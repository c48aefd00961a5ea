"""Tests traces with the day and the time of day in two columns: joined where both are named, else refused in a line."""

from datetime import date, time
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.traces.opening import TraceOptions
from spindle.workloads.traces.batch import NotSimpleError
from spindle.workloads.traces.day_and_time import DayAndTime
from spindle.workloads.traces.faults import Checks
from spindle.workloads.traces.formats.plain import PlainLines
from spindle.workloads.traces.record import TraceLimits
from tests.workloads.traces.test_cases_by_hand import read

HEAD = "date,time,op,size,offset"
ROWS = ["2026-11-28,23:59:59.5,read,4096,0", "2026-11-28,23:59:59.750,write,512,8192", "2026-11-29,00:00:00.25,R,8,64"]
TRACE = "\n".join([HEAD, *ROWS, ""])
TIMES = [0.0, 0.25, 0.75]
"""Midnight comes between the second and the third request."""


def times(folder: Path, lines: str, name: str = "t.csv", **options: str) -> list[float | None]:
    return [record.time for record in read(folder, lines, name, **options)[0]]


def swapped(lines: str) -> str:
    """Return *lines* with the time of day before the day, and the day last of all."""
    return "".join(f"{','.join([*line.split(',')[1:], line.split(',')[0]])}\n" for line in lines.split())


@pytest.mark.parametrize("lines", [
    TRACE, swapped(TRACE), TRACE.replace(",", ";"), TRACE.replace(",", "\t"), TRACE.replace(",", " "),
    TRACE.replace(",", ";").replace(".", ","), TRACE.replace(HEAD, HEAD.title()), TRACE.replace(HEAD, HEAD.upper()),
    TRACE.replace("date,time", "day,timestamp"), TRACE.replace("time", "ts"), TRACE.replace("\n", "\r\n"),
    TRACE.replace(",2", " , 2"), TRACE.replace("2026-11-28,", '"2026-11-28",'), TRACE.replace("-", "/"),
    TRACE.replace("2026-11-28", "28.11.2026").replace("2026-11-29", "29.11.2026"),
    TRACE.replace("2026-11-28", "11/28/2026").replace("2026-11-29", "11/29/2026"),
    TRACE.replace("23:59:59", "11:59:59").replace("00:00:00.25", "12:00:00.25 AM").replace("9.5", "9.5 pm").replace(
        "9.750", "9.750 PM"),
    TRACE.replace("9.5", "9.5Z").replace("9.750", "9.750+00:00").replace("0.25", "0.25Z"),
])  # fmt: skip
def test_a_day_and_a_time_of_day_are_one_time_whatever_their_order_and_marks(tmp_path: Path, lines: str) -> None:
    assert times(tmp_path, lines) == TIMES


def test_requests_are_what_they_are_without_days(tmp_path: Path) -> None:
    found, said = read(tmp_path, TRACE)
    assert [(record.op.value, record.first, record.length) for record in found] == [
        ("read", 0, 4096), ("write", 8192, 512), ("read", 64, 8)]  # fmt: skip
    assert said == []


def test_keys_have_days_beside_their_times(tmp_path: Path) -> None:
    found, _ = read(tmp_path, "date,time,key,size\n2026-12-31,23:59,a,8\n2027-01-01,0:01,b,8\n")
    assert [(record.time, record.keys) for record in found] == [(0.0, ("a",)), (120.0, ("b",))]


@pytest.mark.parametrize(("columns", "lines"), [
    ("date=1,time=2,op=3,size=4,offset=5", "\n".join(ROWS)), ("date=1,time=2,op=3,size=4,offset=5", TRACE),
    ("day=1,time=2,op=3,size=4,offset=5", "\n".join(ROWS)), ("date=1,time=2,op=3,size=4,offset=5", " ".join(
        ["2026-11-28", "23:59:59.5", "R", "8", "0"]) + "\n2026-11-28 23:59:59.75 R 8 0\n2026-11-29 0:00:00.25 R 8 0\n"),
    ("date=tag,time=zeit,op=was,size=n,offset=wo", TRACE.replace(HEAD, "tag,zeit,was,n,wo")),
    ("date=d,time=t,op=o,size=s,offset=b", "".join(
        f'{{"d":"{day}","t":"{at}","o":"R","s":8,"b":0}}\n' for day, at in [row.split(",")[:2] for row in ROWS])),
])  # fmt: skip
def test_columns_that_are_named_are_joined_too(tmp_path: Path, columns: str, lines: str) -> None:
    assert times(tmp_path, lines, columns=columns) == TIMES


@pytest.mark.parametrize("rest", ['"op":"R","offset":0,"size":8', '"key":"a"'])
@pytest.mark.parametrize("first", ['"date":"{0}","time":"{1}"', '"time":"{1}","date":"{0}"', '"ts":"{1}","day":"{0}"'])
def test_json_lines_have_days_and_times_of_day(tmp_path: Path, first: str, rest: str) -> None:
    if '"day"' in first and "key" not in rest:
        first = first.replace("day", "date")
    lines = "".join(f"{{{first.format(*row.split(',')[:2])},{rest}}}\n" for row in ROWS)
    assert times(tmp_path, lines, "t.jsonl") == TIMES


def test_json_lines_with_a_whole_date_are_read_by_it(tmp_path: Path) -> None:
    lines = '{"date":"2026-11-28 10:00:00","ts":7,"offset":0,"size":8}\n{"date":"2026-11-28 10:00:02","ts":8,' \
            '"offset":0,"size":8}\n'  # fmt: skip
    assert times(tmp_path, lines, "t.jsonl") == [0.0, 2.0]


def test_tables_have_days_and_times_of_day(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    days = [date(2026, 11, 28), date(2026, 11, 28), date(2026, 11, 29)]
    of_day = [time(23, 59, 59, 500_000), time(23, 59, 59, 750_000), time(0, 0, 0, 250_000)]
    for kind, unit in ((pa.date32(), pa.time64("us")), (pa.date64(), pa.time64("ns")), (pa.date32(), pa.time32("ms"))):
        parquet.write_table(pa.table({"date": pa.array(days, kind), "time": pa.array(of_day, unit), "op": ["R"] * 3,
                                      "offset": [0] * 3, "size": [8] * 3}), tmp_path / "t.parquet")  # fmt: skip
        assert [record.time for record in TraceOptions().open(tmp_path / "t.parquet")] == TIMES
    parquet.write_table(pa.table({"made": pa.array(days[:2]), "time_s": pa.array(of_day[:2], pa.time64("us")),
                                  "op": ["R"] * 2, "offset": [0] * 2, "size": [8] * 2}), tmp_path / "u.parquet")
    apart = TraceOptions(columns="time_s=time_s,op=op,offset=offset,size=size").open(tmp_path / "u.parquet")
    assert [record.time for record in apart] == [86399.5, 86399.75]


BOTH = "date and time must be a day and a time of day, as 2026-11-28 and 18:17:03, or both empty, not "


@pytest.mark.parametrize(("row", "why"), [
    ("2026-11-28,12.5,read,8,0", BOTH + "'2026-11-28T12.5'"), ("1,10:00:00,read,8,0", BOTH + "'1T10:00:00'"),
    ("2026-11-28,,read,8,0", BOTH + "'2026-11-28T'"), (",10:00:00,read,8,0", BOTH + "'T10:00:00'"),
    ("2026-11-28,2026-11-28 10:00:00,read,8,0", BOTH + "'2026-11-28T2026-11-28 10:00:00'"),
    ("2026-13-28,10:00:00,read,8,0", "2026-13-28T10:00:00 is no date"),
    ("2026-11-28,24:00:00,read,8,0", "2026-11-28T24:00:00 is no date"), ("2026-11-28", "date and time is missing"),
])  # fmt: skip
def test_a_pair_that_is_none_is_refused_in_a_line(tmp_path: Path, row: str, why: str) -> None:
    with pytest.raises(UserError) as said:
        read(tmp_path, f"{HEAD}\n{row}\n", format="csv")
    assert why in str(said.value)
    assert str(said.value).startswith(f"{tmp_path / 't.csv'}:2:")


def test_a_request_may_have_neither_day_nor_time(tmp_path: Path) -> None:
    assert times(tmp_path, f"{TRACE},,read,8,0\n") == [*TIMES, None]


def test_days_whose_month_is_open_are_refused_as_those_of_one_column_are(tmp_path: Path) -> None:
    lines = TRACE.replace("2026-11-28", "10/11/2026").replace("2026-11-29", "11/11/2026")
    with pytest.raises(UserError, match="may be in either of two months: write dates as 2023-11-05"):
        read(tmp_path, lines)


NO_DAY = "time 23:59:59.5 is a time of day, whose day is not known: a column date, or --columns date=N, has the day"


@pytest.mark.parametrize(("lines", "options", "why"), [
    ("\n".join(row.partition(",")[2] for row in TRACE.split()), {}, NO_DAY),
    (TRACE, {"columns": "time=2,op=3,size=4,offset=5"}, NO_DAY),
    (TRACE, {"columns": "time=time,op=op,size=size,offset=offset"}, NO_DAY),
    ('{"time":"23:59:59.5","key":"a"}\n', {}, NO_DAY), ('{"time":"23:59:59.5","date":"1","key":"a"}\n', {}, NO_DAY),
    ("\n".join(ROWS), {}, "--columns says which is which, as date=1,time=5,op=2,offset=3,size=4"),
    (TRACE.replace("time", "time_s"), {}, "beside it time_s counts seconds; --columns says which is the time"),
    (TRACE.replace("date,time", "date,time,timestamp"), {}, "beside it time and timestamp are times; --columns says"),
    (TRACE.replace("op", "day"), {}, "column date stands there twice"),
])  # fmt: skip
def test_times_of_day_whose_day_is_not_plain_are_refused_with_what_to_do(
    tmp_path: Path, lines: str, options: dict[str, str], why: str
) -> None:
    with pytest.raises(UserError) as said:
        read(tmp_path, lines, **options)
    assert why in str(said.value)


def test_days_alone_are_the_times(tmp_path: Path) -> None:
    lines = "{},offset,size\n2026-11-28,0,8\n2026-11-29,0,8\n"
    for name in ("date", "Date"):
        found, said = read(tmp_path, lines.format(name))
        assert [record.time for record in found] == [0.0, 86400.0]
        assert said[0] == "column date is taken for time"


def test_a_block_is_joined_as_its_lines_are() -> None:
    pytest.importorskip("pyarrow")
    lines = PlainLines()
    for line in TRACE.split()[:2]:
        lines.parse(line)
    batch = lines.batch("\n".join(ROWS).encode(), Checks(TraceLimits()))
    assert (batch.times.tolist(), batch.firsts.tolist()) == (TIMES, [0, 8192, 64])
    with pytest.raises(NotSimpleError):
        lines.batch(b"2026-11-28,,read,8,0\n", Checks(TraceLimits()))
    assert DayAndTime(0, 1, ",").block(b"d,t,x\nd,t\n\nd\r\n") == b"_,dTt,x\n_,dTt\n\nd\r\n"
    assert DayAndTime(3, 1, ";").block(b"a;t;b;d\r\na;t;b;d;x") == b"a;dTt;b;_\r\na;dTt;b;_;x"
    assert DayAndTime(2, 0, ";").block(b"t;;d\n") == b"dTt;;_\n"


def test_a_line_is_joined_where_it_has_both_cells() -> None:
    assert DayAndTime(0, 1, ",").line(" d , t ,x") == "_,dTt,x"
    assert DayAndTime(2, 0, " ").line("t  x d") == "dTt x _"
    assert DayAndTime(0, 1, ",").line(",,x") == "_,,x"
    assert DayAndTime(0, 1, ",").line("d") == "d"
    assert DayAndTime(0, 1, ",").line("d,t") == "_,dTt"
