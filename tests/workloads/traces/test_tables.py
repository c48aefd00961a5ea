"""Tests Parquet and Arrow by hand: columns of every type that a trace may have, and hostile files."""

from array import array
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from spindle.sim.error import UserError
from spindle.workloads.traces import tables, unpacked
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import TraceLimits
from spindle.workloads.traces.unpacked import Unpacked, arrow_batches

BASE = {"op": ["R", "W", "R"], "offset": [0, 8192, 0], "size": [4096] * 3}
BEGAN = datetime(2024, 5, 1, 12, tzinfo=UTC)
SECONDS = [0.0, 1.0, 2.5]
DATES = [BEGAN + timedelta(seconds=each) for each in SECONDS]
SPANS = [timedelta(seconds=each) for each in SECONDS]
TIMES: dict[str, tuple[str, Any]] = {
    **{f"date in {unit}": ("timestamp", pa.array([each.replace(tzinfo=None) for each in DATES], pa.timestamp(unit)))
       for unit in ("ms", "us", "ns")},
    "date in a zone": ("timestamp", pa.array(DATES, pa.timestamp("us", tz="+02:00"))),
    "span": ("time_s", pa.array(SPANS, pa.duration("us"))),
    "span in ms": ("time_ms", pa.array(SPANS, pa.duration("ns"))),
    "time of day": ("time", pa.array([time(0, 0, 0), time(0, 0, 1), time(0, 0, 2, 500_000)], pa.time64("us"))),
    "decimal": ("time_s", pa.array([Decimal("0.000"), Decimal("1.000"), Decimal("2.500")], pa.decimal128(10, 3))),
    "float32": ("time_s", pa.array(SECONDS, pa.float32())), "text": ("time_s", pa.array(["0", "1", "2.5"])),
    "dictionary": ("time_s", pa.array(SECONDS).dictionary_encode()),
}  # fmt: skip


def written(path: Path, columns: dict[str, Any], **given: Any) -> Path:
    table = pa.table({**BASE, **columns})
    if path.suffix == ".parquet":
        parquet.write_table(table, path, **given)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    return path


@pytest.mark.parametrize("end", ["parquet", "arrow"])
@pytest.mark.parametrize("name", TIMES)
def test_times_of_any_type_are_in_seconds(tmp_path: Path, name: str, end: str) -> None:
    column, values = TIMES[name]
    trace = Trace(written(tmp_path / f"trace.{end}", {column: values}))
    assert [record.time for record in trace] == pytest.approx(SECONDS)


def test_a_day_is_a_date(tmp_path: Path) -> None:
    days = pa.array([date(2024, 5, 1), date(2024, 5, 2), date(2024, 5, 2)])
    assert [record.time for record in Trace(written(tmp_path / "trace.parquet", {"time": days}))] == [0, 86400, 86400]


@pytest.mark.parametrize("values", [
    pa.array(["a", "b,c", "a"]), pa.array(["a", "b,c", "a"], pa.large_string()), pa.array([b"a", b"b,c", b"a"]),
    pa.array(["a", "b,c", "a"], pa.string_view()), pa.array(["a", "b,c", "a"]).dictionary_encode(),
])  # fmt: skip
def test_names_of_any_type_are_text(tmp_path: Path, values: Any) -> None:
    for end in ("parquet", "arrow"):
        trace = Trace(written(tmp_path / f"trace.{end}", {"device": values}))
        assert [record.device for record in trace] == ["a", "b,c", "a"]


@pytest.mark.parametrize("values", [
    pa.array([[1] * 100_000, [2], [3]]), pa.array([{"a": 1}] * 3),
    pa.array([[("a", 1)], [], []], pa.map_(pa.string(), pa.int8())),
])  # fmt: skip
def test_nested_columns_are_passed_over(tmp_path: Path, values: Any) -> None:
    assert len(list(Trace(written(tmp_path / "trace.parquet", {"more": values})))) == 3


def _deep() -> Any:
    nested: Any = 1
    for _ in range(60):
        nested = [nested]
    return pa.array([nested] * 3)


@pytest.mark.parametrize(("columns", "says"), [
    (lambda: {"device": ["a\nb", "c", "d"]}, "a cell has an end of line in it"),
    (lambda: {"device": pa.array([b"\xff", b"a", b"b"])}, "the table cannot be read: Invalid UTF8"),
    (lambda: {"more": _deep()}, "the table cannot be read: Parquet schema too deeply nested"),
    (lambda: {f"c{number}": [1, 2, 3] for number in range(4100)}, "a table has at most 4096 columns"),
    (lambda: {"op": [True, False, True]}, "op must be R or W, not 'true'"),
    (lambda: {"time_s": [0.0, float("nan"), 1.0]}, "not 'nan'"), (lambda: {"time_s": [-1.0, 0.0, 1.0]}, "not '-1'"),
    (lambda: {"a\nb": [1, 2, 3]}, "column 'a' is not known"), (lambda: {"a,b": [1, 2, 3]}, "column 'a' is not known"),
])  # fmt: skip
def test_what_is_hostile_is_refused_in_a_line(
    tmp_path: Path, columns: Callable[[], dict[str, Any]], says: str
) -> None:
    path = written(tmp_path / "trace.parquet", columns())
    with pytest.raises(UserError, match=says) as raised:
        list(Trace(path))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("end", ["parquet", "arrow"])
def test_a_table_that_is_cut_anywhere_is_refused_in_a_line(tmp_path: Path, end: str) -> None:
    path = written(tmp_path / f"trace.{end}", {"time_s": SECONDS})
    content = path.read_bytes()
    for length in range(8, len(content), 37):
        path.write_bytes(content[:length])
        with pytest.raises(UserError) as raised:
            list(Trace(path))
        assert "\n" not in str(raised.value)


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    table = pa.table([pa.array([1.0, 2.0])] * 2, names=["time_s", "time_s"])
    parquet.write_table(table, tmp_path / "trace.parquet")
    with pytest.raises(UserError, match="two of its columns have one name"):
        list(Trace(tmp_path / "trace.parquet"))


def test_text_beyond_its_buffer_is_refused_in_a_line(tmp_path: Path) -> None:
    """Arrow maps a file as it is, and would read where its offsets lead."""
    ends = pa.py_buffer(array("i", [0, 1, 1 << 30, 3]).tobytes())
    text = pa.Array.from_buffers(pa.string(), 3, [None, ends, pa.py_buffer(b"abc")])
    path = written(tmp_path / "trace.arrow", {"name": text})
    with pytest.raises(UserError, match=r"the table cannot be read: .*out of bounds"):
        list(Trace(path))


# What unpacks to far more than there is of it.


@pytest.mark.parametrize("form", ["file", "stream", "dictionary"])
def test_an_arrow_batch_that_unpacks_to_far_more_is_refused_before_it_is(tmp_path: Path, form: str) -> None:
    zeros = pa.array(bytes(8 << 20), pa.uint8()) if form == "file" else pa.nulls(8 << 20)
    if form == "dictionary":
        zeros = pa.DictionaryArray.from_arrays(pa.array(bytes(8 << 20), pa.int8()), pa.array(["R"]))
    table, path = pa.table({"op": zeros}), tmp_path / "bomb.arrow"
    make = pa.ipc.new_file if form == "file" else pa.ipc.new_stream
    with make(str(path), table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    with pytest.raises(UserError, match="more than 200 times as long when decompressed"):
        list(Trace(path))


def test_a_parquet_file_of_equal_rows_is_refused_by_its_footer(tmp_path: Path) -> None:
    """A million equal rows of 8 bytes are 8 MB, in a file of some kilobytes."""
    parquet.write_table(pa.table({"size": pa.array([4096] * (1 << 20))}), tmp_path / "rle.parquet")
    assert (tmp_path / "rle.parquet").stat().st_size < 10_000
    with pytest.raises(UserError, match="more than 200 times as long when decompressed"):
        list(Trace(tmp_path / "rle.parquet"))


@pytest.mark.parametrize("end", ["parquet", "arrow"])
def test_a_long_word_that_stands_there_once_for_many_rows_is_refused(tmp_path: Path, end: str) -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([0] * 3, pa.int8()), pa.array(["x" * 70_000]))
    with pytest.raises(UserError, match="a cell has 70000 bytes, and 65536 are the most"):
        list(Trace(written(tmp_path / f"trace.{end}", {"device": words})))


def test_words_that_together_are_far_longer_are_refused_as_lines(tmp_path: Path) -> None:
    """Rows of one word of 60,000 bytes: 4 MiB, from which on the ratio counts, are 70 of them."""
    words = pa.DictionaryArray.from_arrays(pa.array([0] * 99, pa.int8()), pa.array(["x" * 60_000]))
    parquet.write_table(pa.table({"key": words}), tmp_path / "trace.parquet", compression="zstd")
    with pytest.raises(UserError, match="more than 200 times as long when decompressed"):
        list(Trace(tmp_path / "trace.parquet"))


def test_a_row_with_too_many_keys_is_refused(tmp_path: Path) -> None:
    table = pa.table({"hash_ids": pa.array([[1] * 70_000, [2]])})
    parquet.write_table(table, tmp_path / "trace.parquet")
    with pytest.raises(UserError, match="a row has a list of more than 65536 values"):
        list(Trace(tmp_path / "trace.parquet"))


def test_a_damaged_header_within_an_arrow_file_is_refused_in_a_line(tmp_path: Path) -> None:
    path = written(tmp_path / "trace.arrow", {"time_s": SECONDS})
    content = path.read_bytes()
    for place in range(8, 600, 23):
        path.write_bytes(content[:place] + b"\xff" * 4 + content[place + 4 :])
        with suppress(UserError):
            list(Trace(path))


def test_a_part_that_unpacks_to_very_much_at_once_is_refused_below_the_ratio_as_well() -> None:
    """Traces reach a ratio of 30: a column of 257 MiB from 8 MiB is 32 times as long, and one from 9 MiB is not."""
    unpacked = Unpacked("x", 10**9, TraceLimits())
    unpacked.add_at_once(257 << 20, 9 << 20)
    unpacked.add_at_once(255 << 20, 1 << 20)
    with pytest.raises(UserError, match="8388608 bytes of it unpack to 269484032 at once, and 268435456 are the most"):
        unpacked.add_at_once(257 << 20, 8 << 20)


def test_the_buffers_of_an_arrow_batch_count_and_not_its_rows_alone(tmp_path: Path) -> None:
    """A hundred rows of 60,000 equal bytes."""
    table = pa.table({"key": ["x" * 60_000] * 100})
    with pa.ipc.new_file(str(tmp_path / "bomb.arrow"), table.schema,
                         options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:  # fmt: skip
        writer.write_table(table)
    file = pa.memory_map(str(tmp_path / "bomb.arrow")).read_buffer()
    sizes, packed = zip(*arrow_batches(file[8:]), strict=True)
    assert 6_000_000 < sum(sizes) < 6_001_000
    assert sum(packed) < 30_000
    with pytest.raises(UserError, match="more than 200 times as long when decompressed"):
        list(Trace(tmp_path / "bomb.arrow"))


# Parts of a table, by hand.

def lines(columns: dict[str, Any], headed: bool = False) -> bytes:
    return tables._encode(pa.RecordBatch.from_pydict(columns), headed)


def test_rows_are_written_plainly_and_quoted_only_where_they_must_be() -> None:
    assert lines({"a": ["x", "y"], "n": [1, 2]}, headed=True) == b"a,n\nx,1\ny,2\n"
    assert lines({"a": ["x", "y,z"], "n": [1, 2]}) == b'"x",1\n"y,z",2\n'
    with pytest.raises(OSError, match="a cell of its only column is empty"):
        lines({"a": ["x", None]})


@pytest.mark.parametrize(("name", "values", "expected"), [
    ("n", pa.array([1, 2]), pa.array([1, 2])), ("n", pa.array([1.0, 2.0]), pa.array([1, 2])),
    ("n", pa.array([1.5, 2.0]), pa.array([1.5, 2.0])), ("x_time_ms", pa.array([1.0, 2.0]), pa.array([1.0, 2.0])),
    ("ms_x", pa.array([1.0, 2.0]), pa.array([1, 2])),
    ("x_time_ms", pa.array([1000, 2500], pa.duration("us")), pa.array([1.0, 2.5])),
    ("time", pa.array([1500, 2000], pa.time32("ms")), pa.array([1.5, 2.0])),
    ("time_us", pa.array([1500, 2000], pa.time64("ns")), pa.array([1.5, 2.0])),
    ("time", pa.array([0, 1], pa.timestamp("us", tz="+02:00")), pa.array([0, 1], pa.timestamp("us"))),
    ("time", pa.array([0, 1], pa.timestamp("ms")), pa.array([0, 1], pa.timestamp("ms"))),
    ("time", pa.array([1, 2], pa.date32()), pa.array(["1970-01-02", "1970-01-03"])),
    ("name", pa.array([b"a"]), pa.array(["a"])), ("name", pa.array(["a"], pa.string_view()), pa.array(["a"])),
    ("name", pa.array(["a", "b", "a"]).dictionary_encode(), pa.array(["a", "b", "a"])),
])  # fmt: skip
def test_columns_as_readers_of_text_know_them(name: str, values: Any, expected: Any) -> None:
    assert tables._text_column(name, values).equals(expected)


@pytest.mark.parametrize(("values", "width"), [
    (pa.array(["a", "bcd", None]), 3), (pa.array(["a", "bcd"], pa.large_string()), 3), (pa.array([b"ab"]), 2),
    (pa.array([b"ab"], pa.large_binary()), 2), (pa.array(["a", "bcd"], pa.string_view()), 3),
    (pa.array(["a", "b" * 20, "c"], pa.string_view())[2:], 1), (pa.array([], pa.string_view()), 0),
    (pa.array([], pa.string()), 0), (pa.array(["a", "bcd"]).dictionary_encode(), 3),
    (pa.array([], pa.dictionary(pa.int8(), pa.string())), 0), (pa.array([1, 2, 3]), 8), (pa.array([], pa.int64()), 0),
    (pa.array([[1, 2], [3, 4]]), 20), (pa.array([], pa.list_(pa.int64())), 0), (pa.array([[1, 2]]), 20),
    (pa.array([7]), 8),
])  # fmt: skip
def test_a_cell_has_so_many_bytes(values: Any, width: int) -> None:
    assert tables._width(values, 20) == width


def test_a_cell_or_a_list_may_be_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_KEYS", 3)
    for good, bad in ((pa.array(["abcd"]), pa.array(["abcde"])), (pa.array([[1, 2, 3]]), pa.array([[1, 2, 3, 4]]))):
        assert tables._width(good, 4) > 0
        with pytest.raises(OSError, match=r"the most|more than"):
            tables._width(bad, 4)


@pytest.mark.parametrize(("held", "sizes"), [(80, [10]), (79, [9, 1]), (16, [2] * 5), (1, [1] * 10)])
def test_so_many_rows_are_held_as_have_room(monkeypatch: pytest.MonkeyPatch, held: int, sizes: list[int]) -> None:
    """Of 8 bytes each; and one where not even that has room."""
    monkeypatch.setattr(tables, "MAX_HELD", held)
    batch = pa.RecordBatch.from_pydict({"n": list(range(10))})
    parts = list(tables._small(batch, 99))
    assert [part.num_rows for part in parts] == sizes
    assert [each for part in parts for each in part.column(0).to_pylist()] == list(range(10))
    narrow = pa.RecordBatch.from_pydict({"n": pa.array(["a"] * held)})
    assert [part.num_rows for part in tables._small(narrow, 99)] == [held]
    monkeypatch.setattr(tables, "ROWS", 4)
    monkeypatch.setattr(tables, "MAX_HELD", 1000)
    assert [part.num_rows for part in tables._small(batch, 99)] == [4, 4, 2]


def test_of_nested_columns_those_with_keys_are_kept() -> None:
    schema = pa.schema({"n": pa.int64(), "hash_ids": pa.list_(pa.int64()), "more": pa.list_(pa.int64())})
    assert tables._columns_of_lines(schema) == ["n", "hash_ids"]
    deep = pa.schema({"hash_ids": pa.list_(pa.struct({"a": pa.int64()})), "n": pa.int64()})
    assert tables._columns_of_lines(deep) == ["n"]
    flat, nested = ({"hash_ids": each} for each in (["a", "b"], [["a"], ["b"]]))
    assert [tables._has_lists(pa.RecordBatch.from_pydict(each)) for each in (flat, nested)] == [False, True]


def test_rows_with_lists_are_lines_of_json() -> None:
    batch = pa.RecordBatch.from_pydict({"hash_ids": [[1, 2], []], "time": [date(2024, 5, 1)] * 2})
    assert tables._lists(batch) == (b'{"hash_ids": [1, 2], "time": "2024-05-01"}\n'
                                    b'{"hash_ids": [], "time": "2024-05-01"}\n')  # fmt: skip


def test_parquet_is_read_in_batches_of_so_many_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A number has 8, a fixed word its own length, and one of any length counts 8; words stay a dictionary."""
    columns = {"n": pa.array(range(20)), "w": pa.array([b"abcd"] * 20, pa.binary(4)), "s": ["x", "y"] * 10,
               "b": pa.array([b"a"] * 20, pa.binary(1))}  # fmt: skip
    parquet.write_table(pa.table(columns), tmp_path / "x.parquet")
    for held, sizes in ((210, [10, 10]), (209, [9, 9, 2]), (5, [1] * 20)):
        monkeypatch.setattr(tables, "MAX_HELD", held)
        batches = list(tables._parquet(tmp_path / "x.parquet", Unpacked("x", 10**6, TraceLimits())))
        assert [batch.num_rows for batch in batches] == sizes
    assert pa.types.is_dictionary(batches[0].schema.field("s").type)
    assert not pa.types.is_dictionary(batches[0].schema.field("n").type)
    parquet.write_table(pa.table({"b": columns["b"]}), tmp_path / "y.parquet")
    monkeypatch.setattr(tables, "MAX_HELD", 10)
    narrow = tables._parquet(tmp_path / "y.parquet", Unpacked("y", 10**6, TraceLimits()))
    assert [batch.num_rows for batch in narrow] == [10, 10]


@pytest.mark.parametrize("end", ["parquet", "arrow"])
def test_what_unpacks_at_once_is_compared_with_the_bytes_that_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    path = written(tmp_path / f"x.{end}", {})
    monkeypatch.setattr(unpacked, "MAX_AT_ONCE", 1)
    limits, head = TraceLimits(), path.read_bytes()[:8]
    assert b"".join(tables.lines_of(path, "x", head, limits)).startswith(b"op,offset,size\nR,0,4096\n")
    monkeypatch.setattr(unpacked, "USUAL_RATIO", 0.001)
    with pytest.raises(UserError, match=r"^x: \d+ bytes of it unpack to \d+ at once, and 1 are the most"):
        list(tables.lines_of(path, "x", head, limits))
    with pytest.raises(UserError, match=r"^x: more than 0 times as long"):
        list(tables.lines_of(path, "x", head, TraceLimits(ratio=0.0, ratio_from=0)))
