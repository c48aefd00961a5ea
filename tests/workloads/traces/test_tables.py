"""Parquet and Arrow: columns of every type that a trace may have, by hand, and what is hostile, in one line."""

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
